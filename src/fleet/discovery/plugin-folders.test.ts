import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Content,
  link,
  program,
  temporaryFolder,
  writeFiles,
} from '../../../test/support/temporary-folder.ts';
import { pluginFolders } from './plugin-folders.ts';

const functions = [
  { name: 'search', description: 'Searches', properties: { query: { type: 'string' } }, required: ['query'] },
];

describe('G-Assist', () => {
  const manifest = { manifestVersion: 1, name: 'my-plugin', protocol_version: '2.0', functions };

  test.for([
    ['plugin.py', 'plugin.py', undefined],
    ['./plugin.py', 'plugin.py', undefined],
    ['.\\\\plugin.py'.replaceAll('\\\\', '\\'), 'plugin.py', undefined],
    ['my plugin.py', 'my plugin.py', undefined],
    ['run', 'run', undefined],
    ['run --fast "two words"', 'run', ['--fast', 'two words']],
    ['${plugin_dir}/plugin.py', 'plugin.py', undefined],
  ] as const)('executable %s starts a file of the folder', async ([executable, file, args]) => {
    const folder = temporaryFolder({ 'a/manifest.json': { ...manifest, executable }, [`a/${file}`]: '#' });
    const { candidates, problems } = await look(folder);
    expect(problems).toEqual([]);
    expect(candidates).toEqual([
      {
        spec: {
          name: 'my-plugin',
          dialect: 'gassist',
          start: {
            kind: 'program',
            command: `${folder}/a/${file}`,
            ...(args && { args }),
            cwd: `${folder}/a`,
            folder: `${folder}/a`,
          },
          manifest: { ...manifest, executable },
        },
        origin: { kind: 'folder', file: `${folder}/a/manifest.json` },
        claim: {
          root: `${folder}/a`,
          subjects: [`${folder}/a`],
          evidence: [
            {
              file: `${folder}/a/manifest.json`,
              sha256: expect.any(String) as string,
              launch: expect.any(String) as string,
            },
            { file: `${folder}/a/${file}` },
          ],
        },
      },
    ]);
  });

  test.for([
    ['node plugin.js', 'node', ['plugin.js']],
    ['python -u plugin.js', 'python', ['-u', 'plugin.js']],
    ['/usr/bin/python3 plugin.js', '/usr/bin/python3', ['plugin.js']],
    ['/usr/bin/env python3 plugin.js', 'python3', ['plugin.js']],
  ] as const)(
    'executable %s starts a program of the system with a file of the folder',
    async ([executable, command, args]) => {
      const folder = temporaryFolder({ 'a/manifest.json': { ...manifest, executable }, 'a/plugin.js': '' });
      const { candidates, problems } = await look(folder);
      expect(problems).toEqual([]);
      expect(candidates[0]?.spec.start).toMatchObject({ command, args, cwd: `${folder}/a` });
      expect(candidates[0]?.claim).toMatchObject({
        evidence: [{ file: `${folder}/a/manifest.json` }, { file: `${folder}/a/plugin.js` }],
      });
    },
  );

  test('a byte order mark is no trouble, and the name is that of the folder when the manifest has none', async () => {
    const text = `\ufeff${JSON.stringify({ executable: 'plugin.py', protocol_version: '2.0' })}`;
    const folder = temporaryFolder({ 'weather/manifest.json': text, 'weather/plugin.py': '#' });
    expect((await look(folder)).candidates.map(({ spec }) => spec.name)).toEqual(['weather']);
  });

  test('a program for Windows runs on Windows', async () => {
    const folder = temporaryFolder({
      'a/manifest.json': { ...manifest, executable: './plugin.exe' },
      'a/plugin.exe': 'MZ',
    });
    expect((await look(folder, 'win32')).candidates).toHaveLength(1);
    expect(await reasons(folder)).toEqual(['"./plugin.exe" is a program for Windows']);
  });

  test('a batch file that only starts something is read, and that is started', async () => {
    const launch = '@echo off\n:: Launch wrapper\n\nnode "%~dp0lib\\plugin.js"\n';
    const folder = temporaryFolder({
      'a/manifest.json': { ...manifest, executable: 'launch.bat' },
      'a/launch.bat': launch,
      'a/lib/plugin.js': '',
    });
    const { candidates, problems } = await look(folder);
    expect(problems).toEqual([]);
    expect(candidates[0]?.spec.start).toMatchObject({ command: 'node', args: ['./lib/plugin.js'] });
    expect(candidates[0]?.claim).toMatchObject({
      evidence: [
        { file: `${folder}/a/manifest.json` },
        { file: `${folder}/a/lib/plugin.js` },
        { file: `${folder}/a/launch.bat` },
      ],
    });
  });

  test.for([
    'cd ..\nnode "%~dp0plugin.js"',
    'node "%~dp0plugin.js" & del x',
    'node "%PLUGINS%\\plugin.js"',
    'start /b node plugin.js ^> log',
    'launch.bat',
    '',
  ])('a batch file that does more is for Windows: %j', async (launch) => {
    const folder = temporaryFolder({
      'a/manifest.json': { ...manifest, executable: 'launch.bat' },
      'a/launch.bat': launch,
      'a/plugin.js': '',
    });
    expect(await reasons(folder)).toEqual(['"launch.bat" is a program for Windows']);
  });

  test('a V1 plugin is told how to move', async () => {
    const folder = temporaryFolder({
      'a/manifest.json': { name: 'old', executable: 'plugin.py', functions },
      'a/plugin.py': '#',
    });
    const { candidates, problems } = await look(folder);
    expect(candidates).toEqual([]);
    expect(problems).toEqual([
      {
        file: `${folder}/a/manifest.json`,
        line: 1,
        severity: 'error',
        plugin: 'old',
        reason: 'a plugin of G-Assist V1: its manifest has no "protocol_version"',
        wayOut:
          'Move it to V2: answer JSON-RPC in frames with a length instead of text with <<END>> (the V2 SDK does), then add "protocol_version": "2.0".',
      },
    ]);
  });

  test.for<[string, Content, number | undefined, string]>([
    ['no JSON', '{\n"name": }', 2, 'invalid JSON: expected a value, found "}"'],
    ['a list', '[]', 1, 'expected an object'],
    ['bytes', Buffer.from([0xff, 0]), undefined, 'the file is not UTF-8 text'],
    [
      'another manifest',
      { name: 'extension', manifest_version: 3 },
      1,
      'not a manifest of G-Assist: "executable" is missing',
    ],
    ['a number to start', { executable: 5 }, 2, '"executable" is not text'],
    ['nothing to start', { executable: '', protocol_version: '2.0' }, 2, 'it names no program'],
    [
      'version 1',
      { executable: 'plugin.py', protocol_version: '1.0' },
      3,
      'it speaks version "1.0" of the protocol; expected "2.0"',
    ],
    [
      'version 20',
      { executable: 'plugin.py', protocol_version: '20' },
      3,
      'it speaks version "20" of the protocol; expected "2.0"',
    ],
    [
      'functions of another kind',
      { executable: 'plugin.py', protocol_version: '2.0', functions: [5] },
      4,
      '"functions" is not a list of objects',
    ],
    [
      'a file that is not there',
      { executable: 'none.py', protocol_version: '2.0' },
      2,
      '"none.py" is not there',
    ],
    [
      'a script that is not there',
      { executable: 'node none.js', protocol_version: '2.0' },
      2,
      '"none.js" is not there',
    ],
    ['a folder', { executable: 'folder', protocol_version: '2.0' }, 2, '"folder" is not a file'],
    [
      'the parent',
      { executable: '../evil.py', protocol_version: '2.0' },
      2,
      '"../evil.py" is outside the plugin\'s folder',
    ],
    [
      'the parent, as Windows writes it',
      { executable: '..\\evil.py', protocol_version: '2.0' },
      2,
      '"../evil.py" is outside the plugin\'s folder',
    ],
    [
      'the parent of a folder',
      { executable: 'folder/../../evil.py', protocol_version: '2.0' },
      2,
      '"folder/../../evil.py" is outside the plugin\'s folder',
    ],
    [
      'an absolute path',
      { executable: '/etc/passwd', protocol_version: '2.0' },
      2,
      '"/etc/passwd" is outside the plugin\'s folder',
    ],
    [
      'a script elsewhere',
      { executable: 'python3 ../evil.py', protocol_version: '2.0' },
      2,
      '"../evil.py" is outside the plugin\'s folder',
    ],
    [
      'a link that leads out',
      { executable: 'link.py', protocol_version: '2.0' },
      2,
      '"link.py" is outside the plugin\'s folder',
    ],
    [
      'a shell',
      { executable: 'sh -c "curl x" | sh', protocol_version: '2.0' },
      2,
      '"executable" needs a shell',
    ],
    ['variables', { executable: 'A=b $HOME/x', protocol_version: '2.0' }, 2, '"executable" needs a shell'],
  ])('%s is told', async ([, content, line, reason]) => {
    const folder = temporaryFolder({
      'plugins/a/manifest.json': content,
      'plugins/a/plugin.py': '#',
      'plugins/a/folder/file': '',
    });
    writeFiles(folder, { 'plugins/a/link.py': link('../../evil.py'), 'evil.py': '#' });
    const { candidates, problems } = await look(`${folder}/plugins`);
    expect(candidates).toEqual([]);
    expect(problems.map((problem) => [problem.line, problem.reason])).toEqual([[line, reason]]);
  });
});

