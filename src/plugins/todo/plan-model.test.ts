// Whatever is done to a board, in whatever order: it does what a much simpler model of it says, and its plans stay whole.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFailure } from '../../definition/failure.ts';
import { currentStep, progressOf, type Plan, type StepStatus } from './plan.ts';
import { PlanBoard } from './plan-board.ts';
import type { PlanEvent } from './reporter.ts';
import { memoryStore } from './stores.ts';

/** What is known of a plan without its ids, times and texts. */
interface Model {
  plan: { started: boolean; steps: StepStatus[] } | undefined;
  /** How many have ended. */
  ended: number;
  accepted: number;
}

interface Real {
  readonly board: PlanBoard;
  readonly events: PlanEvent[];
  /** Those that have ended, as they were then. */
  readonly over: Plan[];
}

type Command = fc.AsyncCommand<Model, Real>;

/** Runs it, holds whether it was refused against what the model says, then looks at all plans. */
async function act(
  model: Model,
  real: Real,
  isAllowed: boolean,
  work: () => Promise<unknown>,
  apply: () => void,
): Promise<void> {
  let wasRefused = false;
  try {
    await work();
  } catch (error) {
    if (!isFailure(error)) throw error;
    wasRefused = true;
    expect(error.message.length).toBeGreaterThan(20);
  }
  expect(wasRefused).toBe(!isAllowed);
  if (isAllowed) {
    apply();
    model.accepted += 1;
  }
  await look(model, real);
}

async function look(model: Model, { board, events, over }: Real): Promise<void> {
  const plans = await board.all();
  const active = plans.filter((plan) => plan.status === 'active');
  expect(active.length).toBe(model.plan === undefined ? 0 : 1);
  expect(plans.length).toBe(active.length + model.ended);
  expect(events.length).toBe(model.accepted);
  for (const plan of plans) {
    const { total, completed, failed, skipped, in_progress, pending, percent } = progressOf(plan);
    expect(completed + failed + skipped + in_progress + pending).toBe(total);
    expect(percent).toBeCloseTo((completed / total) * 100, 0);
    expect(plan.steps.map((step) => step.sequence)).toEqual(plan.steps.map((_, index) => index + 1));
    expect(new Set(plan.steps.map((step) => step.step_id)).size).toBe(total);
    expect(plan.completed_at === null).toBe(plan.status === 'active');
    expect(plan.started_at === null).toBe(!plan.started);
    if (plan.status === 'completed') expect([plan.started, pending, in_progress]).toEqual([true, 0, 0]);
    if (!plan.started) expect(pending).toBe(total);
    for (const step of plan.steps) {
      expect(step.completed_at !== null).toBe(['completed', 'failed', 'skipped'].includes(step.status));
      if (step.error !== null) expect(step.status).toBe('failed');
      if (step.started_at !== null && step.completed_at !== null)
        expect(step.completed_at >= step.started_at).toBe(true);
    }
    const current = currentStep(plan);
    expect(current === null).toBe(in_progress === 0);
    if (current !== null) expect(plan.steps[current - 1]?.status).toBe('in_progress');
  }
  expect(active[0]?.steps.map((step) => step.status)).toEqual(model.plan?.steps);
  expect(active[0]?.started).toBe(model.plan?.started);
  // What has ended does not change any more.
  for (const plan of over) expect(plans).toContainEqual(plan);
}

const createCommand = fc
  .array(fc.constantFrom('look', 'sweep', ' '), { maxLength: 4 })
  .map((steps): Command => ({
    check: () => true,
    run: (model, real) =>
      act(
        model,
        real,
        model.plan === undefined && steps.length > 0 && !steps.includes(' '),
        () => real.board.create('T', steps),
        () => (model.plan = { started: false, steps: steps.map(() => 'pending') }),
      ),
    toString: () => `create(${JSON.stringify(steps)})`,
  }));

const startCommand = fc.constant<Command>({
  check: () => true,
  run: (model, real) =>
    act(
      model,
      real,
      model.plan?.started === false,
      () => real.board.start(),
      () => model.plan && (model.plan.started = true),
    ),
  toString: () => 'start',
});

const updateCommand = fc
  .tuple(fc.nat(5), fc.constantFrom('in_progress', 'completed', 'failed', 'skipped'), fc.boolean())
  .map(([index, status, hasError]): Command => ({
    check: () => true,
    run: async (model, real) => {
      const before = model.plan?.steps[index];
      const isFinished = before !== undefined && ['completed', 'failed', 'skipped'].includes(before);
      const isNext = isFinished ? status === 'in_progress' : before !== status;
      const plan = (await real.board.all()).find((one) => one.status === 'active');
      const step_id = plan?.steps[index]?.step_id ?? 'nowhere';
      await act(
        model,
        real,
        model.plan?.started === true && before !== undefined && isNext && (!hasError || status === 'failed'),
        () => real.board.updateStep({ step_id, status, ...(hasError ? { error: 'e' } : {}) }),
        () => model.plan?.steps.splice(index, 1, status),
      );
    },
    toString: () => `update(${index}, ${status}${hasError ? ', error' : ''})`,
  }));

const addCommand = fc.option(fc.nat(5), { nil: undefined }).map((after): Command => ({
  check: () => true,
  run: async (model, real) => {
    const plan = (await real.board.all()).find((one) => one.status === 'active');
    const id = after === undefined ? undefined : (plan?.steps[after]?.step_id ?? 'nowhere');
    const steps = model.plan?.steps ?? [];
    await act(
      model,
      real,
      model.plan?.started === true && (after === undefined || after < steps.length),
      () => real.board.addStep('more', id),
      () => steps.splice(after === undefined ? steps.length : after + 1, 0, 'pending'),
    );
  },
  toString: () => `add(${after})`,
}));

const completeCommand = fc.constantFrom('completed', 'failed', 'cancelled').map((status): Command => ({
  check: () => true,
  run: (model, real) => {
    const isOpen = model.plan?.steps.some((step) => step === 'pending' || step === 'in_progress') === true;
    const isStarted = model.plan?.started === true;
    const isAllowed =
      model.plan !== undefined && (status === 'cancelled' || (isStarted && (status === 'failed' || !isOpen)));
    return act(
      model,
      real,
      isAllowed,
      async () => real.over.push(await real.board.complete(status, undefined)),
      () => {
        model.plan = undefined;
        model.ended += 1;
      },
    );
  },
  toString: () => `complete(${status})`,
}));

test('random sequences of operations keep the invariants', async () => {
  const commands = fc.commands(
    [createCommand, startCommand, updateCommand, updateCommand, addCommand, completeCommand],
    {
      maxCommands: 60,
    },
  );
  const runs = fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      let time = 0;
      let ids = 0;
      const events: PlanEvent[] = [];
      const reporter = {
        report: (event: PlanEvent) => void events.push(event),
        close: () => Promise.resolve(),
      };
      const origin = {
        now: () => new Date((time += 1000)),
        newId: () => String((ids += 1)).padStart(12, '0'),
      };
      const board = new PlanBoard({ store: memoryStore(1000), reporter, origin });
      const model: Model = { plan: undefined, ended: 0, accepted: 0 };
      await fc.asyncModelRun(() => ({ model, real: { board, events, over: [] } }), sequence);
    }),
    { numRuns: 150 },
  );
  await expect(runs).resolves.toBeUndefined();
});
