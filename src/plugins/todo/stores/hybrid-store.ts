// Plans in a file, and in memory for whoever reads them: what was written by this process, or read once, is not read again.
import type { Plan } from '../plan.ts';
import { byAge, type PlanStore } from './store.ts';

export function hybridStore(disk: PlanStore, memory = new Map<string, Plan>()): PlanStore {
  return {
    get: async (planId) => {
      const known = memory.get(planId);
      if (known !== undefined) return known;
      const plan = await disk.get(planId);
      if (plan !== undefined) memory.set(planId, plan);
      return plan;
    },
    // Others write to the file too.
    all: async () => {
      const plans = await disk.all();
      memory.clear();
      for (const plan of plans) memory.set(plan.plan_id, plan);
      return byAge(plans);
    },
    change: async (planId, change) => {
      const plan = await disk.change(planId, change);
      memory.set(planId, plan);
      return plan;
    },
  };
}