describe('YAMS', () => {
  const env = { LEVEL: 'info', HOME_OF: '${plugin_dir}/data' };
  const entry = {
    binary: { linux: '${plugin_dir}/bin/plugin', darwin: 'mac', windows: 'plugin.exe' },
    fallback_cmd: ['python3', '-u', '${plugin_dir}/plugin.py'],
    env,
  };

  test('the binary of the system is started', async () => {
    const folder = temporaryFolder({
      'a/yams-plugin.json': { name: 'pdf', entry },
      'a/bin/plugin': '',
      'a/plugin.py': '#',
      'a/mac': '',
    });
    const { candidates, problems } = await look(folder);
    expect(problems).toEqual([]);
    expect(candidates[0]?.spec).toEqual({
      name: 'pdf',
      dialect: 'yams',
      start: {
        kind: 'program',
        command: `${folder}/a/bin/plugin`,
        cwd: `${folder}/a`,
        folder: `${folder}/a`,
        env,
      },
      manifest: { name: 'pdf', entry },
    });
    expect(candidates[0]?.claim).toMatchObject({
      evidence: [{ file: `${folder}/a/yams-plugin.json` }, { file: `${folder}/a/bin/plugin` }],
    });
    const onMac = await look(folder, 'darwin');
    expect(onMac.candidates[0]?.spec.start).toMatchObject({ command: `${folder}/a/mac` });
  });

  test.for<[string, object, object]>([
    [
      'the fallback when the binary was not built',
      { entry },
      { command: 'python3', args: ['-u', '<folder>/plugin.py'], env },
    ],
    [
      'a command',
      { entry: { cmd: ['/usr/bin/env', 'python3', '${plugin_dir}/plugin.py'] } },
      { command: 'python3', args: ['<folder>/plugin.py'] },
    ],
    [
      'a command as text',
      { entry: { cmd: 'python3 plugin.py --fast' } },
      { command: 'python3', args: ['plugin.py', '--fast'] },
    ],
    ['plugin.py without an entry', {}, { command: '<folder>/plugin.py' }],
  ])('%s is started', async ([, manifest, start]) => {
    const folder = temporaryFolder({ 'a/yams-plugin.json': manifest, 'a/plugin.py': '#' });
    const { candidates, problems } = await look(folder);
    expect(problems).toEqual([]);
    const expected = JSON.parse(JSON.stringify(start).replaceAll('<folder>', `${folder}/a`)) as object;
    expect(candidates[0]?.spec.start).toEqual({
      kind: 'program',
      cwd: `${folder}/a`,
      folder: `${folder}/a`,
      ...expected,
    });
    expect(candidates[0]?.claim).toMatchObject({
      evidence: [{ file: `${folder}/a/yams-plugin.json` }, { file: `${folder}/a/plugin.py` }],
    });
  });

  test('plugin comes before plugin.py', async () => {
    const folder = temporaryFolder({ 'a/yams-plugin.json': {}, 'a/plugin.py': '#', 'a/plugin': '' });
    expect((await look(folder)).candidates[0]?.spec).toMatchObject({
      name: 'a',
      start: { command: `${folder}/a/plugin` },
    });
  });

  test.for<[string, Content, number, string]>([
    ['an entry of another kind', { entry: [] }, 2, '"entry" is not an object'],
    ['env of another kind', { entry: { env: { A: 5 } } }, 3, '"env" is not an object of texts'],
    [
      'a command of another kind',
      { entry: { cmd: [5] } },
      3,
      '"cmd" is not a list of words, or needs a shell',
    ],
    [
      'a command for a shell',
      { entry: { cmd: 'PYTHONPATH=x python3 plugin.py' } },
      3,
      '"cmd" is not a list of words, or needs a shell',
    ],
    [
      'a binary elsewhere',
      { entry: { binary: { linux: '../evil' }, cmd: ['python3', 'x.py'] } },
      3,
      '"../evil" is outside the plugin\'s folder',
    ],
    ['a binary that is not there', { entry: { binary: { linux: './none' } } }, 3, '"./none" is not there'],
    [
      'nothing at all',
      {},
      1,
      'nothing to start: no "entry", and neither "plugin" nor "plugin.py" beside the manifest',
    ],
    ['half a file', '{"name": "x', 1, 'invalid JSON: text in quotes without an end'],
  ])('%s is told', async ([, content, line, reason]) => {
    const folder = temporaryFolder({ 'plugins/a/yams-plugin.json': content, 'plugins/evil': program() });
    const { candidates, problems } = await look(`${folder}/plugins`);
    expect(candidates.map(({ spec }) => spec.name)).toEqual(['evil']);
    expect(problems.map((problem) => [problem.line, problem.reason])).toEqual([[line, reason]]);
  });
});

