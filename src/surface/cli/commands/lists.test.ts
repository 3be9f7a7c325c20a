import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../../../test/support/surface/in-process-cli.ts';
import { PluglotError } from '../../../base/error.ts';
import type { PluginView, RuntimeApi } from '../../../runtime/api.ts';
import type { CommandContext } from '../context.ts';
import { showUnasked } from './lists.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';

const project = {
  'pluglot.json': {
    plugins: {
      dice: { command: './dice.mjs', args: ['--api-key', 'sk-secret-123'], env: { TOKEN: '${env:TOKEN}' } },
      off: { command: 'off', disabled: true },
      docs: {
        url: 'http://127.0.0.1:1/mcp?token=sk-secret-123',
        headers: { Authorization: 'sk-secret-123' },
      },
      broken: { command: 5 },
    },
  },
  'dice.mjs': '',
};
const env = { TOKEN: 'value-of-the-token' };

test('plugins: all that there is, where it comes from, what is wrong and the way out', async () => {
  const at = { cwd: temporaryFolder(project), home: temporaryFolder(), env };
  const { exitCode, stdout, stderr } = await command(['plugins'], at);
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    [
      'NAME  DIALECT        STATE        FROM',
      'dice  not asked yet  not trusted  pluglot.json:3',
      'off   not asked yet  disabled     pluglot.json:13',
      'docs  mcp            not trusted  pluglot.json:17',
      '',
    ].join('\n'),
  );
  expect(stderr).toMatch(/pluglot\.json:\d+: plugins\.broken\.command: .*\n/);
  expect(stderr).toContain(`Read it, then: pluglot trust add ${at.cwd}`);

  await command(['trust', 'add', '.'], at);
  const trusted = await command(['plugins', '--json'], at);
  expect(JSON.parse(trusted.stdout)).toEqual([
    {
      name: 'dice',
      origin: 'process',
      dialect: 'unknown',
      state: 'stopped',
      sinceMs: expect.any(Number) as number,
      restarts: 0,
      pids: [],
      command: `${path.join(at.cwd, 'dice.mjs')} --api-key ***`,
      from: `${path.join(at.cwd, 'pluglot.json')}:3`,
    },
    expect.objectContaining({ name: 'off', state: 'disabled' }),
    expect.objectContaining({ name: 'docs', command: 'http://127.0.0.1:1/mcp?token=***' }),
  ]);
  for (const text of [stdout, stderr, trusted.stdout, trusted.stderr]) {
    expect(text).not.toContain('sk-secret-123');
    expect(text).not.toContain('value-of-the-token');
  }
  const status = await command(['status', '--json'], at);
  expect(JSON.parse(status.stdout)).toMatchObject({ running: false, plugins: [{ name: 'dice' }, {}, {}] });
});

const wide = {
  'a-folder-with-a-long-name/pluglot.json': {
    plugins: {
      'a-plugin-with-a-long-name': { command: 'x' },
      docs: { url: 'http://127.0.0.1:1/mcp' },
      off: { command: 'y', disabled: true },
    },
  },
};

test.each(
  ['plugins', 'status', 'run', 'tools --all', 'audit'].flatMap((words) =>
    [40, 60, 80].map((columns) => [words, columns] as const),
  ),
)('the table of %s fits %d columns', async (words, columns) => {
  const cwd = path.join(temporaryFolder(wide), 'a-folder-with-a-long-name');
  const at = { cwd, home: temporaryFolder(), env: { NO_COLOR: '1' } };
  await command(['run', 'permissions', 'show'], at);
  const { stdout } = await command(words.split(' '), { ...at, columns });
  const lines = stdout.split('\n');
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
  expect(lines[0]).toMatch(/^(NAME|COMMAND|TOOL|TIME) /);
});

test('programs and files get all of a table', async () => {
  const deep = 'a-folder-with-a-long-name/'.repeat(6);
  const at = {
    cwd: temporaryFolder({ [`${deep}pluglot.json`]: { plugins: { dice: { command: 'x' } } } }),
    home: temporaryFolder(),
  };
  const { stdout } = await command(['plugins', '--config', `${deep}pluglot.json`], at);
  expect(stdout).toContain(`${deep}pluglot.json:3\n`);
});

