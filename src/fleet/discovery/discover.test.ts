import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  type Content,
  link,
  program,
  temporaryFolder,
  writeFiles,
} from '../../../test/support/temporary-folder.ts';
import {
  discover,
  type DiscoverOptions,
  type Discovery,
  type Found,
  trustPath,
  userTrustStore,
} from './discover.ts';
import { describeProblem } from './problem.ts';

const userFile = 'home/.config/pluglot/pluglot.json';

test('an empty machine has no plugins and no problems', async () => {
  expect(await look(world({}))).toMatchObject({ plugins: [], problems: [] });
});

test("the user's own configuration is trusted; its commands are looked for in PATH or from where it lies", async () => {
  const at = world({
    [userFile]: {
      plugins: {
        named: { command: 'gh-plugin', args: ['serve'], dialect: 'gevals' },
        near: { command: './near.py', cwd: 'work', env: { TOKEN: '${env:SECRET}', LEVEL: '${LEVEL:-info}' } },
        home: { command: '~/bin/tool' },
        reached: {
          url: 'https://example.com/${PATH_PART:-mcp}',
          headers: { Authorization: 'Bearer ${SECRET}' },
        },
      },
    },
  });
  const { plugins, problems } = await look(at, { env: { SECRET: 's3cret' } });
  expect(problems).toEqual([]);
  const file = `${at}/${userFile}`;
  const folder = path.dirname(file);
  expect(plugins).toEqual([
    {
      spec: {
        name: 'named',
        dialect: 'gevals',
        start: { kind: 'program', command: 'gh-plugin', args: ['serve'] },
      },
      origin: { kind: 'user-config', file, line: 3 },
      trust: { trusted: true },
    },
    {
      spec: {
        name: 'near',
        start: {
          kind: 'program',
          command: `${folder}/near.py`,
          cwd: `${folder}/work`,
          // Who starts it replaces it; a spec that is shown has no secret.
          env: { TOKEN: '${env:SECRET}', LEVEL: '${LEVEL:-info}' },
        },
      },
      origin: { kind: 'user-config', file, line: 10 },
      trust: { trusted: true },
    },
    {
      spec: { name: 'home', start: { kind: 'program', command: `${at}/home/bin/tool` } },
      origin: { kind: 'user-config', file, line: 18 },
      trust: { trusted: true },
    },
    {
      spec: {
        name: 'reached',
        dialect: 'mcp',
        start: {
          kind: 'http',
          url: 'https://example.com/mcp',
          shown: 'https://example.com/${PATH_PART:-mcp}',
          headers: { Authorization: 'Bearer s3cret' },
        },
        secrets: ['s3cret'],
      },
      origin: { kind: 'user-config', file, line: 21 },
      trust: { trusted: true },
    },
  ]);
});

test('every setting of an entry reaches the spec', async () => {
  const settings = {
    config: { depth: 3 },
    limits: { callMs: 5000 },
    concurrency: 2,
    instances: 3,
    queueLimit: 10,
    liveness: 'strict',
    lazy: true,
    idleStopMs: 60_000,
    restart: { max: 1 },
    methods: ['graph.query'],
    dialect: 'yams',
  };
  const at = world({
    [userFile]: { plugins: { a: { command: 'x', ...settings } }, limits: { startMs: 1, callMs: 2 } },
  });
  const { plugins } = await look(at);
  expect(plugins[0]?.spec).toEqual({
    name: 'a',
    start: { kind: 'program', command: 'x' },
    ...settings,
    limits: { startMs: 1, callMs: 5000 },
  });
});

test("a variable that is not set is the plugin's problem", async () => {
  const at = world({
    [userFile]: {
      plugins: { a: { command: 'x', args: ['--key', '${env:KEY}', '${env:OTHER}', '${SHELL_S}'] } },
    },
  });
  expect(await problemsOf(at)).toEqual([
    `${at}/${userFile}:3: plugins.a: it needs KEY, OTHER of the environment, which are not set. Set it, or write a default: \${NAME:-default}.`,
  ]);
});

test('a configuration that everybody may write is not the word of the user', async () => {
  const at = world({
    [userFile]: { plugins: { a: { command: 'x' } } },
    'home/.mcp.json': { mcpServers: { b: { command: 'x' } } },
  });
  const files = [`${at}/${userFile}`, `${at}/home/.mcp.json`];
  for (const file of files) fs.chmodSync(file, 0o666);
  const { plugins, problems } = await look(at);
  expect(plugins.map(({ trust }) => trust.trusted)).toEqual([false, false]);
  expect(problems.map(({ wayOut }) => wayOut)).toEqual(files.map((file) => `chmod 600 ${file}`));
});