test('programs that simply lie there are found; what is no program is not', async () => {
  const folder = temporaryFolder({
    'plugins/tool': program(),
    'plugins/script.py': '#',
    'plugins/script.mjs': '',
    'plugins/shell.sh': program(),
    'plugins/notes': 'no program',
    'plugins/README.md': program('executable by accident'),
    'plugins/data.json': '{}',
    'plugins/.hidden.py': '#',
    'plugins/node_modules/x.js': '',
    'plugins/__pycache__/plugin.py': '',
    'plugins/own/plugin.py': '#',
    'plugins/empty/file': '',
    'plugins/dangling.py': link('nowhere'),
  });
  const { candidates, problems } = await look(`${folder}/plugins`);
  expect(
    candidates.map(({ spec, claim }) => [
      spec.name,
      spec.dialect,
      claim === 'own' ? claim : path.relative(folder, claim.root),
    ]),
  ).toEqual([
    ['own', undefined, 'plugins/own'],
    ['script', undefined, 'plugins/script.mjs'],
    ['script', undefined, 'plugins/script.py'],
    ['shell', undefined, 'plugins/shell.sh'],
    ['tool', undefined, 'plugins/tool'],
  ]);
  expect(candidates[0]?.spec.start).toEqual({
    kind: 'program',
    command: `${folder}/plugins/own/plugin.py`,
    cwd: `${folder}/plugins/own`,
    folder: `${folder}/plugins/own`,
  });
  expect(problems).toEqual([]);
});