test.each([
  [['inspect', 'dcie'], 2, 'There is no plugin "dcie". Did you mean "dice"?'],
  [['inspect', 'dice'], 4, 'Plugin "dice" may not be run: "'],
  [['inspect', 'off'], 2, 'Plugin "off" is disabled in'],
  [['inspect', 'broken'], 2, 'plugins.broken.command'],
  [['call', 'dice__roll'], 4, 'Plugin "dice" may not be run'],
  [['call', 'broken__roll'], 2, 'plugins.broken.command'],
  [['call', 'roll'], 4, 'Not asked, since they are not trusted: "dice", "docs"'],
  [['logs', 'dcie'], 2, 'Did you mean "dice"?'],
  [['stop', 'dice'], 2, 'Nothing to stop: no `pluglot up` is running here.'],
  [['tools'], 4, 'pluglot trust add'],
  [['start', 'dice'], 4, 'pluglot trust add'],
  [['inspect', '--'], 2, 'Nothing stands behind `--`.'],
  [['stop', 'dcie'], 2, 'There is no plugin "dcie". Did you mean "dice"?'],
  [['logs', 'dice'], 0, 'Nothing was logged by dice yet.'],
])('%o: %d', async (words, exitCode, message) => {
  const at = { cwd: temporaryFolder(project), home: temporaryFolder(), env };
  const ran = await command(words, at);
  expect(ran.stderr).toContain(message);
  expect(ran.exitCode).toBe(exitCode);
});

test.each([
  [
    ['call', 'roll'],
    'a tool "roll". None is configured: type the command of one behind --, or add it with: pluglot add NAME',
  ],
  // What these take stands behind no --.
  [['logs', 'dice'], 'There is no plugin "dice". None is configured. Add one with: pluglot add NAME'],
  [['inspect', 'dice'], 'There is no plugin "dice". None is configured. Add one with: pluglot add NAME'],
])('without any plugin, %o tells where to name one', async (words, message) => {
  const ran = await command(words, { cwd: temporaryFolder(), home: temporaryFolder() });
  expect(ran.stderr).toContain(message);
  expect(ran.exitCode).toBe(2);
});

test.each([
  ['no JSON', '{', 2, /pluglot\.json:1.*\(CONFIG_INVALID\)/],
  [
    'nobody trusts it',
    { plugins: { dice: { command: 'x' } } },
    4,
    /No plugin may be run \(dice\): .*pluglot trust add/,
  ],
  ['nothing in it', { plugins: {} }, 2, /none is configured\. Add one with: pluglot add NAME/],
  ['all is off', { plugins: { dice: { command: 'x', disabled: true } } }, 2, /all are disabled/],
])('up does not wait where nothing can be run: %s', async (_, content, exitCode, message) => {
  const at = { cwd: temporaryFolder({ 'pluglot.json': content }), home: temporaryFolder() };
  const ran = await command(['up', '--no-bundled'], at);
  expect(ran).toMatchObject({ exitCode, stdout: '' });
  expect(ran.stderr).toMatch(message);
});

test.each([
  [
    'is being started again',
    { state: 'starting' },
    'Plugin "dice" exited with code 1.',
    3,
    'exited with code 1.',
  ],
  ['has failed', { state: 'failed', reason: 'Plugin "dice" is gone.' }, '', 3, 'is gone.'],
] as const)(
  'a plugin that %s is named, and told by the exit code',
  async (_, view, thrown, exitCode, message) => {
    const lines: string[] = [];
    const err = { line: (text: string) => lines.push(text), colours: { red: String } };
    const host = { plugin: () => Promise.reject(new PluglotError('PLUGIN_EXITED', thrown)) };
    // The parts that are used.
    const told = showUnasked({ err } as unknown as CommandContext, host as unknown as RuntimeApi, 5, [
      { name: 'dice', ...view } as unknown as PluginView,
    ]);
    expect(await told).toBe(exitCode);
    expect(lines).toEqual([`✗ dice: ${message}`]);
  },
);

test('who may not be asked for one reason is told in one line, and by status too', async () => {
  const at = { cwd: temporaryFolder(project), home: temporaryFolder(), env };
  const { stderr } = await command(['tools', '-q'], at);
  expect(stderr).toBe(
    `No tools.\n✗ dice, docs: may not be run: "${at.cwd}" is not trusted yet. Read it, then: pluglot trust add ${at.cwd}\n`,
  );
  expect((await command(['status', '-q'], at)).stderr).toContain('! Not run: dice, docs, since "');
});

test('a broken file is no empty one', async () => {
  const at = { cwd: temporaryFolder({ 'pluglot.json': '{' }), home: temporaryFolder() };
  for (const words of [['plugins'], ['status']]) {
    const ran = await command(words, at);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toMatch(/pluglot\.json:1.*\nNo plugins\.\n$/);
  }
  expect(await command(['plugins', '--json'], at)).toMatchObject({ exitCode: 2, stdout: '[]\n' });
});

test('a name that two files have is told', async () => {
  const servers = { dice: { command: 'y' } };
  const files = {
    'pluglot.json': { plugins: { dice: { command: 'x' } } },
    '.mcp.json': { mcpServers: servers },
  };
  const at = { cwd: temporaryFolder(files), home: temporaryFolder() };
  expect((await command(['plugins'], at)).stderr).toMatch(
    /\.mcp\.json.*the name "dice" is taken by .*pluglot\.json/,
  );
});