test.for([
  ['the folder of the configuration', '.config/pluglot'],
  ['a folder above it', '.config'],
  ['the folder that a link leads to', 'dotfiles'],
])('nor is one where everyone may write %s', async ([, open]) => {
  const at = world({ 'home/dotfiles/pluglot.json': { plugins: { a: { command: 'x' } } } });
  writeFiles(at, { [userFile]: link('../../dotfiles/pluglot.json') });
  expect((await look(at)).plugins).toMatchObject([{ trust: { trusted: true } }]);
  fs.chmodSync(`${at}/home/${open}`, 0o777);
  const { plugins, problems } = await look(at);
  expect(plugins).toMatchObject([{ trust: { trusted: false } }]);
  expect(problems).toMatchObject([
    {
      file: `${at}/home/${open}`,
      reason: `it can be changed by other users, so that "${at}/${userFile}" has to be trusted like a file of a project`,
      wayOut: `chmod go-w ${at}/home/${open}`,
    },
  ]);
});

test("a project's configuration waits for trust, and is asked for again when it changed", async () => {
  const at = world({ 'project/pluglot.json': { plugins: { a: { command: './a.py' } } } });
  const [before] = (await look(at)).plugins;
  expect(before).toEqual({
    spec: { name: 'a', start: { kind: 'program', command: `${at}/project/a.py`, cwd: `${at}/project` } },
    origin: { kind: 'project-config', file: `${at}/project/pluglot.json`, line: 3 },
    trust: {
      trusted: false,
      reason: `"${at}/project" is not trusted yet`,
      wayOut: `Read it, then: pluglot trust add ${at}/project`,
    },
  });
  await trust(at, 'project');
  expect((await look(at)).plugins[0]?.trust).toEqual({ trusted: true });

  writeFiles(at, { 'project/pluglot.json': { plugins: { a: { command: 'curl' } } } });
  expect((await look(at)).plugins[0]?.trust).toMatchObject({
    trusted: false,
    reason: `"${at}/project/pluglot.json" has changed since "${at}/project" was trusted`,
  });
});

test("the project's file is the nearest one up to the root of the repository, and no further", async () => {
  const at = world({
    'pluglot.json': { plugins: { stranger: { command: 'x' } } },
    'project/.git/HEAD': '',
    'project/pluglot.json': { plugins: { ours: { command: 'x' } } },
    'project/deep/down/file': '',
  });
  expect(await namesOf(at, { cwd: `${at}/project/deep/down` })).toEqual(['ours']);
  fs.rmSync(`${at}/project/.git`, { recursive: true });
  expect(await namesOf(at, { cwd: `${at}/project/deep/down` })).toEqual([]);
});

test('a file the user names counts as the user’s own, instead of the project’s', async () => {
  const at = world({
    'project/pluglot.json': { plugins: { ours: { command: 'x' } } },
    'project/other.json': { plugins: { typed: { command: './x' } } },
  });
  const { plugins } = await look(at, { configFile: 'other.json' });
  expect(plugins).toEqual([
    {
      spec: { name: 'typed', start: { kind: 'program', command: `${at}/project/x` } },
      origin: { kind: 'user-config', file: `${at}/project/other.json`, line: 3 },
      trust: { trusted: true },
    },
  ]);
  expect(await problemsOf(at, { configFile: 'none.json' })).toEqual([
    `${at}/project/none.json: the file does not exist. Correct the path.`,
  ]);
});

test('the user’s own file, named by the user, is read once; so is one that is reached by a link', async () => {
  const at = world({ [userFile]: { plugins: { mine: { command: 'x' } } } });
  expect(await look(at, { configFile: `${at}/${userFile}` })).toMatchObject({ plugins: [{}], problems: [] });
  writeFiles(at, { 'project/pluglot.json': link(`${at}/${userFile}`) });
  expect(await look(at)).toMatchObject({ plugins: [{ trust: { trusted: true } }], problems: [] });
});

