import { PluglotError } from '../../base/error.ts';
import { expect, test } from 'vitest';
import { deferred } from '../../base/async.ts';
import type { JsonObject } from '../../base/json.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import { openGate, pluginOf, testRegistry } from '../../../test/support/fleet/registry.ts';
import { settled } from '../../../test/support/fleet/fake-world.ts';

test('exposed is set up with its configuration, unexposed is taken down', async () => {
  const { registry, changes } = testRegistry();
  const { definition, life } = recorded('sample');
  registry.registerPlugin(definition);
  expect([registry.listAvailable(), registry.listExposed(), registry.isExposed('sample')]).toEqual([
    ['sample'],
    [],
    false,
  ]);
  await registry.exposeTool('sample', { level: 1 });
  expect([registry.listExposed(), registry.isExposed('sample')]).toEqual([['sample'], true]);
  // The same, or none, changes nothing; another one takes it down first.
  await registry.exposeTool('sample', { level: 1 });
  await registry.exposeTool('sample');
  await registry.exposeTool('sample', { level: 2 });
  await registry.unexposeTool('sample');
  await registry.unexposeTool('sample');
  await registry.unexposeTool('nobody');
  expect(life).toEqual(['setup {"level":1}', 'teardown', 'setup {"level":2}', 'teardown']);
  expect(registry.getExposedDeclarations()).toEqual([]);
  expect(changes.map((change) => change.kind)).toEqual([
    'available-changed',
    'exposed',
    'unexposed',
    'exposed',
    'unexposed',
  ]);
});

test('an unknown plugin is refused with what is available', async () => {
  const { registry } = testRegistry();
  await expect(registry.exposeTool('x')).rejects.toMatchObject({
    code: 'UNKNOWN_PLUGIN',
    message: 'There is no plugin "x". None is available.',
  });
  registry.registerPlugin(pluginOf('weather'));
  registry.registerPlugin(pluginOf('news'));
  await expect(registry.exposeTool('wether')).rejects.toMatchObject({
    message: 'There is no plugin "wether". Did you mean "weather"? Available: weather, news.',
  });
});

test('one that fails stops no other, and is told with its reason', async () => {
  const { registry } = testRegistry();
  registry.registerPlugin(pluginOf('first', 'a'));
  registry.registerPlugin(
    definePlugin({
      name: 'broken',
      version: '1',
      setup: () => {
        throw new Error('no licence');
      },
    }),
  );
  registry.registerPlugin(pluginOf('last', 'b'));
  const failures = await registry.exposeAll({ absent: {} });
  expect(failures.map(({ plugin, error }) => [plugin, error.code])).toEqual([
    ['broken', 'START_FAILED'],
    ['absent', 'UNKNOWN_PLUGIN'],
  ]);
  expect(registry.listExposed()).toEqual(['first', 'last']);
  expect(registry.getPlugin('broken')).toMatchObject({
    isExposed: false,
    failure: { message: 'Plugin "broken" could not be set up: no licence' },
  });
  expect(registry.getPlugin('first')).toMatchObject({ origin: 'in-process', failure: undefined });
});

test('a reconfiguration that fails leaves it unexposed, and it can be exposed again', async () => {
  const { registry } = testRegistry();
  const { definition, life } = recorded('sample', ({ level }) => level === 13);
  registry.registerPlugin(definition);
  await registry.exposeTool('sample', { level: 1 });
  await expect(registry.exposeTool('sample', { level: 13 })).rejects.toThrow('unlucky');
  expect(registry.isExposed('sample')).toBe(false);
  await registry.exposeTool('sample', { level: 2 });
  expect(registry.getPlugin('sample')?.failure).toBeUndefined();
  expect(life).toEqual([
    'setup {"level":1}',
    'teardown',
    'setup {"level":13}',
    'teardown',
    'setup {"level":2}',
  ]);
});

