// Plugins that run inside of the host: which are found, what configurations say of them, and what may be loaded.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Content, link, temporaryFolder, writeFiles } from '../../../test/support/temporary-folder.ts';
import { discover, type DiscoverOptions, type Discovery, trustPath, userTrustStore } from './discover.ts';

const source = "export function createPlugin() { throw new Error('nobody calls it here'); }\n";
const userFolder = 'home/.config/pluglot';

test('files that export createPlugin are modules where nobody has to name the folder; others there are nothing', async () => {
  const at = world({
    [`${userFolder}/plugins/mine.mjs`]: source,
    [`${userFolder}/plugins/program.py`]: '#',
    'project/plugins/b.js': source,
    'project/plugins/a.mjs': source,
    'project/plugins/a.test.ts': source,
    'project/plugins/.hidden.mjs': source,
    'project/plugins/eslint.mjs': 'export default {};',
  });
  const { modules, plugins, names, problems } = await look(at);
  expect(modules).toMatchObject([
    {
      module: { name: 'mine', file: `${at}/${userFolder}/plugins/mine.mjs`, factory: 'createPlugin' },
      origin: { kind: 'folder', file: `${at}/${userFolder}/plugins/mine.mjs` },
      trust: { trusted: true },
    },
    { module: { name: 'a', file: `${at}/project/plugins/a.mjs` }, trust: { trusted: false } },
    {
      module: { name: 'b' },
      trust: { trusted: false, wayOut: expect.stringContaining('plugins/b.js') as unknown },
    },
  ]);
  expect([plugins, names, problems]).toEqual([[], ['mine', 'a', 'b'], []]);
});

test('in a folder that a configuration names, modules stand beside programs', async () => {
  const at = world({
    'project/pluglot.json': { folders: ['plugins', 'more'] },
    'project/plugins/inside.mjs': source,
    'project/plugins/outside.mjs': 'console.log(1);',
    'project/more/third.js': source,
  });
  const { modules, plugins, problems } = await look(at);
  expect(modules.map(({ module }) => module.name)).toEqual(['inside', 'third']);
  expect(plugins.map(({ spec }) => spec.name)).toEqual(['outside']);
  expect(problems).toEqual([]);
});

test("the user's folder of plugins keeps its modules trusted when it is named too", async () => {
  const at = world({
    [`${userFolder}/pluglot.json`]: { folders: ['plugins'] },
    [`${userFolder}/plugins/mine.mjs`]: source,
    [`${userFolder}/plugins/other.mjs`]: '',
  });
  const { modules, plugins, problems } = await look(at);
  expect(modules).toMatchObject([{ module: { name: 'mine' }, trust: { trusted: true } }]);
  expect(plugins).toMatchObject([{ spec: { name: 'other' }, trust: { trusted: false } }]);
  expect(problems).toEqual([]);
});

test.for(['plugins/mine.mjs', 'plugins'])(
  "the user's own module is a stranger's when everybody may write %s",
  async (place) => {
    const at = world({ [`${userFolder}/plugins/mine.mjs`]: source });
    fs.chmodSync(`${at}/${userFolder}/${place}`, 0o777);
    const { modules, problems } = await look(at);
    expect(modules).toMatchObject([{ module: { name: 'mine' }, trust: { trusted: false } }]);
    expect(problems).toMatchObject([{ file: `${at}/${userFolder}/${place}`, severity: 'warning' }]);
  },
);

test("the user's own module is a stranger's when it is a link into a folder that everyone may write", async () => {
  const at = world({ 'shared/mine.mjs': source });
  writeFiles(at, { [`${userFolder}/plugins/mine.mjs`]: link(`${at}/shared/mine.mjs`) });
  expect((await look(at)).modules).toMatchObject([{ trust: { trusted: true } }]);
  fs.chmodSync(`${at}/shared`, 0o777);
  expect((await look(at)).modules).toMatchObject([{ trust: { trusted: false } }]);
});