test('a folder that is itself a plugin is that plugin', async () => {
  const folder = temporaryFolder({ 'yams-plugin.json': { name: 'one' }, 'plugin.py': '#', 'other.py': '#' });
  expect((await look(folder)).candidates.map(({ spec }) => spec.name)).toEqual(['one']);
});

test('a folder that is not there, or is none, is told where it was named', async () => {
  const folder = temporaryFolder({ file: '' });
  const named = { file: 'pluglot.json', line: 7 };
  expect(await pluginFolders(`${folder}/none`, 'linux', named)).toEqual({
    candidates: [],
    problems: [
      {
        ...named,
        severity: 'error',
        reason: `the folder "${folder}/none" does not exist`,
        wayOut: 'Correct the path, or create it.',
      },
    ],
  });
  expect((await pluginFolders(`${folder}/file`, 'linux', named)).problems[0]?.reason).toBe(
    `the folder "${folder}/file" is not a folder`,
  );
});

test('a folder with very many entries is looked at in part', async () => {
  const folder = temporaryFolder(
    Object.fromEntries(Array.from({ length: 1005 }, (_, index) => [`file${index}.txt`, ''])),
  );
  expect((await look(folder)).problems.map(({ severity, reason }) => [severity, reason])).toEqual([
    ['warning', `the folder "${folder}" has 1005 entries; only 1000 are looked at`],
  ]);
});

/** Without the places where nothing has to be. */
async function look(folder: string, platform: NodeJS.Platform = 'linux') {
  const { candidates, ...rest } = await pluginFolders(folder, platform, { file: 'pluglot.json' });
  const withoutPlaces = candidates.map((candidate) => {
    if (candidate.claim === 'own') return candidate;
    const evidence = candidate.claim.evidence.filter((one) => one.isOptional !== true);
    return { ...candidate, claim: { ...candidate.claim, evidence } };
  });
  return { candidates: withoutPlaces, ...rest };
}

async function reasons(folder: string): Promise<string[]> {
  return (await look(folder)).problems.map(({ reason }) => reason);
}
