// Where plans are kept: in memory, in one JSON file, or in a folder with a file each. Several processes may use the same files.
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import { sentence } from '../../base/text.ts';
import { fromWire, shape } from '../../dialect/shape.ts';
import { readJson } from '../../fleet/discovery/json-reader.ts';
import { changeFile, readTextFile } from '../../fleet/trust/files.ts';
import { jsonText } from '../../outside/files.ts';
import type { Plan, Step } from './plan.ts';
import type { ReporterParts } from './reporter.ts';
import type { TodoConfig } from './settings.ts';

export interface PlanStore {
  get(planId: string): Promise<Plan | undefined>;
  /** The oldest first. */
  all(): Promise<readonly Plan[]>;
  /**
   * Stores the result of `change`, which gets the stored plan, or undefined for a new one. No other process changes the plan at the same time.
   * When `change` throws, nothing is changed.
   */
  change(planId: string, change: (plan: Plan | undefined) => Plan): Promise<Plan>;
}

export interface StoreOptions {
  /** How many plans are kept; active plans are always kept. */
  readonly keep: number;
  readonly now: () => Date;
  readonly warn: (message: string) => void;
}

export function createStore(
  config: Omit<TodoConfig, 'reporter_type' | 'reporter_config'>,
  parts: Pick<ReporterParts, 'env' | 'cwd' | 'dataFolder' | 'warn'> & Pick<StoreOptions, 'now'>,
): PlanStore {
  const { storage_type: type, storage_use_directory: isFolder, keep_plans: keep } = config;
  if (type === 'memory') return memoryStore(keep);
  const given = config.storage_path ?? parts.env['TODO_STORAGE_PATH'];
  const place = given
    ? path.resolve(parts.cwd, given)
    : path.join(parts.dataFolder(), isFolder ? 'plans' : 'plans.json');
  const disk = (isFolder ? plansFolder : plansFile)(place, { ...parts, keep });
  return type === 'file' ? disk : hybridStore(disk);
}

export function memoryStore(keep: number): PlanStore {
  const plans = new Map<string, Plan>();
  return {
    get: (planId) => Promise.resolve(plans.get(planId)),
    all: () => Promise.resolve(byAge(plans.values())),
    change: async (planId, change) => {
      const plan = change(plans.get(planId));
      plans.set(planId, plan);
      for (const id of excessPlans(byAge(plans.values()), keep)) if (id !== planId) plans.delete(id);
      return plan;
    },
  };
}

/** Files, with plans read from memory where they are known. */
export function hybridStore(disk: PlanStore): PlanStore {
  const memory = new Map<string, Plan>();
  const remember = (plan: Plan) => {
    memory.set(plan.plan_id, plan);
    return plan;
  };
  return {
    get: async (planId) => {
      const plan = memory.get(planId) ?? (await disk.get(planId));
      return plan && remember(plan);
    },
    // Other processes write to the file too.
    all: async () => {
      const plans = await disk.all();
      memory.clear();
      return plans.map(remember);
    },
    change: async (planId, change) => remember(await disk.change(planId, change)),
  };
}

const FILE_LIMIT = 32 * MiB;

/** Other content of the file is kept; a file that is not JSON is moved away before the first write. */
export function plansFile(file: string, { keep, now, warn }: StoreOptions): PlanStore {
  const all = async (): Promise<readonly Plan[]> => plansOf((await readPlans(file)).entries);
  return {
    get: async (planId) => (await all()).find((plan) => plan.plan_id === planId),
    all,
    change: (planId, change) =>
      changePlan(file, async (target) => {
        const { entries, rest, broken } = await readPlans(target);
        const before = entries.find((entry) => entry.plan?.plan_id === planId);
        const plan = change(before?.plan);
        if (broken !== undefined) warn(await moveAway(target, broken, now()));
        const entry: Entry = { raw: plan, plan };
        const after = before ? entries.map((one) => (one === before ? entry : one)) : [...entries, entry];
        return { plan, text: fittingText(rest, after, plan, keep) };
      }),
  };
}

/** An item of the list in the file, and the plan that it is, if it is one. */
interface Entry {
  readonly raw: Json;
  readonly plan: Plan | undefined;
}

interface FileContent {
  readonly entries: readonly Entry[];
  /** Other keys. */
  readonly rest: JsonObject;
  /** Why nothing could be read, after "it was". */
  readonly broken?: string;
}

/** @throws PluglotError CONFIG_INVALID for a file of a later version */
async function readPlans(file: string): Promise<FileContent> {
  const empty = { entries: [], rest: {} };
  const content = await readJsonFile(file, FILE_LIMIT);
  if (content === undefined) return empty;
  if ('broken' in content) return { ...empty, broken: content.broken };
  if (!isJsonObject(content.value)) return { ...empty, broken: 'not an object with "plans"' };
  const { version, plans, ...rest } = content.value;
  if (version !== undefined && !/^"?1(\.\d+)?"?$/.test(JSON.stringify(version)))
    throw unusable(file, `says that its version is ${JSON.stringify(version)}, and only 1.0 is known`);
  if (!isJsonArray(plans)) return { ...empty, broken: 'without a list "plans"' };
  return { entries: plans.map((raw) => ({ raw, plan: readPlan(raw) })), rest };
}

function plansOf(entries: readonly Entry[]): Plan[] {
  return byAge(entries.flatMap(({ plan }) => plan ?? []));
}

/** With at most `keep` plans, and never more than can be read again. */
function fittingText(rest: JsonObject, entries: readonly Entry[], changed: Plan, keep: number): string {
  for (let kept = keep; ; kept = Math.floor(kept / 2)) {
    const excess = excessPlans(plansOf(entries), kept);
    const left = entries.filter(({ plan }) => !plan || plan === changed || !excess.has(plan.plan_id));
    const text = jsonText({ ...rest, version: '1.0', plans: left.map(({ raw }) => raw) });
    if (kept === 0 || Buffer.byteLength(text) <= FILE_LIMIT) return text;
  }
}