test('what is done to one plugin at once is done one after the other', async () => {
  const { registry } = testRegistry();
  const { definition, life } = recorded('sample');
  registry.registerPlugin(definition);
  await Promise.all([
    registry.exposeTool('sample', { level: 1 }),
    registry.exposeTool('sample', { level: 1 }),
    registry.unexposeTool('sample'),
    registry.exposeTool('sample', { level: 2 }),
    registry.unexposeAll(),
  ]);
  expect(life).toEqual(['setup {"level":1}', 'teardown', 'setup {"level":2}', 'teardown']);
  expect(registry.listExposed()).toEqual([]);
});

test('a teardown that throws, or hangs, is reported and holds nobody up', async () => {
  const { registry, world, logged } = testRegistry();
  const about = { version: '1' };
  registry.registerPlugin(
    definePlugin({
      ...about,
      name: 'throws',
      teardown: () => {
        throw new Error('no');
      },
    }),
  );
  registry.registerPlugin(definePlugin({ ...about, name: 'hangs', teardown: () => new Promise(() => {}) }));
  await registry.exposeAll();
  const done = registry.unexposeAll();
  await settled();
  world.clock.advance(5000);
  await done;
  expect(logged).toEqual([
    'throws: The teardown of plugin "throws" failed: no',
    'hangs: The teardown of plugin "hangs" takes longer than 5000 ms.',
  ]);
});

test('a setup that hangs ends by its limit, and with the registry', async () => {
  const { registry, world } = testRegistry();
  const hangs = (name: string) => definePlugin({ name, version: '1', setup: () => new Promise(() => {}) });
  registry.registerPlugin(hangs('one'));
  registry.registerPlugin(hangs('two'));
  const first = registry.exposeTool('one');
  await settled();
  world.clock.advance(30_000);
  await expect(first).rejects.toMatchObject({ code: 'START_TIMEOUT' });
  const second = registry.exposeTool('two');
  const gaveUp = expect(second).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
  await settled();
  await registry.close();
  await gaveUp;
  await expect(registry.exposeTool('one')).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
});

test('declarations, commands and instructions come in the order in which plugins became known', async () => {
  const { registry } = testRegistry();
  const gate = deferred<void>();
  registry.registerPlugin(
    definePlugin({
      name: 'slow',
      version: '1',
      instructions: 'Be slow.',
      tools: { b: { handler: () => 1 }, a: { description: 'The first.', handler: () => 1 } },
      commands: { look: { description: 'Looks.', handler: () => 'seen' } },
      autoApprove: ['a'],
      setup: () => gate.promise,
    }),
  );
  registry.registerPlugin(
    definePlugin({
      name: 'quick',
      version: '1',
      instructions: 'Be quick.',
      tools: { c: { handler: () => 1 } },
    }),
  );
  const done = registry.exposeAll();
  await settled();
  expect(registry.listExposed()).toEqual(['quick']);
  gate.resolve();
  await done;
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual([
    'slow__b',
    'slow__a',
    'quick__c',
  ]);
  expect(registry.getExposedDeclarations()[1]).toMatchObject({ description: 'The first.', inputSchema: {} });
  expect(registry.getExposedUserCommands()).toMatchObject([{ name: 'slow__look', shareWithModel: false }]);
  expect(registry.getSystemInstructions()).toBe('# slow\n\nBe slow.\n\n# quick\n\nBe quick.');
  expect(registry.getAutoApprovedTools()).toEqual(['slow__a']);
  expect(registry.getPluginForTool('c')?.name).toBe('quick');
  expect(registry.getPluginForTool('d')).toBeUndefined();
});

