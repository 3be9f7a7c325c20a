// The plans of a session and which one is current. Changes are made one after the other, and stored before they are reported.
import { oneByOne } from '../../base/async.ts';
import { didYouMean } from '../../base/names.ts';
import { fail } from '../../definition/failure.ts';
import type { FinalPlanStatus, Plan, Step } from './plan.ts';
import { planEvent, type EventType, type Reporter } from './reporter.ts';
import type { PlanStore } from './stores.ts';
import {
  created,
  ended,
  started,
  stepAdded,
  stepUpdated,
  wrongState,
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
  /** Two calls at once would each see the plan as it was before the other. */
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
      this.#report('plan_created', plan, null);
      return plan;
    });
  }

  /** @param approved the plan that the user was shown; another one may have been created since */
  start(approved?: string): Promise<Plan> {
    return this.#inTurn(async () => {
      if (approved !== undefined && this.#current !== undefined && approved !== this.#current)
        wrongState(
          'The current plan is not the one that the user approved. Call startPlan again, so that they see this one.',
        );
      const plan = await this.#change((before) => started(before, this.#parts.origin));
      this.#report('plan_started', plan, null);
      return plan;
    });
  }

  updateStep(update: StepUpdate): Promise<StepChange> {
    return this.#inTurn(async () => {
      if ((await this.active()) === undefined) await this.#resumeByStep(update.step_id);
      const change = await this.#changeStep((before) => stepUpdated(before, update, this.#parts.origin));
      this.#report(`step_${update.status}`, change.plan, change.step);
      return change;
    });
  }

  addStep(description: string, afterStepId: string | undefined): Promise<StepChange> {
    return this.#inTurn(async () => {
      if (afterStepId !== undefined && (await this.active()) === undefined)
        await this.#resumeByStep(afterStepId);
      const change = await this.#changeStep((before) =>
        stepAdded(before, description, afterStepId, this.#parts.origin),
      );
      this.#report('step_added', change.plan, change.step);
      return change;
    });
  }

  complete(status: FinalPlanStatus, summary: string | undefined): Promise<Plan> {
    return this.#inTurn(async () => {
      const plan = await this.#change((before) => ended(before, status, summary, this.#parts.origin));
      this.#current = undefined;
      this.#ended = plan.plan_id;
      this.#report(`plan_${status}`, plan, null);
      return plan;
    });
  }

  /**
   * The plan of this id, otherwise the one of `shown`. An active plan becomes the current one when there is none, so that it can be finished
   * after a restart.
   */
  status(planId: string | undefined): Promise<Plan> {
    return this.#inTurn(async () => {
      if (planId === undefined)
        return (await this.shown()) ?? wrongState('No plan found. Create a plan first with createPlan.');
      const plan = await this.find(planId);
      if (plan.status === 'active' && (await this.active()) === undefined) this.#current = plan.plan_id;
      return plan;
    });
  }

  /** The current plan, otherwise the one that this session ended last, otherwise the latest of the store. */
  async shown(): Promise<Plan | undefined> {
    const { store } = this.#parts;
    const ended = async () => (this.#ended === undefined ? undefined : store.get(this.#ended));
    return (await this.active()) ?? (await ended()) ?? (await store.all()).at(-1);
  }

  /** By its id, or by a unique beginning of it. */
  async find(planId: string): Promise<Plan> {
    const plan = await this.#parts.store.get(planId);
    if (plan !== undefined) return plan;
    const plans = await this.all();
    const matches = planId === '' ? [] : plans.filter((one) => one.plan_id.startsWith(planId));
    if (matches.length === 1 && matches[0] !== undefined) return matches[0];
    const ids = plans.map((one) => one.plan_id);
    return fail({
      code: 'INVALID_ARGUMENTS',
      message: `The plan ${JSON.stringify(planId.slice(0, 80))} does not exist.${didYouMean(planId, ids)} Without an id the current plan is shown.`,
    });
  }

  all(): Promise<readonly Plan[]> {
    return this.#parts.store.all();
  }

  /** The current plan while it is active. */
  async active(): Promise<Plan | undefined> {
    if (this.#current === undefined) return undefined;
    const plan = await this.#parts.store.get(this.#current);
    return plan?.status === 'active' ? plan : undefined;
  }

  /** A caller that knows the id of a step has worked on its plan before. */
  async #resumeByStep(stepId: string): Promise<void> {
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

  #report(type: EventType, plan: Plan, step: Step | null): void {
    const { reporter, origin } = this.#parts;
    reporter.report(planEvent(type, plan, step, origin.now()), plan);
  }
}

const noActivePlan = (): never =>
  wrongState(
    'No active plan. Create a plan first with createPlan; to continue one of an earlier session, call getPlanStatus with its plan_id.',
  );

function refuseSecond({ title, plan_id, started: isStarted }: Plan): never {
  const wayOut = isStarted
    ? 'Continue it, or end it with completePlan ("cancelled" when it is no longer wanted), then create the new one.'
    : 'Call startPlan to start it, or completePlan with status "cancelled" to drop it, then create the new one.';
  return wrongState(
    `Plan ${JSON.stringify(title)} (${plan_id}) is still active, and only one can be active. ${wayOut}`,
  );
}
