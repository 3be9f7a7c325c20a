// Commands that go on in the background, as their caller sees them.
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import type { Answer } from '../../definition/outcome.ts';
import { spawn } from '../../fleet/supervisor/spawn.ts';
import { newRun, survivors } from '../../../test/support/fleet/process-table.ts';
import { type RunningCli, runningCli } from '../../../test/support/plugins/running-cli.ts';
import { running } from '../../../test/support/definition/running-definition.ts';
import { namedPipe, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { noSandbox } from '../../../test/support/gate/policy.ts';
import { cliPlugin } from './cli-plugin.ts';

const writableFolders = () => [];
const sandbox = async () => noSandbox;
const execution = { kind: 'as-written' } as const;

describe('a command that takes long', () => {
  test('continues as a task after ten seconds, and reports its end', async () => {
    const { cli, letGo } = await withPipe();
    const call = cli.start('echo begun; cat pipe; echo warned >&2; exit 3');
    await cli.said(call, 'begun');
    cli.clock.advance(10_000);
    const { task_id: id, ...report } = dataOf((await call.ended).answer);
    expect(report).toEqual({
      stdout: 'begun\n',
      stderr: '',
      returncode: null,
      duration_seconds: 10,
      status: 'running',
      message: `The command continues in the background as ${String(id)}. Use cli_task_status to see its output and how it ends, cli_task_cancel to end it.`,
    });
    const looked = cli.call('cli_task_status', { task_id: id as string, wait: 20 });
    await letGo('more\n');
    expect(dataOf(await looked)).toEqual({
      task_id: id,
      command: 'echo begun; cat pipe; echo warned >&2; exit 3',
      cwd: cli.folder,
      status: 'exited',
      started_at: '1970-01-01T00:00:00.000Z',
      stdout: 'begun\nmore\n',
      stderr: 'warned\n',
      returncode: 3,
      duration_seconds: 10,
    });
  });

  test('is waited for no longer than asked', async () => {
    const { cli } = await withPipe();
    const id = await inBackground(cli, 'cat pipe');
    const looked = cli.call('cli_task_status', { task_id: id, wait: 5 });
    await expect.poll(() => cli.clock.waiting).toBe(1);
    cli.clock.advance(5000);
    expect(dataOf(await looked)).toMatchObject({ status: 'running', returncode: null, duration_seconds: 5 });
  });

  test('goes on as soon as the owner wants it, or never', async () => {
    const { cli } = await withPipe({ auto_background_threshold: 2 });
    const soon = cli.start('echo begun; cat pipe');
    await cli.said(soon, 'begun');
    cli.clock.advance(2000);
    expect((await soon.ended).answer).toMatchObject({ data: { status: 'running' } });

    const { cli: patient, letGo } = await withPipe({ auto_background_threshold: 0 });
    const never = patient.start('echo begun; cat pipe');
    await patient.said(never, 'begun');
    patient.clock.advance(599_000);
    await letGo('');
    expect((await never.ended).answer).toMatchObject({ data: { returncode: 0, duration_seconds: 599 } });
  });

  test('is ended at its time limit as a task too', async () => {
    const { cli } = await withPipe({ timeout: 60 });
    const call = cli.start('echo begun; cat pipe');
    await cli.said(call, 'begun');
    cli.clock.advance(10_000);
    const { task_id: id } = dataOf((await call.ended).answer);
    cli.clock.advance(50_000);
    expect(dataOf(await cli.call('cli_task_status', { task_id: id as string, wait: 20 }))).toMatchObject({
      status: 'timed_out',
      returncode: 143,
      signal: 'SIGTERM',
      stdout: 'begun\n',
    });
  });
});

describe('a task that is started as one', () => {
  test('is returned at once, without a limit of its own', async () => {
    const { cli, letGo } = await withPipe({ timeout: 1 });
    const id = await inBackground(cli, 'cat pipe');
    cli.clock.advance(3_600_000);
    await letGo('late\n');
    await expect
      .poll(() => cli.call('cli_task_status', { task_id: id }))
      .toMatchObject({ data: { status: 'exited', stdout: 'late\n', returncode: 0 } });
  });

  test('has the limit that is asked for', async () => {
    const { cli } = await withPipe();
    const id = await inBackground(cli, 'cat pipe', { timeout: 7 });
    cli.clock.advance(7000);
    await expect
      .poll(() => cli.call('cli_task_status', { task_id: id }))
      .toMatchObject({ data: { status: 'timed_out', duration_seconds: 7 } });
  });

  test.runIf(process.platform === 'linux')('that cannot be started is no task', async () => {
    const { cli } = await withPipe();
    const args = ['x'.repeat(99_000), 'y'.repeat(99_000)];
    expect(await cli.run('echo', { args, background: true })).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGUMENTS' },
    });
    expect(await cli.call('cli_task_list')).toMatchObject({ data: { task_count: 0, tasks: [] } });
  });
});