const PLAN_LIMIT = 8 * MiB;
const FILES_MAX = 10_000;

export function plansFolder(folder: string, { keep, now, warn }: StoreOptions): PlanStore {
  const fileOf = (planId: string) => path.join(folder, `${planId}.json`);
  const get = async (planId: string): Promise<Plan | undefined> => {
    const content = isPlanId(planId) ? await readJsonFile(fileOf(planId), PLAN_LIMIT) : undefined;
    const plan = content && 'value' in content ? readPlan(content.value) : undefined;
    return plan?.plan_id === planId ? plan : undefined;
  };
  const all = async (): Promise<readonly Plan[]> => {
    const names = await readdir(folder).catch(() => []);
    const plans: Plan[] = [];
    for (const name of names.filter((one) => one.endsWith('.json')).slice(0, FILES_MAX)) {
      // A file that cannot be read does not hide the others.
      const plan = await get(name.slice(0, -'.json'.length)).catch(() => undefined);
      if (plan !== undefined) plans.push(plan);
    }
    return byAge(plans);
  };
  return {
    get,
    all,
    change: async (planId, change) => {
      let isNew = false;
      const changed = await changePlan(fileOf(planId), async (target) => {
        const content = await readJsonFile(target, PLAN_LIMIT);
        const before = content && 'value' in content ? readPlan(content.value) : undefined;
        isNew = before === undefined;
        const plan = change(before);
        if (content !== undefined && before === undefined)
          warn(await moveAway(target, 'broken' in content ? content.broken : 'not a plan', now()));
        return { plan, text: jsonText(plan) };
      });
      if (isNew)
        for (const id of excessPlans(await all(), keep))
          if (id !== planId) await rm(fileOf(id), { force: true });
      return changed;
    },
  };
}

/** Runs `change` while no other process does, and writes its text. */
async function changePlan(
  file: string,
  change: (target: string) => Promise<{ readonly plan: Plan; readonly text: string }>,
): Promise<Plan> {
  let changed: Plan | undefined;
  await changeFile(file, { mode: 0o600, enforceMode: true }, async (target) => {
    const { plan, text } = await change(target);
    changed = plan;
    return text;
  });
  // The callback ran, or changeFile threw.
  return changed as Plan;
}

/** Undefined when the file does not exist or is empty. @throws PluglotError when it cannot be read */
async function readJsonFile(
  file: string,
  limitBytes: number,
): Promise<{ readonly value: Json } | { readonly broken: string } | undefined> {
  const reading = await readTextFile(file, limitBytes);
  if (reading.kind === 'unreadable') throw unusable(file, reading.reason);
  if (reading.kind === 'absent' || reading.text.trim() === '') return undefined;
  const json = readJson(reading.text, { syntax: 'json' });
  return json.ok ? { value: json.root.value } : { broken: `not JSON (line ${json.line}: ${json.reason})` };
}

async function moveAway(file: string, reason: string, now: Date): Promise<string> {
  const moved = `${file}.unreadable-${now.toISOString().replaceAll(':', '-')}`;
  await rename(file, moved);
  return `${file} was ${reason}, so it was moved to ${moved} and a new file was created. Its content is unchanged.`;
}

function unusable(file: string, reason: string): PluglotError {
  return new PluglotError(
    'CONFIG_INVALID',
    `Plans cannot be stored in ${file}: it ${sentence(reason)} It was not changed; move it away, or set storage_path to another file.`,
  );
}

/** The plans to delete so that at most `keep` are left: finished ones, the oldest first. */
function excessPlans(plans: readonly Plan[], keep: number): ReadonlySet<string> {
  const finished = plans.filter((plan) => plan.status !== 'active');
  return new Set(finished.slice(0, Math.max(0, plans.length - keep)).map((plan) => plan.plan_id));
}

function byAge(plans: Iterable<Plan>): Plan[] {
  return [...plans].toSorted((one, other) =>
    one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0,
  );
}

const text = { type: 'text', required: true } as const;
const optionalText = { type: 'text', default: null } as const;
const idText = { read: (id: Json) => (isPlanId(id) ? id : undefined), expected: 'an id' };

const stepShape = shape<Step>({
  step_id: text,
  sequence: { type: 'number', required: true },
  description: text,
  status: { type: { oneOf: ['pending', 'in_progress', 'completed', 'failed', 'skipped'] }, required: true },
  started_at: optionalText,
  completed_at: optionalText,
  result: optionalText,
  error: optionalText,
});

const planShape = shape<Plan>({
  plan_id: { type: idText, required: true },
  created_at: text,
  title: text,
  steps: { type: { listOf: stepShape }, required: true },
  status: { type: { oneOf: ['active', 'completed', 'failed', 'cancelled'] }, required: true },
  started: { type: 'flag', default: false },
  started_at: optionalText,
  completed_at: optionalText,
  summary: optionalText,
});

/** Undefined for anything that is not a plan; other programs may have written it. */
function readPlan(value: Json): Plan | undefined {
  const read = fromWire(planShape, value, 'plan', 'lenient');
  if ('problem' in read) return undefined;
  const { steps } = read.value;
  if (new Set(steps.map(({ step_id }) => step_id)).size !== steps.length) return undefined;
  return {
    ...read.value,
    steps: steps
      .toSorted((one, other) => one.sequence - other.sequence)
      .map((step, index) => ({ ...step, sequence: index + 1 })),
  };
}

/** Ids become names of files. */
function isPlanId(id: Json): id is string {
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id);
}
