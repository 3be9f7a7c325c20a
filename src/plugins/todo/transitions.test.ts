import { describe, expect, test } from 'vitest';
import { isFailure } from '../../definition/failure.ts';
import { currentStep, progressOf, type Plan, type Step } from './plan.ts';
import { created, ended, started, stepAdded, stepUpdated, type Origin } from './transitions.ts';

function origin(): Origin {
  let ids = 0;
  let minutes = 0;
  return {
    newId: () => `${String((ids += 1)).padStart(12, '0')}-rest`,
    now: () => new Date(Date.UTC(2026, 0, 1, 0, (minutes += 1))),
  };
}

function underWay(): { plan: Plan; from: Origin; first: Step; second: Step } {
  const from = origin();
  const plan = started(created('Tidy up', ['look', 'sweep'], from), from);
  const [first, second] = plan.steps as [Step, Step];
  return { plan, from, first, second };
}

/** What it refuses with. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (isFailure(error)) return `${error.failure.code}: ${error.message}`;
    throw error;
  }
  return 'nothing was refused';
}

test('a plan has numbered steps with ids, and waits for the user', () => {
  const plan = created('  Tidy up ', ['look ', ' sweep'], origin());
  expect(plan).toMatchObject({ title: 'Tidy up', status: 'active', started: false, completed_at: null });
  expect(plan.steps.map(({ sequence, description, status }) => [sequence, description, status])).toEqual([
    [1, 'look', 'pending'],
    [2, 'sweep', 'pending'],
  ]);
  expect(new Set(plan.steps.map((step) => step.step_id)).size).toBe(2);
});

test('ids of steps are unique, whatever the generator gives', () => {
  const given = ['plan', 'aaaaaaaaaaaa', 'aaaaaaaaaaaa', 'bbbbbbbbbbbb'];
  let at = 0;
  const plan = created('T', ['a', 'b'], { now: () => new Date(0), newId: () => given[at++] ?? 'more' });
  expect(new Set([plan.plan_id, ...plan.steps.map((step) => step.step_id)]).size).toBe(3);
});

describe('what makes no plan', () => {
  test.each([
    ['no steps', 'T', [], 'at least one step'],
    ['too many steps', 'T', Array.from({ length: 101 }, () => 's'), 'at most 100 steps, and these are 101'],
    ['an empty title', '  ', ['s'], '"title" is empty'],
    ['an empty step', 'T', ['s', '\n'], '"steps[1]" is empty'],
    ['a long title', 'x'.repeat(201), ['s'], '"title" has 201 characters, and at most 200'],
    ['a long step', 'T', ['x'.repeat(1001)], '"steps[0]" has 1001 characters'],
  ])('%s', (_, title, steps, words) => {
    const message = refusal(() => created(title, steps, origin()));
    expect(message).toContain('INVALID_ARGUMENTS');
    expect(message).toContain(words);
  });
});

describe('the order of things', () => {
  test('nothing is worked on before the user has agreed', () => {
    const from = origin();
    const plan = created('T', ['a'], from);
    const words = 'TOOL_FAILED: Plan not started. Call startPlan first to get user approval.';
    const id = plan.steps[0]?.step_id ?? '';
    expect(refusal(() => stepUpdated(plan, { step_id: id, status: 'completed' }, from))).toBe(words);
    expect(refusal(() => stepAdded(plan, 'b', undefined, from))).toBe(words);
  });

  test('a plan is started once', () => {
    const { plan, from } = underWay();
    expect(refusal(() => started(plan, from))).toContain('Plan already started. Proceed with updateStep.');
  });

  test('one that was never started can be cancelled only', () => {
    const from = origin();
    const plan = created('T', ['a'], from);
    for (const status of ['completed', 'failed'] as const)
      expect(refusal(() => ended(plan, status, undefined, from))).toContain(
        `Cannot mark plan as '${status}' - plan was never started. Use 'cancelled' if the plan was rejected.`,
      );
    expect(ended(plan, 'cancelled', ' no ', from)).toMatchObject({ status: 'cancelled', summary: 'no' });
  });

  test('it is completed when every step is finished, and failed or cancelled at any time', () => {
    const { plan, from, first, second } = underWay();
    const message = refusal(() => ended(plan, 'completed', undefined, from));
    expect(message).toContain('2 steps are not finished');
    expect(message).toContain(first.step_id);
    expect(message).toContain("'skipped'");
    const half = stepUpdated(plan, { step_id: first.step_id, status: 'failed', error: 'no' }, from).plan;
    const begun = stepUpdated(half, { step_id: second.step_id, status: 'in_progress' }, from).plan;
    expect(refusal(() => ended(begun, 'completed', undefined, from))).toContain('a step is not finished');
    expect(ended(begun, 'failed', undefined, from).status).toBe('failed');
    expect(ended(begun, 'cancelled', undefined, from).status).toBe('cancelled');
    const done = stepUpdated(begun, { step_id: second.step_id, status: 'skipped' }, from).plan;
    expect(ended(done, 'completed', undefined, from)).toMatchObject({ status: 'completed', summary: null });
  });

  test('an ended plan stays as it is', () => {
    const { plan, from, first } = underWay();
    const over = ended(plan, 'failed', undefined, from);
    for (const act of [
      () => started(over, from),
      () => stepUpdated(over, { step_id: first.step_id, status: 'completed' }, from),
      () => stepAdded(over, 'more', undefined, from),
      () => ended(over, 'cancelled', undefined, from),
    ])
      expect(refusal(act)).toContain('The plan is failed already.');
  });
});

describe('steps', () => {
  test('have times and what came of them', () => {
    const { plan, from, first } = underWay();
    const begun = stepUpdated(plan, { step_id: first.step_id, status: 'in_progress' }, from);
    expect(begun.step).toMatchObject({ started_at: '2026-01-01T00:03:00.000Z', completed_at: null });
    const done = stepUpdated(
      begun.plan,
      { step_id: first.step_id, status: 'completed', result: ' 3 ' },
      from,
    );
    expect(done.step).toMatchObject({
      started_at: '2026-01-01T00:03:00.000Z',
      completed_at: '2026-01-01T00:04:00.000Z',
      result: '3',
      error: null,
    });
    expect(done.plan.steps[0]).toEqual(done.step);
  });

  test('a finished one is taken up again before it becomes anything else', () => {
    const { plan, from, first } = underWay();
    const done = stepUpdated(plan, { step_id: first.step_id, status: 'failed', error: 'broken' }, from).plan;
    const message = refusal(() => stepUpdated(done, { step_id: first.step_id, status: 'completed' }, from));
    expect(message).toContain('is failed and cannot become completed. Set it to in_progress first');
    expect(refusal(() => stepUpdated(done, { step_id: first.step_id, status: 'failed' }, from))).toContain(
      'already',
    );
    const again = stepUpdated(done, { step_id: first.step_id, status: 'in_progress' }, from);
    expect(again.step).toMatchObject({ status: 'in_progress', error: null, completed_at: null });
  });

  test('an error is for those that failed', () => {
    const { plan, from, first } = underWay();
    const update = { step_id: first.step_id, status: 'completed', error: 'x' } as const;
    expect(refusal(() => stepUpdated(plan, update, from))).toContain('"error" is for steps that failed');
    expect(stepUpdated(plan, { ...update, error: ' ' }, from).step.error).toBeNull();
    const long = { ...update, status: 'failed', error: 'x'.repeat(4001) } as const;
    expect(refusal(() => stepUpdated(plan, long, from))).toContain('4001 characters');
  });

  test('an unknown one is told with what may have been meant', () => {
    const { plan, from, second } = underWay();
    const near = `${second.step_id.slice(0, -1)}x`;
    const update = (id: string) =>
      refusal(() => stepUpdated(plan, { step_id: id, status: 'completed' }, from));
    expect(update(near)).toContain(`Did you mean`);
    expect(update('2')).toContain(`Step 2 has the id "${second.step_id}".`);
    expect(update('?'.repeat(9000)).length).toBeLessThan(300);
    expect(refusal(() => stepAdded(plan, 'x', 'nowhere', from))).toContain(
      'Step not found: "nowhere" (after_step_id)',
    );
  });

  test('one that is added comes last, or after another, and all are numbered anew', () => {
    const { plan, from, first } = underWay();
    const last = stepAdded(plan, 'wash', undefined, from);
    expect(last.step.sequence).toBe(3);
    const between = stepAdded(last.plan, 'dust', first.step_id, from);
    expect(between.step.sequence).toBe(2);
    expect(between.plan.steps.map((step) => [step.sequence, step.description])).toEqual([
      [1, 'look'],
      [2, 'dust'],
      [3, 'sweep'],
      [4, 'wash'],
    ]);
    const full = { ...plan, steps: Array.from({ length: 100 }, () => first) };
    expect(refusal(() => stepAdded(full, 'x', undefined, from))).toContain('100 steps already');
  });
});

test('progress counts, and the current step is the one begun last', () => {
  const { plan, from, first, second } = underWay();
  expect(currentStep(plan)).toBeNull();
  const one = stepUpdated(plan, { step_id: second.step_id, status: 'in_progress' }, from).plan;
  const both = stepUpdated(one, { step_id: first.step_id, status: 'in_progress' }, from).plan;
  expect(currentStep(both)).toBe(1);
  const three = stepAdded(both, 'third', undefined, from).plan;
  const done = stepUpdated(three, { step_id: first.step_id, status: 'completed' }, from).plan;
  expect(currentStep(done)).toBe(2);
  expect(progressOf(done)).toEqual({
    total: 3,
    completed: 1,
    failed: 0,
    skipped: 0,
    in_progress: 1,
    pending: 1,
    percent: 33.3,
  });
  expect(progressOf({ steps: [] }).percent).toBe(0);
});
