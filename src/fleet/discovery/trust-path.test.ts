import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { expect, test } from 'vitest';
import {
  type Content,
  link,
  program,
  temporaryFolder,
  writeFiles,
} from '../../../test/support/temporary-folder.ts';
import { discover, trustPath, userTrustStore } from './discover.ts';

const manifest = { executable: 'plugin.py', protocol_version: '2.0' };
const project = {
  'project/pluglot.json': { plugins: { own: { command: './own.sh' } }, folders: ['plugins'] },
  'project/.mcp.json': { mcpServers: { server: { command: 'x' } } },
  'project/package.json': {},
  'project/setup.py': '# no plugin',
  'project/plugins/a/manifest.json': manifest,
  'project/plugins/a/plugin.py': '#',
  'project/plugins/a/other.py': '#',
  'project/plugins/tool': program(),
};

test('of a project its configurations, manifests and programs are pinned, and nothing else', async () => {
  const at = world(project);
  const added = await trust(at, 'project');
  expect(Object.keys(added.pins).sort()).toEqual(
    [
      '.mcp.json',
      'package.json',
      'plugins/a/manifest.json',
      'plugins/a/plugin.py',
      'plugins/tool',
      'pluglot.json',
    ].sort(),
  );
  expect(added).toMatchObject({ path: `${at}/project`, outside: [], unreadable: [], elsewhere: [] });
  expect(await untrusted(at)).toEqual([]);
});

test.for([
  ['project/pluglot.json', { plugins: { own: { command: './evil' } }, folders: ['plugins'] }, ['own']],
  ['project/.mcp.json', { mcpServers: { server: { command: 'evil' } } }, ['server']],
  ['project/plugins/a/manifest.json', { ...manifest, executable: 'other.py' }, ['a']],
  ['project/plugins/a/plugin.py', '# evil', ['a']],
  ['project/plugins/tool', '#!/bin/sh\nevil\n', ['tool']],
  ['project/plugins/new/yams-plugin.json', { entry: { cmd: ['python3'] } }, ['new']],
] as const)('a change of %s costs the trust of what it decides', async ([file, content, expected]) => {
  const at = world(project);
  await trust(at, 'project');
  writeFiles(at, { [file]: content });
  expect(await untrusted(at)).toEqual(expected);
  await trust(at, 'project');
  expect(await untrusted(at)).toEqual([]);
});

test.for([
  [
    'gassist',
    'manifest.json',
    { name: 'a', executable: 'plugin.py --fast', protocol_version: '2.0', functions: [] },
    [
      { functions: [{ name: 'found_later' }], description: 'It has more tools now.' },
      { executable: 'plugin.py   --fast' },
    ],
    [{ executable: 'other.py' }, { executable: 'plugin.py --slow' }, { name: 'another' }],
  ],
  [
    'yams',
    'yams-plugin.json',
    { name: 'a', entry: { cmd: ['python3', '${plugin_dir}/plugin.py'], env: { MODE: 'x' } } },
    [{ version: '2.0.0', interfaces: ['content_extractor_v1'] }],
    [
      { entry: { cmd: ['python3', '${plugin_dir}/other.py'], env: { MODE: 'x' } } },
      { entry: { cmd: ['python3', '${plugin_dir}/plugin.py', 'more'], env: { MODE: 'x' } } },
      { entry: { cmd: ['python3', '${plugin_dir}/plugin.py'], env: { MODE: 'x', LD_PRELOAD: './x.so' } } },
    ],
  ],
] as const)(
  'a plugin of %s may rewrite its manifest, but for what is run and under which name',
  async ([, name, manifest, harmless, harmful]) => {
    const files = { [name]: manifest, 'plugin.py': '#', 'other.py': '#' };
    const at = world({
      'project/pluglot.json': { folders: ['plugins'] },
      ...Object.fromEntries(
        Object.entries(files).map(([file, content]): [string, Content] => [
          `project/plugins/a/${file}`,
          content,
        ]),
      ),
    });
    const rewrite = (change: object) =>
      writeFiles(at, { [`project/plugins/a/${name}`]: { ...manifest, ...change } });
    await trust(at, 'project');
    for (const change of harmless) {
      rewrite(change);
      expect(await untrusted(at)).toEqual([]);
    }
    for (const change of harmful) {
      rewrite(change);
      expect(await untrusted(at)).toHaveLength(1);
    }
    rewrite({});
    writeFiles(at, { 'project/plugins/a/plugin.py': '# another' });
    expect(await untrusted(at)).toEqual(['a']);
  },
);

