// The plugin as hosts and models see it.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { around, running, started } from '../../../test/support/definition/running-definition.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { JsonObject } from '../../base/json.ts';
import { todoPlugin } from './todo-plugin.ts';

interface StepAnswer {
  readonly step_id: string;
}

function setUp({ cwd = '/nowhere', env = {}, dataFolder = '/data', firstId = 0, at = 0 } = {}) {
  const printed: string[] = [];
  let ids = firstId;
  let seconds = at;
  const definition = todoPlugin(
    {
      cwd,
      env,
      fetch: () => Promise.resolve(new Response('')),
      now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, (seconds += 1))),
      print: (line) => void printed.push(line),
    },
    { newId: () => String((ids += 1)).padStart(12, '0') },
  );
  const run = running(definition, { dataFolder: () => dataFolder });
  const call = async (tool: string, args: JsonObject = {}) => (await run.call(tool, args)).answer;
  const data = async <Data = JsonObject>(tool: string, args: JsonObject = {}) => {
    const answer = await call(tool, args);
    if (!answer.ok) throw new Error(answer.error.message);
    // What the tool is known to answer.
    return answer.data as unknown as Data;
  };
  const command = async (args: JsonObject = {}) =>
    (
      await started(
        (sink) =>
          run.backend.commands?.run({ ...around, tool: 'plan', args }, sink) ?? {
            cancel: () => 'free' as const,
          },
      ).ended
    ).answer;
  return { ...run, definition, printed, call, data, command };
}

test('what it says of itself', () => {
  const { manifest } = setUp().backend;
  expect(manifest.tools.map(({ name }) => name)).toEqual([
    'createPlan',
    'startPlan',
    'updateStep',
    'getPlanStatus',
    'completePlan',
    'addStep',
  ]);
  const approved = manifest.tools.filter(({ autoApprove }) => autoApprove).map(({ name }) => name);
  expect(approved).not.toContain('startPlan');
  expect(approved).toHaveLength(5);
  expect(manifest.commands).toMatchObject([{ name: 'plan', shareWithModel: false }]);
  expect(manifest.instructions).toContain('startPlan');
});

test('a plan from its beginning to its end', async () => {
  const { data, call, printed } = setUp();
  const plan = await data<{ steps: StepAnswer[] }>('createPlan', {
    title: 'Tidy up',
    steps: ['look', 'sweep'],
  });
  expect(plan).toEqual({
    plan_id: '000000000001',
    title: 'Tidy up',
    status: 'active',
    steps: [
      { step_id: '000000000002', sequence: 1, description: 'look', status: 'pending' },
      { step_id: '000000000003', sequence: 2, description: 'sweep', status: 'pending' },
    ],
    progress: { total: 2, completed: 0, failed: 0, skipped: 0, in_progress: 0, pending: 2, percent: 0 },
  });
  const [first, second] = plan.steps as [StepAnswer, StepAnswer];
  expect(await call('updateStep', { step_id: first.step_id, status: 'completed' })).toMatchObject({
    ok: false,
    error: { code: 'TOOL_FAILED', message: 'Plan not started. Call startPlan first to get user approval.' },
  });
  expect(await data('startPlan')).toMatchObject({
    approved: true,
    message: 'Plan approved by user. You may proceed with execution.',
    steps: [{ sequence: 1, description: 'look' }, { sequence: 2 }],
  });
  await data('updateStep', { step_id: first.step_id, status: 'in_progress' });
  expect(await data('getPlanStatus')).toMatchObject({ current_step: 1, started: true, status: 'active' });
  expect(await data('updateStep', { step_id: first.step_id, status: 'completed', result: 'dust' })).toEqual({
    step_id: first.step_id,
    sequence: 1,
    description: 'look',
    status: 'completed',
    result: 'dust',
    error: null,
    progress: { total: 2, completed: 1, failed: 0, skipped: 0, in_progress: 0, pending: 1, percent: 50 },
  });
  const added = await data<StepAnswer & { total_steps: number }>('addStep', {
    description: 'wash',
    after_step_id: first.step_id,
  });
  expect(added).toMatchObject({ sequence: 2, total_steps: 3 });
  expect(await call('completePlan', { status: 'completed' })).toMatchObject({ ok: false });
  await data('updateStep', { step_id: added.step_id, status: 'skipped' });
  await data('updateStep', { step_id: second.step_id, status: 'failed', error: 'no broom' });
  expect(await data('completePlan', { status: 'completed', summary: 'well' })).toMatchObject({
    status: 'completed',
    summary: 'well',
    completed_at: expect.stringContaining('2026-01-01') as string,
  });
  expect(await data('getPlanStatus')).toMatchObject({ status: 'completed', current_step: null });
  expect(printed.at(-4)).toBe('PLAN COMPLETED: Tidy up');
});

