// A plan for people: in the terminal, as the answer of `plan`, and in the question whether it may be started.
import { printableLine } from '../../base/printable.ts';
import { progressOf, type Plan, type Progress, type Step, type StepStatus } from './plan.ts';

export const symbols: Readonly<Record<StepStatus, string>> = {
  pending: '○',
  in_progress: '●',
  completed: '✓',
  failed: '✗',
  skipped: '⊘',
};

/** The whole of it. */
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

/** Numbered, as they are proposed. */
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

/** One line, with nothing in it that a terminal would obey. */
export function shownText(text: string): string {
  return printableLine(text, 300);
}

function statusOf({ status, started }: Plan): string {
  return status === 'active' && !started ? 'waits for the user to agree' : status;
}

function stepLines({ status, sequence, description, step_id, result, error }: Step): string[] {
  return [
    `  ${symbols[status]} ${sequence}. ${shownText(description)}  (${step_id})`,
    ...(result === null ? [] : [`      → ${shownText(result)}`]),
    ...(error === null ? [] : [`      ✗ ${shownText(error)}`]),
  ];
}
