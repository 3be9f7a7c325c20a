import { expect, test } from 'vitest';
import { PluglotError } from '../../base/error.ts';
import type { Answer } from '../../definition/outcome.ts';
import { around, running, started } from '../../../test/support/definition/running-definition.ts';
import { mcpPlugin } from './mcp-plugin.ts';
import type { McpServers, ServerLog, ServerView } from './servers.ts';

const github: ServerView = {
  name: 'github',
  state: 'ready',
  transport: 'http',
  target: 'https://api.example/mcp',
  tools: [{ name: 'issues', description: 'Lists issues' }, { name: 'pulls' }],
  place: '/p/.mcp.json:3',
  entry: { type: 'http', url: 'https://api.example/mcp', headers: { Authorization: '***' } },
  forMs: 125_000,
  restarts: 1,
  pids: [],
  version: '2.0',
};
const files: ServerView = {
  ...github,
  name: 'files',
  state: 'failed',
  reason: 'Plugin "files" exited with code 1.\u001b[2J',
  transport: 'stdio',
  target: 'npx files --token ***',
  tools: [],
  entry: { type: 'stdio', command: 'npx' },
  restarts: 0,
};
const log = (server: string, at: number, message = `says ${at}`): ServerLog => ({
  at,
  server,
  level: 'info',
  message,
});

function world(given: Partial<McpServers> = {}) {
  const asked: unknown[][] = [];
  const port: McpServers = {
    list: () => Promise.resolve({ servers: [files, github], problems: ['.mcp.json:9: oops. Mend it.'] }),
    add: (...args) => (
      asked.push(['add', ...args]),
      Promise.resolve({ file: '/p/.mcp.json', server: files })
    ),
    remove: (...args) => (asked.push(['remove', ...args]), Promise.resolve({ file: '/p/.mcp.json' })),
    connect: (...args) => (asked.push(['connect', ...args]), Promise.resolve(github)),
    disconnect: () => Promise.resolve({ ...github, state: 'stopped' }),
    reload: () =>
      Promise.resolve({
        servers: [files, github],
        problems: [],
        added: ['files'],
        changed: [],
        removed: ['old'],
        kept: ['github'],
      }),
    logs: () => [log('files', 0), log('github', 1), log('gone', 2)],
    clearLogs: () => void asked.push(['clearLogs']),
    ...given,
  };
  const { backend } = running(mcpPlugin({ mcpServers: () => port }));
  const start = (subcommand?: string, server?: string, rest?: string) => {
    const args = { ...(subcommand && { subcommand }), ...(server && { server }), ...(rest && { rest }) };
    const { commands } = backend;
    if (commands === undefined) throw new Error('no commands');
    return started((sink) => commands.run({ ...around, tool: 'mcp', args }, sink));
  };
  const run = async (...words: [string?, string?, string?]): Promise<Answer> =>
    (await start(...words).ended).answer;
  const text = async (...words: [string?, string?, string?]) => {
    const answer = await run(...words);
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.text;
  };
  return { backend, asked, start, run, text };
}

test('the command is for the user alone', () => {
  const { backend } = world();
  expect(backend.manifest.commands).toMatchObject([
    {
      name: 'mcp',
      shareWithModel: false,
      parameters: [{ name: 'subcommand' }, { name: 'server' }, { name: 'rest', captureRest: true }],
    },
  ]);
  expect(backend.manifest.tools).toEqual([]);
});

test('list', async () => {
  const { text, run } = world();
  expect(await text('list')).toBe(`SERVER  STATE   TOOLS  HOW
files   failed  –      npx files --token ***
github  ready   2      https://api.example/mcp
! .mcp.json:9: oops. Mend it.`);
  expect(await run('list')).toMatchObject({ data: { servers: [{ name: 'files' }, { name: 'github' }] } });
});

