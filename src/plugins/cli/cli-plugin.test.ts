import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../definition/outcome.ts';
import { newRun, survivors } from '../../../test/support/fleet/process-table.ts';
import { runningCli } from '../../../test/support/plugins/running-cli.ts';
import { sandboxHere } from '../../../test/support/gate/sandbox.ts';
import { type Content, link, program, temporaryFolder } from '../../../test/support/temporary-folder.ts';

describe('a command', () => {
  test('gives what it printed, its exit code and how long it took', async () => {
    const { run } = await runningCli();
    expect(await run('echo hello')).toEqual({
      ok: true,
      text: 'hello\n',
      data: { stdout: 'hello\n', stderr: '', returncode: 0, duration_seconds: 0 },
    });
  });

  test('that fails is a result like any other', async () => {
    const { run } = await runningCli();
    expect(dataOf(await run('ls /pluglot/no/such/file'))).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('No such file') as string,
      returncode: expect.toSatisfy((code: number) => code > 0) as number,
    });
  });

  test('that rules allow runs as its words, without a shell', async () => {
    const { runWords } = await runningCli();
    expect(dataOf(await runWords('printf %s a\\ b "c  d"'))).toMatchObject({ stdout: 'a bc  d' });
    expect(dataOf(await runWords(`'${process.execPath}' -p 'process.ppid'`))).toMatchObject({
      stdout: `${process.pid}\n`,
    });
  });

  test('that a person approved runs in bash', async () => {
    const { run } = await runningCli();
    expect(dataOf(await run('echo b a | tr " " "\\n" | sort && [[ 1 -eq 1 ]] && echo ok'))).toMatchObject({
      stdout: 'a\nb\nok\n',
      returncode: 0,
    });
  });

  test.each(['echo', 'true && echo'])('takes args as they are: %s', async (command) => {
    const { run } = await runningCli();
    const args = ['$(id)', 'a  b', "it's", '; rm -rf /', '*', '&&'];
    expect(dataOf(await run(command, { args }))).toMatchObject({ stdout: `${args.join(' ')}\n` });
  });

  test('of the shell alone is no option of it', async () => {
    const { run } = await runningCli();
    expect(dataOf(await run('-v || echo fallback'))).toMatchObject({ stdout: 'fallback\n' });
  });

  test('that cannot be read was asked about as it stands, and runs as it stands', async () => {
    const { run } = await runningCli();
    expect(dataOf(await run('echo a\u00a0b;', { args: [] }))).toMatchObject({ stdout: 'a\u00a0b\n' });
    expect(dataOf(await run('echo "unclosed'))).toMatchObject({ returncode: 2 });
  });

  test('has an empty stdin', async () => {
    const { run } = await runningCli();
    expect(dataOf(await run('cat'))).toMatchObject({ stdout: '', returncode: 0 });
  });

  test('ended by a signal tells its number as a shell would, with and without one', async () => {
    const { run } = await runningCli();
    const killsItself = { returncode: 137, signal: 'SIGKILL' };
    expect(dataOf(await run('kill -9 $$'))).toMatchObject(killsItself);
    expect(dataOf(await run('sh', { args: ['-c', 'kill -9 $$'] }))).toMatchObject(killsItself);
    expect(dataOf(await run('sh -c "kill -15 \\$\\$"; exit'))).toMatchObject({ returncode: 143 });
  });
});

