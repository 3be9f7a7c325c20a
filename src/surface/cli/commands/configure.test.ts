import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../../../../test/support/surface/in-process-cli.ts';
import { root } from '../../../../test/support/project.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';

describe('add', () => {
  test('makes the file of the project, which is trusted since the user made it', async () => {
    const at = place({ 'server.mjs': '' });
    expect(await command(['add', '--no-try', 'dice', '--', 'node', 'server.mjs', '--fast'], at)).toEqual({
      exitCode: 0,
      stdout:
        '✓ dice was added to pluglot.json.\n  The file is new and yours, so it is trusted as it is now.\n',
      stderr: '',
    });
    expect(configIn(at.cwd)).toEqual({
      plugins: { dice: { command: 'node', args: ['server.mjs', '--fast'] } },
    });
    expect((await plugins(at))[0]).not.toHaveProperty('untrusted');
  });

  test('tries the plugin, and tells what it is', async () => {
    const at = place({
      'server.mjs': fs.readFileSync(path.join(root, 'examples/mcp-dice/server.mjs'), 'utf8'),
    });
    expect(await command(['add', 'dice', '--dialect', 'mcp', '--', 'node', 'server.mjs'], at)).toEqual({
      exitCode: 0,
      stdout:
        '✓ dice was added to pluglot.json.\n  The file is new and yours, so it is trusted as it is now.\n  It works: it speaks mcp and has 1 tool.\n',
      stderr: '',
    });
  });

  test('warns of a plugin that does not start, and keeps it', async () => {
    const at = place({});
    const words = ['--dialect', 'mcp', '--', 'node', 'gone.mjs'];
    const { exitCode, stdout, stderr } = await command(['add', 'dice', ...words], at);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.not.stringContaining('It works') as string,
    });
    expect(stderr).toMatch(
      /^! It does not work yet: Plugin "dice" .*Cannot find module.*pluglot remove dice/s,
    );
    expect(configIn(at.cwd)).toMatchObject({ plugins: { dice: {} } });
    const again = await command(['add', 'dice', '--replace', '--json', ...words], at);
    expect(JSON.parse(again.stdout)).toMatchObject({ added: ['dice'], error: { code: 'PLUGIN_EXITED' } });
    const missing = await command(['add', 'other', '--', 'no-such-program'], at);
    expect(missing.stderr).toContain(
      '! It does not work yet: Plugin "other" cannot be started: there is no program',
    );
    expect(missing.stderr).not.toContain('/usr/bin');
  });

  test('from below, paths start where the file is; the file stays trusted, and nothing else with it', async () => {
    const at = place({ '.git/HEAD': '', 'tools/server.mjs': '', 'pluglot.json': { plugins: {} } });
    const below = { ...at, cwd: path.join(at.cwd, 'tools') };
    const before = await command(['add', '--no-try', 'one', '--', 'node', 'server.mjs'], below);
    expect(before.stderr).toBe(`! The file is not trusted yet. Read it, then: pluglot trust add ${at.cwd}\n`);
    expect(configIn(at.cwd)).toMatchObject({ plugins: { one: { args: ['tools/server.mjs'] } } });
    await command(['trust', 'add', '.'], at);
    const after = await command(['add', '--no-try', 'two', '--dialect', 'mcp', '--', 'two-server'], below);
    expect(after.stdout).toContain('The file was trusted before, and stays trusted with this change.');
    expect((await plugins(at)).map(({ name, untrusted }) => [name, untrusted])).toEqual([
      ['one', undefined],
      ['two', undefined],
    ]);
    // A change by another hand is one to look at.
    fs.appendFileSync(path.join(at.cwd, 'pluglot.json'), '\n');
    const third = await command(['add', '--no-try', 'three', '--', 'three'], at);
    expect(third.stderr).toContain('not trusted yet');
  });

  test('--sandbox confines it', async () => {
    const at = place({ 'server.mjs': '' });
    await command(['add', '--no-try', 'dice', '--sandbox', '--', 'node', 'server.mjs'], at);
    expect(configIn(at.cwd)).toEqual({
      plugins: { dice: { command: 'node', args: ['server.mjs'], sandbox: true } },
    });
    expect(await plugins(at)).toMatchObject([{ name: 'dice', sandbox: { network: false, folders: {} } }]);
  });

  test("--user writes the user's own file, which needs no trust", async () => {
    const at = place({ 'server.mjs': '' });
    const { stdout } = await command(
      [
        'add',
        '--no-try',
        'gh',
        '--user',
        '--env',
        'TOKEN=${env:GH}',
        '--env',
        'LEVEL=info',
        '--',
        'node',
        'server.mjs',
      ],
      at,
    );
    const file = path.join(at.home, 'pluglot', 'pluglot.json');
    expect(stdout).toBe(`✓ gh was added to ${file}.\n`);
    expect(configIn(path.dirname(file))).toEqual({
      plugins: {
        gh: {
          command: 'node',
          args: [path.join(at.cwd, 'server.mjs')],
          env: { TOKEN: '${env:GH}', LEVEL: 'info' },
        },
      },
    });
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test('--url for what is reached; --json tells in one line', async () => {
    const at = place();
    const { stdout } = await command(
      ['add', '--no-try', 'docs', '--url', 'http://127.0.0.1:1/mcp', '--header', 'X-Team=a', '--json'],
      at,
    );
    expect(JSON.parse(stdout)).toEqual({
      file: path.join(at.cwd, 'pluglot.json'),
      added: ['docs'],
      trusted: true,
    });
    expect(configIn(at.cwd)).toEqual({
      plugins: { docs: { url: 'http://127.0.0.1:1/mcp', headers: { 'X-Team': 'a' } } },
    });
  });

  test('one of the same name is replaced only when asked for', async () => {
    const at = place();
    await command(['add', '--no-try', 'a', '--', 'one'], at);
    const again = await command(['add', '--no-try', 'a', '--', 'two'], at);
    expect(again).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        '✗ "a" was not added: a plugin of this name exists already. Remove it first, or use --replace. (CONFIG_INVALID)\n',
    });
    expect(await command(['add', '--no-try', 'a', '--replace', '--', 'two'], at)).toMatchObject({
      exitCode: 0,
    });
    expect(configIn(at.cwd)).toEqual({ plugins: { a: { command: 'two' } } });
  });

  test.each([
    [['add', 'a'], 'Give the command of the plugin'],
    [['add', 'a', '--'], 'Give the command of the plugin'],
    [['add', '--no-try', 'a', '--url', 'http://x', '--', 'b'], 'either a command'],
    [['add', '--no-try', 'a', '--url', 'nowhere'], 'is not a URL'],
    [['add', '--no-try', 'a', '--url', 'http://x', '--sandbox'], '--sandbox needs a command'],
    [['add', '--no-try', 'a', '--env', 'sk-secret-123', '--', 'b'], '--env takes key=value'],
    [['add', '--no-try', 'a b', '--', 'b'], 'a b'],
    [['add', '--no-try', 'a', '--env', 'TOKEN=sk-secret-123', '--', 'b'], 'env.TOKEN looks like a secret'],
    [['add', '--no-try', 'a', '--user', '--config', 'x.json', '--', 'b'], 'either --user or --config'],
  ])('%o is refused, and no secret is shown', async (words, message) => {
    const at = place();
    const { exitCode, stdout, stderr } = await command(words, at);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('sk-secret-123');
    expect(fs.existsSync(path.join(at.cwd, 'pluglot.json'))).toBe(false);
  });
});

