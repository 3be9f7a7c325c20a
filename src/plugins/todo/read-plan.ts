// Plans from a file: unknown in, typed out. Whoever wrote it may have been another program.
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';
import type { Plan, PlanStatus, Step, StepStatus } from './plan.ts';

/** Ids become names of files. */
const planId = /^[\w-]{1,64}$/;
const planStatuses: readonly PlanStatus[] = ['active', 'completed', 'failed', 'cancelled'];
const stepStatuses: readonly StepStatus[] = ['pending', 'in_progress', 'completed', 'failed', 'skipped'];

/** Undefined for what is no plan. */
export function readPlan(value: Json | undefined): Plan | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = textIn(value['plan_id']);
  const title = textIn(value['title']);
  const createdAt = textIn(value['created_at']);
  const status = planStatuses.find((known) => known === value['status']);
  const steps = readSteps(value['steps']);
  if (id === null || !planId.test(id) || title === null || createdAt === null) return undefined;
  if (status === undefined || steps === undefined) return undefined;
  return {
    plan_id: id,
    created_at: createdAt,
    title,
    steps,
    status,
    started: value['started'] === true,
    started_at: textIn(value['started_at']),
    completed_at: textIn(value['completed_at']),
    summary: textIn(value['summary']),
  };
}

export function isPlanId(id: string): boolean {
  return planId.test(id);
}

function readSteps(value: Json | undefined): readonly Step[] | undefined {
  if (!isJsonArray(value)) return undefined;
  const steps = value.map(readStep);
  const read = steps.filter((step) => step !== undefined);
  if (read.length !== steps.length || new Set(read.map((step) => step.step_id)).size !== read.length)
    return undefined;
  return read
    .toSorted((one, other) => one.sequence - other.sequence)
    .map((step, index) => ({ ...step, sequence: index + 1 }));
}

function readStep(value: Json): Step | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = textIn(value['step_id']);
  const description = textIn(value['description']);
  const status = stepStatuses.find((known) => known === value['status']);
  const { sequence } = value;
  if (id === null || description === null || status === undefined || typeof sequence !== 'number')
    return undefined;
  return {
    step_id: id,
    sequence,
    description,
    status,
    started_at: textIn(value['started_at']),
    completed_at: textIn(value['completed_at']),
    result: textIn(value['result']),
    error: textIn(value['error']),
  };
}

function textIn(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