test('why a manifest is not trusted any more is said, and one pinned by its bytes stays trusted', async () => {
  const at = world(project);
  const { pins } = await trust(at, 'project');
  const store = userTrustStore({ env: {}, home: `${at}/home` });
  const { trusted } = JSON.parse(fs.readFileSync(store.file, 'utf8')) as {
    trusted: { pins: Record<string, string> }[];
  };
  const bytes = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
  expect(pins['plugins/a/manifest.json']).toMatch(/^launch:[0-9a-f]{64}$/);
  for (const entry of trusted) entry.pins['plugins/a/manifest.json'] = bytes;
  fs.writeFileSync(`${at}/project/plugins/a/manifest.json`, JSON.stringify(manifest));
  fs.writeFileSync(store.file, JSON.stringify({ version: 1, trusted }));
  expect(await untrusted(at)).toEqual([]);

  await trust(at, 'project');
  writeFiles(at, { 'project/plugins/a/manifest.json': { ...manifest, executable: 'other.py' } });
  const { plugins } = await discover({ cwd: `${at}/project`, home: `${at}/home`, env: {} });
  expect(plugins.find(({ spec }) => spec.name === 'a')?.trust).toMatchObject({
    trusted: false,
    reason: `"${at}/project/plugins/a/manifest.json" starts the plugin in another way since "${at}/project" was trusted`,
  });
});

test.for([
  [
    ['node', '-r', './before.js', 'plugin.js'],
    ['before.js', 'plugin.js'],
  ],
  [
    ['node', '--import=./before.js', './plugin.js'],
    ['before.js', 'plugin.js'],
  ],
  [['node', 'plugin'], ['plugin.js']],
  [['sh', 'start'], ['start']],
  [['env', 'sh', './start', 'data'], ['start']],
  [
    ['python3', '-m', 'package.module'],
    ['package/module.py', '.venv/bin/python'],
  ],
  [
    ['./start', 'plugin.js', 'data'],
    ['start', 'plugin.js'],
  ],
  [
    ['python3', '${plugin_dir}/run.py', '--file', 'data'],
    ['run.py', '.venv/bin/python'],
  ],
] as const)('what is run by %o is pinned: %o', async ([cmd, pinned]) => {
  const at = world({
    'project/pluglot.json': { folders: ['plugins'] },
    'project/plugins/y/yams-plugin.json': { name: 'y', entry: { cmd } },
    'project/plugins/y/before.js': '',
    'project/plugins/y/plugin.js': '',
    'project/plugins/y/start': program(),
    'project/plugins/y/run.py': '',
    'project/plugins/y/data': '',
    'project/plugins/y/package/module.py': '',
    'project/plugins/y/.venv/bin/python': program(),
  });
  const { pins } = await trust(at, 'project');
  const files = Object.keys(pins).flatMap((file) => (file.startsWith('plugins/y/') ? [file.slice(10)] : []));
  expect(files.sort()).toEqual([...pinned, 'yams-plugin.json'].sort());
});

type StartCase = readonly [
  what: string,
  entry: object,
  files: Readonly<Record<string, Content>>,
  change: Readonly<Record<string, Content>>,
];