describe('remove', () => {
  test('takes it out, keeps the rest as it was, and stays trusted', async () => {
    const at = place({
      'pluglot.json': '{ // mine\n  "plugins": { "a": { "command": "x" }, "b": { "command": "y" } }\n}\n',
    });
    await command(['trust', 'add', '.'], at);
    expect((await command(['remove', 'a'], at)).stdout).toMatch(
      /^✓ a was removed from pluglot\.json\.\n {2}The file was trusted/,
    );
    expect(fs.readFileSync(path.join(at.cwd, 'pluglot.json'), 'utf8')).toContain('// mine');
    expect((await plugins(at)).map(({ name, untrusted }) => [name, untrusted])).toEqual([['b', undefined]]);
  });

  test('names a near one', async () => {
    const at = place({ 'pluglot.json': { plugins: { weather: { command: 'x' } } } });
    const { exitCode, stderr } = await command(['remove', 'wether'], at);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean "weather"?');
  });
});

describe('import', () => {
  const cursor = {
    mcpServers: {
      files: { command: 'npx', args: ['-y', 'server-files', '--token', 'sk-secret-123'] },
      gh: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer sk-secret-123' } },
      old: { type: 'sse', url: 'https://example.com/sse' },
    },
  };

  test('takes the servers of other clients into the own file, and shows no secret', async () => {
    const at = place({}, { '.cursor/mcp.json': cursor });
    const dry = await command(['import', '--dry-run'], at);
    expect(dry.stdout).toContain('· files  from cursor: npx -y server-files --token ***\n');
    expect(dry.stderr).toMatch(/old.*\n.*Nothing was written/s);
    const file = path.join(at.home, 'pluglot', 'pluglot.json');
    expect(fs.existsSync(file)).toBe(false);

    const taken = await command(['import', 'cursor'], at);
    expect(taken.exitCode).toBe(0);
    expect(taken.stdout).toContain('2 of 2 are in');
    expect(configIn(path.dirname(file))).toMatchObject({
      plugins: {
        files: { command: 'npx' },
        gh: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer sk-secret-123' } },
      },
    });
    const again = await command(['import', 'cursor', '--json'], at);
    expect(JSON.parse(again.stdout)).toMatchObject({
      imported: [],
      skipped: [{ name: 'files' }, { name: 'gh' }],
      refused: [{ reason: expect.stringContaining('old') as string }],
    });
    for (const { stdout, stderr } of [dry, taken, again])
      expect(stdout + stderr).not.toContain('sk-secret-123');
    const listed = await command(['plugins', '--json'], at);
    expect(listed.stdout).toContain('--token ***');
    expect(listed.stdout).not.toContain('sk-secret-123');
  });

  test('--project --dry-run shows what would not be taken', async () => {
    const at = place(
      { 'pluglot.json': { plugins: { taken: { command: 'x' } } } },
      {
        '.cursor/mcp.json': {
          mcpServers: { ...cursor.mcpServers, taken: { command: 'y' }, plain: { command: 'z' } },
        },
      },
    );
    const { stdout, stderr } = await command(['import', '--project', '--dry-run'], at);
    expect(stdout).toBe('· plain  from cursor: z\n');
    expect(stderr).toContain('! files was not imported: args[3] looks like a secret');
    expect(stderr).toContain(
      '! taken was not imported: a plugin of this name exists already. Remove it first, or use --replace.',
    );
    expect(stderr).toContain('Nothing was written');
    const replaced = await command(['import', '--project', '--dry-run', '--replace'], at);
    expect(replaced.stdout).toContain('· taken  from cursor: y\n');
    expect(configIn(at.cwd)).toEqual({ plugins: { taken: { command: 'x' } } });
  });

  test('nothing to import is no failure', async () => {
    expect(await command(['import', 'gemini'], place())).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'gemini has no servers to import.\n',
    });
  });
});

function place(
  files: Parameters<typeof temporaryFolder>[0] = {},
  home: Parameters<typeof temporaryFolder>[0] = {},
) {
  return { cwd: temporaryFolder(files), home: temporaryFolder(home) };
}

function configIn(folder: string): unknown {
  return JSON.parse(fs.readFileSync(path.join(folder, 'pluglot.json'), 'utf8'));
}

async function plugins(at: { cwd: string; home: string }) {
  const { stdout } = await command(['plugins', '--json'], at);
  return JSON.parse(stdout) as { name: string; untrusted?: string }[];
}

test('a name that another file has first is told, since what was added does not count', async () => {
  const at = { cwd: temporaryFolder(), home: temporaryFolder() };
  const own = await command(['add', '--no-try', 'dice', '--user', '--', 'x'], at);
  expect(own.stderr).toBe('');
  const { exitCode, stderr } = await command(['add', '--no-try', 'dice', '--', 'y'], at);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(
    /^! It does not count: the name "dice" is taken by .*pluglot\.json:\d+, which comes first\./,
  );
  expect((await command(['add', '--no-try', 'other', '--', 'y'], at)).stderr).toBe('');
});