describe('words that are joined', () => {
  test.each<[line: string, stdout: string, returncode: number, stderr?: string]>([
    ['echo a && echo b', 'a\nb\n', 0],
    ['false && echo b', '', 1],
    ['false || echo b', 'b\n', 0],
    ['true || echo b', '', 0],
    ['false && echo b || echo c', 'c\n', 0],
    ['true || echo b && echo c', 'c\n', 0],
    ['false; echo b', 'b\n', 0],
    ['echo a\nfalse', 'a\n', 1],
    ['printf "b\na\n" | sort', 'a\nb\n', 0],
    ['false | true', '', 0],
    ['true | false', '', 1],
    ['seq 1 100000 | head -n 2 | tail -n 1', '2\n', 0],
    ['yes | head -n 1 && echo done', 'y\ndone\n', 0],
    ["sh -c 'exit 7'", '', 7],
    ["sh -c 'kill -9 $$' || echo after", 'after\n', 0],
    ['pluglot-no-such || echo b', 'b\n', 0, 'pluglot-no-such: command not found\n'],
    ['echo a; pluglot-no-such', 'a\n', 127, 'pluglot-no-such: command not found\n'],
    ['pluglot-no-such | cat', '', 0, 'pluglot-no-such: command not found\n'],
    ['echo a | pluglot-no-such', '', 127, 'pluglot-no-such: command not found\n'],
    ['echo a; ./nope', 'a\n', 127, './nope: No such file or directory\n'],
    ['echo a; /', 'a\n', 126, '/: Is a directory\n'],
    ['echo a; /etc/passwd', 'a\n', 126, '/etc/passwd: Permission denied\n'],
  ])('%j', async (line, stdout, returncode, stderr = '') => {
    const { runWords, run } = await runningCli();
    expect(dataOf(await runWords(line))).toMatchObject({ stdout, stderr, returncode });
    expect(dataOf(await run(line))).toMatchObject({ stdout, returncode });
  });

  test('end with the time limit, and nothing after it runs', async () => {
    const { runWords, clock, folder } = await runningCli({ auto_background_threshold: 0, timeout: 5 });
    const ended = runWords('touch begun; sleep 1000; touch after');
    await expect.poll(() => fs.existsSync(path.join(folder, 'begun'))).toBe(true);
    clock.advance(5000);
    expect(await ended).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } });
    expect(fs.existsSync(path.join(folder, 'after'))).toBe(false);
  });

  test('run outside of the sandbox no program of the project that PATH would find', async () => {
    const folder = temporaryFolder({ 'bin/twist': program('#!/bin/sh\necho twist\n') });
    const env = { PATH: `${folder}/bin:${process.env['PATH']}` };
    const { runWords } = await runningCli({}, { folder, env });
    expect(await runWords('twist')).toMatchObject({ error: { code: 'REQUIREMENT_MISSING' } });
    expect(dataOf(await runWords('./bin/twist'))).toMatchObject({ stdout: 'twist\n' });
  });
});

describe('outside of the sandbox, what a confined program can write does not run', () => {
  const twist = program('#!/bin/sh\necho twist\n');

  test.each<[what: string, files: Record<string, Content>, inPath: string]>([
    ['a folder that is a link into the project', { 'work/bin/twist': twist, bin: link('work/bin') }, 'bin'],
    [
      'a program that is a link into the project',
      { 'work/bin/twist': twist, 'bin/twist': link('../work/bin/twist') },
      'bin',
    ],
    [
      'a link in the project that leads outside',
      { 'work/twist': link('../other/twist'), 'other/twist': twist, 'bin/twist': link('../work/twist') },
      'bin',
    ],
    ['a writable folder', { 'cache/bin/twist': twist, 'work/x': '' }, 'cache/bin'],
    ['a link into a writable folder', { 'cache/twist': twist, 'work/x': '', bin: link('cache') }, 'bin'],
  ])('%s', async (_, files, inPath) => {
    const root = temporaryFolder(files);
    const env = { PATH: `${root}/${inPath}:${process.env['PATH']}` };
    const writable = [path.join(root, 'cache')];
    const { runWords } = await runningCli({}, { folder: path.join(root, 'work'), env, writable });
    expect(await runWords('twist')).toMatchObject({
      error: {
        code: 'REQUIREMENT_MISSING',
        message: expect.stringContaining(`${root}/${inPath}/twist`) as string,
      },
    });
  });

  test('nor does an interpreter that a script looks for, or the shell', async () => {
    const root = temporaryFolder({
      'work/bin/pluglot-interpreter': twist,
      'work/bin/bash': twist,
      'bin/script': program('#!/usr/bin/env pluglot-interpreter\n'),
    });
    const env = { PATH: `${root}/work/bin:${root}/bin:${process.env['PATH']}` };
    const { runWords, run } = await runningCli({}, { folder: path.join(root, 'work'), env });
    expect(dataOf(await runWords('script'))).toMatchObject({ stdout: '', returncode: 127 });
    expect(dataOf(await run('echo straight'))).toMatchObject({ stdout: 'straight\n' });
  });
});

