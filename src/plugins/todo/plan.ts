// A plan and its steps, as models, files and webhooks see them, and as text for people.
import { printableLine } from '../../base/printable.ts';

export type StepStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'skipped';

/** What a step can be set to. */
export type NextStepStatus = Exclude<StepStatus, 'pending'>;

type PlanStatus = 'active' | 'completed' | 'failed' | 'cancelled';

/** How a plan can end. */
export type FinalPlanStatus = Exclude<PlanStatus, 'active'>;

/** Times are ISO 8601. */
export type Step = {
  readonly step_id: string;
  /** From 1. */
  readonly sequence: number;
  readonly description: string;
  readonly status: StepStatus;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly result: string | null;
  readonly error: string | null;
};

export type Plan = {
  readonly plan_id: string;
  readonly created_at: string;
  readonly title: string;
  /** In order. */
  readonly steps: readonly Step[];
  readonly status: PlanStatus;
  /** The user has approved it. */
  readonly started: boolean;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly summary: string | null;
};

export type Progress = {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly in_progress: number;
  readonly pending: number;
  /** Of completed steps, with one decimal. */
  readonly percent: number;
};

export function progressOf({ steps }: Pick<Plan, 'steps'>): Progress {
  const count = { completed: 0, failed: 0, skipped: 0, in_progress: 0, pending: 0 };
  for (const { status } of steps) count[status] += 1;
  const total = steps.length;
  const percent = total === 0 ? 0 : Math.round((count.completed / total) * 1000) / 10;
  return { total, ...count, percent };
}

/** The sequence number of the step in progress; of several, the one that was started last. */
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

export const symbols: Readonly<Record<StepStatus, string>> = {
  pending: '○',
  in_progress: '●',
  completed: '✓',
  failed: '✗',
  skipped: '⊘',
};

export function planText(plan: Plan): string {
  const lines = [
    `Plan: ${shownText(plan.title)}`,
    `Id: ${plan.plan_id}   Status: ${statusOf(plan)}`,
    '',
    ...plan.steps.flatMap(stepLines),
    '',
    progressBar(progressOf(plan)),
    ...(plan.summary === null ? [] : [`Summary: ${shownText(plan.summary)}`]),
  ];
  return lines.join('\n');
}

/** Numbered, for the question whether the plan may be started. */
export function proposedSteps({ steps }: Pick<Plan, 'steps'>): string[] {
  return steps.map((step) => `${String(step.sequence).padStart(3)}. ${shownText(step.description)}`);
}

const BAR_WIDTH = 30;

/** `[======>                       ] 1/5 (20%)` */
export function progressBar({ completed, total, percent }: Progress): string {
  const filled = Math.floor((BAR_WIDTH * percent) / 100);
  const tip = filled > 0 && filled < BAR_WIDTH ? '>' : '';
  return `[${`${'='.repeat(filled)}${tip}`.padEnd(BAR_WIDTH)}] ${completed}/${total} (${Math.round(percent)}%)`;
}

/** One line that a terminal prints as it is. */
export function shownText(text: string): string {
  return printableLine(text, 300);
}

function statusOf({ status, started }: Plan): string {
  return status === 'active' && !started ? 'waits for approval' : status;
}

function stepLines({ status, sequence, description, step_id, result, error }: Step): string[] {
  return [
    `  ${symbols[status]} ${sequence}. ${shownText(description)}  (${step_id})`,
    ...(result === null ? [] : [`      → ${shownText(result)}`]),
    ...(error === null ? [] : [`      ✗ ${shownText(error)}`]),
  ];
}