describe('one plan at a time', () => {
  test('a second one is refused with the way out, and made when the first has ended', async () => {
    const { data, call } = setUp();
    await data('createPlan', { title: 'One', steps: ['a'] });
    const refused = await call('createPlan', { title: 'Two', steps: ['a'] });
    expect(refused).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/Plan "One" \(.*\) is still active.*"cancelled"/) as string },
    });
    await data('completePlan', { status: 'cancelled' });
    expect(await data('createPlan', { title: 'Two', steps: ['a'] })).toMatchObject({ title: 'Two' });
  });

  test('two that are made at once are not both made', async () => {
    const { call } = setUp();
    const answers = await Promise.all(
      ['One', 'Two'].map((title) => call('createPlan', { title, steps: ['a'] })),
    );
    expect(answers.map(({ ok }) => ok)).toEqual([true, false]);
  });

  test('without one, each tool says so', async () => {
    const { call } = setUp();
    for (const [tool, args] of [
      ['startPlan', {}],
      ['updateStep', { step_id: 'x', status: 'completed' }],
      ['addStep', { description: 'x' }],
      ['addStep', { description: 'x', after_step_id: 'y' }],
      ['completePlan', { status: 'cancelled' }],
    ] as const)
      expect(await call(tool, args)).toMatchObject({
        error: {
          message: expect.stringContaining('No active plan. Create a plan first with createPlan') as string,
        },
      });
    expect(await call('getPlanStatus')).toMatchObject({
      error: { message: expect.stringContaining('No plan found') as string },
    });
    expect(await call('getPlanStatus', { plan_id: 'x' })).toMatchObject({
      error: { code: 'INVALID_ARGUMENTS' },
    });
  });
});

test('whoever is asked for permission sees the plan as it is kept, and nothing that a terminal would obey', async () => {
  const { data, backend } = setUp();
  expect(await backend.describe?.('startPlan', {})).toBeUndefined();
  await data('createPlan', { title: 'Tidy\u001B[2J up', steps: ['look', 'rm -rf /\nfake line'] });
  expect(await backend.describe?.('startPlan', { message: 'trust me' })).toEqual({
    summary: 'Start the plan "Tidy\\x1b[2J up" (2 steps)',
    details: 'The model says: trust me\n\n  1. look\n  2. rm -rf / fake line',
  });
});

test('only the plan that the user approved is started', async () => {
  const { data, call, backend } = setUp();
  await data('createPlan', { title: 'Harmless', steps: ['look'] });
  await backend.describe?.('startPlan', {});
  await data('completePlan', { status: 'cancelled' });
  await data('createPlan', { title: 'Another', steps: ['remove all'] });
  expect(await call('startPlan')).toMatchObject({
    error: {
      message: expect.stringContaining('not the one that the user approved. Call startPlan again') as string,
    },
  });
  expect(await data('getPlanStatus')).toMatchObject({ title: 'Another', started: false });
  await backend.describe?.('startPlan', {});
  expect(await data('startPlan')).toMatchObject({ title: 'Another' });
});

describe('the command plan', () => {
  test('shows the plan for people, by id or a beginning of it', async () => {
    const { data, command } = setUp();
    expect(await command()).toMatchObject({
      ok: true,
      text: expect.stringContaining('no plan yet') as string,
    });
    await data('createPlan', { title: 'Tidy up', steps: ['look'] });
    const shown = [
      'Plan: Tidy up',
      'Id: 000000000001   Status: waits for approval',
      '',
      '  ○ 1. look  (000000000002)',
      '',
      '[                              ] 0/1 (0%)',
    ].join('\n');
    expect(await command()).toMatchObject({ ok: true, text: shown, data: { plan_id: '000000000001' } });
    expect(await command({ plan_id: '0000' })).toMatchObject({ text: shown });
    expect(await command({ plan_id: '000000000009' })).toMatchObject({
      error: { message: expect.stringContaining('Did you mean "000000000001"?') as string },
    });
  });

  test('completes ids', async () => {
    const { data, backend } = setUp();
    expect(await backend.commands?.complete('plan', 'plan_id', '')).toEqual([]);
    await data('createPlan', { title: 'One', steps: ['look'] });
    expect(await backend.commands?.complete('plan', 'plan_id', '0')).toEqual(['000000000001']);
    expect(await backend.commands?.complete('plan', 'plan_id', 'x')).toEqual([]);
  });
});