describe('without a decision of a gate', () => {
  test('what is not plain words does not run', async () => {
    const { runUndecided } = await runningCli();
    expect(await runUndecided('echo $HOME')).toMatchObject({
      error: { code: 'PERMISSION_DENIED', message: expect.stringContaining('an expansion') as string },
    });
  });

  test('nothing runs without a sandbox', async () => {
    const { runUndecided, folder } = await runningCli();
    expect(dataOf(await runUndecided('touch x'))).toMatchObject({
      returncode: 126,
      stderr: 'touch: it may only run in the sandbox, which is not available here\n',
    });
    expect(fs.existsSync(path.join(folder, 'x'))).toBe(false);
  });
});

describe.skipIf(sandboxHere === undefined)('in the sandbox (skipped where there is none)', () => {
  const inside = { access: 'writable', network: false, folders: [] } as const;

  test('a line changes the project, or only reads it, and sees nothing else', async () => {
    const outside = temporaryFolder({ secret: 'hidden' });
    const { runWords, runUndecided, folder } = await runningCli({}, { sandbox: sandboxHere });
    const file = path.join(folder, 'made');
    expect(dataOf(await runWords('touch made && ls made', inside))).toMatchObject({ stdout: 'made\n' });
    fs.rmSync(file);
    expect(dataOf(await runUndecided('touch made | cat'))).toMatchObject({ returncode: 0 });
    fs.rmSync(file);
    const { returncode } = dataOf(await runWords('touch made', { ...inside, access: 'read-only' })) as {
      returncode: number;
    };
    expect(returncode).not.toBe(0);
    expect(fs.existsSync(file)).toBe(false);
    const cat = `cat ${outside}/secret`;
    expect(dataOf(await runWords(cat, inside))).toMatchObject({ stdout: '', returncode: 1 });
    const folders = [{ path: outside, access: 'read-only' }] as const;
    expect(dataOf(await runWords(cat, { ...inside, folders }))).toMatchObject({ stdout: 'hidden' });
    expect(dataOf(await runWords(`touch ${outside}/x`, { ...inside, folders }))).toMatchObject({
      returncode: 1,
    });
  });

  test('pipes lead from one to the next, and signals are told as outside', async () => {
    const { runWords } = await runningCli({}, { sandbox: sandboxHere });
    expect(dataOf(await runWords('seq 1 100000 | tail -n 1', inside))).toMatchObject({ stdout: '100000\n' });
    expect(dataOf(await runWords('yes | head -n 1', inside))).toMatchObject({ stdout: 'y\n', returncode: 0 });
    expect(dataOf(await runWords("sh -c 'kill -9 $$'", inside))).toMatchObject({ returncode: 137 });
  });
});

describe('what a command sees of the host', () => {
  const env = { PATH: process.env['PATH'], LANG: 'C', SECRET_TOKEN: 'hunter2', HOME: '/nowhere' };

  test('is a small part of its environment, and what the configuration adds', async () => {
    const config = { env: { GIVEN: 'x', FROM_HOST: '${env:SECRET_TOKEN}!' } };
    const { runWords } = await runningCli(config, { env });
    const { stdout } = dataOf(await runWords('env')) as { stdout: string };
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/=.*/s, ''));
    expect(names.toSorted()).toEqual(['FROM_HOST', 'GIVEN', 'HOME', 'LANG', 'PATH', 'PWD']);
    expect(stdout).toContain('FROM_HOST=hunter2!');
  });

  test('a variable that is not there is refused at setup', async () => {
    await expect(runningCli({ env: { A: '${env:NOT_SET_ANYWHERE}' } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('NOT_SET_ANYWHERE') as string,
    });
  });

  test('bash reads no file of the user', async () => {
    const home = temporaryFolder({ '.bashrc': 'echo polluted\n', '.bash_profile': 'echo polluted\n' });
    const { run } = await runningCli({}, { env: { ...env, HOME: home } });
    expect(dataOf(await run('echo a | cat'))).toMatchObject({ stdout: 'a\n', stderr: '' });
  });
});

