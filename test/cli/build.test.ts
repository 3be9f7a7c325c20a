// `pluglot build`: what it makes runs alone, wherever it is put.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { authorDialects } from '../../src/dialect/authors.ts';
import { cli } from '../support/surface/command-line.ts';
import { emulatorCommand, runEmulator } from '../support/dialect/gassist/emulator.ts';
import { execute } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const greeter = `
import { threadId } from 'node:worker_threads';
import { definePlugin, serve } from 'pluglot/sdk';
import { greeting } from './greeting.ts';

const plugin = definePlugin({
  name: 'greeter',
  version: '1.2.3',
  description: 'Greets people',
  tools: {
    greet: {
      description: 'Greets somebody',
      input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      handler: async ({ name }) => \`\${greeting}, \${name}!\`,
    },
    thread: { description: 'Tells its thread', isolate: true, handler: () => \`thread \${threadId}\` },
  },
});
serve(plugin);
`;
const sources = { 'plugin.ts': greeter, 'greeting.ts': `export const greeting: string = 'Hello';\n` };

describe('a plugin on the SDK', () => {
  test('becomes one program that speaks every dialect from an empty folder', async () => {
    const { folder, home, stdout } = await built(sources);
    expect(stdout).toMatch(
      /^✓ dist\/plugin\.mjs +\d+ KiB\n✓ dist\/manifest\.json .*\n✓ dist\/yams-plugin\.json /,
    );
    const elsewhere = temporaryFolder();
    const program = path.join(elsewhere, 'greeter');
    fs.cpSync(path.join(folder, 'dist/plugin.mjs'), `${program}.mjs`);
    // The hosts of planners have no tools to call.
    for (const dialect of Object.keys(authorDialects).filter((name) => name !== 'planner')) {
      const call = (...words: string[]) =>
        cli(['call', ...words, '--dialect', dialect, '--', `${program}.mjs`], { home, cwd: elsewhere });
      expect(await call('greet', 'name=you'), dialect).toMatchObject({
        exitCode: 0,
        stdout: 'Hello, you!\n',
      });
      expect(await call('thread'), dialect).toMatchObject({ exitCode: 0, stdout: 'thread 1\n' });
    }
  });

  test('gets a shebang, the right to be run, and nothing of where it was built', async () => {
    const { folder } = await built(sources);
    const program = path.join(folder, 'dist/plugin.mjs');
    const code = fs.readFileSync(program, 'utf8');
    expect(code).toMatch(/^#!\/usr\/bin\/env node\n(?!#!)/);
    expect(fs.statSync(program).mode & 0o111).toBe(0o111);
    expect(code).not.toContain(path.basename(folder));
    const imports = [...code.matchAll(/^import .*?from "([^"]+)";$/gm)].map(([, name]) => name);
    expect(imports.filter((name) => !name?.startsWith('node:'))).toEqual([]);
    expect(fs.readdirSync(path.join(folder, 'dist')).toSorted()).toEqual([
      'launch.bat',
      'manifest.json',
      'plugin.mjs',
      'yams-plugin.json',
    ]);
  });

  test('gets manifests by which a folder of it is found', async () => {
    const { folder, home } = await built(sources, ['--out', 'plugins/greeter']);
    const read = (name: string): unknown =>
      JSON.parse(fs.readFileSync(path.join(folder, 'plugins/greeter', name), 'utf8'));
    expect(read('manifest.json')).toMatchObject({
      name: 'greeter',
      version: '1.2.3',
      executable: 'plugin.mjs',
      functions: [{ name: 'greet' }, { name: 'thread' }],
    });
    expect(read('yams-plugin.json')).toMatchObject({
      name: 'greeter',
      entry: { cmd: ['node', '${plugin_dir}/plugin.mjs'] },
    });
    for (const dialect of ['gassist', 'yams']) {
      const { stdout } = await execute(
        process.execPath,
        ['plugins/greeter/plugin.mjs', '--manifest', dialect],
        {
          cwd: folder,
        },
      );
      expect(JSON.parse(stdout)).toEqual(read(dialect === 'gassist' ? 'manifest.json' : 'yams-plugin.json'));
    }
    const words = ['call', 'greet', 'name=you', '--', 'node', 'plugins/greeter/plugin.mjs'];
    expect(await cli(words, { home, cwd: folder })).toMatchObject({ exitCode: 0, stdout: 'Hello, you!\n' });
  });

  test('is started by what only executes the file that the manifest names', async () => {
    const { folder, home } = await built(sources, ['--out', 'plugins/greeter']);
    const plugin = path.join(folder, 'plugins/greeter');
    const { answers, problems, exitCode } = await runEmulator(emulatorCommand(plugin), [
      { do: 'initialize' },
      { do: 'execute', function: 'greet', arguments: { name: 'you' } },
      { do: 'shutdown' },
    ]);
    expect({ problems, exitCode }).toEqual({ problems: [], exitCode: 0 });
    expect(answers[1]).toMatchObject({ ok: true, text: 'Hello, you!' });
    expect(fs.readFileSync(path.join(plugin, 'launch.bat'), 'utf8')).toBe(
      '@echo off\r\nnode "%~dp0plugin.mjs" %*\r\n',
    );
    // What our own host finds in a folder is started by its interpreter, whether or not it may be executed.
    fs.chmodSync(path.join(plugin, 'plugin.mjs'), 0o644);
    fs.writeFileSync(path.join(home, 'own.json'), JSON.stringify({ folders: [path.dirname(plugin)] }));
    expect(await cli(['trust', 'add', plugin], { home, cwd: home })).toMatchObject({ exitCode: 0 });
    const words = ['call', 'greet', 'name=you', '--config', path.join(home, 'own.json')];
    expect(await cli(words, { home, cwd: home })).toMatchObject({ exitCode: 0, stdout: 'Hello, you!\n' });
  });

  test('may only export its definition', async () => {
    const plugin = `import { definePlugin } from 'pluglot/sdk';
      export default definePlugin({ name: 'quiet', version: '1.0.0', tools: { ask: { handler: () => 'answered' } } });`;
    const { folder, home } = await built({ 'src/index.js': plugin });
    const words = ['call', 'ask', '--dialect', 'gevals', '--', 'node', 'dist/plugin.mjs'];
    expect(await cli(words, { home, cwd: folder })).toMatchObject({ exitCode: 0, stdout: 'answered\n' });
  });

  test('that a dialect cannot have gets no manifest of that dialect, and is told why', async () => {
    const plugin = `import { definePlugin, serve } from 'pluglot/sdk';
      serve(definePlugin({ name: 'odd', version: '1.0.0', tools: { rise_up: { handler: () => 'up' } } }));`;
    const { folder, stderr } = await built({
      'plugin.mjs': plugin,
      'dist/manifest.json': {},
      'dist/launch.bat': '',
    });
    expect(stderr).toContain(
      'There is no manifest.json: Tool "rise_up" of plugin "odd" cannot have this name',
    );
    expect(fs.readdirSync(path.join(folder, 'dist')).toSorted()).toEqual(['plugin.mjs', 'yams-plugin.json']);
  });

  test('is told of as JSON', async () => {
    const { folder, stdout } = await built(sources, ['--json']);
    expect(JSON.parse(stdout)).toEqual({
      name: 'greeter',
      version: '1.2.3',
      entry: path.join(folder, 'plugin.ts'),
      files: ['plugin.mjs', 'manifest.json', 'yams-plugin.json', 'launch.bat'].map((name) => ({
        path: path.join(folder, 'dist', name),
        bytes: fs.statSync(path.join(folder, 'dist', name)).size,
      })),
      skipped: [],
    });
  });
});

test('a new plugin can be built as it is', async () => {
  const home = temporaryFolder();
  const cwd = temporaryFolder();
  expect(await cli(['new', 'hello', '--lang', 'ts'], { home, cwd })).toMatchObject({ exitCode: 0 });
  const folder = path.join(cwd, 'hello');
  expect(await cli(['build'], { home, cwd: folder })).toMatchObject({ exitCode: 0, stderr: '' });
  const words = ['call', 'greet', 'name=you', '--dialect', 'mcp', '--', 'node', 'dist/plugin.mjs'];
  expect(await cli(words, { home, cwd: folder })).toMatchObject({ exitCode: 0 });
});

describe('is refused with the way out', () => {
  test.each([
    [
      'no file',
      {},
      [],
      2,
      'There is no plugin here: looked for main, plugin and index (.ts, .mts, .mjs, .js), also in src.',
    ],
    ['a file that is not there', {}, ['gone.ts'], 2, '"gone.ts" is not a file.'],
    ['Python', { 'plugin.py': '' }, [], 1, 'Only plugins in JavaScript or TypeScript are bundled.'],
    ['a script of Python', { 'a.py': '' }, ['a.py'], 1, 'A plugin in Python runs as it is'],
    [
      'no plugin',
      { 'plugin.js': 'export const a = 1;' },
      [],
      2,
      '"plugin.js" neither calls serve() nor exports',
    ],
    [
      'what it would write over',
      { 'dist/plugin.mjs': '' },
      ['dist/plugin.mjs'],
      2,
      '"dist/plugin.mjs" would be written over',
    ],
    [
      'an import of nothing',
      { 'plugin.js': `import 'nowhere';` },
      [],
      1,
      `Could not resolve 'nowhere' in plugin.js`,
    ],
    ['no JavaScript', { 'plugin.js': `const = ;` }, [], 1, '"plugin.js" cannot be made into one file'],
    [
      'one that throws',
      { 'plugin.js': `throw new Error('not today');` },
      [],
      3,
      'cannot be asked what it is: not today',
    ],
  ] as const)('%s', async (_, files, words, exitCode, message) => {
    const folder = temporaryFolder(files);
    const result = await cli(['build', ...words], { home: temporaryFolder(), cwd: folder });
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(message);
    const out = path.join(folder, 'dist');
    expect(fs.existsSync(out) ? fs.readdirSync(out) : []).toEqual(
      'dist/plugin.mjs' in files ? ['plugin.mjs'] : [],
    );
  });
});

async function built(files: Readonly<Record<string, string | object>>, words: readonly string[] = []) {
  const folder = temporaryFolder(files);
  const home = temporaryFolder();
  const { exitCode, stdout, stderr } = await cli(['build', ...words], { home, cwd: folder });
  expect({ exitCode, stderr: words.includes('--json') ? stderr : '' }).toEqual({ exitCode: 0, stderr: '' });
  return { folder, home, stdout, stderr };
}
