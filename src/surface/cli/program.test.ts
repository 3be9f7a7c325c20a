import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { command } from '../../../test/support/surface/in-process-cli.ts';
import { read } from '../../../test/support/markdown.ts';
import { shellWords } from '../../../test/support/shell-words.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { run } from './program.ts';
import type { CliEnvironment } from './context.ts';
import { declareCommands } from './commands/index.ts';

const commands = (await declared()).commands.filter((command) => !command.name().startsWith('_'));

describe('help', () => {
  test.each(commands.map((command) => command.name()))(
    'of %s has examples that can be typed',
    async (name) => {
      const { stdout, exitCode } = await help(name, '--help');
      expect(exitCode).toBe(0);
      const [, examples = ''] = stdout.split('Examples:\n');
      const lines = examples.trim().split('\n');
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) {
        expect(line).toMatch(new RegExp(`^\\s*\\$ .*pluglot ${name}\\b`));
        await parses(line);
      }
    },
  );

  test('of the whole lists every command once, fits 80 columns, and has examples that can be typed', async () => {
    const { stdout } = await help('--help');
    for (const command of commands)
      expect(stdout.match(new RegExp(`^  ${command.name()}\\b`, 'gm'))).toHaveLength(1);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const lines = stdout.split('\n').filter((line) => line.startsWith('  $ '));
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) await parses(line);
    expect(stdout).not.toContain('__complete');
    expect(stdout).toContain('pluglot COMMAND --help');
    const [, list = ''] = /(Run plugins:\n.*)Examples:/s.exec(stdout) ?? [];
    expect(list.match(/^ {2}\S/gm)).toHaveLength(commands.length);
    // Each in one line.
    expect(list).not.toMatch(/^ {3}/m);
    expect((await help()).stdout).toBe(stdout);
  });
});

describe('--config', () => {
  const taking = commands.filter(
    (each) => each.name() !== 'add' && each.options.some(({ long }) => long === '--config'),
  );

  test.each(taking.map((each) => each.name()))(
    'of a file that is not there is the error of %s',
    async (name) => {
      const words = taking.find((each) => each.name() === name)?.registeredArguments ?? [];
      const needed = words.filter(({ required }) => required).map(() => 'x');
      const place = { cwd: temporaryFolder({ 'folder/file': '' }), home: temporaryFolder() };
      const says = async (file: string) => {
        const ran = await command([name, ...needed, '--config', file], place);
        expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
        return ran.stderr.replaceAll(place.cwd, '');
      };
      const wayOut = 'Correct the path after --config. (CONFIG_INVALID)\n';
      expect(await says('nowhere.json')).toBe(`✗ /nowhere.json: there is no such file. ${wayOut}`);
      expect(await says('folder/file/x.json')).toBe(
        `✗ /folder/file/x.json: there is no such file. ${wayOut}`,
      );
      expect(await says('folder')).toBe(`✗ /folder: this is a folder. ${wayOut}`);
    },
  );

  test('of a file that is not there makes it, where a plugin is added', async () => {
    const place = { cwd: temporaryFolder(), home: temporaryFolder() };
    const words = ['add', 'dice', '--config', 'new.json', '--url', 'http://127.0.0.1:1/mcp'];
    expect(await command(words, place)).toMatchObject({ exitCode: 0 });
    const listed = await command(['plugins', '--config', 'new.json'], place);
    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('dice') as string });
  });
});

test('docs/cli.md names every command', () => {
  const [table = ''] = read('docs/cli.md').split('## inspect');
  const unnamed = commands.map((command) => command.name()).filter((name) => !table.includes(`\`${name}`));
  expect(unnamed).toEqual([]);
});

test.each([
  [['dmeo'], "✗ Unknown command 'dmeo' (Did you mean demo?) Try: pluglot --help (INVALID_ARGUMENTS)"],
  [['inspect', '--nonsense'], "✗ Unknown option '--nonsense'. Try: pluglot inspect --help"],
  [['call'], "✗ Missing required argument 'tool'. Try: pluglot call --help"],
  [
    ['call', 'x', '--timeout', 'soon'],
    `✗ 'soon' is not a valid value of --timeout. "soon" is not a duration; expected`,
  ],
  [
    ['call', 'x', '--dialect', 'klingon'],
    "✗ 'klingon' is not a valid value of --dialect. Allowed choices are gassist, gevals, mcp, planner, yams.",
  ],
  [['audit', '-n', 'x'], "✗ 'x' is not a valid value of --last. Write a whole number."],
  [['import', 'emacs'], "✗ 'emacs' is not a valid client. Allowed choices are claude-desktop"],
  [['trust', 'ad', '.'], "✗ 'ad' is not a valid action. Allowed choices are add, list, remove."],
  [['logs', 'a', 'b'], 'Too many arguments'],
  [['check', 'node', 'plugin.mjs'], 'The command of a plugin goes behind --. Try: pluglot check --help'],
  [['up', '--standalone'], 'Unknown option'],
  [['status', '--standalone'], 'Unknown option'],
  [['add', 'a', '--standalone'], 'Unknown option'],
])('wrong usage: %o', async (args, message) => {
  const { stdout, stderr, exitCode } = await help(...args);
  expect(stderr).toContain(message);
  expect(stderr).toContain('--help');
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
});

test.each([
  [['call', '--json'], "Missing required argument 'tool'"],
  [['completion', 'zsh', '--json'], "Unknown option '--json'"],
  [['tools', '--json', '--nonsense'], "Unknown option '--nonsense'"],
  [['call', 'x', '--timeout', 'soon', '--json'], '--timeout'],
])('wrong usage, as JSON: %o', async (args, message) => {
  const { stdout, stderr, exitCode } = await help(...args);
  expect(stdout.match(/\n/g)).toHaveLength(1);
  expect(JSON.parse(stdout)).toEqual({
    ok: false,
    error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining(message) as string },
  });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 2 });
});

test('help as a word is help as an option', async () => {
  expect(await help('help', 'call')).toEqual(await help('call', '--help'));
  expect(await help('help')).toEqual(await help('--help'));
});

test.each(['inspect', 'call', 'talk', 'tools', 'add'])(
  'the usage of %s names the command behind --',
  async (name) => {
    expect((await help(name, '--help')).stdout).toMatch(/^Usage: pluglot .*\[-- COMMAND…\]\n/);
  },
);

/** The part of the line that is ours is understood; nothing is run. */
async function parses(line: string): Promise<void> {
  const [, typed = ''] = /\bpluglot ([^|>)]*)/.exec(line) ?? [];
  const [own = '', behind] = typed.split(/ -- /);
  const program = await declared(behind === undefined ? undefined : shellWords(behind));
  program.exitOverride();
  for (const command of program.commands) {
    command.exitOverride();
    command.action(() => {});
  }
  await program.parseAsync(shellWords(own), { from: 'user' });
}

async function help(...args: readonly string[]) {
  const written = { stdout: '', stderr: '' };
  const environment = environmentOf(written);
  const exitCode = await run(args, environment);
  return { ...written, exitCode };
}

async function declared(command?: readonly string[]): Promise<Command> {
  const program = new Command('pluglot');
  const environment = environmentOf({ stdout: '', stderr: '' });
  await declareCommands(program, { environment, command, finish: () => {} });
  return program;
}

function environmentOf(written: { stdout: string; stderr: string }): CliEnvironment {
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => (written[name] += text) !== '',
  });
  const made: Partial<Record<keyof CliEnvironment, unknown>> = {
    version: '1.2.3',
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: {},
    signal: new AbortController().signal,
  };
  // What help and refusals need of them.
  return made as unknown as CliEnvironment;
}
