import path from 'node:path';
import { expect, test } from 'vitest';
import type { PluginSpec, ProgramSpec } from '../../definition/plugin-spec.ts';
import { link, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { withManifestBeside } from './manifest-folders.ts';

const gassist = { name: 'weather', protocol_version: '2.0', executable: 'node plugin.mjs', functions: [] };
const launcher = { ...gassist, name: 'hello', executable: 'launch.bat' };
const files = {
  'hello/manifest.json': launcher,
  'hello/launch.bat': '@echo off\r\n:: Starts the plugin\r\n\r\nnode "%~dp0plugin.js" %*\r\n',
  'hello/plugin.js': '',
  'both/manifest.json': { ...gassist, name: 'both', executable: 'main.js' },
  'both/yams-plugin.json': { name: 'both', entry: { cmd: ['node', '${plugin_dir}/main.js'] } },
  'both/main.js': '',
  'weather/manifest.json': gassist,
  'weather/plugin.mjs': '',
  'weather/other.mjs': '',
  'pdf/yams-plugin.json': { name: 'pdf', entry: { cmd: ['python3', '${plugin_dir}/run.py'] } },
  'pdf/run.py': '',
  'page/manifest.json': { name: 'a web page' },
  'page/index.js': '',
};

test.each([
  [['node', 'weather/plugin.mjs'], 'gassist', 'weather'],
  [['./weather/plugin.mjs', '--fast'], 'gassist', 'weather'],
  [['node', 'hello/plugin.js'], 'gassist', 'hello'],
  [['python3', '-u', 'pdf/run.py'], 'yams', 'pdf'],
])('%o has one', async (command, dialect, name) => {
  const folder = temporaryFolder(files);
  const spec = specOf(command, folder);
  const made = await withManifestBeside(spec, 'linux');
  expect(made).toMatchObject({
    name: 'x',
    dialect,
    manifest: { name },
    start: { ...spec.start, folder: path.join(folder, name) },
  });
});

test.each([
  [['node', 'weather/other.mjs']],
  [['node', 'page/index.js']],
  [['node', 'nowhere/plugin.mjs']],
  [['plugin.mjs']],
  [['pluglot', 'serve', '--as', 'mcp', '--', 'node', 'weather/plugin.mjs']],
])('%o has none, or that of something else', async (command) => {
  const spec = specOf(command, temporaryFolder(files));
  expect(await withManifestBeside(spec, 'linux')).toBe(spec);
});

test('a program with manifests of several dialects is asked, unless one is named', async () => {
  const spec = specOf(['node', 'both/main.js'], temporaryFolder(files));
  expect(await withManifestBeside(spec, 'linux')).toBe(spec);
  const named = { ...spec, dialect: 'yams' } as const;
  expect(await withManifestBeside(named, 'linux')).toMatchObject({ manifest: { entry: {} } });
});

test('a spec that knows better is left as it is', async () => {
  const folder = temporaryFolder(files);
  const start: ProgramSpec = {
    kind: 'program',
    command: 'node',
    args: ['plugin.mjs'],
    cwd: path.join(folder, 'weather'),
  };
  const typed: PluginSpec = { name: 'x', start, dialect: 'mcp' };
  expect(await withManifestBeside(typed, 'linux')).toBe(typed);
  const has: PluginSpec = { name: 'x', start, manifest: {} };
  expect(await withManifestBeside(has, 'linux')).toBe(has);
  const reached: PluginSpec = { name: 'x', start: { kind: 'http', url: 'http://127.0.0.1' } };
  expect(await withManifestBeside(reached, 'linux')).toBe(reached);
  expect(await withManifestBeside({ name: 'x', start }, 'linux')).toMatchObject({ dialect: 'gassist' });
});

test('a link to the program is the program', async () => {
  const folder = temporaryFolder({ ...files, 'weather/link.mjs': link('plugin.mjs') });
  const made = await withManifestBeside(specOf(['node', 'weather/link.mjs'], folder), 'linux');
  expect(made.dialect).toBe('gassist');
});

test('a plugin that runs wherever the user stands takes none of there', async () => {
  const { start, ...spec } = specOf(
    ['npx', path.relative(process.cwd(), path.join(temporaryFolder(files), 'weather/plugin.mjs'))],
    '',
  );
  const { cwd: _, ...anywhere } = start as ProgramSpec; // specOf makes no other
  const own = { ...spec, start: anywhere };
  expect(await withManifestBeside(own, 'linux')).toBe(own);
});

function specOf([command = '', ...args]: readonly string[], cwd: string): PluginSpec {
  return { name: 'x', start: { kind: 'program', command, args, cwd } };
}