test('packages bring modules: a file, a file with its factory, or an object', async () => {
  const at = world({
    'project/package.json': { dependencies: { weather: '1', bad: '1' } },
    'project/node_modules/weather/package.json': {
      pluglot: {
        plugins: {
          plain: './dist/plugin.js',
          named: './dist/plugin.js#createOther',
          object: { file: './dist/plugin.js' },
          process: { process: true, file: './dist/plugin.js' },
        },
      },
    },
    'project/node_modules/weather/dist/plugin.js': '',
    'project/node_modules/bad/package.json': {
      pluglot: {
        plugins: { out: '../weather/dist/plugin.js', gone: './x.js', odd: './package.json#a b', no: 5 },
      },
    },
  });
  const { modules, plugins, problems } = await look(at);
  const file = `${at}/project/node_modules/weather/dist/plugin.js`;
  expect(modules.map(({ module }) => module)).toEqual([
    { name: 'plain', file, factory: 'createPlugin' },
    { name: 'named', file, factory: 'createOther' },
    { name: 'object', file, factory: 'createPlugin' },
  ]);
  expect(plugins.map(({ spec }) => spec.name)).toEqual(['process']);
  expect(problems.map(({ reason, plugin }) => [plugin, reason])).toEqual([
    ['out', 'the plugin "out" of bad: "../weather/dist/plugin.js" is outside the package'],
    ['gone', 'the plugin "gone" of bad: "./x.js" is not there'],
    ['odd', 'the plugin "odd" of bad: "a b" is not a name of an export'],
    ['no', 'the plugin "no" of bad: "file" is not text'],
  ]);
});

test('a package that was linked in from elsewhere does not inherit the trust of the project', async () => {
  const at = world({
    'project/package.json': { dependencies: { linked: '1' } },
    'elsewhere/package.json': { pluglot: { plugins: { linked: './plugin.js' } } },
    'elsewhere/plugin.js': source,
  });
  writeFiles(at, { 'project/node_modules/linked': link(`${at}/elsewhere`) });
  await trust(at, 'project');
  expect((await look(at)).modules).toMatchObject([{ trust: { trusted: false } }]);
});

test('configurations set up, limit and switch off modules like any plugin', async () => {
  const at = world({
    [`${userFolder}/pluglot.json`]: {
      plugins: { mine: { config: { level: 1 }, limits: { callMs: 5 } } },
      limits: { callMs: 7, startMs: 9 },
    },
    [`${userFolder}/plugins/mine.mjs`]: source,
    [`${userFolder}/plugins/other.mjs`]: source,
    'project/pluglot.json': { plugins: { other: { disabled: true, config: { evil: true } } } },
  });
  const { modules, problems } = await look(at);
  expect(modules).toMatchObject([
    { module: { name: 'mine', config: { level: 1 }, limits: { callMs: 5, startMs: 9 } } },
    { module: { name: 'other', limits: { callMs: 7 } }, disabled: { file: `${at}/project/pluglot.json` } },
  ]);
  // A stranger may switch off, and no more.
  expect(modules[1]?.module).not.toHaveProperty('config');
  expect(problems).toMatchObject([{ reason: expect.stringContaining('not used') as unknown }]);
});

test('one name belongs to one plugin, whatever kind it is: the first', async () => {
  const at = world({
    [`${userFolder}/pluglot.json`]: { plugins: { same: { command: 'x' } } },
    'project/plugins/same.mjs': source,
  });
  const { modules, plugins, problems } = await look(at);
  expect([plugins.length, modules]).toEqual([1, []]);
  expect(problems).toMatchObject([
    { reason: expect.stringContaining('the name "same" is taken by') as unknown },
  ]);
});

test('packages alone, files alone', async () => {
  const at = world({
    'project/package.json': { dependencies: { weather: '1' } },
    'project/node_modules/weather/package.json': { pluglot: { plugins: { weather: './plugin.js' } } },
    'project/node_modules/weather/plugin.js': '',
    'project/pluglot.json': { plugins: { own: { command: 'x' }, weather: { disabled: true } } },
    'project/plugins/a.mjs': source,
  });
  expect((await look(at)).names).toEqual(['own', 'a', 'weather']);
  expect((await look(at, { packages: false })).names).toEqual(['own', 'a']);
  const packages = await look(at, { files: false });
  expect(packages.names).toEqual(['weather']);
  // What a configuration switches off stays off.
  expect(packages.modules[0]?.disabled).toMatchObject({ file: `${at}/project/pluglot.json` });
});

