// Plans in one JSON file that several processes may change. What in it is no plan stays as it is; a file that is no JSON is moved aside.
import { rename } from 'node:fs/promises';
import { PluglotError } from '../../../base/error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { MiB } from '../../../base/limits.ts';
import { sentence } from '../../../base/sentence.ts';
import { readJson } from '../../../fleet/discovery/json-reader.ts';
import { placeOf } from '../../../fleet/discovery/text-places.ts';
import { changeFile } from '../../../fleet/trust/guarded-file.ts';
import { readTextFile } from '../../../fleet/trust/regular-file.ts';
import type { Plan } from '../plan.ts';
import { readPlan } from '../read-plan.ts';
import { byAge, superfluous, type PlanStore, type Warn } from './store.ts';

const FILE_LIMIT = 32 * MiB;

export interface FileStoreOptions {
  /** How many plans are kept; those under way always are. */
  readonly keep: number;
  readonly now: () => Date;
  readonly warn: Warn;
}

export function plansFile(file: string, { keep, now, warn }: FileStoreOptions): PlanStore {
  const all = async (): Promise<readonly Plan[]> => {
    const content = await read(file);
    return content.kind === 'plans' ? plansOf(content.entries) : [];
  };
  return {
    get: async (planId) => (await all()).find((plan) => plan.plan_id === planId),
    all,
    change: async (planId, change) => {
      let changed: Plan | undefined;
      await changeFile(file, { mode: 0o600, enforceMode: true }, async (target) => {
        const content = await read(target);
        const entries = content.kind === 'plans' ? content.entries : [];
        const plan = change(entries.find((entry) => entry.plan?.plan_id === planId)?.plan);
        if (content.kind === 'broken') warn(await movedAside(target, content.reason, now()));
        changed = plan;
        const rest = content.kind === 'plans' ? content.rest : {};
        return textOf(rest, replaced(entries, plan), plan, keep);
      });
      // The callback ran, or changeFile threw.
      return changed as Plan;
    },
  };
}

/** One of the list in the file, as it stands there, and as a plan where it is one. */
interface Entry {
  readonly raw: Json;
  readonly plan?: Plan | undefined;
}

type Content =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'broken'; readonly reason: string }
  | {
      readonly kind: 'plans';
      readonly entries: readonly Entry[];
      /** Other keys. */ readonly rest: JsonObject;
    };

async function read(file: string): Promise<Content> {
  const reading = await readTextFile(file, FILE_LIMIT);
  switch (reading.kind) {
    case 'absent':
      return { kind: 'nothing' };
    case 'unreadable':
      throw unusable(file, reading.reason);
    case 'read':
      return parse(file, reading.text);
  }
}

/** @throws PluglotError CONFIG_INVALID for what a later version may have written */
function parse(file: string, text: string): Content {
  if (text.trim() === '') return { kind: 'nothing' };
  const reading = readJson(text, { syntax: 'json' });
  if (!reading.ok)
    return {
      kind: 'broken',
      reason: `no JSON (line ${placeOf(text, reading.offset).line}: ${reading.reason})`,
    };
  const { value } = reading.root;
  if (!isJsonObject(value)) return { kind: 'broken', reason: 'no object with "plans"' };
  const { version, plans, ...rest } = value;
  if (version !== undefined && !/^"?1(\.\d+)?"?$/.test(JSON.stringify(version)))
    throw unusable(file, `says that its version is ${JSON.stringify(version)}, and only 1.0 is known`);
  if (!isJsonArray(plans)) return { kind: 'broken', reason: 'without a list "plans"' };
  return { kind: 'plans', entries: plans.map((raw) => ({ raw, plan: readPlan(raw) })), rest };
}

function plansOf(entries: readonly Entry[]): Plan[] {
  return byAge(entries.flatMap(({ plan }) => (plan === undefined ? [] : [plan])));
}

function replaced(entries: readonly Entry[], plan: Plan): readonly Entry[] {
  const isThere = entries.some((entry) => entry.plan?.plan_id === plan.plan_id);
  const entry = { raw: asJson(plan), plan };
  return isThere
    ? entries.map((other) => (other.plan?.plan_id === plan.plan_id ? entry : other))
    : [...entries, entry];
}

/** At most so many plans, and never more than can be read again. */
function textOf(rest: JsonObject, entries: readonly Entry[], changed: Plan, keep: number): string {
  for (let kept = keep; ; kept = Math.floor(kept / 2)) {
    const gone = superfluous(plansOf(entries), kept);
    const left = entries.filter(
      ({ plan }) => plan === undefined || plan === changed || !gone.has(plan.plan_id),
    );
    const text = `${JSON.stringify({ ...rest, version: '1.0', plans: left.map(({ raw }) => raw) }, undefined, 2)}\n`;
    if (kept === 0 || Buffer.byteLength(text) <= FILE_LIMIT) return text;
  }
}

export async function movedAside(file: string, reason: string, now: Date): Promise<string> {
  const aside = `${file}.unreadable-${now.toISOString().replaceAll(':', '-')}`;
  await rename(file, aside);
  return `${file} was ${reason}, so it was moved to ${aside} and a new one was begun. Nothing in it was changed.`;
}

export function unusable(file: string, reason: string): PluglotError {
  return new PluglotError(
    'CONFIG_INVALID',
    `Plans cannot be kept in ${file}: it ${sentence(reason)} It was left as it is; move it away, or set storage_path to another file.`,
  );
}

/** A plan is JSON: it has texts, numbers, null and lists of them alone. */
function asJson(plan: Plan): Json {
  return { ...plan, steps: plan.steps.map((step) => ({ ...step })) };
}
