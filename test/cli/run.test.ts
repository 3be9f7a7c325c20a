// Plugins inside of the host and their commands, what the gate says to what is typed, and what is written down of it.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { cli, type CliOptions, fixture, startCli } from '../support/surface/command-line.ts';
import { root } from '../support/project.ts';
import { callOverHttp, servedAt } from '../support/surface/running-up.ts';
import { onScreen } from '../support/surface/screen.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const module = `
export function createPlugin() {
  let count = 0;
  return {
    name: 'greeter',
    getFunctionDeclarations: () => [{
      name: 'greet',
      description: 'Greets somebody.',
      parametersJsonSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    }],
    getExecutors: () => ({
      greet: ({ name }) => 'Hello ' + name,
      shout: ({ words }) => words.toUpperCase(),
      count: () => ({ count: (count += 1) }),
    }),
    getUserCommands: () => [
      { name: 'shout', description: 'Shouts.', parameters: [{ name: 'words', required: true, captureRest: true }], complete: () => ['alpha', '$(touch evil)'] },
      { name: 'count', description: 'Counts.' },
    ],
    getSystemInstructions: () => 'Be kind.',
  };
}
`;

const quiz = `
import { definePlugin, result } from ${JSON.stringify(pathToFileURL(path.join(root, 'dist/sdk/index.js')).href)};
export const createPlugin = () =>
  definePlugin({
    name: 'quiz',
    version: '1.0.0',
    tools: { quiz: { handler: () => result({ text: 'What is 6 times 7?', keepSession: true }) } },
    onInput(content, { keepSession }) {
      if (content === '42') return 'Right.';
      keepSession();
      return 'Try again.';
    },
  });