test('what two plugins call alike is called with the plugin; what one has is found by its own name too', async () => {
  const { registry } = testRegistry();
  const withCommand = (name: string) =>
    definePlugin({
      name,
      version: '1',
      tools: { search: { handler: () => name } },
      commands: { list: { handler: () => name } },
    });
  registry.registerPlugin(withCommand('one'));
  registry.registerPlugin(withCommand('two'));
  await registry.exposeAll();
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual(['one__search', 'two__search']);
  expect(registry.getExposedUserCommands().map(({ name }) => name)).toEqual(['one__list', 'two__list']);
  expect(registry.resolveTool('search')).toBeUndefined();
  expect(registry.whyNot('search', 'tool').message).toBe(
    'Several plugins have a tool "search": name it as one of "one__search", "two__search".',
  );
  expect(registry.resolveTool('two__search')).toMatchObject({ plugin: 'two', tool: { name: 'search' } });
  expect(await registry.resolveCommand('one__list')?.call({})).toMatchObject({ ok: true, text: 'one' });
  await registry.unexposeTool('one');
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual(['two__search']);
  for (const name of ['search', 'two__search', 'mcp__two__search'])
    expect(registry.resolveTool(name)).toMatchObject({ name: 'two__search', isUnique: true });
  for (const name of ['list', 'two__list'])
    expect(registry.resolveCommand(name)).toMatchObject({ name: 'two__list', isUnique: true });
});

test('single tools are switched off and on again; that outlives an exposure', async () => {
  const { registry, changes } = testRegistry();
  registry.registerPlugin(
    definePlugin({
      name: 'files',
      version: '1',
      tools: { read: { handler: () => 1 }, remove: { handler: () => 1 } },
      autoApprove: ['remove'],
    }),
  );
  await registry.exposeAll();
  registry.disableTool('files__remove');
  expect([
    registry.isToolEnabled('remove'),
    registry.isToolEnabled('read'),
    registry.isToolEnabled('x'),
  ]).toEqual([false, true, false]);
  expect(registry.resolveTool('remove')).toBeUndefined();
  expect(registry.resolveTool('files__remove')).toBeUndefined();
  expect(registry.whyNot('remove', 'tool').message).toBe(
    'The tool "remove" of plugin "files" is switched off here.',
  );
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual(['files__read']);
  expect([...registry.getExposedExecutors().keys()]).toEqual(['files__read']);
  expect(registry.getAutoApprovedTools()).toEqual([]);
  expect(changes.at(-1)).toEqual({ kind: 'manifest-changed', plugin: 'files' });
  await registry.unexposeAll();
  await registry.exposeAll();
  expect(registry.isToolEnabled('remove')).toBe(false);
  registry.enableTool('remove');
  expect(registry.resolveTool('remove')).toMatchObject({ isAutoApproved: true });
  expect(() => registry.disableTool('raed')).toThrow('There is no tool "raed". Did you mean "files__read"?');
});

test('why not: it is not exposed, or nothing like it is there', async () => {
  const { registry } = testRegistry();
  registry.registerPlugin(pluginOf('weather', 'forecast'));
  expect(registry.whyNot('forecast', 'tool').message).toBe(
    'Plugin "weather" has a tool "forecast", but is not exposed. Expose it first.',
  );
  expect(registry.whyNot('weather__forecast', 'tool').message).toContain('is not exposed');
  expect(registry.whyNot('forecast', 'command').message).toBe('There is no command "forecast".');
  await registry.exposeAll();
  const stopped = new PluglotError('PLUGIN_STOPPED', 'It is stopped.');
  await registry.unexposeTool('weather', stopped);
  for (const name of ['forecast', 'weather__forecast', 'weather__unlisted'])
    expect(registry.whyNot(name, 'tool')).toBe(stopped);
  expect(registry.getPlugin('weather')?.stopped).toBe(stopped);
  expect(registry.whyNot('forecast', 'command').code).toBe('UNKNOWN_TOOL');
  await registry.exposeTool('weather');
  expect(registry.getPlugin('weather')?.stopped).toBeUndefined();
  expect(registry.whyNot('forcast', 'tool').message).toBe(
    'There is no tool "forcast". Did you mean "weather__forecast"?',
  );
});