test('to trust a project pins its modules; a change, or a new one, is refused, also when it comes after the look', async () => {
  const at = world({
    'project/package.json': { dependencies: { weather: '1' } },
    'project/node_modules/weather/package.json': { pluglot: { plugins: { weather: './plugin.js' } } },
    'project/node_modules/weather/plugin.js': source,
    'project/plugins/a.mjs': source,
    'project/plugins/b.mjs': source,
  });
  const { pins } = await trust(at, 'project');
  expect(Object.keys(pins).sort()).toEqual(['package.json', 'plugins/a.mjs', 'plugins/b.mjs']);
  const discovery = await look(at);
  expect(discovery.modules.map((one) => one.trust.trusted)).toEqual([true, true, true]);
  writeFiles(at, { 'project/plugins/a.mjs': `${source}// evil\n`, 'project/plugins/c.mjs': source });
  expect(await discovery.checkAgain('a')).toMatchObject({
    trusted: false,
    reason: `"${at}/project/plugins/a.mjs" has changed since "${at}/project" was trusted`,
  });
  expect(await discovery.checkAgain('b')).toMatchObject({ trusted: true });
  const later = (await look(at)).modules.filter((one) => !one.trust.trusted);
  expect(later.map(({ module }) => module.name)).toEqual(['a', 'c']);
});

test.for(['project/plugins', 'project/plugins/a.mjs'])('%s can be trusted by itself', async (place) => {
  const at = world({ 'project/plugins/a.mjs': source, 'project/plugins/b.py': '#' });
  await trust(at, place);
  expect((await look(at)).modules).toMatchObject([{ module: { name: 'a' }, trust: { trusted: true } }]);
});

function world(files: Readonly<Record<string, Content>>): string {
  return temporaryFolder({ 'home/.keep': '', 'project/.keep': '', ...files });
}

function look(at: string, options: Partial<DiscoverOptions> = {}): Promise<Discovery> {
  return discover({ cwd: `${at}/project`, home: `${at}/home`, env: {}, ...options });
}

function trust(at: string, place: string) {
  const surroundings = { cwd: at, home: `${at}/home`, env: {} };
  return trustPath(userTrustStore(surroundings), place, surroundings);
}

describe('plugins of the host itself', () => {
  test('get what is configured for them, and make room for others of their name', async () => {
    const cwd = temporaryFolder({
      'home/pluglot.json': {
        limits: { callMs: 5 },
        plugins: {
          cli: { config: { extra_paths: ['/x'] } },
          web: { command: 'mine' },
          off: { disabled: true },
        },
      },
    });
    const env = { PLUGLOT_HOME: path.join(cwd, 'home') };
    const found = await discover({ cwd, home: cwd, env, builtIns: ['cli', 'web', 'off'] });
    expect(found.builtIns).toEqual([
      { name: 'cli', config: { extra_paths: ['/x'] }, limits: { callMs: 5 } },
      {
        name: 'off',
        limits: { callMs: 5 },
        disabled: { file: path.join(cwd, 'home/pluglot.json'), line: expect.any(Number) as number },
      },
    ]);
    expect(found.problems).toEqual([]);
  });

  test('are switched off by a project that nobody trusts, and told nothing by it', async () => {
    const cwd = temporaryFolder({
      'pluglot.json': { plugins: { cli: { config: { extra_paths: ['.'] } }, web: { disabled: true } } },
    });
    const found = await discover({ cwd, home: cwd, env: {}, builtIns: ['cli', 'web'] });
    expect(found.builtIns).toMatchObject([{ name: 'cli' }, { name: 'web', disabled: {} }]);
    expect(found.builtIns?.[0]).not.toHaveProperty('config');
    expect(found.problems.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('plugins.cli: not used, since'),
    ]);
  });
});
