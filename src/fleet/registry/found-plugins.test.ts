// Plugins that are found: programs and modules, trusted and not, that come, change and go.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { settled } from '../../../test/support/fleet/fake-world.ts';
import { discovery, openGate, pluginOf, testRegistry } from '../../../test/support/fleet/registry.ts';
import { temporaryFolder, writeFiles } from '../../../test/support/temporary-folder.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { Discovery } from '../discovery/discover.ts';

const start = { kind: 'program', command: 'fake' } as const;
const untrusted = { trusted: false, reason: 'nobody has said so', wayOut: 'Trust it.' } as const;

test('a look tells what is available; what cannot be used is a problem, and says so when it is asked for', async () => {
  const { registry, changes } = testRegistry({
    discover: async () =>
      discovery({
        plugins: [
          { spec: spec('good') },
          {
            spec: spec('evil'),
            trust: untrusted,
            origin: { kind: 'project-config', file: '/p.json', line: 3 },
          },
          { spec: spec('off'), disabled: { file: '/p.json', line: 4 } },
        ],
        problems: [{ file: '/p.json', severity: 'error', reason: 'odd', wayOut: 'Mend it.' }],
      }),
  });
  expect(await registry.discover()).toEqual(['good']);
  expect(changes).toEqual([{ kind: 'available-changed' }]);
  expect(registry.problems.map(({ reason, plugin }) => [plugin, reason])).toEqual([
    [undefined, 'odd'],
    ['evil', 'plugin "evil" may not be run: nobody has said so'],
  ]);
  await expect(registry.exposeTool('evil')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  await expect(registry.exposeTool('off')).rejects.toMatchObject({
    code: 'UNKNOWN_PLUGIN',
    message: 'Plugin "off" is disabled in /p.json:4. Remove "disabled" there to use it.',
  });
  expect(registry.whyNot('evil__tool', 'tool').message).toBe(
    'Plugin "evil" may not be run: nobody has said so. Trust it.',
  );
});

test('the choice is passed on', async () => {
  const choices: unknown[] = [];
  const { registry } = testRegistry({
    discover: async (choice) => {
      choices.push(choice);
      return discovery();
    },
  });
  await registry.discover();
  await registry.discover({ folders: false });
  await registry.discover({ packages: false });
  expect(choices).toEqual([
    { folders: true, packages: true },
    { folders: false, packages: true },
    { folders: true, packages: false },
  ]);
});

test('a program is in the fleet for as long as it is exposed', async () => {
  const { registry, world } = testRegistry({
    discover: async () => discovery({ plugins: [{ spec: spec('good', { config: { a: 1, b: 1 } }) }] }),
  });
  await registry.discover();
  await registry.exposeTool('good', { b: 2 });
  expect(world.process).toMatchObject({ pluginName: 'good', config: { a: 1, b: 2 } });
  expect(registry.getPlugin('good')).toMatchObject({ origin: 'process', isExposed: true });
  expect(registry.getPlugin('good')?.process).toBe(world.fleet.plugin('good'));
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual(['good__echo', 'good__other']);
  registry.useGate(openGate(registry));
  const call = registry.getExposedExecutors().get('good__echo')?.({ say: 'hi' });
  await settled();
  world.process.call.end();
  expect(await call).toMatchObject({ ok: true, data: { say: 'hi' } });
  // Another configuration: another process.
  await registry.exposeTool('good', { b: 3 });
  expect(world.processes.map(({ config }) => config)).toEqual([
    { a: 1, b: 2 },
    { a: 1, b: 3 },
  ]);
  await registry.unexposeTool('good');
  expect(world.fleet.plugins.map(({ name }) => name)).toEqual(['fake']);
  expect(world.process.isGone).toBe(true);
});

test('a program that does not start is told and not in the fleet', async () => {
  const { registry, world } = testRegistry(
    { discover: async () => discovery({ plugins: [{ spec: spec('good') }] }) },
    { onStart: (process) => process.refuse(new Error('not today')) },
  );
  await registry.discover();
  expect(await registry.exposeAll()).toMatchObject([{ plugin: 'good' }]);
  expect(world.fleet.plugins.map(({ name }) => name)).toEqual(['fake']);
  expect(registry.problems).toMatchObject([{ plugin: 'good', file: '/found/here' }]);
});

test('it is looked at again right before it is started', async () => {
  let isTrusted = true;
  const { registry, world } = testRegistry({
    discover: async () =>
      discovery({
        plugins: [{ spec: spec('good') }],
        checkAgain: () => (isTrusted ? { trusted: true } : untrusted),
      }),
  });
  await registry.discover();
  isTrusted = false;
  await expect(registry.exposeTool('good')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  expect(world.processes).toEqual([]);
});

test('other tools, and none that are other, reach whoever listens', async () => {
  const { registry, world, changes } = testRegistry({
    discover: async () => discovery({ plugins: [{ spec: spec('good') }] }),
  });
  await registry.discover();
  await registry.exposeAll();
  const heard = () => changes.filter(({ kind }) => kind === 'manifest-changed');
  world.process.services?.toolsChanged?.([{ name: 'echo' }, { name: 'other' }]);
  expect(heard()).toEqual([]);
  world.process.services?.toolsChanged?.([{ name: 'new' }]);
  expect(heard()).toEqual([{ kind: 'manifest-changed', plugin: 'good' }]);
  expect(registry.getExposedDeclarations()).toEqual([{ name: 'good__new' }]);
  expect(registry.resolveTool('echo')).toBeUndefined();
  await registry.unexposeAll();
  expect(heard()).toHaveLength(1);
});

test('one whose process fails later stays exposed, and shows why', async () => {
  const { registry, world } = testRegistry(
    { discover: async () => discovery({ plugins: [{ spec: spec('good') }] }) },
    { spec: { restart: { max: 0 } } },
  );
  await registry.discover();
  await registry.exposeAll();
  expect(registry.getPlugin('good')?.failure).toBeUndefined();
  world.process.exit(3);
  await settled();
  expect(registry.getPlugin('good')).toMatchObject({ isExposed: true, failure: { code: 'PLUGIN_EXITED' } });
  expect(registry.listExposed()).toEqual(['good']);
});

test('tools of MCP servers are called as those of all plugins, and found as other hosts write them', async () => {
  const { registry } = testRegistry(
    { discover: async () => discovery({ plugins: [{ spec: spec('github') }, { spec: spec('gitlab') }] }) },
    { manifest: { dialect: 'mcp' }, tools: [{ name: 'search' }] },
  );
  await registry.discover();
  await registry.exposeAll();
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual([
    'github__search',
    'gitlab__search',
  ]);
  expect(registry.resolveTool('mcp__gitlab__search')).toMatchObject({
    name: 'gitlab__search',
    plugin: 'gitlab',
  });
  await registry.unexposeTool('gitlab');
  expect(registry.resolveTool('mcp__github__search')).toMatchObject({ name: 'github__search' });
});

test('a name that clients do not take has one that they take, and both lead to it', async () => {
  const odd = ['files.read', 'dateien/öffnen', 'x'.repeat(300)];
  const { registry } = testRegistry(
    { discover: async () => discovery({ plugins: [{ spec: spec('fs') }] }) },
    { tools: odd.map((name) => ({ name })) },
  );
  await registry.discover();
  await registry.exposeAll();
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual(odd.map((own) => `fs__${own}`));
  for (const own of odd) {
    const { clientName = '' } = registry.resolveTool(`fs__${own}`) ?? {};
    expect(clientName).toMatch(/^fs_[A-Za-z0-9_-]{1,61}$/);
    expect(registry.resolveTool(clientName)).toMatchObject({ name: `fs__${own}`, tool: { name: own } });
  }
});

test('a tool that no list names is found by its full name, where the dialect has no list', async () => {
  const { registry } = testRegistry(
    { discover: async () => discovery({ plugins: [{ spec: spec('yams') }] }) },
    { traits: { unlistedTools: true } },
  );
  await registry.discover();
  await registry.exposeAll();
  expect(registry.resolveTool('hidden')).toBeUndefined();
  expect(registry.resolveTool('yams__hidden')).toMatchObject({
    name: 'yams__hidden',
    plugin: 'yams',
    tool: { name: 'hidden' },
  });
  registry.disableTool('yams__hidden');
  expect(registry.resolveTool('yams__hidden')).toBeUndefined();
  expect(registry.resolveTool('mcp__yams__hidden')).toBeUndefined();
});

test('what a process tells a model is told, up to a size', async () => {
  const { registry } = testRegistry(
    { discover: async () => discovery({ plugins: [{ spec: spec('chatty') }] }) },
    { manifest: { instructions: 'x'.repeat(100_000) } },
  );
  await registry.discover();
  await registry.exposeAll();
  expect(registry.getSystemInstructions()).toMatch(/^# chatty\n\nx{65536}… \(100000 characters\)$/);
});

test('one that stands for a facet is a tool for a model like any other', async () => {
  const { registry } = testRegistry(
    { discover: async () => discovery({ plugins: [{ spec: spec('yams') }] }) },
    { tools: [{ name: 'extract', facet: 'extractor' }, { name: 'plain' }] },
  );
  await registry.discover();
  await registry.exposeAll();
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual(['yams__extract', 'yams__plain']);
});

test('the word of a process that it needs no question counts only where somebody says so', async () => {
  const { registry } = testRegistry(
    {
      discover: async () => discovery({ plugins: [{ spec: spec('good') }, { spec: spec('other') }] }),
      trustsAutoApprove: (plugin) => plugin === 'good',
    },
    { tools: [{ name: 'read', autoApprove: true }, { name: 'remove' }] },
  );
  registry.registerPlugin(
    definePlugin({ name: 'own', version: '1', tools: { a: { handler: () => 1 } }, autoApprove: ['a'] }),
  );
  await registry.discover();
  await registry.exposeAll();
  expect(registry.getAutoApprovedTools()).toEqual(['own__a', 'good__read']);
});

test('a plugin of a fleet can be registered as it is; it stays there', async () => {
  const { registry, world } = testRegistry({}, { traits: { takesConfig: true } });
  registry.registerPlugin(world.plugin);
  await registry.exposeAll();
  expect(registry.getPlugin('fake')).toMatchObject({ origin: 'process', process: world.plugin });
  await registry.exposeTool('fake', { level: 2 });
  expect(world.process.config).toEqual({ level: 2 });
  await registry.unexposeAll();
  expect([world.plugin.status.state, world.fleet.plugins]).toEqual(['stopped', [world.plugin]]);
});

test('a later look brings, changes and removes; what is exposed stays until it is not', async () => {
  let found: Discovery = discovery({
    plugins: [{ spec: spec('stays') }, { spec: spec('goes') }, { spec: spec('used') }],
  });
  const { registry, world, changes } = testRegistry({ discover: async () => found });
  await registry.discover();
  await registry.exposeTool('used');
  found = discovery({
    plugins: [{ spec: spec('new') }, { spec: spec('stays', { config: { level: 2 } }) }],
    modules: [],
  });
  expect(await registry.discover()).toEqual(['stays', 'new']);
  expect(changes.filter(({ kind }) => kind === 'available-changed')).toHaveLength(2);
  expect(registry.getPlugin('goes')).toBeUndefined();
  expect(registry.listExposed()).toEqual(['used']);
  await registry.exposeTool('stays');
  expect(world.process.config).toEqual({ level: 2 });
  await registry.unexposeTool('used');
  expect(registry.getPlugin('used')).toBeUndefined();
  await expect(registry.exposeTool('used')).rejects.toMatchObject({ code: 'UNKNOWN_PLUGIN' });
});

test('what the host itself has registered keeps its name', async () => {
  const { registry } = testRegistry({
    discover: async () => discovery({ plugins: [{ spec: spec('same') }] }),
  });
  registry.registerPlugin(pluginOf('same', 'mine'));
  expect(await registry.discover()).toEqual(['same']);
  expect(registry.problems).toMatchObject([
    { reason: expect.stringContaining('taken by a plugin that the host') as unknown },
  ]);
  await registry.exposeAll();
  expect(registry.resolveTool('mine')?.origin).toBe('in-process');
});

test('a module is loaded when it is exposed, anew when its file is another one', async () => {
  const folder = temporaryFolder({ 'plugin.mjs': 'one' });
  const loads: string[] = [];
  const { registry } = testRegistry({
    discover: async () => discovery({ modules: [{ module: { ...module(folder), config: { a: 1 } } }] }),
    loadModule: async (file, sha256) => {
      loads.push(`${file} ${sha256.slice(0, 4)}`);
      return { createPlugin: async () => pluginOf('itself', 'act') };
    },
  });
  expect(await registry.discover()).toEqual(['sample']);
  expect(loads).toEqual([]);
  await registry.exposeAll();
  // It is called as its user knows it.
  expect(registry.getPlugin('sample')).toMatchObject({ origin: 'in-process', manifest: { name: 'sample' } });
  registry.useGate(openGate(registry));
  expect(await registry.getExposedExecutors().get('sample__act')?.({})).toMatchObject({ text: 'itself.act' });
  await registry.unexposeAll();
  writeFiles(folder, { 'plugin.mjs': 'two' });
  await registry.exposeAll();
  expect(loads).toHaveLength(2);
  expect(new Set(loads).size).toBe(2);
});

test('a module of CommonJS may have all in its default export, and another factory', async () => {
  const folder = temporaryFolder({ 'plugin.mjs': '' });
  const { registry } = testRegistry({
    discover: async () => discovery({ modules: [{ module: { ...module(folder), factory: 'make' } }] }),
    loadModule: async () => ({ default: { make: () => pluginOf('x', 'act') } }),
  });
  await registry.discover();
  expect(await registry.exposeAll()).toEqual([]);
});

const unfit: readonly (readonly [string, Readonly<Record<string, string>>, unknown, string, string])[] = [
  ['is not there', {}, {}, 'START_FAILED', 'is not there'],
  ['throws', { 'plugin.mjs': '' }, new Error('syntax'), 'START_FAILED', 'syntax'],
  ['exports nothing', { 'plugin.mjs': '' }, {}, 'DEFINITION_INVALID', 'exports no function createPlugin'],
  [
    'exports something else',
    { 'plugin.mjs': '' },
    { createPlugin: 1 },
    'DEFINITION_INVALID',
    'exports no function',
  ],
  [
    'has a factory that throws',
    { 'plugin.mjs': '' },
    {
      createPlugin: () => {
        throw new Error('no licence');
      },
    },
    'START_FAILED',
    'createPlugin() of',
  ],
  [
    'makes no plugin',
    { 'plugin.mjs': '' },
    { createPlugin: () => 5 },
    'DEFINITION_INVALID',
    '5 is not an object',
  ],
];

test.for(unfit)('a module that %s is told and skipped', async ([, files, exported, code, why]) => {
  const folder = temporaryFolder(files);
  const { registry } = testRegistry({
    discover: async () => discovery({ modules: [{ module: module(folder) }] }),
    loadModule: async () => {
      if (exported instanceof Error) throw exported;
      return exported;
    },
  });
  registry.registerPlugin(pluginOf('other', 'act'));
  await registry.discover();
  const failures = await registry.exposeAll();
  expect(failures).toMatchObject([{ plugin: 'sample', error: { code } }]);
  expect(failures[0]?.error.message).toContain(why);
  expect(registry.problems).toMatchObject([{ plugin: 'sample', severity: 'error' }]);
  expect(registry.listExposed()).toEqual(['other']);
});

test('a module that never ends to load is given up', async () => {
  const folder = temporaryFolder({ 'plugin.mjs': '' });
  const { registry, world } = testRegistry({
    discover: async () =>
      discovery({ modules: [{ module: { ...module(folder), limits: { startMs: 100 } } }] }),
    loadModule: () => new Promise(() => {}),
  });
  await registry.discover();
  const done = registry.exposeAll();
  // Its file is hashed first, by the disk's own time.
  const rejected = done.then((failures) => failures.map(({ error }) => error.code));
  while (world.clock.waiting === 0) await settled();
  world.clock.advance(100);
  expect(await rejected).toEqual(['START_TIMEOUT']);
});

test('a module that is exchanged while it is loaded is not used, also when the first one is put back', async () => {
  const folder = temporaryFolder({ 'a.mjs': 'trusted' });
  const file = `${folder}/a.mjs`;
  const pinned = [{ file, sha256: createHash('sha256').update('trusted').digest('hex') }];
  let isMade = false;
  const { registry } = testRegistry({
    discover: async () => ({
      ...discovery({ modules: [{ module: { name: 'a', file, factory: 'make' } }] }),
      checkAgain: async () => ({ trusted: true, pinned }),
    }),
    loadModule: async () => {
      writeFiles(folder, { 'a.mjs': 'another' });
      writeFiles(folder, { 'a.mjs': 'trusted' });
      return { make: () => (isMade = true) };
    },
  });
  await registry.discover();
  await expect(registry.exposeTool('a')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  expect(isMade).toBe(false);
});

test('a module that is not trusted any more is not loaded', async () => {
  const folder = temporaryFolder({ 'plugin.mjs': '' });
  let loads = 0;
  const { registry } = testRegistry({
    discover: async () => discovery({ modules: [{ module: module(folder) }], checkAgain: () => untrusted }),
    loadModule: async () => {
      loads += 1;
    },
  });
  await registry.discover();
  expect(await registry.exposeAll()).toMatchObject([{ error: { code: 'NOT_TRUSTED' } }]);
  expect(loads).toBe(0);
});

function spec(name: string, more: Partial<PluginSpec> = {}): PluginSpec {
  return { name, dialect: 'yams', start, restart: { firstDelayMs: 1000 }, ...more };
}

function module(folder: string) {
  return { name: 'sample', file: `${folder}/plugin.mjs`, factory: 'createPlugin' };
}