`;

test('a module of the project: nothing of it is loaded before it is trusted, then its tools and commands are there', async () => {
  const { run } = project({ 'plugins/greeter.mjs': `${module}globalThis.loaded?.();` });
  expect(await run('call', 'greet', 'name=Ada')).toMatchObject({ exitCode: 4 });
  expect(await run('run', 'shout', 'x')).toMatchObject({ exitCode: 4 });
  expect(await run('inspect', 'greeter')).toMatchObject({ exitCode: 4 });
  const listed = await run('plugins');
  expect(listed.stdout).toMatch(/^greeter +in-process +not trusted +plugins\/greeter\.mjs$/m);
  expect(listed.stderr).toContain('Not run: greeter');

  await run('trust', 'add', '.');
  expect(await run('call', 'greet', 'name=Ada')).toEqual({ exitCode: 0, stdout: 'Hello Ada\n', stderr: '' });
  expect(await run('call', 'greeter__greet', 'name=Bo')).toMatchObject({ stdout: 'Hello Bo\n' });
  expect(await run('call', 'greet')).toMatchObject({ exitCode: 2 });
  expect(await run('run', 'shout', 'a', 'b')).toEqual({ exitCode: 0, stdout: 'A B\n', stderr: '' });
  expect((await run('run', 'shout', '--', '-x')).stdout).toBe('-X\n');
  const wrong = await run('run', 'shout');
  expect(wrong).toMatchObject({ exitCode: 2 });
  expect(wrong.stderr).toBe(
    '✗ Command "greeter__shout": "words" is missing. It is used like this: greeter__shout WORDS… (INVALID_ARGUMENTS)\n',
  );
  expect((await run('run', 'shuot')).stderr).toContain('Did you mean "greeter__shout"?');
  expect(JSON.parse((await run('run', 'count', '--json')).stdout)).toMatchObject({
    ok: true,
    data: { count: 1 },
  });
  expect((await run('run')).stdout).toMatch(/^greeter__shout WORDS… +greeter +Shouts\.$/m);
  expect(JSON.parse((await run('tools', '--json')).stdout)).toEqual([
    expect.objectContaining({ name: 'greeter__greet', plugin: 'greeter' }),
  ]);
  const inspected = await run('inspect', 'greeter');
  expect(inspected.stdout).toMatch(/^greeter .* runs in this host\n/);
  expect(inspected.stdout).toContain('\nCommands\n  shout WORDS…\n    Shouts.\n');
  expect(inspected.stdout).toContain('\nInstructions\n  Be kind.\n');
  expect((await run('__complete', '--', 'run', 'gr')).stdout).toBe('greeter__count\ngreeter__shout\n');
  expect((await run('__complete', '--', 'run', 'sh')).stdout).toBe('shout\n');
  expect((await run('__complete', '--', 'run', 'shout', '')).stdout).toBe('alpha\n');
});

test('what two modules have is called with the name of its plugin', async () => {
  const { run } = project({
    'plugins/greeter.mjs': module,
    'plugins/host.mjs': module.replaceAll('greeter', 'host').replace("'Hello '", "'Welcome '"),
  });
  await run('trust', 'add', '.');
  for (const [kind, words] of [
    ['tool', ['call', 'greet', 'name=Ada']],
    ['tool', ['talk', 'greet', 'name=Ada']],
    ['command', ['run', 'shout', 'x']],
  ] as const)
    expect(await run(...words)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `✗ Several plugins have a ${kind} "${words[1]}": name it as one of "greeter__${words[1]}", "host__${words[1]}". (UNKNOWN_TOOL)\n`,
    });
  expect(await run('call', 'host__greet', 'name=Ada')).toMatchObject({ stdout: 'Welcome Ada\n' });
  expect(await run('run', 'greeter__shout', 'x')).toMatchObject({ stdout: 'X\n' });
  expect((await run('__complete', '--', 'run', 'sh')).stdout).toBe('');
});

test('a module whose plugin hears what the user says is talked with, here and where `up` runs', async () => {
  const { run, options } = project({ 'plugins/quiz.mjs': quiz, 'plugins/greeter.mjs': module });
  await run('trust', 'add', '.');
  const said = { ...options, input: '41\n42\nnobody hears this\n' };
  const talked = { exitCode: 0, stdout: 'What is 6 times 7?\nTry again.\nRight.\n', stderr: '' };
  expect(await cli(['talk', 'quiz'], said)).toEqual(talked);
  const { stdout } = await cli(['talk', 'quiz', '--json'], { ...options, input: '41\n/exit\n' });
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { keepSession?: boolean }).keepSession)).toEqual([
    true,
    true,
  ]);
  expect((await run('inspect', 'quiz')).stdout).toMatch(/^ +capabilities +\["talk"\]$/m);
  expect(await run('talk', 'greet', 'name=Ada')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      '✗ greeter__greet: Plugin "greeter" holds no conversations, since it has no onInput. Call the tool instead of talking with it. (NOT_TALKING)\n',
  });

  const up = startCli(['up'], options);
  await up.until('stdout', /2 of 2 plugins are ready\./);
  expect(await cli(['talk', 'quiz'], said)).toEqual(talked);
  const talk = startCli(['talk', 'quiz'], options);
  await talk.until('stdout', /What is/);
  // It goes on while nobody says anything, and ends with its plugin.
  await run('stop', 'quiz');
  talk.child.stdin.write('42\n');
  expect(await talk.ended).toBe(2);
  expect(talk.stderr).toMatch(/\(NOT_TALKING\)\n$/);
  up.child.kill('SIGTERM');
  expect(await up.ended).toBe(130);
});

test('built-in plugins are shown with --all, and found by name where nothing else has it', async () => {
  const { run } = project({ 'plugins/cli_like.mjs': module.replaceAll('greeter', 'cli_like') });
  expect((await run('plugins')).stdout).not.toMatch(/^todo /m);
  expect((await run('plugins', '--all')).stdout).toMatch(/^todo +in-process +stopped +built in$/m);
  const tools = JSON.parse((await run('tools', '--all', '--json')).stdout) as { name: string }[];
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'cli__cli_based_tool',
      'todo__createPlan',
      'web_search__web_search',
      'permission__askPermission',
      'references__listReferences',
    ]),
  );
  expect((await run('inspect', 'todo')).stdout).toMatch(/^todo .* runs in this host\n/);
  const called = await run('call', 'cli_based_tool', 'command=echo hello', '--json');
  expect(JSON.parse(called.stdout)).toMatchObject({ ok: true, data: { stdout: 'hello\n', returncode: 0 } });
  expect((await run('run', 'permissions', 'show')).exitCode).toBe(0);
});

test('what a deny rule forbids is denied to the one who types, too: 4, with a sentence', async () => {
  const { run, cwd } = project({
    'pluglot.json': {
      plugins: {
        talker: { command: 'node', args: [fixture('gassist/well-behaved.mjs')], dialect: 'gassist' },
      },
    },
    // A project that nobody trusts can say no.
    'permissions.json': { blacklist: { tools: ['count'] } },
  });
  const typed = [
    'call',
    'count',
    'to=1',
    '--dialect',
    'gassist',
    '--',
    'node',
    fixture('gassist/well-behaved.mjs'),
  ];
  const denied = await run(...typed);
  expect(denied).toMatchObject({ exitCode: 4, stdout: '' });
  expect(denied.stderr).toMatch(/✗ well-behaved__count: Permission denied: .*\(PERMISSION_DENIED\)\n$/);
  expect(JSON.parse((await run('call', '--json', ...typed.slice(1))).stdout)).toMatchObject({
    ok: false,
    error: { code: 'PERMISSION_DENIED' },
  });
  expect(await run('talk', ...typed.slice(1))).toMatchObject({ exitCode: 4 });
  fs.rmSync(path.join(cwd, 'permissions.json'));
  expect(await run(...typed)).toMatchObject({ exitCode: 0, stdout: '1 done\n' });

  const listed = await run('audit', '--json');
  const rows = listed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; outcome: string });
  expect(rows.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    'well-behaved__count denied',
    'well-behaved__count denied',
    'well-behaved__count denied',
    'well-behaved__count ok',
  ]);
  expect((await run('audit', '--denied', '-n', '1')).stdout).toMatch(
    /user +well-behaved__count +\{"to":1\} +well-behaved +denied +denied \(deny-rule\): /,
  );
  expect((await run('audit', '--since', '2000-01-01', '--tool', 'nothing')).stderr).toBe(
    'Nothing like that was called.\n',
  );
});

test('any byte of the log that is changed is found', async () => {
  const { run, home } = project({});
  expect(await run('audit')).toMatchObject({ exitCode: 0, stderr: 'Nothing was called yet.\n' });
  expect(await run('audit', 'verify')).toMatchObject({ exitCode: 3 });
  await run('call', 'cli_based_tool', 'command=true');
  expect(await run('audit', 'verify')).toMatchObject({ exitCode: 0 });
  const folder = path.join(home, 'pluglot/state/audit');
  const [log = ''] = fs.readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const file = path.join(folder, log);
  const bytes = fs.readFileSync(file);
  for (const at of [0, 20, Math.floor(bytes.length / 2), bytes.length - 2]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    fs.writeFileSync(file, changed);
    const verified = await run('audit', 'verify', '--json');
    expect(verified.exitCode).toBe(1);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: false, problems: [{ file }] });
  }
  fs.writeFileSync(file, bytes);
  expect(await run('audit', 'verify')).toMatchObject({ exitCode: 0 });
});

test('while `up` runs, commands run there: what it remembers is what they show', async () => {
  const { run, options } = project({ 'plugins/greeter.mjs': module });
  await run('trust', 'add', '.');
  const up = startCli(['up', '--port', '0'], options);
  await up.until('stdout', /1 of 1 plugin is ready\./);
  expect(JSON.parse((await run('run', 'count', '--json')).stdout)).toMatchObject({ data: { count: 1 } });
  expect(JSON.parse((await run('run', 'count', '--json')).stdout)).toMatchObject({ data: { count: 2 } });
  expect((await run('status')).stdout).toMatch(/^greeter +in-process +0 +1 +ready/m);
  expect(await run('call', 'greet', 'name=Ada')).toMatchObject({ exitCode: 0, stdout: 'Hello Ada\n' });
  expect((await run('__complete', '--', 'run', 'shout', 'a')).stdout).toBe('alpha\n');
  await run('run', 'permissions', 'deny', 'greet');
  expect(await run('call', 'greet', 'name=Ada')).toMatchObject({ exitCode: 4 });
  await run('stop', 'greeter');
  expect(JSON.parse((await run('restart', 'greeter', '--json')).stdout)).toMatchObject({ state: 'ready' });
  expect(JSON.parse((await run('run', 'count', '--json')).stdout)).toMatchObject({ data: { count: 1 } });
  up.child.kill('SIGTERM');
  expect(await up.ended).toBe(130);
});

test('where the rules do not decide, the person at the terminal of `up` is asked', async () => {
  const { run, home, cwd } = project({ 'plugins/greeter.mjs': module });
  await run('trust', 'add', '.');
  const screen = onScreen(['up', '--port', '0'], {}, cwd, home);
  await screen.until(/1 of 1 plugin is ready\./);
  const args = { tool_name: 'greet', intent: 'to be polite', arguments: { name: 'Ada' } };
  const ask = () => callOverHttp(servedAt(screen.text()), 'askPermission', args, { kind: 'model' });
  const first = ask();
  await screen.until(/pluglot asks · .*greet.*to be polite.*Allow it\? \(no\) > $/s);
  screen.type('y\r');
  expect(await first).toMatchObject({ ok: true, data: { allowed: true } });
  const second = ask();
  await screen.until(/Allow it\? \(no\) > .*Allow it\? \(no\) > $/s);
  screen.type('\r');
  expect(await second).toMatchObject({ data: { allowed: false } });
  screen.type('\u0003');
  expect(await screen.ended).toBe(130);
});

function project(files: Parameters<typeof temporaryFolder>[0]) {
  const options: CliOptions = { home: temporaryFolder(), cwd: temporaryFolder(files) };
  return {
    options,
    home: options.home,
    cwd: options.cwd ?? '',
    run: (...args: string[]) => cli(args, options),
  };
}
