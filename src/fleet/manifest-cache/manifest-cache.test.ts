import { expect, test, vi } from 'vitest';
import { fakeWorld, settled, type WorldOptions } from '../../../test/support/fleet/fake-world.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { Detect } from '../plugin/environment.ts';
import type { CachedManifest, ManifestCache } from './manifest-cache.ts';

function inMemory(): ManifestCache & { readonly kept: Map<string, CachedManifest> } {
  const kept = new Map<string, CachedManifest>();
  return {
    kept,
    get: ({ name }) => kept.get(name),
    set: ({ name }, cached) => void kept.set(name, cached),
    delete: ({ name }) => void kept.delete(name),
  };
}

const noDialect = { dialect: undefined } as unknown as Partial<PluginSpec>;

/** Another host of the same user. */
function world(manifestCache: ManifestCache, spec: Partial<PluginSpec>, more: WorldOptions = {}) {
  const detect = vi.fn<Detect>(() => Promise.resolve('yams' as const));
  return Object.assign(fakeWorld({ spec, manifestCache, detect, ...more }), { detect });
}

test('what a plugin that starts late has is known to the next host without a start, and its first call starts it', async () => {
  const manifestCache = inMemory();
  const first = world(manifestCache, { lazy: true });
  expect(first.plugin.manifest).toBeUndefined();
  await first.plugin.start();

  const next = world(manifestCache, { lazy: true });
  expect(next.plugin.manifest?.tools).toEqual(first.plugin.manifest?.tools);
  expect(next.plugin.findTool('echo')).toMatchObject({ name: 'echo' });
  expect(next.plugin.status).toMatchObject({ state: 'stopped', pids: [] });
  const call = next.plugin.call('echo');
  await settled();
  next.process.call.end({ ok: true, text: 'hello' });
  expect(await call).toMatchObject({ ok: true, text: 'hello' });
});

test('a plugin that has other tools by now is known by them once it runs', async () => {
  const manifestCache = inMemory();
  await world(manifestCache, { lazy: true }).plugin.start();
  const tools = [{ name: 'other' }];
  const next = world(manifestCache, { lazy: true }, { tools });
  const heard: string[] = [];
  next.plugin.onEvent(({ kind }) => void heard.push(kind));
  await next.plugin.start();
  expect(next.plugin.tools()).toEqual(tools);
  expect(heard).toContain('tools-changed');
  expect(manifestCache.get(next.plugin.spec)?.manifest.tools).toEqual(tools);
});

test('the dialect of a program that names none is asked for once, for all hosts', async () => {
  const manifestCache = inMemory();
  const first = world(manifestCache, noDialect);
  await first.plugin.start();
  expect(first.detect).toHaveBeenCalledTimes(1);
  const next = world(manifestCache, noDialect);
  await next.plugin.start();
  await next.plugin.restart();
  expect(next.detect).not.toHaveBeenCalled();
  // It starts at once, so that nobody has to know its tools before.
  expect(world(manifestCache, noDialect).plugin.manifest).toBeUndefined();
});

test('where it does not introduce itself in the dialect of before, that is forgotten and asked for', async () => {
  const manifestCache = inMemory();
  await world(manifestCache, noDialect).plugin.start();
  let starts = 0;
  const next = world(manifestCache, noDialect, {
    onStart(process) {
      starts += 1;
      if (starts === 1) process.exit(1);
      else process.introduce();
    },
  });
  await expect(next.plugin.start()).rejects.toMatchObject({ code: 'PLUGIN_EXITED' });
  expect(manifestCache.kept.size).toBe(0);
  expect(next.detect).not.toHaveBeenCalled();
  await next.advance(200);
  expect(next.detect).toHaveBeenCalledTimes(1);
  expect(next.plugin.status.state).toBe('ready');
  expect(manifestCache.kept.size).toBe(1);
});

test('nothing is kept of plugins that name their dialect and start at once', async () => {
  const manifestCache = inMemory();
  await world(manifestCache, {}).plugin.start();
  expect(manifestCache.kept.size).toBe(0);
});
