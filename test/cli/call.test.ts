// `pluglot call` as people meet it: what goes where, and what the exit code tells.
import path from 'node:path';
import { expect, test } from 'vitest';
import { cli, type CliOptions, fixture } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const gassist = ['--dialect', 'gassist', '--', 'node', fixture('gassist/well-behaved.mjs')];
const call = (words: readonly string[], options: Partial<CliOptions> = {}) =>
  cli(['call', ...words], { home: temporaryFolder(), ...options });

test('text goes to stdout as it is said, logs to stderr, and 0 is success', async () => {
  expect(await call(['count', 'to=3', ...gassist])).toEqual({
    exitCode: 0,
    stdout: '1 2 3 done\n',
    stderr: 'i count begins\n',
  });
});

test('--json is one line with all there is', async () => {
  const run = newRun();
  const { exitCode, stdout, stderr } = await call(['count', 'to=2', '--json', ...gassist, run]);
  expect({ exitCode, stderr, lines: stdout.split('\n').length }).toEqual({
    exitCode: 0,
    stderr: '',
    lines: 2,
  });
  expect(JSON.parse(stdout)).toEqual({
    ok: true,
    text: '1 2 done',
    keepSession: false,
    events: [
      { kind: 'log', level: 'info', message: 'count begins' },
      { kind: 'text', text: '1 ' },
      { kind: 'text', text: '2 ' },
    ],
    durationMs: expect.any(Number) as number,
  });
  expect(survivors(run)).toEqual([]);
});

test('a tool that fails: 1, with its number', async () => {
  const { exitCode, stdout } = await call(['rate_limited', '--json', ...gassist]);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    error: { code: 'RATE_LIMITED', wireCode: -3, message: expect.stringContaining('too many') as string },
    events: [{ kind: 'log' }],
  });
});

test('wrong words are told before anything is started: 2', async () => {
  const { exitCode, stdout, stderr } = await call(['count', 'three', '--', 'no-such-program']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toBe(
    '✗ "three" is not an argument. Give key=value pairs such as city=Oslo, one JSON object, or - to read an object from stdin; the command of a plugin goes behind --. (INVALID_ARGUMENTS)\n',
  );
});

test('arguments that the tool does not take: 2, before they are sent', async () => {
  const plugin = path.join(root, 'examples/gassist-countdown/plugin.mjs');
  const { exitCode, stderr } = await call(['countdown', 'from=soon', '--', 'node', plugin]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^✗ gassist-countdown__countdown: .*from.* \(INVALID_ARGUMENTS\)\n$/);
});

test('a plugin that breaks: 3, with what was said before and its last words', async () => {
  const words = ['work', '--dialect', 'gassist', '--', 'node', fixture('gassist/crashes-in-execute.mjs')];
  const plain = await call(words);
  expect(plain.exitCode).toBe(3);
  expect(plain.stdout).toBe('half\n');
  expect(plain.stderr).toContain('exited with code 7. (PLUGIN_EXITED)');
  expect(plain.stderr).toMatch(/^\| out of luck$/m);
  expect(plain.stderr.match(/out of luck/g)).toHaveLength(1);
  const json = await call([...words.slice(0, 1), '--json', ...words.slice(1)]);
  expect(json.exitCode).toBe(3);
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: false,
    text: 'half',
    error: { code: 'PLUGIN_EXITED', stderr: 'out of luck\n' },
  });
});

test('a program that is not there: 3, with the way out', async () => {
  const { exitCode, stderr } = await call(['x', '--', './no-such-program']);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/no-such-program.*\(PROGRAM_NOT_FOUND\)\n$/s);
});

test('a time limit: 124, and nothing is left', async () => {
  const run = newRun();
  const plugin = ['--dialect', 'gassist', '--', 'node', fixture('gassist/never-completes.mjs'), run];
  const { exitCode, stdout, stderr } = await call(['work', '--timeout', '200ms', ...plugin]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 124, stdout: '.\n' });
  expect(stderr).toContain('(CALL_TIMEOUT)');
  expect(survivors(run)).toEqual([]);
});

test('- reads the arguments from stdin; --workdir is where the tool works', async () => {
  const home = temporaryFolder({ 'work/notes.md': 'milk' });
  const plugin = ['--', 'node', path.join(root, 'examples/gevals-workspace/extension.mjs')];
  const input = '{"file":"notes.md","text":"milk"}\n';
  const words = ['contains', '-', '--workdir', 'work', '--dialect', 'gevals', ...plugin];
  expect(await call(words, { home, cwd: home, input })).toMatchObject({ exitCode: 0 });
  expect(await call(words, { home, cwd: home, input: input.replace('milk', 'honey') })).toMatchObject({
    exitCode: 1,
  });
});

test.each([
  [['-q'], /^$/],
  [['-v'], /^· starting\n· ready\ni echo begins\n$/],
  [['-vv'], /→ .*"method":"execute".*"value":1.*\n← .*"method":"log"[^]*← .*"method":"complete"/],
])('%s shows so much of what a plugin says', async (flags, expected) => {
  const { exitCode, stdout, stderr } = await call(['echo', 'value=1', ...flags, ...gassist]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '1\n' });
  expect(stderr).toMatch(expected);
});

test('a lone plugin may have a tool that it does not list; else a near one is named', async () => {
  const unlisted = ['--dialect', 'yams', '--', 'node', fixture('yams/well-behaved.mjs')];
  expect((await call(['no.such_method', ...unlisted])).stderr).toContain('-32601');
  const listed = await call(['roel', '--', 'node', path.join(root, 'examples/mcp-dice/server.mjs')]);
  expect(listed).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: '✗ No plugin has a tool "roel". Did you mean "mcp-dice__roll"? (UNKNOWN_TOOL)\n',
  });
});
