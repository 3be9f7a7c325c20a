// Plans that a model makes and the user approves and follows.
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { Definition } from '../../definition/definition.ts';
import { type CallDescription, result } from '../../definition/outcome.ts';
import type { HostPorts } from '../host-ports.ts';
import { PlanBoard } from './plan-board.ts';
import { currentStep, planText, progressOf, proposedSteps, shownText, type Plan } from './plan.ts';
import { createReporter, type Reporter } from './reporter.ts';
import { todoConfig } from './settings.ts';
import { createStore, type PlanStore } from './stores.ts';
import { optionalText, STEPS_MAX } from './transitions.ts';

interface TodoParts {
  /** @default the system clock */
  readonly clock?: Clock;
  /** @default random ids */
  readonly newId?: () => string;
}

export function todoPlugin(
  ports: Pick<HostPorts, 'env' | 'cwd' | 'fetch' | 'now' | 'print'>,
  { clock = systemClock, newId = randomUUID }: TodoParts = {},
): Definition {
  let held: { readonly board: PlanBoard; readonly reporter: Reporter; readonly store: PlanStore } | undefined;
  const board = (): PlanBoard => {
    // Tools are only called after setup.
    if (held === undefined) throw new Error('The plans are not set up.');
    return held.board;
  };
  /** The plan in the last question whether it may be started. */
  let proposed: string | undefined;

  return definePlugin({
    name: 'todo',
    version: '1.0.0',
    description: 'Plans with steps: made by the model, approved and followed by the user.',
    instructions,
    config: todoConfig,
    setup: async (context) => {
      const { config, log } = context;
      const { env, cwd, fetch, now } = ports;
      const before = held;
      await before?.reporter.close();
      const parts = {
        env,
        cwd,
        fetch,
        now,
        clock,
        print: (line: string) => ports.print(line),
        warn: (message: string) => log('warn', message),
        dataFolder: () => context.dataFolder,
      };
      const reporter = createReporter(config, parts);
      const store = createStore(config, parts);
      // Plans in memory are kept when the plugin gets another configuration.
      if (config.storage_type === 'memory')
        for (const plan of (await before?.store.all()) ?? []) await store.change(plan.plan_id, () => plan);
      held = {
        board: new PlanBoard({ store, reporter, origin: { now, newId } }, before?.board),
        reporter,
        store,
      };
    },
    teardown: async () => {
      const before = held;
      held = undefined;
      await before?.reporter.close();
    },
    autoApprove: ['createPlan', 'updateStep', 'getPlanStatus', 'completePlan', 'addStep'],
    tools: {
      createPlan: {
        description:
          'Registers a plan with ordered steps. Propose only what you can do with the tools you have, each step concrete. Afterwards call startPlan, which asks the user.',
        input: inputs.createPlan,
        handler: async ({ title, steps }) => {
          const plan = await board().create(title, steps);
          return {
            ...fields(plan, 'plan_id', 'title', 'status'),
            steps: plan.steps.map((step) => fields(step, ...stepHead)),
            progress: progressOf(plan),
          };
        },
      },
      startPlan: {
        description:
          'Asks the user to approve the plan; call it after createPlan and before you work on any step. When the user refuses, call completePlan with status "cancelled" and do not propose the plan again.',
        input: inputs.startPlan,
        describe: async ({ message }) => {
          const plan = await held?.board.active();
          proposed = plan?.plan_id;
          return plan && describeStart(plan, message);
        },
        handler: async ({ message: given }) => {
          const message = optionalText(given, 'message');
          const approved = proposed;
          proposed = undefined;
          const plan = await board().start(approved);
          return {
            approved: true,
            ...fields(plan, 'plan_id', 'title'),
            message: message ?? 'Plan approved by user. You may proceed with execution.',
            steps: plan.steps.map((step) => fields(step, 'step_id', 'sequence', 'description')),
          };
        },
      },
      updateStep: {
        description: 'Reports the status of a step; only after startPlan was approved.',
        input: inputs.updateStep,
        handler: async (update) => {
          const { plan, step } = await board().updateStep(update);
          return { ...fields(step, ...stepHead, 'result', 'error'), progress: progressOf(plan) };
        },
      },
      getPlanStatus: {
        description:
          'Returns the plan with its steps and progress, at any time. With the id of an active plan of an earlier session, that plan becomes the current one.',
        input: inputs.getPlanStatus,
        hints: { readOnly: true },
        handler: async ({ plan_id }) => statusOf(await board().status(plan_id || undefined), board()),
      },
      completePlan: {
        description:
          'Ends the plan: "completed" when every step is finished, "failed" when it did not succeed, "cancelled" when it was refused or is no longer wanted.',
        input: inputs.completePlan,
        handler: async ({ status, summary }) => {
          const plan = await board().complete(status, summary);
          return {
            ...fields(plan, 'plan_id', 'title', 'status', 'completed_at', 'summary'),
            progress: progressOf(plan),
          };
        },
      },
      addStep: {
        description: 'Adds a step to a running plan; only after startPlan was approved.',
        input: inputs.addStep,
        handler: async ({ description, after_step_id }) => {
          const { plan, step } = await board().addStep(description, after_step_id || undefined);
          return { ...fields(step, ...stepHead), total_steps: plan.steps.length, progress: progressOf(plan) };
        },
      },
    },
    commands: {
      plan: {
        description: 'Show the current plan, otherwise the last one; or one by its id.',
        parameters: [{ name: 'plan_id', description: 'Its id, or the beginning of it.' }],
        shareWithModel: false,
        handler: async ({ plan_id: id }) => {
          const plan = typeof id === 'string' && id !== '' ? await board().find(id) : await board().shown();
          if (plan === undefined)
            return 'There is no plan yet. A model makes one with createPlan, when it is asked for a plan.';
          return result({ text: planText(plan), data: statusOf(plan, board()) });
        },
        complete: async (parameter, typed) => {
          if (parameter !== 'plan_id' || held === undefined) return [];
          const plans = await held.board.all();
          return plans
            .map((plan) => plan.plan_id)
            .filter((id) => id.startsWith(typed))
            .toReversed();
        },
      },
    },
  });
}