test('list and status without any', async () => {
  const { text } = world({ list: () => Promise.resolve({ servers: [], problems: [] }) });
  expect(await text('list')).toBe('There are no MCP servers. Add one with: mcp add NAME COMMAND [ARGS…]');
  expect(await text('status')).toBe('There are no MCP servers. Add one with: mcp add NAME COMMAND [ARGS…]');
});

test('status of all and of one; what a server says cannot move the cursor', async () => {
  const { text } = world();
  expect(await text('status')).toBe(`1 of 2 servers are connected.
✗ files: failed (stdio, for 2 min)
    Plugin "files" exited with code 1.\\x1b[2J
✓ github: ready (http, 2 tools, for 2 min, 1 restart)
! .mcp.json:9: oops. Mend it.`);
  expect(await text('status', 'github')).toBe('✓ github: ready (http, 2 tools, for 2 min, 1 restart)');
});

test('show', async () => {
  const { text } = world();
  expect(await text('show', 'github')).toBe(`✓ github: ready (http, 2 tools, for 2 min, 1 restart)
  from /p/.mcp.json:3
  version 2.0
  settings (values that may be secret are not shown):
    {
      "type": "http",
      "url": "https://api.example/mcp",
      "headers": {
        "Authorization": "***"
      }
    }
  2 tools:
    issues  Lists issues
    pulls`);
});

test.each([
  ['node server.mjs "a b" --fast', { command: 'node', args: ['server.mjs', 'a b', '--fast'] }, false],
  ['--user --env KEY=${KEY} npx x', { command: 'npx', args: ['x'], env: { KEY: '${KEY}' } }, true],
  ["--env 'A=b c' --env D=e=f npx", { command: 'npx', env: { A: 'b c', D: 'e=f' } }, false],
  ['-- npx --env X=y', { command: 'npx', args: ['--env', 'X=y'] }, false],
  ['https://x.example/mcp', { url: 'https://x.example/mcp' }, false],
  [
    '--header Authorization="Bearer ${T}" https://x.example',
    { url: 'https://x.example', headers: { Authorization: 'Bearer ${T}' } },
    false,
  ],
  ['{"command":"node","args":["a b"]}', { command: 'node', args: ['a b'] }, false],
])('add %s', async (rest, entry, isUser) => {
  const { text, asked } = world();
  expect(await text('add', 'new', rest)).toContain('new is in /p/.mcp.json now.\n✗ files: failed');
  expect(asked).toEqual([
    ['add', 'new', { dialect: 'mcp', ...entry }, expect.objectContaining({ isUser }) as unknown],
  ]);
});

test.each([
  ['', 'a command line, an address or JSON is missing'],
  ['--user', 'a command line, an address or JSON is missing'],
  ['--env secret-value npx', '--env takes KEY=VALUE'],
  ['https://x.example more', 'an address has no arguments'],
  ['--env A=secret-value https://x.example', 'use --header'],
  ['--header A=secret-value npx', 'headers are for servers with an address'],
  ['{"command": secret-value', 'is not JSON'],
  ['{"args":["secret-value"]}', 'neither "command" nor "url"'],
])('add with "%s" says what is wrong and no value', async (rest, words) => {
  const { run, asked } = world();
  const answer = await run('add', 'new', rest);
  expect(answer).toMatchObject({
    ok: false,
    error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining(words) as unknown },
  });
  expect(JSON.stringify(answer)).not.toContain('secret-value');
  expect(asked).toEqual([]);
});

test('remove, disconnect and reload report the result', async () => {
  const { text } = world();
  expect(await text('remove', 'github')).toBe('github was removed from /p/.mcp.json.');
  expect(await text('disconnect', 'github')).toBe('github is disconnected.');
  expect(await text('reload')).toBe(`Files read again. new: files; removed: old; unchanged: github.
✗ files: failed (stdio, for 2 min)
    Plugin "files" exited with code 1.\\x1b[2J`);
});