test('of one name the first counts, and what is the user’s comes first', async () => {
  const at = world({
    [userFile]: { plugins: { a: { command: 'user' } }, folders: ['./plugins'] },
    'home/.config/pluglot/plugins/b.py': '#',
    'home/.mcp.json': { mcpServers: { c: { command: 'home' } } },
    'project/pluglot.json': {
      plugins: { a: { command: 'p' }, b: { command: 'p' }, c: { command: 'p' }, d: { command: 'p' } },
    },
    'project/.mcp.json': { mcpServers: { d: { command: 'm' }, e: { command: 'm' } } },
  });
  const { plugins, problems } = await look(at);
  const kindOf = ({ spec, origin }: Found) => [spec.name, origin.kind];
  expect(plugins.map(kindOf)).toEqual([
    ['a', 'user-config'],
    ['b', 'folder'],
    ['c', 'mcp-json'],
    ['d', 'project-config'],
    ['e', 'mcp-json'],
  ]);
  expect(problems.map(describeProblem)).toEqual([
    `${at}/project/pluglot.json:3: the name "a" is taken by ${at}/${userFile}:3, so this one is left out. Rename or remove one of them.`,
    `${at}/project/pluglot.json:6: the name "b" is taken by ${at}/home/.config/pluglot/plugins/b.py, so this one is left out. Rename or remove one of them.`,
    `${at}/project/pluglot.json:9: the name "c" is taken by ${at}/home/.mcp.json:3, so this one is left out. Rename or remove one of them.`,
    `${at}/project/.mcp.json:3: the name "d" is taken by ${at}/project/pluglot.json:12, so this one is left out. Rename or remove one of them.`,
  ]);
});

test('a broken plugin keeps its name against those after it, not against those before it', async () => {
  const at = world({
    [userFile]: { plugins: { mine: { command: 'x' }, typo: { comand: 'x' } } },
    'project/.mcp.json': { mcpServers: { mine: { type: 'ws' }, typo: { command: 'evil' } } },
  });
  const { plugins, problems } = await look(at);
  expect(plugins.map(({ spec }) => spec.name)).toEqual(['mine']);
  expect(problems.map(({ reason }) => reason)).toEqual([
    'plugins.typo.comand: unknown key',
    'mcpServers.mine: the transport "ws" is not supported',
    `the name "typo" belongs to a plugin that is broken (${at}/${userFile}:7), so this one is left out`,
  ]);
});

test('folders of a sandbox start where the file lies that names them', async () => {
  const at = world({
    [userFile]: {
      plugins: {
        a: {
          command: 'x',
          sandbox: { folders: { './data': 'writable', '~/notes': 'read-only', '/srv': 'read-only' } },
        },
        b: { command: 'y', sandbox: true },
      },
    },
    'project/pluglot.json': { plugins: { b: { sandbox: { folders: { '.': 'writable' }, network: true } } } },
  });
  await trust(at, 'project');
  const { plugins, problems } = await look(at);
  expect(problems).toEqual([]);
  expect(plugins.map(({ spec }) => spec.sandbox)).toEqual([
    {
      folders: {
        [`${path.dirname(`${at}/${userFile}`)}/data`]: 'writable',
        [`${at}/home/notes`]: 'read-only',
        '/srv': 'read-only',
      },
    },
    { folders: { [`${at}/project`]: 'writable' }, network: true },
  ]);
});

test('an untrusted project may confine plugins, and widen or lift nothing', async () => {
  const own = { folders: { '/srv': 'read-only' }, network: true, memoryMiB: 100 };
  const at = world({
    [userFile]: {
      plugins: {
        free: { command: 'x' },
        network: { command: 'x', sandbox: own },
        lower: { command: 'x', sandbox: own },
        wider: { command: 'x', sandbox: true },
        lifted: { command: 'x', sandbox: true },
      },
    },
    'project/pluglot.json': {
      plugins: {
        free: { sandbox: true },
        network: { sandbox: true },
        lower: { sandbox: { network: true, memoryMiB: 50, processes: 5 } },
        wider: { sandbox: { network: true, folders: { '/': 'writable' }, memoryMiB: 5000 } },
        lifted: { sandbox: false },
      },
    },
  });
  const { plugins, problems } = await look(at);
  expect(problems).toEqual([]);
  expect(plugins.map(({ spec }) => [spec.name, spec.sandbox])).toEqual([
    ['free', true],
    ['network', { ...own, network: false }],
    ['lower', { ...own, memoryMiB: 50, processes: 5 }],
    ['wider', { memoryMiB: 5000 }],
    ['lifted', true],
  ]);
});

