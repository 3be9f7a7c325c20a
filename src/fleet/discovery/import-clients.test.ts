import fs from 'node:fs';
import { expect, test } from 'vitest';
import { type Content, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { clientFiles, type ClientName, clientNames } from './client-files.ts';
import { addToConfig } from './edit-config.ts';
import { type ImportedEntry, importFrom, type ImportOptions } from './import-clients.ts';
import { maskedEntry } from './secrets.ts';

test.for([
  ['claude-desktop', 'darwin', {}, ['/h/Library/Application Support/Claude/claude_desktop_config.json']],
  ['claude-desktop', 'linux', {}, ['/h/.config/Claude/claude_desktop_config.json']],
  ['claude-desktop', 'linux', { XDG_CONFIG_HOME: '/x' }, ['/x/Claude/claude_desktop_config.json']],
  ['claude-desktop', 'win32', { APPDATA: '/roaming' }, ['/roaming/Claude/claude_desktop_config.json']],
  ['claude-desktop', 'win32', {}, ['/h/AppData/Roaming/Claude/claude_desktop_config.json']],
  ['claude-code', 'linux', {}, ['/h/.claude.json', '/p/.mcp.json', '/h/.claude.json']],
  [
    'claude-code',
    'darwin',
    { CLAUDE_CONFIG_DIR: '/c' },
    ['/c/.claude.json', '/p/.mcp.json', '/c/.claude.json'],
  ],
  ['cursor', 'linux', {}, ['/p/.cursor/mcp.json', '/h/.cursor/mcp.json']],
  [
    'vscode',
    'linux',
    {},
    [
      '/p/.vscode/mcp.json',
      '/p/.vscode/settings.json',
      '/h/.config/Code/User/mcp.json',
      '/h/.config/Code/User/settings.json',
      '/h/.config/Code - Insiders/User/mcp.json',
      '/h/.config/Code - Insiders/User/settings.json',
    ],
  ],
  ['gemini', 'linux', {}, ['/p/.gemini/settings.json', '/h/.gemini/settings.json']],
] as const)('%s on %s with %j is read from %j', ([client, platform, env, expected]) => {
  const files = clientFiles(client, { home: '/h', cwd: '/p', platform, env });
  expect(files.map(({ file }) => file)).toEqual(expected);
});

test('Claude Desktop: everything is taken as it stands', async () => {
  const at = world({
    'home/.config/Claude/claude_desktop_config.json': {
      globalShortcut: 'x',
      mcpServers: {
        filesystem: { command: 'npx', args: ['-y', 'server-filesystem', '/data'] },
        'My Server': { command: '/opt/server', env: { API_TOKEN: 'abc', TEMPLATE: '${NOT_OURS}' } },
        broken: { args: [] },
      },
    },
  });
  const file = `${at}/home/.config/Claude/claude_desktop_config.json`;
  expect(await from('claude-desktop', at)).toMatchObject({
    files: [{ file, state: 'read' }],
    entries: [
      {
        name: 'filesystem',
        entry: { dialect: 'mcp', command: 'npx', args: ['-y', 'server-filesystem', '/data'] },
        from: { file, line: 4 },
        notes: [],
        secrets: [],
      },
      {
        name: 'My-Server',
        entry: {
          dialect: 'mcp',
          command: '/opt/server',
          env: { API_TOKEN: 'abc', TEMPLATE: '$${NOT_OURS}' },
        },
        from: { file, line: 12 },
        notes: ['"My Server" is called "My-Server" here'],
        secrets: ['env.API_TOKEN'],
      },
    ],
    refused: [
      {
        file,
        line: 19,
        severity: 'error',
        reason: 'broken: neither "command" nor "url"',
        wayOut: 'Name the program to start, or the address to reach.',
      },
    ],
  });
});

test('Claude Code: of this project, shared in the project, and for all projects, in this order', async () => {
  const at = world({});
  fs.writeFileSync(
    `${at}/home/.claude.json`,
    JSON.stringify({
      numStartups: 5,
      mcpServers: {
        all: { type: 'http', url: 'https://all/mcp', headers: { Authorization: 'Bearer ${TOKEN:-none}' } },
        twice: { command: 'user' },
      },
      projects: {
        [`${at}/project`]: { mcpServers: { here: { type: 'stdio', command: './run', args: ['${ROOT}'] } } },
        '/other': { mcpServers: { other: { command: 'x' } } },
      },
    }),
  );
  fs.writeFileSync(
    `${at}/project/.mcp.json`,
    JSON.stringify({
      mcpServers: { twice: { command: 'project', timeout: 5000 }, old: { type: 'sse', url: 'https://old' } },
    }),
  );
  const { entries, refused } = await from('claude-code', at, { into: 'project' });
  expect(entries.map(({ name, entry, owner }) => [name, entry, owner])).toEqual([
    ['here', { dialect: 'mcp', command: './run', args: ['${env:ROOT}'] }, 'user'],
    ['twice', { dialect: 'mcp', command: 'project', limits: { callMs: 5000 } }, 'project'],
    [
      'all',
      { dialect: 'mcp', url: 'https://all/mcp', headers: { Authorization: 'Bearer ${env:TOKEN:-none}' } },
      'user',
    ],
  ]);
  expect(refused.map(({ reason }) => reason)).toEqual([
    'old: the transport "sse" is not supported',
    `twice: ${at}/project/.mcp.json has one of this name already, which comes first`,
  ]);

  const own = await from('claude-code', at);
  expect(own.entries.map(({ name, entry }) => [name, entry.command, entry.cwd])).toEqual([
    ['here', `${at}/project/run`, `${at}/project`],
    ['all', undefined, undefined],
    ['twice', 'user', undefined],
  ]);
  expect(own.refused.map(({ reason }) => reason)).toEqual(
    ['twice', 'old'].map((name) => `${name}: it comes from this project`),
  );
});

test.each<[ClientName, string, string]>([
  ['claude-code', '.mcp.json', 'mcpServers'],
  ['cursor', '.cursor/mcp.json', 'mcpServers'],
  ['vscode', '.vscode/mcp.json', 'servers'],
  ['gemini', '.gemini/settings.json', 'mcpServers'],
])('what a project brings for %s does not get into the file of the user', async (client, file, key) => {
  const at = world({ [`project/${file}`]: { [key]: { evil: { command: './evil.sh' } } } });
  const { entries, refused } = await from(client, at);
  expect(entries).toEqual([]);
  expect(refused).toMatchObject([{ file: `${at}/project/${file}` }]);
});

test('keys that every object has mean nothing', async () => {
  const at = world({
    'home/.cursor/mcp.json':
      '{ "mcpServers": { "a": { "command": "x", "constructor": 1, "__proto__": 2, "toString": 3 }, "b": { "command": "${constructor}" } } }',
  });
  const { entries } = await from('cursor', at);
  expect(entries.map(({ name, entry, notes }) => [name, entry.command, notes])).toEqual([
    ['a', 'x', []],
    ['b', '${env:constructor}', []],
  ]);
});

test('into the project’s own file, its paths stay relative', async () => {
  const at = world({ 'project/.cursor/mcp.json': { mcpServers: { a: { command: './run' } } } });
  expect((await from('cursor', at, { into: 'project' })).entries[0]?.entry).toEqual({
    dialect: 'mcp',
    command: './run',
  });
});

test('Cursor: its places are written out, its variables kept', async () => {
  const at = world({
    'home/.cursor/mcp.json': `{
  // comments are fine
  "mcpServers": {
    "a": {
      "command": "\${userHome}/bin/server",
      "args": ["\${workspaceFolder}\${/}x", "\${workspaceFolderBasename}", "\${env:NAME}"],
      "envFile": "\${userHome}/.env",
    },
  },
}`,
  });
  expect((await from('cursor', at)).entries).toMatchObject([
    {
      entry: { command: `${at}/home/bin/server`, args: [`${at}/project/x`, 'project', '${env:NAME}'] },
      notes: [
        `\${workspaceFolder}, \${workspaceFolderBasename}: of ${at}/project from now on, also when you are elsewhere`,
        '"envFile" was not taken: its variables are not set; write them into "env"',
      ],
    },
  ]);
});

test('VS Code: inputs become variables, what only VS Code knows is refused', async () => {
  const at = world({
    'project/.vscode/mcp.json': {
      inputs: [{ type: 'promptString', id: 'api-key', password: true }],
      servers: {
        keyed: { type: 'stdio', command: 'server', env: { KEY: '${input:api-key}' }, dev: { watch: 'x' } },
        odd: { command: '${command:pick.server}' },
        web: { type: 'http', url: 'https://web/mcp' },
      },
    },
    'home/.config/Code/User/settings.json':
      '{ "editor.fontSize": 12, /* old */ "mcp": { "servers": { "legacy": { "command": "x" } } } }',
  });
  const { entries, refused, files } = await from('vscode', at, { into: 'project' });
  expect(entries.map(({ name, entry, notes }) => [name, entry, notes])).toEqual([
    [
      'keyed',
      { dialect: 'mcp', command: 'server', env: { KEY: '${env:API_KEY}' } },
      ['set API_KEY in the environment: the other client asked for it'],
    ],
    ['web', { dialect: 'mcp', url: 'https://web/mcp' }, []],
    ['legacy', { dialect: 'mcp', command: 'x' }, []],
  ]);
  expect(refused.map(({ line, reason }) => [line, reason])).toEqual([
    [20, 'odd: it uses ${command:pick.server}, which only the other client can replace'],
  ]);
  expect(files.map(({ state }) => state)).toEqual(['read', 'absent', 'absent', 'read', 'absent', 'absent']);
});

test('Gemini CLI: httpUrl, time limits, excluded servers; the old transport is refused', async () => {
  const at = world({
    'home/.gemini/settings.json': {
      mcp: { excluded: ['off'] },
      mcpServers: {
        web: {
          httpUrl: 'https://web/mcp',
          headers: { 'X-Key': '$MY_KEY' },
          timeout: 5000,
          trust: true,
          includeTools: ['a'],
        },
        typed: { url: 'https://typed/mcp', type: 'http' },
        old: { url: 'https://old/sse' },
        off: { command: 'python', args: ['-m', 'server', '$HOME/x'], cwd: './dir' },
      },
    },
  });
  const { entries, refused } = await from('gemini', at);
  expect(entries.map(({ name, entry, notes }) => [name, entry, notes])).toEqual([
    [
      'web',
      {
        dialect: 'mcp',
        url: 'https://web/mcp',
        headers: { 'X-Key': '${env:MY_KEY}' },
        limits: { callMs: 5000 },
      },
      [
        '"trust" was not taken: what may be called without asking is decided here',
        '"includeTools" was not taken: all tools are offered',
      ],
    ],
    ['typed', { dialect: 'mcp', url: 'https://typed/mcp' }, []],
    [
      'off',
      {
        dialect: 'mcp',
        command: 'python',
        args: ['-m', 'server', '${env:HOME}/x'],
        cwd: './dir',
        disabled: true,
      },
      [],
    ],
  ]);
  expect(refused.map(({ reason }) => reason)).toEqual(['old: the transport "sse" is not supported']);
});

test.for(clientNames)('%s: no files are no trouble, broken ones are told once', async (client) => {
  const at = world({});
  const nothing = await from(client, at);
  expect(nothing).toMatchObject({ entries: [], refused: [] });
  expect(nothing.files.every(({ state }) => state === 'absent')).toBe(true);
  for (const { file } of nothing.files) {
    fs.mkdirSync(file.slice(0, file.lastIndexOf('/')), { recursive: true });
    fs.writeFileSync(file, '{ "mcpServers": ');
  }
  const broken = await from(client, at);
  expect(broken.refused.map(({ file, line }) => [file, line])).toEqual(
    nothing.files.map(({ file }) => [file, 1]),
  );
});

test('what is imported can be written into a configuration, and is shown without its secrets', async () => {
  const at = world({
    'home/.cursor/mcp.json': {
      mcpServers: {
        gh: { command: 'server', env: { GITHUB_TOKEN: 'ghp_1' } },
        web: { url: 'https://x', headers: { A: 'b' } },
      },
    },
  });
  const { entries } = await from('cursor', at);
  const shown = ({ entry }: ImportedEntry) => JSON.stringify(maskedEntry(entry));
  expect(entries.map(shown).join('')).not.toMatch(/ghp_1|"b"/);
  const file = `${at}/home/.config/pluglot/pluglot.json`;
  expect(await addToConfig({ file, owner: 'user' }, entries)).toMatchObject({
    added: ['gh', 'web'],
    skipped: [],
  });
  expect(fs.readFileSync(file, 'utf8')).toContain('ghp_1');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

function world(files: Readonly<Record<string, Content>>): string {
  return temporaryFolder({ 'home/.keep': '', 'project/.keep': '', ...files });
}

function from(client: ClientName, at: string, options: Partial<ImportOptions> = {}) {
  return importFrom(client, {
    home: `${at}/home`,
    cwd: `${at}/project`,
    platform: 'linux',
    env: {},
    ...options,
  });
}
