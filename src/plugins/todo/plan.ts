// A plan and its steps, in the words that models, files and webhooks see.

export type StepStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'skipped';

/** What a step can be set to. */
export type NextStepStatus = Exclude<StepStatus, 'pending'>;

export type PlanStatus = 'active' | 'completed' | 'failed' | 'cancelled';

/** How a plan can end. */
export type FinalPlanStatus = Exclude<PlanStatus, 'active'>;

/** Times are ISO 8601. */
export interface Step {
  readonly step_id: string;
  /** Its place, from 1. */
  readonly sequence: number;
  readonly description: string;
  readonly status: StepStatus;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly result: string | null;
  readonly error: string | null;
}

export interface Plan {
  readonly plan_id: string;
  readonly created_at: string;
  readonly title: string;
  /** In their order. */
  readonly steps: readonly Step[];
  readonly status: PlanStatus;
  /** The user has agreed to it. */
  readonly started: boolean;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly summary: string | null;
}

export interface Progress {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly in_progress: number;
  readonly pending: number;
  /** Of completed steps, with one decimal. */
  readonly percent: number;
}

export function progressOf({ steps }: Pick<Plan, 'steps'>): Progress {
  const count = { completed: 0, failed: 0, skipped: 0, in_progress: 0, pending: 0 };
  for (const { status } of steps) count[status] += 1;
  const total = steps.length;
  const percent = total === 0 ? 0 : Math.round((count.completed / total) * 1000) / 10;
  return { total, ...count, percent };
}

/** The place of the step that is worked on: of several the one that was begun last. */
export function currentStep({ steps }: Pick<Plan, 'steps'>): number | null {
  let current: Step | undefined;
  for (const step of steps)
    if (
      step.status === 'in_progress' &&
      (current === undefined || (step.started_at ?? '') >= (current.started_at ?? ''))
    )
      current = step;
  return current?.sequence ?? null;
}