test('connect shows the address that has to be opened, before it goes on', async () => {
  const { start } = world({
    connect(name, { show }) {
      show(name, 'https://as.example/authorize?state=x');
      return Promise.resolve(github);
    },
  });
  const { ended } = start('connect', 'github');
  const { events, answer } = await ended;
  expect(JSON.stringify(events)).toContain('https://as.example/authorize?state=x');
  expect(answer).toMatchObject({ ok: true, data: { name: 'github' } });
});

test('connect that is cancelled tells the port', async () => {
  let given: AbortSignal | undefined;
  const { start } = world({
    connect: (_, { signal }) => ((given = signal), new Promise(() => {})),
  });
  const { running: call, ended } = start('connect', 'github');
  await expect.poll(() => given).toBeDefined();
  call.cancel('enough');
  await ended;
  expect(given?.aborted).toBe(true);
});

test('logs, of all, of one, and of one that is gone; clear', async () => {
  const { text, asked } = world();
  expect(await text('logs')).toBe(`00:00:00.000 files  info  says 0
00:00:00.001 github info  says 1
00:00:00.002 gone   info  says 2`);
  expect(await text('logs', 'github')).toBe('00:00:00.001 github info  says 1');
  expect(await text('logs', 'gone')).toBe('00:00:00.002 gone info  says 2');
  expect(await text('logs', 'clear')).toBe('The log is empty now.');
  expect(asked).toEqual([['clearLogs']]);
});

test('logs shows as many as are configured', async () => {
  const logs = Array.from({ length: 200 }, (_, at) => log('files', at));
  const { backend, text } = world({ logs: () => logs });
  expect((await text('logs'))?.split('\n')).toHaveLength(50);
  await backend.setup({ log_entries: 3 });
  expect((await text('logs'))?.split('\n')).toHaveLength(3);
});

test('help, also when nothing is typed', async () => {
  const { text } = world();
  const help = await text('help');
  for (const word of [
    'list',
    'status',
    'show',
    'add',
    'remove',
    'connect',
    'disconnect',
    'reload',
    'logs',
    'help',
  ])
    expect(help).toMatch(new RegExp(`^mcp ${word}\\b`, 'm'));
  expect(await text()).toBe(help);
  expect(help?.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each([
  [['lsit'], /"mcp lsit" does not exist.*Did you mean "list"/],
  [['show'], /needs the name of a server/],
  [['show', 'gihub'], /MCP server "gihub" does not exist.*Did you mean "github"/],
  [['logs', 'nobody'], /MCP server "nobody" does not exist/],
] satisfies [string[], RegExp][])('%j is explained', async (words, message) => {
  const { run } = world();
  expect(await run(...(words as [string]))).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(message) as unknown },
  });
});

test('what the port says of a failure is passed on', async () => {
  const { run } = world({
    connect: () => Promise.reject(new PluglotError('NOT_TRUSTED', 'Read it, then trust it.')),
  });
  expect(await run('connect', 'x')).toMatchObject({
    error: { code: 'NOT_TRUSTED', message: 'Read it, then trust it.' },
  });
});

test('words are completed', async () => {
  const { backend } = world();
  const complete = (parameter: string, typed: string) => backend.commands?.complete('mcp', parameter, typed);
  expect(await complete('subcommand', 're')).toEqual(['remove', 'reload']);
  expect(await complete('subcommand', '')).toHaveLength(10);
  expect(await complete('server', '')).toEqual(['files', 'github', 'clear']);
  expect(await complete('server', 'g')).toEqual(['github']);
  expect(await complete('rest', '')).toEqual([]);
});

test('without a fleet it says so', async () => {
  const { backend } = running(mcpPlugin({}));
  const { answer } = await started((sink) => {
    if (backend.commands === undefined) throw new Error('no commands');
    return backend.commands.run({ ...around, tool: 'mcp', args: { subcommand: 'list' } }, sink);
  }).ended;
  expect(answer).toMatchObject({ ok: false, error: { code: 'NOT_INITIALIZED' } });
});