test('executors go through the gate, as a model unless said otherwise; without one they are denied', async () => {
  const { registry } = testRegistry();
  registry.registerPlugin(pluginOf('weather', 'forecast'));
  await registry.exposeAll();
  const executor = registry.getExposedExecutors().get('weather__forecast');
  const denied = await executor?.({});
  expect(denied).toMatchObject({
    ok: false,
    error: { code: 'PERMISSION_DENIED', message: expect.stringContaining('no gate') as unknown },
  });
  const gate = openGate(registry);
  registry.useGate(gate);
  expect(await executor?.({})).toMatchObject({ ok: true, text: 'weather.forecast' });
  await executor?.({}, { caller: { kind: 'job', name: 'nightly' } });
  expect(gate.seen).toEqual([
    { kind: 'tool', name: 'weather__forecast', options: { caller: { kind: 'model' } } },
    { kind: 'tool', name: 'weather__forecast', options: { caller: { kind: 'job', name: 'nightly' } } },
  ]);
});

test('instructions that change while it runs are told to whoever listens', async () => {
  const { registry, changes } = testRegistry();
  let tone = 'kind';
  let tell = () => {};
  registry.registerPlugin(
    definePlugin({
      name: 'poet',
      version: '1',
      instructions: () => `Be ${tone}.`,
      setup: ({ instructionsChanged }) => {
        tell = instructionsChanged;
      },
    }),
  );
  await registry.exposeAll();
  tone = 'stern';
  tell();
  expect(registry.getSystemInstructions()).toBe('# poet\n\nBe stern.');
  expect(changes.at(-1)).toEqual({ kind: 'manifest-changed', plugin: 'poet' });
});

test.for([
  [undefined, 'nothing is not an object'],
  [{}, 'its name is nothing'],
  [{ name: 'a b' }, 'its name is "a b"'],
  [{ name: 'ok' }, 'it is neither made by definePlugin'],
  [{ name: 'ok', version: '1', tools: [{}], commands: [], autoApprove: [], requires: [] }, 'neither made by'],
] as const)('%j is no plugin', ([value, why]) => {
  const { registry } = testRegistry();
  // As callers who write JavaScript may.
  expect(() => registry.registerPlugin(value as never)).toThrow(why);
});

test('a name is registered once', () => {
  const { registry } = testRegistry();
  registry.registerPlugin(pluginOf('same'), { origin: 'built-in' });
  expect(registry.getPlugin('same')?.origin).toBe('built-in');
  expect(() => registry.registerPlugin(pluginOf('same'))).toThrow('There is a plugin "same" already');
});

test('what is configured for one that is registered is asked for whenever it is exposed', async () => {
  const { registry } = testRegistry();
  const { definition, life } = recorded('sample');
  let level = 1;
  registry.registerPlugin(definition, { settings: () => ({ config: { level, tone: 'kind' } }) });
  await registry.exposeTool('sample');
  await registry.unexposeTool('sample');
  level = 2;
  await registry.exposeTool('sample', { tone: 'stern' });
  expect(life).toEqual(['setup {"level":1,"tone":"kind"}', 'teardown', 'setup {"level":2,"tone":"stern"}']);
});

test('a configuration that is not plain data is refused before anything happens', async () => {
  const { registry } = testRegistry();
  const { definition, life } = recorded('sample');
  registry.registerPlugin(definition);
  // As callers who write JavaScript may.
  const odd = { level: 1n } as unknown as JsonObject;
  await expect(registry.exposeTool('sample', odd)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    message:
      'The configuration for plugin "sample" is not plain data: it.level is a bigint, which JSON has no form for.',
  });
  expect(life).toEqual([]);
});

/** What happens to it, in order. */
function recorded(name: string, fails: (config: JsonObject) => boolean = () => false) {
  const life: string[] = [];
  const definition = definePlugin({
    name,
    version: '1',
    tools: { act: { handler: () => 'done' } },
    setup: ({ config }) => {
      life.push(`setup ${JSON.stringify(config)}`);
      if (fails(config as JsonObject)) throw new Error('unlucky');
    },
    teardown: () => void life.push('teardown'),
  });
  return { definition, life };
}
