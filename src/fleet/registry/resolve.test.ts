import { expect, test } from 'vitest';
import { settled, type FakeProcess, type WorldOptions } from '../../../test/support/fleet/fake-world.ts';
import { pluginOf, testRegistry } from '../../../test/support/fleet/registry.ts';
import { PluglotError } from '../../base/error.ts';
import type { Tool } from '../../definition/tool.ts';
import { createSecrets } from '../../secrets/secrets.ts';
import type { CachedManifest, ManifestCache } from '../manifest-cache/manifest-cache.ts';

test('a tool that one plugin has is found by its name', async () => {
  const { find } = manyPlugins({ a: ['one'], b: ['two'] });
  const { plugin, tool } = await find('two');
  expect([plugin, tool.name]).toEqual(['b', 'two']);
});

test('a tool that several have is asked for by the whole name', async () => {
  const { find } = manyPlugins({ a: ['same'], b: ['same'] });
  await expect(find('same')).rejects.toMatchObject({
    code: 'UNKNOWN_TOOL',
    message: 'Several plugins have a tool "same": name it as one of "a__same", "b__same".',
  });
  expect((await find('b__same')).plugin).toBe('b');
  expect((await find('mcp__b__same')).plugin).toBe('b');
});

test('a plugin whose name could not be told from that of its tool is refused', () => {
  for (const name of ['a__b', 'a_', 'a___b'])
    expect(() => manyPlugins({ [name]: ['c'] })).toThrow(/"__" and a "_" at the end divide plugin__tool/);
});

test('lazy plugins are started only when the others do not have it', async () => {
  const { find, started } = manyPlugins({ a: ['one'], lazy: ['two'] });
  await find('one');
  expect(started()).toEqual(['a']);
  expect((await find('two')).plugin).toBe('lazy');
  expect(started()).toEqual(['a', 'lazy']);
});

test('a lazy plugin that is named is the only one that is started', async () => {
  const { find, started } = manyPlugins({ a: ['one'], lazy: ['two'] });
  await find('lazy__two');
  expect(started()).toEqual(['lazy']);
});

test('a name that is mistyped gets near ones, and plugins that could not be asked are named', async () => {
  const { find } = manyPlugins({ a: ['weather'], broken: 'exits' });
  await expect(find('wether')).rejects.toMatchObject({
    code: 'UNKNOWN_TOOL',
    message:
      'No plugin has a tool "wether". Did you mean "a__weather"? Could not be asked: broken (Plugin "broken" exited with code 1.).',
  });
  await expect(find('a__wether')).rejects.toMatchObject({
    message: expect.stringContaining('Did you mean "a__weather"?') as string,
  });
  await expect(find('broken__x')).rejects.toMatchObject({ code: 'PLUGIN_EXITED' });
});

test('a known secret that is typed as a name is masked in the error', async () => {
  const secret = `hunter2-${'of-ann-'.repeat(60)}`;
  const { registry } = testRegistry({ secrets: createSecrets([secret]) });
  for (const name of [secret, `plugin__${secret}`]) {
    const refusals = await Promise.allSettled([
      registry.resolve(name, 'tool'),
      registry.resolve(name, 'command'),
      Promise.reject(registry.whyNot(name, 'tool')),
    ]);
    for (const refused of refusals) {
      const { message } = refused.status === 'rejected' ? (refused.reason as Error) : new Error('found');
      expect(message).toContain('***"');
      expect(message).not.toContain('hunter2');
    }
  }
});

test('a broken plugin does not keep others from being found', async () => {
  const { find } = manyPlugins({ broken: 'exits', a: ['one'] });
  expect((await find('one')).plugin).toBe('a');
});

test('a plugin that has failed is not started for every name', async () => {
  const { find, started, fleet } = manyPlugins({ broken: 'exits', a: ['one'] });
  await fleet.start();
  await find('one');
  await expect(find('broken__x')).rejects.toMatchObject({ code: 'PLUGIN_EXITED' });
  expect(started().filter((name) => name === 'broken')).toHaveLength(1);
});

