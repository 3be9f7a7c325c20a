// Tells a person at the terminal.
import { progressOf, type Plan, type Step } from '../plan.ts';
import { progressBar, shownText, symbols } from '../render.ts';
import type { ConsoleSettings } from '../settings.ts';
import type { PlanEvent, Reporter } from './reporter.ts';

export function consoleReporter(settings: ConsoleSettings, print: (line: string) => void): Reporter {
  return {
    report: (event, plan) => {
      try {
        for (const line of linesOf(event, plan, settings)) print(line);
      } catch {
        // The terminal may be gone; the plan goes on.
      }
    },
    close: () => Promise.resolve(),
  };
}

function linesOf(event: PlanEvent, plan: Plan, settings: ConsoleSettings): string[] {
  const paint = painter(settings.colors);
  const rule = '='.repeat(settings.width);
  switch (event.event_type) {
    case 'plan_created':
      return [
        rule,
        paint('bold', `PLAN: ${shownText(plan.title)}`),
        rule,
        ...plan.steps.map(
          (step) => `  ${symbolOf(step, paint)} ${step.sequence}. ${shownText(step.description)}`,
        ),
        ...barOf(plan, settings, ''),
      ];
    case 'plan_started':
      return [`${timeOf(event, settings)}${paint('bold', 'PLAN STARTED')}: ${shownText(plan.title)}`];
    case 'step_in_progress':
      return settings.compact ? [] : stepLines(event, plan, settings);
    case 'step_added':
    case 'step_completed':
    case 'step_failed':
    case 'step_skipped':
      return stepLines(event, plan, settings);
    case 'plan_completed':
    case 'plan_failed':
    case 'plan_cancelled': {
      const { completed, failed, skipped } = progressOf(plan);
      return [
        rule,
        `${paint(colorOf[event.event_type], `PLAN ${plan.status.toUpperCase()}`)}: ${shownText(plan.title)}`,
        `   Steps: ${completed} completed, ${failed} failed, ${skipped} skipped`,
        ...(plan.summary === null ? [] : [`   Summary: ${shownText(plan.summary)}`]),
        rule,
      ];
    }
  }
}

function stepLines(event: PlanEvent, plan: Plan, settings: ConsoleSettings): string[] {
  const { step } = event;
  if (step === null) return [];
  const paint = painter(settings.colors);
  const word = event.event_type === 'step_added' ? 'ADDED' : step.status.toUpperCase();
  const place = `[${step.sequence}/${plan.steps.length}]`;
  return [
    `${timeOf(event, settings)}${symbolOf(step, paint)} ${place} ${paint(colorOf[step.status], word)}: ${shownText(step.description)}`,
    ...(step.result === null ? [] : [`    → ${shownText(step.result)}`]),
    ...(step.error === null ? [] : [`    ${paint('red', `✗ Error: ${shownText(step.error)}`)}`]),
    ...barOf(plan, settings, '    '),
  ];
}

function barOf(plan: Plan, { progressBar: isShown }: ConsoleSettings, before: string): string[] {
  return isShown ? [`${before}${progressBar(progressOf(plan))}`] : [];
}

function timeOf({ timestamp }: PlanEvent, { showTimestamps }: ConsoleSettings): string {
  return showTimestamps ? `[${new Date(timestamp).toTimeString().slice(0, 8)}] ` : '';
}

function symbolOf({ status }: Step, paint: Paint): string {
  return paint(colorOf[status], symbols[status]);
}

type Color = 'bold' | 'red' | 'green' | 'yellow' | 'blue' | 'gray';
type Paint = (color: Color, text: string) => string;

const codes: Readonly<Record<Color, number>> = {
  bold: 1,
  red: 91,
  green: 92,
  yellow: 93,
  blue: 94,
  gray: 90,
};

const colorOf = {
  pending: 'gray',
  in_progress: 'blue',
  completed: 'green',
  failed: 'red',
  skipped: 'yellow',
  plan_completed: 'green',
  plan_failed: 'red',
  plan_cancelled: 'yellow',
} as const;

function painter(isOn: boolean): Paint {
  return isOn ? (color, text) => `\u001B[${codes[color]}m${text}\u001B[0m` : (_, text) => text;
}