const inPath = { PATH: '${plugin_dir}/bin:/usr/bin:/bin' };
const startCases: readonly StartCase[] = [
  [
    'the main file of a package',
    { cmd: ['node', '.'] },
    { 'package.json': { main: 'main.js' }, 'main.js': '' },
    { 'main.js': '// evil' },
  ],
  [
    'the main file without its ending',
    { cmd: ['node', 'srv'] },
    { 'srv/package.json': { main: './lib/main' }, 'srv/lib/main.js': '' },
    { 'srv/lib/main.js': '// evil' },
  ],
  [
    'a package.json that names another main file',
    { cmd: ['node', '.'] },
    { 'index.js': '' },
    { 'package.json': { main: 'evil.js' }, 'evil.js': '' },
  ],
  [
    'a package.json in a folder that is started',
    { cmd: ['node', 'srv'] },
    { 'srv/index.js': '' },
    { 'srv/package.json': { main: 'evil.js' }, 'srv/evil.js': '' },
  ],
  [
    'a file that comes before the folder of the same name',
    { cmd: ['node', 'srv'] },
    { 'srv/index.js': '' },
    { 'srv.js': '// evil' },
  ],
  [
    'an interpreter that appears in the PATH of the manifest',
    { cmd: ['python3', 'plugin.py'], env: inPath },
    { 'plugin.py': '' },
    { 'bin/python3': program() },
  ],
  [
    'a program in the PATH of the manifest',
    { cmd: ['tool'], env: inPath },
    { 'bin/tool': program() },
    { 'bin/tool': program('evil') },
  ],
  [
    'a relative folder of PATH',
    { cmd: ['tool'], env: { PATH: 'bin:/usr/bin' } },
    { 'bin/tool': program() },
    { 'bin/tool': program('evil') },
  ],
  [
    'another program in a folder of PATH',
    { cmd: ['tool'], env: inPath },
    { 'bin/tool': program(), 'bin/helper': program() },
    { 'bin/helper': program('evil') },
  ],
  [
    'a program of the folder with the name of an interpreter',
    { cmd: ['python3', 'plugin.py'] },
    { 'plugin.py': '' },
    { python3: program() },
  ],
  [
    'the interpreter of the first line',
    { cmd: ['./plugin'] },
    { plugin: script('#!<folder>/interp'), interp: program() },
    { interp: program('evil') },
  ],
  [
    'the interpreter of an interpreter',
    { cmd: ['./plugin'] },
    { plugin: script('#!<folder>/one'), one: script('#!<folder>/two'), two: program() },
    { two: program('evil') },
  ],
  [
    'the interpreter of a Python file',
    { cmd: ['./plugin.py'] },
    { 'plugin.py': script('#!<folder>/venv/bin/python3'), 'venv/bin/python3': program() },
    { 'venv/bin/python3': program('evil') },
  ],
  [
    'a link in the place of the interpreter',
    { cmd: ['./plugin'] },
    { plugin: script('#!<folder>/interp'), interp: link('/bin/sh') },
    { interp: program('evil') },
  ],
  [
    'the interpreter that env finds in PATH',
    { cmd: ['./plugin'], env: inPath },
    { plugin: script('#!/usr/bin/env interp'), 'bin/interp': program() },
    { 'bin/interp': program('evil') },
  ],
  [
    'a module in one word with its option',
    { cmd: ['python3', '-mplg'] },
    { 'plg.py': '' },
    { 'plg.py': '# evil' },
  ],
  [
    'the package of a module',
    { cmd: ['python3', '-m', 'pk.sub'] },
    { 'pk/sub.py': '', 'pk/__init__.py': '' },
    { 'pk/__init__.py': '# evil' },
  ],
  [
    'a package of a module that appears',
    { cmd: ['python3', '-mpk.sub'] },
    { 'pk/sub.py': '' },
    { 'pk/__init__.py': '# evil' },
  ],
  [
    'a module of the system that the folder hides',
    { cmd: ['python3', '-m', 'http.server'] },
    {},
    { 'http.py': '# evil' },
  ],
  [
    'a folder that Python starts',
    { cmd: ['python3', '.'] },
    { '__main__.py': '' },
    { '__main__.py': '# evil' },
  ],
  [
    'a module in PYTHONPATH',
    { cmd: ['python3', '-m', 'plg'], env: { PYTHONPATH: '${plugin_dir}/src' } },
    { 'src/plg.py': '' },
    { 'src/plg.py': '# evil' },
  ],
  [
    'what Python loads before a program',
    { cmd: ['python3', 'plugin.py'], env: { PYTHONPATH: '${plugin_dir}/src' } },
    { 'plugin.py': '', 'src/a.txt': '' },
    { 'src/sitecustomize.py': '# evil' },
  ],
  [
    'a Makefile',
    { cmd: ['make', '-s', 'run'] },
    { Makefile: 'run:\n\ttrue\n' },
    { Makefile: 'run:\n\tevil\n' },
  ],
  [
    'a Makefile that comes before another',
    { cmd: ['make', 'run'] },
    { Makefile: 'run:\n\ttrue\n' },
    { GNUmakefile: 'run:\n\tevil\n' },
  ],
  [
    'the Makefile of another folder',
    { cmd: ['make', '-C', 'sub'] },
    { 'sub/Makefile': '' },
    { 'sub/Makefile': 'evil' },
  ],
  [
    'the scripts of npm',
    { cmd: ['npm', 'start'] },
    { 'package.json': { scripts: { start: 'node a.js' } } },
    { 'package.json': { scripts: { start: 'evil' } } },
  ],
  [
    'what a script of npm starts',
    { cmd: ['npm', 'run', '-s', 'go'] },
    { 'package.json': { scripts: { go: 'exec node ./a.js' } }, 'a.js': '' },
    { 'a.js': '// evil' },
  ],
  [
    'the settings of npm',
    { cmd: ['npm', 'start'] },
    { 'package.json': {} },
    { '.npmrc': 'script-shell=./evil' },
  ],
  [
    'a file in the words of a shell',
    { cmd: ['sh', '-c', 'exec python3 "plugin.py"; true'] },
    { 'plugin.py': '' },
    { 'plugin.py': '# evil' },
  ],
  [
    'a file in code on the command line',
    { cmd: ['python3', '-c', "exec(open('plugin.py').read())"] },
    { 'plugin.py': '' },
    { 'plugin.py': '# evil' },
  ],
  [
    'what NODE_OPTIONS loads',
    { cmd: ['node', 'a.js'], env: { NODE_OPTIONS: '--require ${plugin_dir}/hook' } },
    { 'a.js': '', 'hook.js': '' },
    { 'hook.js': '// evil' },
  ],
  [
    'what NODE_OPTIONS would load',
    { cmd: ['node', 'a.js'], env: { NODE_OPTIONS: '-r./hook' } },
    { 'a.js': '' },
    { 'hook.js': '// evil' },
  ],
  [
    'BASH_ENV',
    { cmd: ['bash', 'run.sh'], env: { BASH_ENV: '${plugin_dir}/rc' } },
    { 'run.sh': '', rc: '' },
    { rc: 'evil' },
  ],
  [
    'LD_PRELOAD',
    { cmd: ['sh', 'run.sh'], env: { LD_PRELOAD: './libx.so.1' } },
    { 'run.sh': '', 'libx.so.1': '' },
    { 'libx.so.1': 'evil' },
  ],
  [
    'code that any variable names',
    { cmd: ['sh', 'run.sh'], env: { HOOK: './hook.sh' } },
    { 'run.sh': '', 'hook.sh': '' },
    { 'hook.sh': 'evil' },
  ],
];