const stepHead = ['step_id', 'sequence', 'description', 'status'] as const;

function fields<Source extends JsonObject>(source: Source, ...keys: readonly (keyof Source)[]): JsonObject {
  return Object.fromEntries(Object.entries(source).filter(([key]) => keys.includes(key)));
}

function statusOf(plan: Plan, board: PlanBoard): JsonObject {
  return {
    ...plan,
    is_current: board.isCurrent(plan),
    current_step: currentStep(plan),
    progress: progressOf(plan),
  };
}

/** The user decides on the stored plan, not on the model's description of it. */
function describeStart(plan: Plan, given: string | undefined): CallDescription {
  const count = plan.steps.length;
  const message = given?.trim() ?? '';
  return {
    summary: `Start the plan "${shownText(plan.title)}" (${count} ${count === 1 ? 'step' : 'steps'})`,
    details: [
      ...(message === '' ? [] : [`The model says: ${shownText(message)}`, '']),
      ...proposedSteps(plan),
    ].join('\n'),
  };
}

const instructions = `# Plans

Make a plan only when the user asks for one. Otherwise just do the task.

1. createPlan: a title and concrete steps that you can really do with the tools you have. Where a step uses a tool, name the tool and what it is called with, so that the user sees what will happen.
2. startPlan: asks the user. Until they approve, use only the tools that you need to compose the plan.
3. updateStep: in_progress when you begin a step, then completed, failed or skipped. addStep when something is missing.
4. completePlan: completed when every step is finished; failed or cancelled otherwise.

Be honest about steps. completed means fully done, with the outcome that was meant. failed means that its goal was not reached, for any reason: an error, a limit, a partial result. skipped means that it was not needed. Reporting a failure is better than claiming a success.

Put the results of steps into your answer to the user: the state of a plan does not replace them.

When the user refuses startPlan, call completePlan with status "cancelled", do not propose the plan again, and ask how they want to continue.`;

const inputs = {
  createPlan: {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'The purpose of the plan, short.' },
      steps: {
        type: 'array',
        items: { type: 'string' },
        description: `What to do, in order, one concrete action each; 1 to ${STEPS_MAX} of them.`,
      },
    },
    required: ['title', 'steps'],
    additionalProperties: false,
  },
  startPlan: {
    type: 'object',
    properties: { message: { type: 'string', description: 'Why this plan, for the user who approves it.' } },
    additionalProperties: false,
  },
  updateStep: {
    type: 'object',
    properties: {
      step_id: { type: 'string', description: 'From the answer of createPlan, addStep or getPlanStatus.' },
      status: { enum: ['in_progress', 'completed', 'failed', 'skipped'] },
      result: { type: 'string', description: 'The result of the step.' },
      error: { type: 'string', description: 'What went wrong, for a step that failed.' },
    },
    required: ['step_id', 'status'],
    additionalProperties: false,
  },
  getPlanStatus: {
    type: 'object',
    properties: {
      plan_id: {
        type: 'string',
        description: 'default: the current plan, otherwise the one that ended last',
      },
    },
    additionalProperties: false,
  },
  completePlan: {
    type: 'object',
    properties: {
      status: { enum: ['completed', 'failed', 'cancelled'] },
      summary: { type: 'string', description: 'What was achieved.' },
    },
    required: ['status'],
    additionalProperties: false,
  },
  addStep: {
    type: 'object',
    properties: {
      description: { type: 'string', description: 'What to do.' },
      after_step_id: {
        type: 'string',
        description: 'The step before it; default: the last one.',
      },
    },
    required: ['description'],
    additionalProperties: false,
  },
} as const;
