import { expect, test } from 'vitest';
import { pluginOf, testRegistry } from '../../../../test/support/registry.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import { stoppedByUser } from '../../../runtime/views/keeper.ts';
import { createExposure } from './exposure.ts';

const why = stoppedByUser('weather');

test('what is stopped while it is being exposed is stopped, whenever that comes', async () => {
  for (let steps = 0; steps < 30; steps += 1) {
    const { exposure, registry, weather } = world();
    const exposing = exposure.expose(weather);
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    await Promise.all([exposure.unexpose('weather', why), exposing]);
    expect([steps, registry.isExposed('weather')]).toEqual([steps, false]);
    expect(registry.getPlugin('weather')?.stopped).toBe(why);
  }
});

test('what is exposed or removed while it is being stopped is stopped', async () => {
  const { exposure, registry, weather } = world();
  await exposure.expose(weather);
  await Promise.all([
    exposure.unexpose('weather', why),
    exposure.expose(weather),
    exposure.unexpose('weather'),
  ]);
  expect(registry.isExposed('weather')).toBe(false);
  expect(await exposure.isStopped('weather')).toBe(true);
  expect(registry.whyNot('forecast', 'tool')).toBe(why);
});

test('once it is woken it can be exposed again, also where it is still being stopped', async () => {
  const { exposure, registry, weather } = world();
  await exposure.expose(weather);
  const stopping = exposure.unexpose('weather', why);
  await exposure.wake('weather');
  await exposure.expose(weather);
  await stopping;
  expect(registry.isExposed('weather')).toBe(true);
  expect(await exposure.isStopped('weather')).toBe(false);
});

function world() {
  const { registry } = testRegistry();
  registry.registerPlugin(pluginOf('weather', 'forecast'));
  const exposure = createExposure({
    registry: () => Promise.resolve(registry),
    loaded: () => Promise.resolve(registry),
  });
  // No more of it is looked at.
  return { registry, exposure, weather: { name: 'weather' } as Plugin };
}
