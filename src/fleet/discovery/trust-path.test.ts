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
import { discover, userTrustStore } from './discover.ts';
import { trustPath } from './trust-path.ts';

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