test('where the dialect has no list of tools any name of a named plugin is one', async () => {
  const { find } = manyPlugins({ a: ['one'], b: ['two'] }, { traits: { unlistedTools: true } });
  expect((await find('a__whatever')).tool).toEqual({ name: 'whatever' });
  await expect(find('whatever')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
});

test('a long reason is cut at a word, and has no second line', async () => {
  const { find, fleet } = manyPlugins({ a: ['one'], broken: 'exits' });
  const reason = new PluglotError('DIALECT_UNKNOWN', `${'word '.repeat(60)}\nsecond`);
  fleet.plugin('broken').start = () => Promise.reject(reason);
  const words = Array<string>(40).fill('word').join(' ');
  await expect(find('other')).rejects.toThrow(`Could not be asked: broken (${words} …).`);
});

test('the tools of a lazy plugin that ran before are known without a start', async () => {
  const kept = new Map<string, CachedManifest>();
  const manifestCache: ManifestCache = {
    get: ({ name }) => kept.get(name),
    set: ({ name }, cached) => void kept.set(name, cached),
    delete: ({ name }) => void kept.delete(name),
  };
  const first = manyPlugins({ lazy: ['two'], a: ['one'] }, { manifestCache });
  await first.find('lazy__two');
  const next = manyPlugins({ lazy: ['two'], silent: 'silent' }, { manifestCache });
  const found = next.find('two');
  await settled();
  await next.world.advance(1000);
  expect((await found).plugin).toBe('lazy');
  expect(next.started()).not.toContain('lazy');
});

test('a plugin that never answers does not delay a name that another has', async () => {
  const { find, world } = manyPlugins({ silent: 'silent', a: ['one'] });
  const found = find('one');
  await settled();
  await world.advance(1000);
  expect((await found).plugin).toBe('a');
});

test('a name that two plugins have is not taken from the first that answers', async () => {
  const { find, world } = manyPlugins({ slow: 'silent', a: ['same'] });
  const found = find('same');
  await settled();
  await world.advance(500);
  world.processes[0]?.introduce([{ name: 'same' }]);
  await expect(found).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
});

test('a tool of a plugin that is starting is waited for', async () => {
  const { find, world } = manyPlugins({ slow: 'silent', a: ['one'] });
  for (const name of ['two', 'slow__two']) {
    const found = find(name);
    await settled();
    world.processes[0]?.introduce([{ name: 'two' }]);
    expect((await found).plugin).toBe('slow');
  }
});

test('a plugin that the user has stopped is not exposed for a name, one that was only taken down is', async () => {
  const { registry } = testRegistry();
  registry.registerPlugin(pluginOf('weather', 'forecast'));
  registry.registerPlugin(pluginOf('other', 'more'));
  await registry.exposeAll();
  await registry.unexposeTool('weather');
  expect((await registry.resolve('forecast', 'tool')).plugin).toBe('weather');
  const why = new PluglotError('PLUGIN_STOPPED', 'It is stopped.');
  await registry.unexposeTool('weather', why);
  await expect(registry.resolve('forecast', 'tool')).rejects.toBe(why);
  await registry.exposeTool('weather', undefined, { unlessStopped: true });
  expect(registry.isExposed('weather')).toBe(false);
});

test('a plugin that is stopped while it is being exposed stays stopped', async () => {
  const why = new PluglotError('PLUGIN_STOPPED', 'It is stopped.');
  for (let steps = 0; steps < 30; steps += 1) {
    const { registry } = testRegistry();
    registry.registerPlugin(pluginOf('weather', 'forecast'));
    const exposing = registry.exposeTool('weather');
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    await Promise.all([
      registry.unexposeTool('weather', why),
      exposing,
      registry.exposeTool('weather', undefined, { unlessStopped: true }),
    ]);
    expect([steps, registry.isExposed('weather')]).toEqual([steps, false]);
    expect(registry.whyNot('forecast', 'tool')).toBe(why);
  }
});

test('a definition is loaded when no other plugin has the name, and set up when it has it', async () => {
  const { registry } = testRegistry();
  const loaded: string[] = [];
  const deferred = (name: string, tool: string) =>
    registry.registerDeferred(name, async () => {
      loaded.push(name);
      return pluginOf(name, tool);
    });
  registry.registerPlugin(pluginOf('weather', 'forecast'));
  deferred('one', 'first');
  deferred('two', 'second');
  expect((await registry.resolve('forecast', 'tool')).plugin).toBe('weather');
  expect(loaded).toEqual([]);
  expect((await registry.resolve('first', 'tool')).plugin).toBe('one');
  expect(loaded).toEqual(['one', 'two']);
  expect(registry.listExposed()).toEqual(['weather', 'one']);
});

test('a tool that is not listed is found in a plugin that is alone and may have it', async () => {
  const alone = manyPlugins({ fake: ['echo'] }, { traits: { unlistedTools: true } });
  expect(await alone.find('unlisted')).toMatchObject({ tool: { name: 'unlisted' } });
  const strict = manyPlugins({ fake: ['echo'] });
  for (const name of ['ehco', 'fake__ehco'])
    await expect(strict.find(name)).rejects.toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: `No plugin has a tool "${name}". Did you mean "fake__echo"?`,
    });
  expect(await strict.find('fake__echo')).toMatchObject({ tool: { name: 'echo' } });
  const broken = manyPlugins(
    { fake: ['echo'] },
    { launchError: () => new PluglotError('PROGRAM_NOT_FOUND', 'not there') },
  );
  await expect(broken.find('echo')).rejects.toMatchObject({ code: 'PROGRAM_NOT_FOUND' });
});

function manyPlugins(
  plugins: Record<string, readonly string[] | 'exits' | 'silent'>,
  options: WorldOptions = {},
) {
  const started: string[] = [];
  const [first = '', ...others] = Object.keys(plugins);
  const onStart = (process: FakeProcess) => {
    const tools = plugins[process.pluginName];
    started.push(process.pluginName);
    if (tools === 'silent') return;
    if (tools === 'exits' || tools === undefined) process.exit(1);
    else process.introduce(tools.map((name): Tool => ({ name })));
  };
  const specOf = (name: string) => ({ name, lazy: name === 'lazy' });
  const { registry, world } = testRegistry({}, { ...options, onStart, spec: specOf(first) });
  const { fleet } = world;
  for (const name of others)
    fleet.add({ dialect: 'yams', start: { kind: 'program', command: 'fake' }, ...specOf(name) });
  for (const plugin of fleet.plugins) registry.registerPlugin(plugin);
  return {
    fleet,
    registry,
    world,
    find: (name: string) => registry.resolve(name, 'tool'),
    started: () => started,
  };
}
