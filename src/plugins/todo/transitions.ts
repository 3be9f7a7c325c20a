// The changes that a plan allows. Each function returns the changed plan, or fails with a way to fix it; nothing is changed in place.
import { didYouMean } from '../../base/names.ts';
import { fail } from '../../definition/failure.ts';
import type { FinalPlanStatus, NextStepStatus, Plan, Step, StepStatus } from './plan.ts';

export interface Origin {
  readonly now: () => Date;
  readonly newId: () => string;
}

export interface StepChange {
  readonly plan: Plan;
  readonly step: Step;
}

export function created(title: string, steps: readonly string[], origin: Origin): Plan {
  if (steps.length === 0) refuse('A plan needs at least one step; "steps" is empty.');
  if (steps.length > STEPS_MAX)
    refuse(
      `A plan has at most ${STEPS_MAX} steps, and these are ${steps.length}. Combine some, or plan a part.`,
    );
  const texts = steps.map((step, index) => requiredText(step, `steps[${index}]`, 'description'));
  return {
    plan_id: origin.newId(),
    created_at: origin.now().toISOString(),
    title: requiredText(title, 'title', 'title'),
    steps: texts.reduce<readonly Step[]>((before, text) => [...before, pending(before, text, origin)], []),
    status: 'active',
    started: false,
    started_at: null,
    completed_at: null,
    summary: null,
  };
}

export function started(plan: Plan, { now }: Origin): Plan {
  mustBeActive(plan);
  if (plan.started) wrongState('Plan already started. Proceed with updateStep.');
  return { ...plan, started: true, started_at: now().toISOString() };
}

/** The next statuses of a step. A finished step must be in progress again first, so that no result is overwritten by mistake. */
const next: Readonly<Record<StepStatus, readonly NextStepStatus[]>> = {
  pending: ['in_progress', 'completed', 'failed', 'skipped'],
  in_progress: ['completed', 'failed', 'skipped'],
  completed: ['in_progress'],
  failed: ['in_progress'],
  skipped: ['in_progress'],
};

export interface StepUpdate {
  readonly step_id: string;
  readonly status: NextStepStatus;
  readonly result?: string | undefined;
  readonly error?: string | undefined;
}

export function stepUpdated(plan: Plan, update: StepUpdate, { now }: Origin): StepChange {
  mustBeStarted(plan);
  const step = stepOf(plan, update.step_id, 'step_id');
  const { status } = update;
  if (!next[step.status].includes(status)) refuseStep(step, status);
  const result = optionalText(update.result, 'result');
  const error = optionalText(update.error, 'error');
  if (error !== null && status !== 'failed')
    refuse(
      `"error" is for steps that failed, and the status is "${status}". Use "result" for it, or "failed" as status.`,
    );
  const time = now().toISOString();
  const changed: Step =
    status === 'in_progress'
      ? { ...step, status, started_at: time, completed_at: null, result, error: null }
      : { ...step, status, completed_at: time, result: result ?? step.result, error };
  return { plan: withStep(plan, changed), step: changed };
}

export function stepAdded(
  plan: Plan,
  description: string,
  afterStepId: string | undefined,
  origin: Origin,
): StepChange {
  mustBeStarted(plan);
  const text = requiredText(description, 'description', 'description');
  if (plan.steps.length >= STEPS_MAX)
    refuse(`The plan has ${STEPS_MAX} steps already, which is the maximum. Finish it, then plan the rest.`);
  const place =
    afterStepId === undefined ? plan.steps.length : stepOf(plan, afterStepId, 'after_step_id').sequence;
  const added = { ...pending(plan.steps, text, origin), sequence: place + 1 };
  const steps = [...plan.steps.slice(0, place), added, ...plan.steps.slice(place)];
  return {
    plan: { ...plan, steps: steps.map((step, index) => ({ ...step, sequence: index + 1 })) },
    step: added,
  };
}