describe('extra_paths', () => {
  const folder = () =>
    temporaryFolder({
      'bin/frobnicate': program('#!/bin/sh\necho frob\n'),
      'tools/twist': program('#!/bin/sh\necho twist\n'),
    });

  test.each([
    ['a list', (at: string) => [`${at}/bin`, `${at}/tools`]],
    ['a text', (at: string) => `${at}/bin${path.delimiter}${at}/tools`],
    ['relative to the project', () => ['bin', './tools']],
  ])('as %s', async (_, pathsOf) => {
    const at = folder();
    const { run } = await runningCli({ extra_paths: pathsOf(at) }, { folder: at });
    expect(dataOf(await run('frobnicate'))).toMatchObject({ stdout: 'frob\n' });
    expect(dataOf(await run('twist | cat'))).toMatchObject({ stdout: 'twist\n' });
  });

  test('come after those of PATH', async () => {
    const at = temporaryFolder({ 'bin/echo': program('#!/bin/sh\necho wrong\n') });
    const { run } = await runningCli({ extra_paths: 'bin' }, { folder: at });
    expect(dataOf(await run('echo right'))).toMatchObject({ stdout: 'right\n' });
  });

  test('are named when a program is not found, with what may have been meant', async () => {
    const at = folder();
    const { runWords } = await runningCli({ extra_paths: ['bin'] }, { folder: at });
    expect(await runWords('frobnicat --now')).toEqual({
      ok: false,
      error: {
        code: 'REQUIREMENT_MISSING',
        message:
          'Executable "frobnicat" was not found in PATH. Did you mean "frobnicate"? Install it, give its whole path, or add its folder to "extra_paths" in the configuration of plugin "cli".',
        data: { dependency: 'frobnicat', config_key: 'extra_paths' },
      },
    });
  });
});

describe('a program that is named by its path', () => {
  test.each([
    ['./run', { ok: true }],
    [
      './plain',
      { error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('chmod +x') as string } },
    ],
    ['./inner', { error: { code: 'INVALID_ARGUMENTS', message: '"./inner" is a folder, not a program.' } }],
    ['./nope', { error: { code: 'REQUIREMENT_MISSING' } }],
    [
      './broken',
      { error: { code: 'REQUIREMENT_MISSING', message: expect.stringContaining('interpreter') as string } },
    ],
  ])('%s', async (command, expected) => {
    const folder = temporaryFolder({
      run: program('#!/bin/sh\necho ran\n'),
      plain: 'text',
      'inner/file': '',
      broken: program('#!/no/such/interpreter\n'),
    });
    const { runWords } = await runningCli({}, { folder });
    expect(await runWords(command)).toMatchObject(expected);
  });
});