test.each([
  ['yes', 'expected'],
  [{ folder: {} }, 'unknown key'],
  [{ folders: { '/srv': 'rw' } }, 'expected one of read-only, writable'],
  [{ memoryMiB: 1 }, 'expected at least 16'],
])('a sandbox of %j makes no plugin', async (sandbox, reason) => {
  const { plugins, problems } = await look(
    world({ [userFile]: { plugins: { a: { command: 'x', sandbox } } } }),
  );
  expect(plugins).toEqual([]);
  expect(problems.map((problem) => describeProblem(problem)).join()).toContain(reason);
});

test('an untrusted project may switch off, and nothing else', async () => {
  const at = world({
    [userFile]: { plugins: { a: { command: 'x' }, b: { command: 'y' } }, limits: { callMs: 10 } },
    'project/pluglot.json': {
      plugins: { a: { disabled: true }, b: { env: { LD_PRELOAD: 'evil.so' }, limits: { callMs: 1 } } },
      limits: { callMs: 99 },
    },
  });
  const file = `${at}/project/pluglot.json`;
  const before = await look(at);
  expect(before.plugins.map(({ spec, disabled }) => [spec, disabled])).toEqual([
    [
      { name: 'a', start: { kind: 'program', command: 'x' }, limits: { callMs: 10 } },
      { file, line: 3 },
    ],
    [{ name: 'b', start: { kind: 'program', command: 'y' }, limits: { callMs: 10 } }, undefined],
  ]);
  expect(before.problems.map(({ line, reason }) => [line, reason])).toEqual([
    [6, `plugins.b: not used, since "${at}/project" is not trusted yet`],
    [undefined, `limits: not used, since "${at}/project" is not trusted yet`],
  ]);

  await trust(at, 'project');
  const after = await look(at);
  expect(after.problems).toEqual([]);
  expect(after.plugins.map(({ spec }) => [spec.start, spec.limits])).toEqual([
    [{ kind: 'program', command: 'x' }, { callMs: 99 }],
    [{ kind: 'program', command: 'y', env: { LD_PRELOAD: 'evil.so' } }, { callMs: 1 }],
  ]);
});

test('an entry without a program sets what holds for a plugin found elsewhere', async () => {
  const at = world({
    [userFile]: {
      plugins: {
        'my-files': { limits: { callMs: 7 }, lazy: true },
        none: { lazy: true },
        gone: { disabled: true },
      },
    },
    'home/.mcp.json': { mcpServers: { 'my files': { command: 'x' } } },
  });
  const { plugins, problems } = await look(at);
  expect(plugins.map(({ spec }) => spec)).toEqual([
    {
      name: 'my-files',
      dialect: 'mcp',
      start: { kind: 'program', command: 'x' },
      limits: { callMs: 7 },
      lazy: true,
    },
  ]);
  expect(problems.map(describeProblem)).toEqual([
    `${at}/${userFile}:9: plugins.none: neither "command" nor "url", and no plugin of this name is found elsewhere. Say how it is started, or remove it.`,
  ]);
});