describe('configuration', () => {
  test('defaults are filled in, and secrets are not told', async () => {
    const { backend } = setUp();
    const { configApplied } = await backend.setup({
      reporter_type: ['console', 'webhook'],
      reporter_config: {
        endpoint: 'http://localhost/',
        auth_token: 'hidden',
        headers: { 'X-Key': 'hidden' },
      },
    });
    expect(configApplied).toMatchObject({
      storage_type: 'memory',
      keep_plans: 50,
      reporter_config: { timeout: 10, width: 60 },
    });
    expect(JSON.stringify(configApplied)).not.toContain('hidden');
  });

  test.each([
    [{ reporter_type: 'mail' }, 'reporter_type'],
    [{ reporter_type: 'webhook' }, 'the address is missing; set "endpoint"'],
    [{ reporter_type: 'webhook', reporter_config: { endpoint: 'file:///etc' } }, 'expected http: or https:'],
    [{ reporter_type: 'webhook', reporter_config: { endpoint: 'nowhere' } }, 'is not an address'],
    [{ storage_type: 'cloud' }, 'storage_type'],
    [{ storge_type: 'file' }, 'storge_type'],
  ])('%o is refused', async (config, words) => {
    await expect(setUp().backend.setup(config)).rejects.toThrow(words);
  });

  test('plans in a file outlive the process, and are taken up again', async () => {
    const cwd = temporaryFolder();
    const config = { storage_type: 'hybrid', storage_path: 'state/plans.json', reporter_type: [] };
    const first = setUp({ cwd });
    await first.backend.setup(config);
    const plan = await first.data<{ plan_id: string; steps: StepAnswer[] }>('createPlan', {
      title: 'T',
      steps: ['a', 'b'],
    });
    await first.data('startPlan');
    await first.backend.teardown();
    expect(fs.existsSync(path.join(cwd, 'state/plans.json'))).toBe(true);

    const byStep = setUp({ cwd });
    await byStep.backend.setup(config);
    const step_id = plan.steps[0]?.step_id ?? '';
    expect(await byStep.data('updateStep', { step_id, status: 'completed' })).toMatchObject({ sequence: 1 });

    const byId = setUp({ cwd });
    await byId.backend.setup(config);
    // A plan of somebody else does not keep this session from having its own.
    expect(await byId.call('completePlan', { status: 'failed' })).toMatchObject({ ok: false });
    expect(await byId.data('getPlanStatus', { plan_id: plan.plan_id })).toMatchObject({
      progress: { completed: 1 },
    });
    expect(await byId.data('completePlan', { status: 'failed' })).toMatchObject({ plan_id: plan.plan_id });
  });

  test('after completePlan no plan is current, and getPlanStatus shows the one that was ended', async () => {
    const cwd = temporaryFolder();
    const config = { storage_type: 'file', storage_path: 'plans.json', reporter_type: [] };
    const mine = setUp({ cwd });
    await mine.backend.setup(config);
    const { plan_id } = await mine.data<{ plan_id: string }>('createPlan', { title: 'Mine', steps: ['a'] });
    expect(await mine.data('getPlanStatus')).toMatchObject({ plan_id, is_current: true });
    // Another session makes a later one in the same file.
    const theirs = setUp({ cwd, firstId: 100, at: 3600 });
    await theirs.backend.setup(config);
    await theirs.data('createPlan', { title: 'Theirs', steps: ['b'] });

    await mine.data('completePlan', { status: 'cancelled' });
    for (let time = 0; time < 2; time += 1)
      expect(await mine.data('getPlanStatus')).toMatchObject({
        title: 'Mine',
        status: 'cancelled',
        is_current: false,
      });
    expect(await mine.command()).toMatchObject({ data: { plan_id } });
    expect(await mine.call('startPlan')).toMatchObject({
      error: { message: expect.stringContaining('No active plan') as string },
    });
    await mine.backend.setup({ ...config, keep_plans: 10 });
    expect(await mine.data('getPlanStatus')).toMatchObject({ plan_id, is_current: false });
    expect(await mine.data('createPlan', { title: 'Next', steps: ['c'] })).toMatchObject({ title: 'Next' });
    expect(await mine.data('getPlanStatus')).toMatchObject({ title: 'Next', is_current: true });
    expect(await theirs.data('getPlanStatus')).toMatchObject({ title: 'Theirs', is_current: true });
  });

  test('the environment names the file, else it is in the data folder', async () => {
    const folder = temporaryFolder();
    for (const [env, file] of [
      [{ TODO_STORAGE_PATH: path.join(folder, 'mine.json') }, 'mine.json'],
      [{}, 'data/plans.json'],
    ] as const) {
      const { backend, data } = setUp({ env, dataFolder: path.join(folder, 'data') });
      await backend.setup({ storage_type: 'file', reporter_type: [] });
      await data('createPlan', { title: 'T', steps: ['a'] });
      expect(fs.existsSync(path.join(folder, file))).toBe(true);
    }
  });

  test('configured anew, the plan in memory goes on', async () => {
    const { backend, data } = setUp();
    await backend.setup({});
    await data('createPlan', { title: 'T', steps: ['a'] });
    await backend.setup({ reporter_type: [] });
    expect(await data('startPlan')).toMatchObject({ approved: true });
  });
});