describe.runIf(process.platform === 'linux')('cli_task_cancel', () => {
  test('ends the task with all it started, also when asked again', async () => {
    const mark = newRun();
    const { cli } = await withPipe();
    const id = await inBackground(cli, `sleep ${mark} & sleep ${mark}; true`);
    await expect.poll(() => survivors(mark).length).toBeGreaterThan(1);
    const ended = { task_id: id, status: 'cancelled', returncode: 143, signal: 'SIGTERM' };
    expect(dataOf(await cli.call('cli_task_cancel', { task_id: id }))).toMatchObject(ended);
    await expect.poll(() => survivors(mark)).toEqual([]);
    expect(dataOf(await cli.call('cli_task_cancel', { task_id: id }))).toMatchObject(ended);
  });

  test('leaves the end of a task as it was', async () => {
    const { cli, letGo } = await withPipe();
    const id = await inBackground(cli, 'cat pipe');
    await letGo('x');
    await cli.call('cli_task_status', { task_id: id, wait: 20 });
    expect(dataOf(await cli.call('cli_task_cancel', { task_id: id }))).toMatchObject({
      status: 'exited',
      returncode: 0,
      stdout: 'x',
    });
  });
});

test.each(['cli_task_status', 'cli_task_cancel'])('%s of an unknown task', async (tool) => {
  const { cli } = await withPipe();
  expect(await cli.call(tool, { task_id: 'task_1' })).toEqual({
    ok: false,
    error: {
      code: 'INVALID_ARGUMENTS',
      message:
        'The background task "task_1" does not exist. There are no tasks. The last 20 that ended are kept.',
    },
  });
  const id = await inBackground(cli, 'cat pipe');
  expect(await cli.call(tool, { task_id: 'task_1' })).toMatchObject({
    error: { message: expect.stringContaining(`Known are ${id}.`) as string },
  });
});

describe('many tasks', () => {
  test('at once are refused, and one that would become a task stays in the foreground', async () => {
    const { cli, letGo } = await withPipe({ max_tasks: 2 });
    const ids = [await inBackground(cli, 'cat pipe'), await inBackground(cli, 'cat pipe')];
    expect(await cli.run('cat pipe', { background: true })).toMatchObject({
      ok: false,
      error: { code: 'TOO_MANY_CALLS', message: expect.stringContaining('2 background tasks') as string },
    });
    const call = cli.start('echo begun; cat other');
    await cli.said(call, 'begun');
    cli.clock.advance(10_000);
    expect(dataOf(await cli.call('cli_task_list'))).toMatchObject({
      task_count: 2,
      tasks: ids.map((id) => ({ task_id: id, command: 'cat pipe', status: 'running', returncode: null })),
    });
    await letGo('', 'other');
    expect((await call.ended).answer).toMatchObject({ data: { stdout: 'begun\n', returncode: 0 } });
  });

  test('that ended are forgotten, the oldest first', async () => {
    const { cli } = await withPipe();
    const ids: string[] = [];
    for (let count = 0; count < 22; count++) {
      const id = await inBackground(cli, 'true');
      ids.push(id);
      await cli.call('cli_task_status', { task_id: id, wait: 20 });
    }
    const { tasks } = dataOf(await cli.call('cli_task_list')) as { tasks: { task_id: string }[] };
    expect(tasks.map(({ task_id }) => task_id)).toEqual(ids.slice(1));
  });
});