test('.mcp.json of the project needs trust, that of the home folder is the user’s own', async () => {
  const at = world({
    'project/.mcp.json': {
      mcpServers: {
        files: { type: 'stdio', command: './server', args: ['${ROOT:-/tmp}', '${USER}'], env: { PORT: 5 } },
        web: { type: 'http', url: '${BASE}/mcp', headers: { 'X-Key': '${KEY:-none}' } },
        off: { command: 'x', disabled: true },
        old: { type: 'sse', url: 'https://x' },
        odd: 5,
        args: { command: 'x', args: 'y' },
        empty: {},
        '': { command: 'x' },
      },
    },
    'home/.mcp.json': { mcpServers: { mine: { command: 'npx', args: ['-y', 'server'] } } },
  });
  const { plugins, problems } = await look(at, { env: { USER: 'ann', BASE: 'https://base' } });
  const file = `${at}/project/.mcp.json`;
  expect(
    plugins.map(({ spec, origin, trust, disabled }) => [spec, origin.line, trust.trusted, disabled]),
  ).toEqual([
    [
      { name: 'mine', dialect: 'mcp', start: { kind: 'program', command: 'npx', args: ['-y', 'server'] } },
      3,
      true,
      undefined,
    ],
    [
      {
        name: 'files',
        dialect: 'mcp',
        start: {
          kind: 'program',
          command: `${at}/project/server`,
          args: ['/tmp', 'ann'],
          shown: ['./server', '${ROOT:-/tmp}', '${USER}'],
          cwd: `${at}/project`,
          env: { PORT: '5' },
        },
      },
      3,
      false,
      undefined,
    ],
    [
      {
        name: 'web',
        dialect: 'mcp',
        start: { kind: 'http', url: 'https://base/mcp', shown: '${BASE}/mcp', headers: { 'X-Key': 'none' } },
      },
      14,
      false,
      undefined,
    ],
    [
      { name: 'off', dialect: 'mcp', start: { kind: 'program', command: 'x', cwd: `${at}/project` } },
      21,
      false,
      { file, line: 21 },
    ],
  ]);
  expect(problems.map(({ line, reason }) => [line, reason])).toEqual([
    [25, 'mcpServers.old: the transport "sse" is not supported'],
    [29, 'mcpServers.odd: expected an object'],
    [30, 'mcpServers.args: "args" is not a list of texts'],
    [34, 'mcpServers.empty: neither "command" nor "url"'],
    [35, 'mcpServers.: not a name for a plugin'],
  ]);
  await trust(at, 'project');
  const after = await look(at, { env: { USER: 'ann', BASE: 'https://base' } });
  expect(after.plugins.every((one) => one.trust.trusted)).toBe(true);
});

test('in the home folder, .mcp.json is read once and is the user’s own', async () => {
  const at = world({ 'home/.mcp.json': { mcpServers: { mine: { command: 'x' } } } });
  const { plugins, problems } = await look(at, { cwd: `${at}/home` });
  expect(plugins.map((one) => [one.spec.name, one.trust.trusted])).toEqual([['mine', true]]);
  expect(problems).toEqual([]);
});

test.for([
  ['{', 'invalid JSON: expected a key in quotes or "}", found the end of the file'],
  ['{"servers": {}}', '"mcpServers" is missing'],
  ['{"mcpServers": []}', '"mcpServers" is not an object'],
  ['[]', 'expected an object'],
] as const)('a .mcp.json with %s is told', async ([text, reason]) => {
  const at = world({ 'project/.mcp.json': text });
  expect((await look(at)).problems.map((problem) => problem.reason)).toEqual([reason]);
});

test('packages of the project bring plugins, and are trusted with it', async () => {
  const at = world({
    'project/package.json': {
      dependencies: { weather: '1', '@scope/tools': '1', none: '1', absent: '1', '../evil': '1' },
      devDependencies: { bad: '1' },
    },
    'project/node_modules/weather/package.json': {
      pluglot: {
        plugins: {
          weather: { process: true, file: './dist/plugin.js', args: ['--stdio'], dialect: 'yams' },
          inside: './dist/plugin.js#createPlugin',
        },
      },
    },
    'project/node_modules/weather/dist/plugin.js': '',
    'project/node_modules/@scope/tools/package.json': {
      pluglot: { plugins: { tools: { process: true, file: 'tools.js' } } },
    },
    'project/node_modules/@scope/tools/tools.js': '',
    'project/node_modules/none/package.json': {},
    'project/node_modules/transitive/package.json': {
      pluglot: { plugins: { transitive: { process: true, file: 'x.js' } } },
    },
    'project/node_modules/bad/package.json': {
      pluglot: {
        plugins: {
          out: { process: true, file: '../weather/dist/plugin.js' },
          gone: { process: true, file: 'x.js' },
          no: { process: true },
          odd: { process: true, file: 'package.json', dialect: 'klingon' },
          list: { process: true, file: 'package.json', args: 5 },
        },
      },
    },
    'project/evil/package.json': { pluglot: { plugins: { evil: { process: true, file: 'x.js' } } } },
  });
  const { plugins, problems } = await look(at);
  const modules = `${at}/project/node_modules`;
  expect(plugins.map(({ spec, origin, trust }) => [spec, origin.file, trust.trusted])).toEqual([
    [
      {
        name: 'tools',
        start: {
          kind: 'program',
          command: process.execPath,
          args: [`${modules}/@scope/tools/tools.js`],
          cwd: `${at}/project`,
          folder: `${modules}/@scope/tools`,
        },
      },
      `${modules}/@scope/tools/package.json`,
      false,
    ],
    [
      {
        name: 'weather',
        dialect: 'yams',
        start: {
          kind: 'program',
          command: process.execPath,
          args: [`${modules}/weather/dist/plugin.js`, '--stdio'],
          cwd: `${at}/project`,
          folder: `${modules}/weather`,
        },
      },
      `${modules}/weather/package.json`,
      false,
    ],
  ]);
  expect(problems.map(({ reason }) => reason)).toEqual([
    'the plugin "out" of bad: "../weather/dist/plugin.js" is outside the package',
    'the plugin "gone" of bad: "x.js" is not there',
    'the plugin "no" of bad: "file" is not text',
    'the plugin "odd" of bad: "dialect" is unknown',
    'the plugin "list" of bad: "args" is not a list of texts',
  ]);
  expect(await namesOf(at, { packages: false })).toEqual([]);

  await trust(at, 'project');
  expect((await look(at)).plugins.map((one) => one.trust)).toEqual([{ trusted: true }, { trusted: true }]);
  writeFiles(at, { 'project/package.json': { dependencies: { weather: '2' } } });
  expect((await look(at)).plugins[0]?.trust).toMatchObject({
    reason: `"${at}/project/package.json" has changed since "${at}/project" was trusted`,
  });
});

