// Reports what happens to plans: to the person at the terminal, to a webhook, or in files.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { textsIn } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import { fail } from '../../definition/failure.ts';
import { changeFile } from '../../fleet/trust/files.ts';
import { files, jsonText, writeJson } from '../../outside/files.ts';
import { noticeQueue } from '../../outside/notices.ts';
import type { Notice, Outside } from '../../outside/outside.ts';
import { terminal } from '../../outside/terminal.ts';
import { problemOfEndpoint, webhook } from '../../outside/webhook.ts';
import {
  progressBar,
  progressOf,
  shownText,
  symbols,
  type FinalPlanStatus,
  type NextStepStatus,
  type Plan,
  type Progress,
  type Step,
} from './plan.ts';
import type { TodoConfig } from './settings.ts';

export type EventType =
  | 'plan_created'
  | 'plan_started'
  | 'step_added'
  | `step_${NextStepStatus}`
  | `plan_${FinalPlanStatus}`;

export type PlanEvent = {
  readonly event_id: string;
  readonly timestamp: string;
  readonly event_type: EventType;
  readonly plan_id: string;
  readonly plan_title: string;
  readonly step: Step | null;
  readonly progress: Progress;
};

export interface Reporter {
  /** Returns at once and never throws; delivery goes on in the background. */
  report(event: PlanEvent, plan: Plan): void;
  /** Resolves when all events are delivered, or after a few seconds. Never rejects. */
  close(): Promise<void>;
}

export interface ReporterParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Created on first use. */
  readonly dataFolder: () => string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  readonly print: (line: string) => void;
}

type ConsoleConfig = Pick<
  TodoConfig['reporter_config'],
  'show_timestamps' | 'progress_bar' | 'colors' | 'width' | 'compact'
>;
type ReporterConfig = Pick<TodoConfig, 'reporter_type' | 'reporter_config'>;

export function createReporter(
  { reporter_type: type, reporter_config: config }: ReporterConfig,
  parts: ReporterParts,
): Reporter {
  const types = typeof type === 'string' ? [type] : textsIn(type);
  const queues = types.map((one) => noticeQueue(outsideOf(one, config, parts), 'plan events', parts));
  /** The number of the last event of each plan. */
  const counts = new Map<string, number>();
  return {
    report: (event, plan) => {
      const notice: Notice = {
        lines: () => linesOf(event, plan, config),
        body: event,
        write: (folder) => writeEvent(folder, event, plan, counts),
      };
      for (const queue of queues) queue.send(notice);
    },
    close: async () => void (await Promise.all(queues.map((queue) => queue.close()))),
  };
}

export function planEvent(type: EventType, plan: Plan, step: Step | null, now: Date): PlanEvent {
  return {
    event_id: randomUUID(),
    timestamp: now.toISOString(),
    event_type: type,
    plan_id: plan.plan_id,
    plan_title: plan.title,
    step,
    progress: progressOf(plan),
  };
}

function outsideOf(
  type: string,
  config: ReporterConfig['reporter_config'],
  { env, cwd, dataFolder, fetch, clock, print }: ReporterParts,
): Outside {
  if (type === 'file') {
    const { base_path: base } = config;
    return files({ folder: base ? path.resolve(cwd, base) : path.join(dataFolder(), 'progress'), clock });
  }
  if (type !== 'webhook') return terminal({ print, clock });
  const { endpoint = '', timeout, headers, auth_token: token = env['TODO_WEBHOOK_TOKEN'] } = config;
  const problem = problemOfEndpoint(endpoint);
  if (problem !== undefined)
    fail({
      code: 'INVALID_ARGUMENTS',
      message: `The webhook of reporter_config is not valid: ${sentence(problem)}`,
    });
  // The schema only accepts texts.
  const texts = headers as Readonly<Record<string, string>>;
  return webhook({ endpoint, limitMs: timeout * 1000, headers: texts, token }, { fetch, clock });
}

/** Writes plans/ID/plan.json, progress.json and events/, and latest.json; each is replaced as a whole. */
async function writeEvent(
  root: string,
  event: PlanEvent,
  plan: Plan,
  counts: Map<string, number>,
): Promise<void> {
  const folder = path.join(root, 'plans', plan.plan_id);
  const events = path.join(folder, 'events');
  await mkdir(events, { recursive: true, mode: 0o700 });
  const progress = { ...event.progress, status: plan.status, updated_at: event.timestamp };
  // Another process may report the same plan: the lock of plan.json also guards the number of the event.
  await changeFile(path.join(folder, 'plan.json'), { mode: 0o600 }, async () => {
    const number = Math.max(counts.get(plan.plan_id) ?? 0, await highestIn(events)) + 1;
    counts.set(plan.plan_id, number);
    await writeJson(path.join(events, `${String(number).padStart(3, '0')}_${event.event_type}.json`), event);
    await writeJson(path.join(folder, 'progress.json'), progress);
    return jsonText(plan);
  });
  if (plan.status !== 'active') counts.delete(plan.plan_id);
  const { plan_id, title, status } = plan;
  await writeJson(path.join(root, 'latest.json'), { plan_id, title, status, progress });
}

async function highestIn(folder: string): Promise<number> {
  const names = await readdir(folder);
  return names.reduce((highest, name) => Math.max(highest, Number.parseInt(name, 10) || 0), 0);
}

function linesOf(event: PlanEvent, plan: Plan, settings: ConsoleConfig): string[] {
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

function stepLines(event: PlanEvent, plan: Plan, settings: ConsoleConfig): string[] {
  const { step } = event;
  if (step === null) return [];
  const paint = painter(settings.colors);
  const label = event.event_type === 'step_added' ? 'ADDED' : step.status.toUpperCase();
  const place = `[${step.sequence}/${plan.steps.length}]`;
  return [
    `${timeOf(event, settings)}${symbolOf(step, paint)} ${place} ${paint(colorOf[step.status], label)}: ${shownText(step.description)}`,
    ...(step.result === null ? [] : [`    → ${shownText(step.result)}`]),
    ...(step.error === null ? [] : [`    ${paint('red', `✗ Error: ${shownText(step.error)}`)}`]),
    ...barOf(plan, settings, '    '),
  ];
}

function barOf(plan: Plan, { progress_bar: isShown }: ConsoleConfig, before: string): string[] {
  return isShown ? [`${before}${progressBar(progressOf(plan))}`] : [];
}

function timeOf({ timestamp }: PlanEvent, { show_timestamps }: ConsoleConfig): string {
  return show_timestamps ? `[${new Date(timestamp).toTimeString().slice(0, 8)}] ` : '';
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