describe('cwd', () => {
  test('is the project, or a folder in it', async () => {
    const folder = temporaryFolder({ 'src/deep/file': '' });
    const { run } = await runningCli({}, { folder });
    expect(dataOf(await run('pwd'))).toMatchObject({ stdout: `${folder}\n` });
    expect(dataOf(await run('pwd', { cwd: 'src/deep' }))).toMatchObject({ stdout: `${folder}/src/deep\n` });
    expect(dataOf(await run('echo $PWD', { cwd: folder }))).toMatchObject({ stdout: `${folder}\n` });
  });

  test.each(['..', '/', '/etc', 'out', 'src/../..', '../nowhere', '/no/such'])('is not %s', async (cwd) => {
    const folder = temporaryFolder({ 'src/file': '', out: link('/tmp') });
    const { run } = await runningCli({}, { folder });
    expect(await run('pwd', { cwd })).toEqual({
      ok: false,
      error: {
        code: 'INVALID_ARGUMENTS',
        message: `cwd "${cwd}" is outside of the folders in which commands may run: ${folder}. Choose one of them or below.`,
      },
    });
  });

  test('has to be there, and a folder', async () => {
    const folder = temporaryFolder({ file: '' });
    const { run } = await runningCli({}, { folder });
    expect(await run('pwd', { cwd: 'nope' })).toMatchObject({
      error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('does not exist') as string },
    });
    expect(await run('pwd', { cwd: 'file' })).toMatchObject({
      error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('is not a folder') as string },
    });
    expect(await run('pwd', { cwd: 'a\0b' })).toMatchObject({ error: { code: 'INVALID_ARGUMENTS' } });
  });

  test('is what the configuration allows', async () => {
    const other = temporaryFolder({ 'a/file': '' });
    const folder = temporaryFolder({ 'work/file': '' });
    const { run } = await runningCli({ allowed_folders: [`${other}/a`, 'work'] }, { folder });
    expect(dataOf(await run('pwd'))).toMatchObject({ stdout: `${folder}\n` });
    expect(dataOf(await run('pwd', { cwd: 'work' }))).toMatchObject({ stdout: `${folder}/work\n` });
    expect(dataOf(await run('pwd', { cwd: `${other}/a` }))).toMatchObject({ stdout: `${other}/a\n` });
    expect(await run('pwd', { cwd: other })).toMatchObject({ ok: false });
    expect(await run('pwd', { cwd: `${other}/a/../b` })).toMatchObject({ ok: false });
  });
});

describe('arguments that make no command', () => {
  test.each([
    ['nothing', {}, 'command: is required'],
    ['an empty command', { command: '' }, 'command'],
    ['a blank command', { command: '  \n' }, 'The command is empty.'],
    ['a NUL in the command', { command: 'a\0b' }, 'NUL'],
    ['a NUL in args', { command: 'echo', args: ['\0'] }, 'NUL'],
    ['args as a text', { command: 'echo', args: 'text' }, 'args'],
    ['no time at all', { command: 'echo', timeout: 0 }, 'timeout'],
    ['a key that nobody knows', { command: 'echo', shell: true }, 'shell'],
  ])('%s', async (_, args, word) => {
    const { call } = await runningCli();
    expect(await call('cli_based_tool', args)).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining(word) as string },
    });
  });

  test.runIf(process.platform === 'linux')('more than the system takes', async () => {
    const { run } = await runningCli();
    expect(await run('echo', { args: ['x'.repeat(99_000), 'y'.repeat(99_000)] })).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('too long') as string },
    });
  });

  test('shell syntax without a shell; plain words need none', async () => {
    const { run } = await runningCli({ shell: 'pluglot-no-such-shell' });
    expect(await run('echo a > /dev/null')).toMatchObject({ error: { code: 'REQUIREMENT_MISSING' } });
    expect(await run('echo a | cat')).toMatchObject({ ok: true });
  });

  test('another shell that the owner names', async () => {
    const { run } = await runningCli({ shell: '/bin/sh' });
    expect(dataOf(await run('echo a | cat'))).toMatchObject({ stdout: 'a\n' });
  });
});

