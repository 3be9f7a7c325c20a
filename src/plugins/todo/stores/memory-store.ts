// Plans that end with the process.
import type { Plan } from '../plan.ts';
import { byAge, superfluous, type PlanStore } from './store.ts';

export function memoryStore(keep: number): PlanStore {
  const plans = new Map<string, Plan>();
  return {
    get: (planId) => Promise.resolve(plans.get(planId)),
    all: () => Promise.resolve(byAge(plans.values())),
    change: async (planId, change) => {
      const plan = change(plans.get(planId));
      plans.set(planId, plan);
      for (const id of superfluous(byAge(plans.values()), keep)) if (id !== planId) plans.delete(id);
      return plan;
    },
  };
}