test('status: what is disabled is so without a time', async () => {
  const at = { cwd: temporaryFolder(project), home: temporaryFolder(), env };
  const { stdout } = await command(['status'], at);
  expect(stdout).toMatch(/^off .* disabled$/m);
});

test('failures are told to programs too, in one line', async () => {
  const at = { cwd: temporaryFolder(project), home: temporaryFolder(), env };
  const { stdout } = await command(['call', 'dice__roll', '--json', '-q'], at);
  expect(JSON.parse(stdout)).toEqual({
    ok: false,
    error: { code: 'NOT_TRUSTED', message: expect.stringContaining('trust add') as string },
    events: [],
    durationMs: expect.any(Number) as number,
  });
});

test('with nothing configured, the way to begin is told', async () => {
  const at = { cwd: temporaryFolder(), home: temporaryFolder() };
  const hint = 'No plugins. Add one with: pluglot add NAME -- COMMAND…\n';
  expect(await command(['plugins'], at)).toEqual({ exitCode: 0, stdout: '', stderr: hint });
  expect(await command(['status'], at)).toEqual({ exitCode: 0, stdout: '', stderr: hint });
  expect(await command(['inspect'], at)).toEqual({ exitCode: 0, stdout: '', stderr: hint });
  expect((await command(['trust', 'list'], at)).stderr).toContain('pluglot trust add .');
});

test('trust: of an empty folder it says that there is nothing, and of a folder of plugins nothing around it', async () => {
  const manifest = { name: 'hello', protocol_version: '2.0', executable: 'plugin.py', functions: [] };
  const of = (name: string) => ({
    [`plugins/${name}/manifest.json`]: manifest,
    [`plugins/${name}/plugin.py`]: '',
  });
  const cwd = temporaryFolder({
    '.git/HEAD': '',
    'pluglot.json': { folders: ['./plugins'] },
    'empty/readme.txt': '',
    ...of('hello'),
    ...of('other'),
  });
  const at = { cwd, home: temporaryFolder() };
  const hello = await command(['trust', 'add', './plugins/hello'], at);
  expect(hello).toMatchObject({ exitCode: 0, stderr: '' });
  expect(hello.stdout).toContain('manifest.json');
  const empty = await command(['trust', 'add', 'empty'], at);
  expect(empty.stderr).toContain('nothing there decides what is run');
  expect(empty.stdout).toBe('');
  expect(await command(['trust', 'list', 'extra'], at)).toMatchObject({ exitCode: 2, stdout: '' });
});

test('trust: variables that a command gets are shown, secrets are not', async () => {
  const dice = {
    command: './dice.mjs',
    env: { NODE_OPTIONS: '--require ./other.cjs', API_TOKEN: 'gX81kQz0vT2' },
  };
  const at = { cwd: temporaryFolder({ 'pluglot.json': { plugins: { dice } } }), home: temporaryFolder() };
  const { stdout } = await command(['trust', 'add', '.'], at);
  expect(stdout).toContain('\n    with NODE_OPTIONS=--require ./other.cjs\n    with API_TOKEN=***\n');
});

test('trust: of a manifest, too', async () => {
  const entry = { cmd: ['./plugin.mjs'], env: { NODE_OPTIONS: '--require ./other.cjs' } };
  const at = {
    cwd: temporaryFolder({
      'pluglot.json': { folders: ['./plugins'] },
      'plugins/a/yams-plugin.json': {
        name: 'a',
        version: '1.0.0',
        interfaces: ['content_extractor_v1'],
        entry,
      },
      'plugins/a/plugin.mjs': '',
    }),
    home: temporaryFolder(),
  };
  const { stdout } = await command(['trust', 'add', '.'], at);
  expect(stdout).toContain('with NODE_OPTIONS=--require ./other.cjs\n');
});

test('trust: added, listed and removed', async () => {
  const at = { cwd: temporaryFolder(project), home: temporaryFolder(), env };
  const added = await command(['trust', 'add', '.'], at);
  expect(added.stdout).toBe(
    `✓ ${at.cwd} is trusted, with these files as they are now:\n  pluglot.json\nThese commands may be run now:\n  dice  ${path.join(at.cwd, 'dice.mjs')} --api-key ***\n    with TOKEN=\${env:TOKEN}\n  docs  http://127.0.0.1:1/mcp?token=***\n`,
  );
  const { trusted } = JSON.parse((await command(['trust', 'list', '--json'], at)).stdout) as {
    trusted: { path: string }[];
  };
  expect(trusted).toMatchObject([{ path: at.cwd, pins: { 'pluglot.json': expect.any(String) as string } }]);
  expect((await command(['trust', 'remove', '.'], at)).stdout).toContain('is no longer trusted');
  expect((await command(['trust', 'add', 'pluglot.json'], at)).stdout).toContain(
    '  docs  http://127.0.0.1:1/mcp?token=***\n',
  );
  expect(await command(['trust', 'add'], at)).toMatchObject({ exitCode: 2 });
});
