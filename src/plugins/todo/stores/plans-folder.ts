// Plans in a folder, a JSON file each.
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { MiB } from '../../../base/limits.ts';
import { readJson } from '../../../fleet/discovery/json-reader.ts';
import { changeFile } from '../../../fleet/trust/guarded-file.ts';
import { readTextFile } from '../../../fleet/trust/regular-file.ts';
import type { Plan } from '../plan.ts';
import { isPlanId, readPlan } from '../read-plan.ts';
import { movedAside, unusable, type FileStoreOptions } from './plans-file.ts';
import { byAge, superfluous, type PlanStore } from './store.ts';

const PLAN_LIMIT = 8 * MiB;

/** Nobody looks through more. */
const FILES_MAX = 10_000;

export function plansFolder(folder: string, { keep, now, warn }: FileStoreOptions): PlanStore {
  const fileOf = (planId: string) => path.join(folder, `${planId}.json`);
  const get = async (planId: string): Promise<Plan | undefined> => {
    const content = isPlanId(planId) ? await read(fileOf(planId)) : undefined;
    return typeof content === 'object' && content.plan_id === planId ? content : undefined;
  };
  const all = async (): Promise<readonly Plan[]> => {
    const names = await readdir(folder).catch(() => []);
    const plans: Plan[] = [];
    for (const name of names.filter((one) => one.endsWith('.json')).slice(0, FILES_MAX)) {
      // One that cannot be read hides no other.
      const plan = await get(name.slice(0, -'.json'.length)).catch(() => undefined);
      if (plan !== undefined) plans.push(plan);
    }
    return byAge(plans);
  };
  return {
    get,
    all,
    change: async (planId, change) => {
      let changed: Plan | undefined;
      let isNew = false;
      await changeFile(fileOf(planId), { mode: 0o600, enforceMode: true }, async (target) => {
        const content = await read(target);
        const before = typeof content === 'object' ? content : undefined;
        isNew = before === undefined;
        changed = change(before);
        if (typeof content === 'string') warn(await movedAside(target, content, now()));
        return `${JSON.stringify(changed, undefined, 2)}\n`;
      });
      if (isNew)
        for (const id of superfluous(await all(), keep))
          if (id !== planId) await rm(fileOf(id), { force: true });
      // The callback ran, or changeFile threw.
      return changed as Plan;
    },
  };
}

/** A text says what is wrong with it. */
async function read(file: string): Promise<Plan | string | undefined> {
  const reading = await readTextFile(file, PLAN_LIMIT);
  if (reading.kind === 'absent') return undefined;
  if (reading.kind === 'unreadable') throw unusable(file, reading.reason);
  const json = readJson(reading.text, { syntax: 'json' });
  if (!json.ok) return `no JSON (${json.reason})`;
  return readPlan(json.root.value) ?? 'no plan';
}