test.for(startCases)('a plugin loses its trust by a change of %s', async ([, entry, files, change]) => {
  const at = world({
    'project/pluglot.json': { folders: ['plugins'] },
    'project/plugins/y/yams-plugin.json': { name: 'y', entry },
  });
  const folder = `${at}/project/plugins/y`;
  const write = (contents: Readonly<Record<string, Content>>) => {
    for (const name of Object.keys(contents)) fs.rmSync(`${folder}/${name}`, { force: true });
    writeFiles(folder, contents);
    for (const name of Object.keys(contents)) {
      const file = `${folder}/${name}`;
      if (fs.lstatSync(file).isSymbolicLink() || !fs.readFileSync(file, 'utf8').startsWith('#!<')) continue;
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('<folder>', folder));
    }
  };
  write(files);
  expect(await untrusted(at)).toEqual(['y']);
  await trust(at, 'project');
  expect(await untrusted(at)).toEqual([]);
  const running = await discover({ cwd: `${at}/project`, home: `${at}/home`, env: {} });
  expect(await running.checkAgain('y')).toMatchObject({ trusted: true });
  write(change);
  // Of a host that runs, and of one that starts.
  expect(await running.checkAgain('y')).toMatchObject({ trusted: false });
  expect(await untrusted(at)).toEqual(['y']);
  await trust(at, 'project');
  expect(await untrusted(at)).toEqual([]);
});

test('data beside a plugin may change, also where a variable or an argument names it', async () => {
  const entry = {
    cmd: ['python3', 'plugin.py', '--config', 'config.json', 'notes.txt'],
    env: { DATA: '${plugin_dir}/data.json', ...inPath },
  };
  const data = { 'config.json': {}, 'notes.txt': '', 'data.json': {}, 'bin/readme.txt': '', 'other.txt': '' };
  const at = world({
    'project/pluglot.json': { folders: ['plugins'] },
    'project/plugins/y/yams-plugin.json': { name: 'y', entry },
  });
  writeFiles(`${at}/project/plugins/y`, { ...data, 'plugin.py': '' });
  await trust(at, 'project');
  for (const name of Object.keys(data)) fs.writeFileSync(`${at}/project/plugins/y/${name}`, 'changed');
  expect(await untrusted(at)).toEqual([]);
});

