// Tells other programs by files: plans/ID/plan.json, progress.json and events/, and latest.json. Each is replaced as a whole.
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { toError } from '../../../base/error.ts';
import { within } from '../../../base/within.ts';
import { changeFile } from '../../../fleet/trust/guarded-file.ts';
import type { Plan } from '../plan.ts';
import type { Warn } from '../stores/store.ts';
import type { PlanEvent, Reporter } from './reporter.ts';

const QUEUE_MAX = 1000;
const CLOSE_MS = 3000;

export function fileReporter(
  basePath: string,
  { clock, warn }: { readonly clock: Clock; readonly warn: Warn },
): Reporter {
  const counts = new Map<string, number>();
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  const write = async (event: PlanEvent, plan: Plan) => {
    try {
      await writeEvent(basePath, event, plan, counts);
    } catch (error) {
      warn(`The progress of the plan could not be written to ${basePath}: ${toError(error).message}`);
    }
    waiting -= 1;
  };
  return {
    report: (event, plan) => {
      if (waiting >= QUEUE_MAX)
        return warn(`Too much waits to be written to ${basePath}; an event is left out.`);
      waiting += 1;
      last = last.then(() => write(event, plan));
    },
    close: async () => void (await within(last, CLOSE_MS, clock)),
  };
}

async function writeEvent(
  basePath: string,
  event: PlanEvent,
  plan: Plan,
  counts: Map<string, number>,
): Promise<void> {
  const folder = path.join(basePath, 'plans', plan.plan_id);
  const events = path.join(folder, 'events');
  await mkdir(events, { recursive: true, mode: 0o700 });
  const progress = { ...event.progress, status: plan.status, updated_at: event.timestamp };
  // Another process may tell of the same plan; while this one holds plan.json, the next number is its own.
  await changeFile(path.join(folder, 'plan.json'), { mode: 0o600 }, async () => {
    const number = Math.max(counts.get(plan.plan_id) ?? 0, await highestIn(events)) + 1;
    counts.set(plan.plan_id, number);
    await replaceJson(
      path.join(events, `${String(number).padStart(3, '0')}_${event.event_type}.json`),
      event,
    );
    await replaceJson(path.join(folder, 'progress.json'), progress);
    return jsonText(plan);
  });
  if (plan.status !== 'active') counts.delete(plan.plan_id);
  const { plan_id, title, status } = plan;
  await replaceJson(path.join(basePath, 'latest.json'), { plan_id, title, status, progress });
}

async function highestIn(folder: string): Promise<number> {
  const names = await readdir(folder);
  return names.reduce((highest, name) => Math.max(highest, Number.parseInt(name, 10) || 0), 0);
}

function replaceJson(file: string, value: object): Promise<void> {
  return changeFile(file, { mode: 0o600 }, () => Promise.resolve(jsonText(value)));
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