export function ended(
  plan: Plan,
  status: FinalPlanStatus,
  summary: string | undefined,
  { now }: Origin,
): Plan {
  mustBeActive(plan);
  if (!plan.started && status !== 'cancelled')
    wrongState(
      `Cannot mark plan as '${status}' - plan was never started. Use 'cancelled' if the plan was rejected.`,
    );
  const open = plan.steps.filter((step) => step.status === 'pending' || step.status === 'in_progress');
  if (status === 'completed' && open.length > 0)
    wrongState(
      `Cannot mark plan as 'completed' - ${open.length === 1 ? 'a step is' : `${open.length} steps are`} not finished: ` +
        `${open.slice(0, 5).map(named).join(', ')}${open.length > 5 ? ' …' : ''}. ` +
        `Finish them with updateStep ('skipped' if they are not needed), or use 'failed' or 'cancelled'.`,
    );
  return {
    ...plan,
    status,
    completed_at: now().toISOString(),
    summary: optionalText(summary, 'summary'),
  };
}

/** Ids are short, so they are checked to be unique within the plan. */
function pending(others: readonly Step[], description: string, { newId }: Origin): Step {
  let id = shortId(newId());
  while (others.some((step) => step.step_id === id)) id = shortId(newId());
  return {
    step_id: id,
    sequence: others.length + 1,
    description,
    status: 'pending',
    started_at: null,
    completed_at: null,
    result: null,
    error: null,
  };
}

/** Models copy ids, so they are short. */
function shortId(id: string): string {
  return id.replaceAll('-', '').slice(0, 12);
}

function mustBeActive(plan: Plan): void {
  if (plan.status !== 'active')
    wrongState(`The plan is ${plan.status} already. Create another one with createPlan.`);
}

function mustBeStarted(plan: Plan): void {
  mustBeActive(plan);
  if (!plan.started) wrongState('Plan not started. Call startPlan first to get user approval.');
}

function stepOf({ steps }: Plan, id: string, key: string): Step {
  const found = steps.find((step) => step.step_id === id);
  if (found !== undefined) return found;
  const numbered = steps.find((step) => String(step.sequence) === id.trim());
  const hint =
    numbered === undefined
      ? didYouMean(
          id,
          steps.map((step) => step.step_id),
        )
      : ` Step ${numbered.sequence} has the id "${numbered.step_id}".`;
  return refuse(
    `Step not found: ${JSON.stringify(id.slice(0, 80))} (${key}).${hint} getPlanStatus lists the ids of all steps.`,
  );
}

function refuseStep(step: Step, status: NextStepStatus): never {
  if (step.status === status) wrongState(`${named(step)} is ${status} already.`);
  return wrongState(
    `${named(step)} is ${step.status} and cannot become ${status}. Set it to in_progress first, to work on it again.`,
  );
}

function withStep(plan: Plan, changed: Step): Plan {
  return { ...plan, steps: plan.steps.map((step) => (step.step_id === changed.step_id ? changed : step)) };
}

function named({ sequence, step_id, status }: Step): string {
  return `Step ${sequence} (${step_id}, ${status})`;
}

function refuse(message: string): never {
  return fail({ code: 'INVALID_ARGUMENTS', message });
}

export function wrongState(message: string): never {
  return fail({ code: 'TOOL_FAILED', message, reason: 'WrongState', recoverable: true });
}

export const STEPS_MAX = 100;

/** In characters. */
const longest = {
  title: 200,
  description: 1000,
  result: 4000,
  error: 4000,
  summary: 4000,
  message: 1000,
} as const;

export type TextKind = keyof typeof longest;

/** Trimmed, and not empty. */
function requiredText(text: string, where: string, kind: TextKind): string {
  const trimmed = text.trim();
  if (trimmed === '') fail({ code: 'INVALID_ARGUMENTS', message: `"${where}" is empty; expected a text.` });
  return checkedLength(trimmed, where, kind);
}

/** Null for an empty text. */
export function optionalText(text: string | undefined, kind: TextKind): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : checkedLength(trimmed, kind, kind);
}

function checkedLength(text: string, where: string, kind: TextKind): string {
  const most = longest[kind];
  if (text.length <= most) return text;
  return fail({
    code: 'INVALID_ARGUMENTS',
    message: `"${where}" has ${text.length} characters, and at most ${most} are accepted. Shorten it.`,
  });
}
