// Plans that a model makes, the user agrees to, and everybody can follow.
import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Definition } from '../../definition/definition.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { CallDescription } from '../../definition/outcome.ts';
import { result } from '../../definition/result.ts';
import type { HostPorts } from '../host-ports.ts';
import {
  addedAnswer,
  completedAnswer,
  createdAnswer,
  startedAnswer,
  statusAnswer,
  updatedAnswer,
} from './answers.ts';
import { inputs } from './inputs.ts';
import { instructions } from './instructions.ts';
import type { Plan } from './plan.ts';
import { PlanBoard } from './plan-board.ts';
import { planText, proposedSteps, shownText } from './render.ts';
import { createReporter } from './reporters/create-reporter.ts';
import type { Reporter } from './reporters/reporter.ts';
import { settingsOf, todoConfig } from './settings.ts';
import { createStore } from './stores/create-store.ts';
import type { PlanStore } from './stores/store.ts';
import { optionalText } from './texts.ts';

export interface TodoParts {
  /** @default the clock of the system */
  readonly clock?: Clock;
  /** @default random ones */
  readonly newId?: () => string;
}

export function todoPlugin(
  ports: Pick<HostPorts, 'env' | 'cwd' | 'fetch' | 'now' | 'print'>,
  { clock = systemClock, newId = randomUUID }: TodoParts = {},
): Definition {
  let held: { readonly board: PlanBoard; readonly reporter: Reporter; readonly store: PlanStore } | undefined;
  const board = (): PlanBoard => {
    // Tools are called after setup alone.
    if (held === undefined) throw new Error('The plans are not set up.');
    return held.board;
  };

  /** The plan that whoever was asked last has seen. */
  let seen: string | undefined;

  return definePlugin({
    name: 'todo',
    version: '1.0.0',
    description: 'Plans with steps: made by the model, agreed to by the user, followed by everybody.',
    instructions,
    config: todoConfig,
    setup: async (context) => {
      const { config, log } = context;
      const settings = settingsOf(config, {
        env: ports.env,
        cwd: ports.cwd,
        dataFolder: () => context.dataFolder,
      });
      const warn = (message: string) => log('warn', message);
      const before = held;
      await before?.reporter.close();
      const reporter = createReporter(settings.reporters, {
        fetch: ports.fetch,
        print: (line) => ports.print(line),
        clock,
        warn,
      });
      const store = createStore(settings.storage, { now: ports.now, warn });
      // Plans in memory live on when the same plugin is configured anew.
      if (settings.storage.type === 'memory')
        for (const plan of (await before?.store.all()) ?? []) await store.change(plan.plan_id, () => plan);
      held = {
        board: new PlanBoard({ store, reporter, origin: { now: ports.now, newId } }, before?.board),
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
        handler: async ({ title, steps }) => createdAnswer(await board().create(title, steps)),
      },
      startPlan: {
        description:
          'Asks the user to agree to the plan; has to be called after createPlan and before any step is worked on. When the user refuses, call completePlan with status "cancelled" and do not propose the plan again.',
        input: inputs.startPlan,
        describe: async ({ message }) => {
          const plan = await held?.board.active();
          seen = plan?.plan_id;
          return plan && describeStart(plan, message);
        },
        handler: async ({ message }) => {
          const said = optionalText(message, 'message');
          const agreedTo = seen;
          seen = undefined;
          return startedAnswer(await board().start(agreedTo), said);
        },
      },
      updateStep: {
        description: 'Tells how a step goes; only after startPlan was agreed to.',
        input: inputs.updateStep,
        handler: async (update) => updatedAnswer(await board().updateStep(update)),
      },
      getPlanStatus: {
        description:
          'The plan with its steps and progress, at any time. With the id of a plan that is under way from an earlier session, that plan is taken up again.',
        input: inputs.getPlanStatus,
        hints: { readOnly: true },
        handler: async ({ plan_id }) => {
          const plan = await board().status(plan_id || undefined);
          return statusAnswer(plan, board().isCurrent(plan));
        },
      },
      completePlan: {
        description:
          'Ends the plan: "completed" when every step is finished, "failed" when it did not work out, "cancelled" when it was refused or is not wanted any more.',
        input: inputs.completePlan,
        handler: async ({ status, summary }) => completedAnswer(await board().complete(status, summary)),
      },
      addStep: {
        description: 'Adds a step while the plan is worked on; only after startPlan was agreed to.',
        input: inputs.addStep,
        handler: async ({ description, after_step_id }) =>
          addedAnswer(await board().addStep(description, after_step_id || undefined)),
      },
    },
    commands: {
      plan: {
        description: 'Shows the current plan, else the last one; or one by its id.',
        parameters: [{ name: 'plan_id', description: 'Its id, or the beginning of it.' }],
        shareWithModel: false,
        handler: async ({ plan_id: id }) => {
          const plan = typeof id === 'string' && id !== '' ? await board().find(id) : await board().shown();
          if (plan === undefined)
            return 'There is no plan yet. A model makes one with createPlan, when it is asked for a plan.';
          return result({ text: planText(plan), data: statusAnswer(plan, board().isCurrent(plan)) });
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

/** The user decides on the plan as it is kept, not on what the model says of it. */
function describeStart(plan: Plan, message: string | undefined): CallDescription {
  const count = plan.steps.length;
  const said = message?.trim() ?? '';
  return {
    summary: `Start the plan "${shownText(plan.title)}" (${count} ${count === 1 ? 'step' : 'steps'})`,
    details: [
      ...(said === '' ? [] : [`The model says: ${shownText(said)}`, '']),
      ...proposedSteps(plan),
    ].join('\n'),
  };
}
