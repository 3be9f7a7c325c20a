// The audit of several processes at once: read as one, and verified against what others can do to the files.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cli, type CliOptions, startCli } from '../support/surface/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const module = `
export const createPlugin = () => ({
  name: 'greeter',
  getFunctionDeclarations: () => [{
    name: 'greet',
    description: 'Greets.',
    parametersJsonSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  }],
  getExecutors: () => ({ greet: ({ name }) => 'Hello ' + name }),
});
`;

interface Problem {
  readonly file: string;
  readonly problem: string;
  readonly fix?: string;
}

async function place(audit: object = {}) {
  const options: CliOptions = {
    home: temporaryFolder({ 'pluglot/pluglot.json': { gate: { audit } } }),
    cwd: temporaryFolder({ 'plugins/greeter.mjs': module }),
  };
  const run = (...args: string[]) => cli(args, options);
  await run('trust', 'add', '.');
  const state = path.join(options.home, 'pluglot/state');
  return {
    options,
    run,
    folder: path.join(state, 'audit'),
    index: path.join(state, 'audit-index'),
    problems: async (): Promise<readonly Problem[]> => {
      const { stdout, exitCode } = await run('audit', 'verify', '--json');
      const { ok, problems } = JSON.parse(stdout) as { ok: boolean; problems: readonly Problem[] };
      expect([ok, exitCode !== 0]).toEqual([problems.length === 0, problems.length > 0]);
      return problems;
    },
  };
}

test('processes write at once, each a log of its own, and what one is killed in the middle of hurts no other', async () => {
  const { options, run, folder, problems } = await place();
  const up = startCli(['up', '--port', '0'], options);
  await up.until('stdout', /1 of 1 plugin is ready\./);
  // These run in `up`.
  expect((await run('call', 'greet', 'name=up')).stdout).toBe('Hello up\n');
  up.child.kill('SIGKILL');
  await up.ended;
  const names = ['a', 'b', 'c', 'd'];
  const called = await Promise.all(names.map((name) => run('call', 'greet', `name=${name}`)));
  expect(called.map(({ stdout }) => stdout)).toEqual(names.map((name) => `Hello ${name}\n`));
  for (const name of ['e', 'f']) await run('call', 'greet', `name=${name}`);

  const rows = (await run('audit', '-n', '0', '--json')).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { at: string; name: string; outcome: string });
  expect(rows.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(Array(7).fill('greeter__greet ok'));
  expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).toSorted());
  // As many logs as processes at once, and that of the one that was killed.
  const logs = fs.readdirSync(folder).length;
  expect(logs).toBeGreaterThan(1);
  expect(logs).toBeLessThanOrEqual(1 + names.length);
  expect(await problems()).toEqual([]);
}, 120_000);

test('an older state of the audit folder, a deleted log and files that others can read are found', async () => {
  const { run, folder, index, problems } = await place();
  await run('call', 'greet', 'name=Ada');
  const before = temporaryFolder();
  fs.cpSync(folder, before, { recursive: true });
  await run('call', 'greet', 'name=Bea');
  expect(await problems()).toEqual([]);
  const now = temporaryFolder();
  fs.cpSync(folder, now, { recursive: true });

  fs.cpSync(before, folder, { recursive: true });
  expect(await problems()).toMatchObject([
    { problem: expect.stringMatching(/^The end is missing: 4 lines were written, 2 are there\./) as string },
  ]);
  fs.rmSync(folder, { recursive: true });
  expect(await problems()).toMatchObject([{ problem: expect.stringContaining('0 are there') as string }]);
  fs.cpSync(now, folder, { recursive: true });
  fs.chmodSync(folder, 0o700);

  const key = path.join(index, 'audit.key');
  fs.chmodSync(key, 0o644);
  expect(await problems()).toEqual([
    { file: key, problem: 'Other users of this machine can read it.', fix: `chmod 600 ${key}` },
  ]);
  const shown = await run('audit', 'verify');
  expect(shown.stderr).toContain(`✗ ${key}: Other users of this machine can read it.\n  chmod 600 ${key}\n`);
  expect((await run('doctor')).stdout).toContain('audit-open');
  fs.chmodSync(key, 0o600);
  expect(await run('audit', 'verify')).toMatchObject({
    exitCode: 0,
    stdout: '✓ 4 lines are as they were written.\n',
    stderr: '',
  });
}, 120_000);

test('an older state of all state is found by the heads that were sent to another disk', async () => {
  const file = path.join(temporaryFolder(), 'heads.jsonl');
  const { options, run, problems } = await place({ sendHead: { file } });
  const state = path.join(options.home, 'pluglot/state');
  await run('call', 'greet', 'name=Ada');
  const before = temporaryFolder();
  fs.cpSync(state, before, { recursive: true });
  await run('call', 'greet', 'name=Bea');
  expect(await problems()).toEqual([]);
  fs.rmSync(state, { recursive: true });
  fs.cpSync(before, state, { recursive: true });
  fs.chmodSync(path.join(state, 'audit-index'), 0o700);
  expect(await problems()).toMatchObject([
    { problem: `${file} knows 4 lines, 2 are there: the log was rolled back, or its end removed.` },
  ]);
}, 120_000);

test('a head that cannot be sent is said, and stops calls only where it is required', async () => {
  const file = path.join(temporaryFolder(), 'not-mounted/heads.jsonl');
  const told = await place({ sendHead: { file } });
  const called = await told.run('call', 'greet', 'name=Ada');
  expect(called).toMatchObject({ exitCode: 0, stdout: 'Hello Ada\n' });
  expect(called.stderr).toContain('The head of the audit log could not be sent: ENOENT');
  const strict = await place({ sendHead: { file, required: true } });
  const refused = await strict.run('call', 'greet', 'name=Ada');
  expect(refused).toMatchObject({ stdout: '' });
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('as gate.audit.sendHead requires: ENOENT');
}, 120_000);