test('a package that was linked in from elsewhere does not inherit the trust of the project', async () => {
  const at = world({
    'project/package.json': { dependencies: { linked: '1' } },
    'elsewhere/package.json': { pluglot: { plugins: { linked: { process: true, file: 'plugin.js' } } } },
    'elsewhere/plugin.js': '',
  });
  writeFiles(at, { 'project/node_modules/linked': link(`${at}/elsewhere`) });
  await trust(at, 'project');
  expect((await look(at)).plugins.map(({ trust }) => trust)).toEqual([
    {
      trusted: false,
      reason: `"${at}/project/node_modules/linked" leads to "${at}/elsewhere", outside of the trusted "${at}/project"`,
      wayOut: `Read it, then: pluglot trust add ${at}/elsewhere`,
    },
  ]);
});

test('a damaged list of what is trusted is told, and trusts nothing', async () => {
  const at = world({
    'project/pluglot.json': { plugins: { a: { command: 'x' } } },
    'home/.local/state/pluglot/trust.json': (file) => fs.writeFileSync(file, '{', { mode: 0o600 }),
  });
  const { plugins, problems } = await look(at);
  expect(plugins[0]?.trust.trusted).toBe(false);
  expect(problems.map(({ file, severity }) => [file, severity])).toEqual([
    [`${at}/home/.local/state/pluglot/trust.json`, 'error'],
  ]);
});

test('nothing is executed by looking, whatever lies there', async () => {
  const mark = (at: string) => program(`#!/bin/sh\ntouch ${at}/executed\n`);
  const at = world({});
  writeFiles(at, {
    'project/pluglot.json': { plugins: { a: { command: './run' } }, folders: ['plugins'] },
    'project/run': mark(at),
    'project/plugins/tool': mark(at),
    'project/plugins/g/manifest.json': { executable: 'run', protocol_version: '2.0' },
    'project/plugins/g/run': mark(at),
    'project/plugins/y/yams-plugin.json': {},
    'project/plugins/y/plugin': mark(at),
  });
  expect(await namesOf(at)).toEqual(['a', 'g', 'tool', 'y']);
  await trust(at, 'project');
  expect((await look(at)).plugins.every((one) => one.trust.trusted)).toBe(true);
  expect(fs.existsSync(`${at}/executed`)).toBe(false);
});

/** A machine: a home folder, a project, and what the test puts there. */
function world(files: Readonly<Record<string, Content>>): string {
  return temporaryFolder({ 'home/.keep': '', 'project/.keep': '', ...files });
}

function look(at: string, options: Partial<DiscoverOptions> = {}): Promise<Discovery> {
  return discover({ cwd: `${at}/project`, home: `${at}/home`, env: {}, ...options });
}

async function namesOf(at: string, options: Partial<DiscoverOptions> = {}): Promise<string[]> {
  return (await look(at, options)).plugins.map(({ spec }) => spec.name);
}

async function problemsOf(at: string, options: Partial<DiscoverOptions> = {}): Promise<string[]> {
  return (await look(at, options)).problems.map(describeProblem);
}

function trust(at: string, place: string) {
  const surroundings = { cwd: at, home: `${at}/home`, env: {} };
  return trustPath(userTrustStore(surroundings), place, surroundings);
}