test('whoever trusts one script does not trust an interpreter beside it', async () => {
  const at = world({ ...project, 'project/plugins/one.py': '#' });
  await trust(at, 'project');
  expect(await untrusted(at)).toEqual([]);
  writeFiles(at, { 'project/plugins/.venv/bin/python': program() });
  expect(await untrusted(at)).toEqual(['one']);
  await trust(at, 'project/plugins/one.py');
  expect(await untrusted(at)).toEqual(['one']);
  await trust(at, 'project/plugins');
  expect(await untrusted(at)).not.toContain('one');
});

test('what has changed since it was found is found out by looking again', async () => {
  const at = world(project);
  await trust(at, 'project');
  const { checkAgain } = await discover({ cwd: `${at}/project`, home: `${at}/home`, env: {} });
  expect(await checkAgain('a')).toMatchObject({ trusted: true });
  expect(await checkAgain('none')).toBeUndefined();
  writeFiles(at, { 'project/plugins/a/plugin.py': '# evil', 'project/pluglot.json': { plugins: {} } });
  expect(await checkAgain('a')).toMatchObject({ trusted: false });
  // What it said when it was read is what is run.
  expect(await checkAgain('own')).toMatchObject({ trusted: true });
  await userTrustStore({ home: `${at}/home`, env: {} }).remove(`${at}/project`);
  expect(await checkAgain('own')).toMatchObject({ trusted: false });
});

test('one plugin of a folder can be trusted alone, and a single file too', async () => {
  const at = world(project);
  await trust(at, 'project/plugins/a');
  expect(await untrusted(at)).toEqual(['own', 'tool', 'server']);
  await trust(at, 'project/plugins/tool');
  expect(await untrusted(at)).toEqual(['own', 'server']);
});

test('what a project names elsewhere has to be trusted by itself, and is told', async () => {
  const at = world({ 'project/pluglot.json': { folders: ['../elsewhere'] }, 'elsewhere/x.py': '#' });
  const added = await trust(at, 'project');
  expect(added.elsewhere).toEqual([`${at}/elsewhere/x.py`]);
  expect(await untrusted(at)).toEqual(['x']);
});

test('a link in a folder of plugins leads nowhere that is trusted', async () => {
  const at = world({ 'project/pluglot.json': { folders: ['plugins'] }, 'elsewhere/plugin.py': '#' });
  writeFiles(at, {
    'project/plugins/linked': link(`${at}/elsewhere`),
    'project/plugins/file.py': link(`${at}/elsewhere/plugin.py`),
  });
  const added = await trust(at, 'project');
  expect(added.outside).toEqual([
    { file: `${at}/project/plugins/file.py`, leadsTo: `${at}/elsewhere/plugin.py` },
    { file: `${at}/project/plugins/linked/plugin.py`, leadsTo: `${at}/elsewhere/plugin.py` },
  ]);
  expect(await untrusted(at)).toEqual(['file', 'linked']);
});

test('a folder of plugins of no project is trusted with all that lies in it', async () => {
  const at = world({
    'plugins/a/manifest.json': manifest,
    'plugins/a/plugin.py': '#',
    'plugins/tool.py': '#',
  });
  const added = await trust(at, 'plugins');
  expect(Object.keys(added.pins)).toEqual(['a/manifest.json', 'a/plugin.py', 'tool.py']);
  expect(await untrusted(at, [`${at}/plugins`])).toEqual([]);
});

test('a package that is installed after the project was trusted is covered', async () => {
  const at = world({ 'project/package.json': { dependencies: { later: '1' } } });
  await trust(at, 'project');
  writeFiles(at, {
    'project/node_modules/later/package.json': {
      pluglot: { plugins: { later: { process: true, file: 'plugin.js' } } },
    },
    'project/node_modules/later/plugin.js': '',
  });
  expect(await untrusted(at)).toEqual([]);
});

test('what is not there cannot be trusted', async () => {
  const at = world({});
  await expect(trust(at, 'none')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(fs.existsSync(`${at}/home/.local`)).toBe(false);
});

function world(files: Readonly<Record<string, Content>>): string {
  return temporaryFolder({ 'home/.keep': '', 'project/.keep': '', ...files });
}

function trust(at: string, place: string) {
  const surroundings = { cwd: at, home: `${at}/home`, env: {} };
  return trustPath(userTrustStore(surroundings), place, surroundings);
}

async function untrusted(at: string, folders: string[] = []): Promise<string[]> {
  const { plugins } = await discover({ cwd: `${at}/project`, home: `${at}/home`, env: {}, folders });
  return plugins.filter((one) => !one.trust.trusted).map(({ spec }) => spec.name);
}

/** Executable, with this first line. */
function script(firstLine: string): Content {
  return program(`${firstLine}\n`);
}