describe.runIf(process.platform === 'linux')('the end of the plugin', () => {
  test('ends its tasks, stubborn ones too', async () => {
    const mark = newRun();
    const { cli } = await withPipe();
    await inBackground(cli, `trap '' TERM; sleep ${mark} & while :; do sleep 0.1; done`);
    await inBackground(cli, `sleep ${mark}`);
    await expect.poll(() => survivors(mark).length).toBeGreaterThan(2);
    await cli.teardown();
    await expect.poll(() => survivors(mark)).toEqual([]);
  });

  test('is no end of its definition: it can be run again, with nothing of before', async () => {
    const definition = cliPlugin({
      env: {},
      cwd: temporaryFolder(),
      spawn,
      now: () => new Date(),
      sandbox,
      writableFolders,
    });
    for (const round of ['one', 'two']) {
      const plugin = running(definition);
      await plugin.backend.setup?.({});
      expect((await plugin.call('cli_task_list')).answer).toMatchObject({ data: { task_count: 0 } });
      expect(
        (await plugin.call('cli_based_tool', { command: `echo ${round}` }, { execution })).answer,
      ).toMatchObject({
        data: { stdout: `${round}\n` },
      });
      await plugin.call('cli_based_tool', { command: 'sleep 1000', background: true }, { execution });
      await plugin.backend.teardown();
    }
  });
});

test('what it says of itself', () => {
  const { tools, autoApprove, instructions } = cliPlugin({
    env: {},
    cwd: '/',
    spawn,
    now: () => new Date(),
    sandbox,
    writableFolders,
  });
  expect(tools.map(({ name, hints }) => [name, hints?.readOnly, hints?.destructive ?? false])).toEqual([
    ['cli_based_tool', false, true],
    ['cli_task_status', true, false],
    ['cli_task_cancel', false, true],
    ['cli_task_list', true, false],
  ]);
  expect(autoApprove).toEqual(['cli_task_status', 'cli_task_list']);
  for (const { name } of tools) expect(instructions).toContain(name);
});

describe('what a person is told before', () => {
  const FREE = 'It runs in bash, outside of the sandbox, with all that you may do on this machine.';
  const { tools } = cliPlugin({ env: {}, cwd: '/', spawn, now: () => new Date(), sandbox, writableFolders });
  const described = (name: string, args: JsonObject) =>
    tools.find((tool) => tool.name === name)?.describe?.(args);

  test.each([
    [{ command: 'git status' }, 'Run: git status', FREE],
    [{ command: 'echo', args: ['a b', '$(id)'] }, "Run: echo 'a b' '$(id)'", FREE],
    [
      { command: 'make | tee log', cwd: 'sub dir', timeout: 5, background: true },
      'Run: make | tee log',
      `${FREE} In the folder 'sub dir'. For up to 5 s. In the background.`,
    ],
    [
      { command: 'cd src\nmake' },
      'Run a command of 11 characters',
      `${FREE} No rule can allow it, since it has a command of the shell itself (cd).\ncd src\nmake`,
    ],
    [{ command: 'echo "' }, 'Run: echo "', `${FREE} No rule can allow it, since it has an open quote.`],
  ])('%o', (args, summary, details) => {
    expect(described('cli_based_tool', args)).toEqual({ summary, details });
  });

  test('nothing of a task that is not there', () => {
    expect(described('cli_task_cancel', { task_id: 'task_0' })).toBeUndefined();
  });
});

/** A plugin in whose folder a command can wait for a word of the test: `cat pipe`. Each pipe that is written to has one reader. */
async function withPipe(config = {}) {
  const folder = temporaryFolder({ pipe: namedPipe(), other: namedPipe() });
  const cli = await runningCli(config, { folder });
  return { cli, letGo: (text: string, pipe = 'pipe') => fs.writeFile(path.join(folder, pipe), text) };
}

async function inBackground(cli: RunningCli, command: string, more = {}): Promise<string> {
  const { task_id: id } = dataOf(await cli.run(command, { background: true, ...more }));
  expect(id).toMatch(/^task_[0-9a-f]{8}$/);
  return id as string;
}

function dataOf(answer: Answer): Readonly<Record<string, unknown>> {
  expect(answer).toMatchObject({ ok: true });
  return answer.data as Readonly<Record<string, unknown>>;
}