describe('output', () => {
  test('comes as it is printed: stdout as text, stderr as lines of the log', async () => {
    const { start } = await runningCli();
    const { events } = await start('echo one; echo two >&2; printf three >&2; echo four').ended;
    expect(events.filter(({ kind }) => kind === 'log')).toEqual([
      { kind: 'log', level: 'info', message: 'two' },
      { kind: 'log', level: 'info', message: 'three' },
    ]);
    expect(events.flatMap((event) => (event.kind === 'text' ? event.text : [])).join('')).toBe('one\nfour\n');
  });

  test('that is long is cut in the middle, and said so', async () => {
    const { run } = await runningCli({ max_output_chars: 100 });
    const answer = await run('seq 1 100000; seq 1 3 >&2');
    const { stdout, stderr, truncated, truncation_message } = dataOf(answer) as Record<string, string>;
    expect(stdout).toMatch(/^1\n2\n3\n[^]*\n\[… 588795 characters left out …\]\n[^]*\n99999\n100000\n$/);
    expect(stderr).toBe('1\n2\n3\n');
    expect(truncated).toBe(true);
    expect(truncation_message).toMatch(/^stdout had 588895 characters; the first 50 and the last 50/);
    expect(answer.text?.length).toBeLessThan(300);
  });

  test('without an end is bounded until the time limit', async () => {
    const { start, said, clock } = await runningCli({ auto_background_threshold: 0, timeout: 5 });
    const call = start('yes');
    await said(call, 'more than 50000 characters');
    clock.advance(5000);
    const { answer } = await call.ended;
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: 'TIMEOUT',
        message: expect.stringContaining('limit of 5 s') as string,
        data: { timeout_sec: 5 },
      },
      data: { returncode: 143, signal: 'SIGTERM', truncated: true, duration_seconds: 5 },
    });
    expect((answer.data as { stdout: string }).stdout.length).toBeLessThan(50_100);
  });

  test('that is binary is counted', async () => {
    const { run } = await runningCli();
    expect(dataOf(await run('head -c 3000 /dev/urandom'))).toMatchObject({
      stdout: '[3000 bytes of binary data]',
      truncated: true,
      truncation_message: expect.stringContaining('binary data') as string,
    });
  });

  test('may have characters that are cut in two between writes', async () => {
    const { run } = await runningCli();
    const script = `printf '\\342\\202'; sleep 0.05; printf '\\254\\n'; printf '\\360\\237' >&2; sleep 0.05; printf '\\246\\206' >&2`;
    expect(dataOf(await run(script))).toMatchObject({ stdout: '€\n', stderr: '🦆' });
  });
});

describe.runIf(process.platform === 'linux')('no process is left', () => {
  test('when a command leaves one behind', async () => {
    const mark = newRun();
    const { run } = await runningCli();
    expect(dataOf(await run(`sh -c 'exec sleep ${mark}' & echo started`))).toMatchObject({
      stdout: 'started\n',
    });
    await expect.poll(() => survivors(mark)).toEqual([]);
  });

  test('when the caller gives it up', async () => {
    const mark = newRun();
    const { start, said } = await runningCli();
    const call = start(`echo ready; sleep ${mark}; true`);
    await said(call, 'ready');
    expect(survivors(mark)).not.toEqual([]);
    call.running.cancel('enough');
    expect((await call.ended).answer).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
    await expect.poll(() => survivors(mark)).toEqual([]);
  });

  test('when it ignores SIGTERM, with what it started', async () => {
    const mark = newRun();
    const { start, said, clock } = await runningCli();
    const call = start(`trap '' TERM; sleep ${mark} & echo ready; while :; do sleep 0.1; done`, {
      timeout: 3,
    });
    await said(call, 'ready');
    clock.advance(3000);
    expect((await call.ended).answer).toMatchObject({
      ok: false,
      error: { code: 'TIMEOUT' },
      data: { stdout: 'ready\n', returncode: 137, signal: 'SIGKILL' },
    });
    await expect.poll(() => survivors(mark)).toEqual([]);
  });

  test('when the plugin ends, and none is started after that', async () => {
    const mark = newRun();
    const { start, said, run, teardown } = await runningCli();
    const call = start(`echo ready; sleep ${mark}; true`);
    await said(call, 'ready');
    // Not yet started by then.
    const late = start(`sleep ${mark}; true`);
    await teardown();
    await expect.poll(() => survivors(mark)).toEqual([]);
    expect((await call.ended).answer).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
    expect((await late.ended).answer).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
    expect(await run('echo hi')).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
    await expect.poll(() => survivors(mark)).toEqual([]);
  });
});

test('files can be written where a command runs', async () => {
  const { run, folder } = await runningCli();
  expect(dataOf(await run('echo kept > note.txt'))).toMatchObject({ returncode: 0 });
  expect(fs.readFileSync(path.join(folder, 'note.txt'), 'utf8')).toBe('kept\n');
});

function dataOf(answer: Answer): unknown {
  expect(answer).toMatchObject({ ok: true });
  return answer.data;
}
