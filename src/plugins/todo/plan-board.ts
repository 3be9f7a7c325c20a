// The plans of a session: which one is worked on, one change after the other, kept before anybody is told of it.
import { oneByOne } from '../../base/one-by-one.ts';
import { didYouMean } from '../../base/suggest.ts';
import { fail } from '../../definition/failure.ts';
import type { FinalPlanStatus, Plan, Step } from './plan.ts';
import { planEvent, type EventType, type Reporter } from './reporters/reporter.ts';
import type { PlanStore } from './stores/store.ts';
import {
  created,
  ended,
  started,
  stepAdded,
  stepUpdated,
  type Origin,
  type StepChange,
  type StepUpdate,
} from './transitions.ts';

export interface BoardParts {
  readonly store: PlanStore;
  readonly reporter: Reporter;
  readonly origin: Origin;
}

export class PlanBoard {
  readonly #parts: BoardParts;
  #current: string | undefined;
  /** The plan that this session ended last. */
  #ended: string | undefined;
  /** One after the other: two calls at once would each see the plan as it was before the other. */
  readonly #inTurn = oneByOne();

  /** @param before the board that this one replaces */
  constructor(parts: BoardParts, before?: PlanBoard) {
    this.#parts = parts;
    if (before === undefined) return;
    this.#current = before.#current;
    this.#ended = before.#ended;
  }

  isCurrent({ plan_id, status }: Plan): boolean {
    return status === 'active' && plan_id === this.#current;
  }

  create(title: string, steps: readonly string[]): Promise<Plan> {
    return this.#inTurn(async () => {
      const { store, origin } = this.#parts;
      const active = await this.active();
      if (active !== undefined) refuseSecond(active);
      const plan = created(title, steps, origin);
      await store.change(plan.plan_id, () => plan);
      this.#current = plan.plan_id;
      this.#tell('plan_created', plan, null);
      return plan;
    });
  }

  /** @param agreedTo the plan that the user was shown; while they thought about it, another one may have been made */
  start(agreedTo?: string): Promise<Plan> {
    return this.#inTurn(async () => {
      if (agreedTo !== undefined && this.#current !== undefined && agreedTo !== this.#current) refuseOther();
      const plan = await this.#change((before) => started(before, this.#parts.origin));
      this.#tell('plan_started', plan, null);
      return plan;
    });
  }

  updateStep(update: StepUpdate): Promise<StepChange> {
    return this.#inTurn(async () => {
      if ((await this.active()) === undefined) await this.#takeUpByStep(update.step_id);
      const change = await this.#changeStep((before) => stepUpdated(before, update, this.#parts.origin));
      this.#tell(`step_${update.status}`, change.plan, change.step);
      return change;
    });
  }

  addStep(description: string, afterStepId: string | undefined): Promise<StepChange> {
    return this.#inTurn(async () => {
      if (afterStepId !== undefined && (await this.active()) === undefined)
        await this.#takeUpByStep(afterStepId);
      const change = await this.#changeStep((before) =>
        stepAdded(before, description, afterStepId, this.#parts.origin),
      );
      this.#tell('step_added', change.plan, change.step);
      return change;
    });
  }

  complete(status: FinalPlanStatus, summary: string | undefined): Promise<Plan> {
    return this.#inTurn(async () => {
      const plan = await this.#change((before) => ended(before, status, summary, this.#parts.origin));
      this.#current = undefined;
      this.#ended = plan.plan_id;
      this.#tell(`plan_${status}`, plan, null);
      return plan;
    });
  }

  /**
   * The plan of this id, else the one that `shown` gives. One that is under way is taken up when this session has none:
   * so that it can be finished after a restart.
   */
  status(planId: string | undefined): Promise<Plan> {
    return this.#inTurn(async () => {
      if (planId === undefined) return (await this.shown()) ?? nothingThere();
      const plan = await this.find(planId);
      if (plan.status === 'active' && (await this.active()) === undefined) this.#current = plan.plan_id;
      return plan;
    });
  }

  /** The one that is worked on, else the one that this session ended, else the latest: others may use the same store. */
  async shown(): Promise<Plan | undefined> {
    const { store } = this.#parts;
    const ended = async () => (this.#ended === undefined ? undefined : store.get(this.#ended));
    return (await this.active()) ?? (await ended()) ?? (await store.all()).at(-1);
  }

  /** By its id, or by a beginning of it that no other has. */
  async find(planId: string): Promise<Plan> {
    const plan = await this.#parts.store.get(planId);
    if (plan !== undefined) return plan;
    const plans = await this.all();
    const begun = planId === '' ? [] : plans.filter((one) => one.plan_id.startsWith(planId));
    if (begun.length === 1 && begun[0] !== undefined) return begun[0];
    const ids = plans.map((one) => one.plan_id);
    return fail({
      code: 'INVALID_ARGUMENTS',
      message: `There is no plan ${JSON.stringify(planId.slice(0, 80))}.${didYouMean(planId, ids)} Without an id the current plan is shown.`,
    });
  }

  all(): Promise<readonly Plan[]> {
    return this.#parts.store.all();
  }

  /** The one that waits for the user or is worked on. */
  async active(): Promise<Plan | undefined> {
    if (this.#current === undefined) return undefined;
    const plan = await this.#parts.store.get(this.#current);
    return plan?.status === 'active' ? plan : undefined;
  }

  /** Whoever knows the id of a step has worked on its plan before. */
  async #takeUpByStep(stepId: string): Promise<void> {
    const plans = await this.#parts.store.all();
    const plan = plans.findLast(
      ({ status, steps }) => status === 'active' && steps.some((step) => step.step_id === stepId),
    );
    if (plan !== undefined) this.#current = plan.plan_id;
  }

  async #change(change: (plan: Plan) => Plan): Promise<Plan> {
    if (this.#current === undefined) return noActivePlan();
    return this.#parts.store.change(this.#current, (plan) => change(plan ?? noActivePlan()));
  }

  async #changeStep(change: (plan: Plan) => StepChange): Promise<StepChange> {
    let step: Step | undefined;
    const plan = await this.#change((before) => {
      const changed = change(before);
      step = changed.step;
      return changed.plan;
    });
    // The callback ran, or the store threw.
    return { plan, step: step as Step };
  }

  #tell(type: EventType, plan: Plan, step: Step | null): void {
    const { reporter, origin } = this.#parts;
    reporter.report(planEvent(type, plan, step, origin.now()), plan);
  }
}

function refuseOther(): never {
  return fail({
    code: 'TOOL_FAILED',
    reason: 'WrongState',
    recoverable: true,
    message:
      'The current plan is not the one that the user agreed to. Call startPlan again, so that they see this one.',
  });
}

function noActivePlan(): never {
  return fail({
    code: 'TOOL_FAILED',
    reason: 'WrongState',
    message:
      'No active plan. Create a plan first with createPlan; one of an earlier session is taken up with getPlanStatus and its plan_id.',
  });
}

function nothingThere(): never {
  return fail({
    code: 'TOOL_FAILED',
    reason: 'WrongState',
    message: 'No plan found. Create a plan first with createPlan.',
  });
}

function refuseSecond({ title, plan_id, started: isStarted }: Plan): never {
  const wayOut = isStarted
    ? 'Go on with it, or end it with completePlan ("cancelled" when it is not wanted any more), then create the new one.'
    : 'Call startPlan to begin it, or completePlan with status "cancelled" to give it up, then create the new one.';
  return fail({
    code: 'TOOL_FAILED',
    reason: 'WrongState',
    message: `Plan ${JSON.stringify(title)} (${plan_id}) is still active, and there is one at a time. ${wayOut}`,
  });
}
