import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../../../../test/support/surface/in-process-cli.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';

function place(files: Parameters<typeof temporaryFolder>[0] = {}) {
  const home = temporaryFolder();
  return { home, cwd: temporaryFolder(files), own: path.join(home, 'pluglot', 'permissions.json') };
}

const contentOf = (file: string): unknown => JSON.parse(fs.readFileSync(file, 'utf8'));

describe('allow and deny', () => {
  test("write the user's own file, which leaves the rest to be asked about", async () => {
    const at = place();
    expect(await command(['allow', 'gh__*'], at)).toEqual({
      exitCode: 0,
      stdout: `✓ The rule allow gh__* was added in ${at.own}.\n`,
      stderr: '',
    });
    await command(['deny', 'write_file(path=.git/*)'], at);
    expect(contentOf(at.own)).toEqual({
      version: '1.0',
      defaultPolicy: 'ask',
      allow: ['gh__*'],
      deny: ['write_file(path=.git/*)'],
    });
    expect((await command(['allow', 'gh__*'], at)).stdout).toContain('was already there');
  });

  test("--project writes the project's, which stays trusted, and changes no default", async () => {
    const at = place({ '.git/HEAD': '', 'sub/x': '' });
    await command(['allow', 'a__b'], at);
    const below = { ...at, cwd: path.join(at.cwd, 'sub') };
    const first = await command(['allow', 'git status', '--project', '--json'], below);
    const file = path.join(at.cwd, 'permissions.json');
    expect(JSON.parse(first.stdout)).toEqual({ file, allow: 'git status', isNew: true, trusted: true });
    expect(contentOf(file)).toEqual({ version: '1.0', allow: ['git status'] });
    const second = await command(['allow', 'npm test', '--project'], at);
    expect(second.stdout).toContain('The file was trusted before, and stays trusted with this change.');
    fs.writeFileSync(file, '{ "allow": ["*"] }');
    const third = await command(['deny', 'x', '--project'], at);
    expect(third.stderr).toContain('The file is not trusted yet.');
  });

  test.each([[''], ['read(path'], ['a\u202Eb']])('%j is refused', async (rule) => {
    const at = place();
    const { exitCode, stderr } = await command(['allow', rule], at);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is not a rule');
    expect(fs.existsSync(at.own)).toBe(false);
  });
});

test.each(['git status > x', 'ls $HOME', 'FOO=bar make', '@nonsense'])(
  'a rule that can never hold is refused: %s',
  async (rule) => {
    const at = place();
    for (const action of ['allow', 'deny']) {
      const { exitCode, stderr } = await command([action, rule], at);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`would ${action === 'allow' ? 'allow' : 'forbid'} nothing: it `);
    }
    expect(fs.existsSync(at.own)).toBe(false);
  },
);

describe('explain', () => {
  test('says which rule decides, where it is written, and what would allow it', async () => {
    const at = place();
    const asked = await command(['explain', 'startPlan', 'message=x'], at);
    expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
    expect(asked.stdout).toBe(
      [
        'todo__startPlan: asked about',
        '  what    tool of plugin todo, called by a client',
        '  why     No rule names it, so the default holds.',
        '  method  default',
        '          To allow it: pluglot allow todo__startPlan',
        '',
      ].join('\n'),
    );
    await command(['deny', 'startPlan(message=secret*)'], at);
    await command(['allow', 'todo__*'], at);
    const explained = async (...args: string[]) => {
      const { stdout } = await command(['explain', 'startPlan', '--json', ...args], at);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    expect(await explained('message=x')).toEqual({
      name: 'todo__startPlan',
      kind: 'tool',
      plugin: 'todo',
      caller: { kind: 'client' },
      decision: 'allow',
      method: 'allow-rule',
      reason: 'A rule allows it: todo__*.',
      rules: [{ rule: 'todo__*', file: at.own }],
    });
    expect(await explained('message=Secrets', '--as', 'user')).toMatchObject({
      caller: { kind: 'user' },
      decision: 'deny',
      rules: [{ rule: 'startPlan(message=secret*)', file: at.own }],
    });
    expect(await explained('message=x', '--as', 'user')).toMatchObject({ method: 'user', rules: [] });
  });

  test('of a command, and of what is not there', async () => {
    const at = place();
    const { stdout } = await command(['explain', 'permissions', 'action=show', '--as', 'user', '--json'], at);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'command', plugin: 'permission', decision: 'allow' });
    expect(await command(['explain', 'web_serch'], at)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('UNKNOWN_TOOL') as string,
    });
    const bad = await command(['explain', 'web_search', 'quer=x'], at);
    expect(bad.stdout).toContain('method  arguments');
  });
});

test('what a rule means differently now is said once', async () => {
  const at = place();
  fs.mkdirSync(path.dirname(at.own), { recursive: true });
  fs.writeFileSync(at.own, '{ "whitelist": { "patterns": ["startPlan(message=a*)"] } }');
  const said = async () => (await command(['explain', 'startPlan', 'message=ab'], at)).stderr;
  expect(await said()).toContain('allows calls with further arguments too now');
  expect(await said()).not.toContain('further arguments');
});
