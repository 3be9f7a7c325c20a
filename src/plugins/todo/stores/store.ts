// Where plans are kept.
import type { Plan } from '../plan.ts';

export interface PlanStore {
  get(planId: string): Promise<Plan | undefined>;
  /** The oldest first. */
  all(): Promise<readonly Plan[]>;
  /**
   * Keeps what `change` makes of the plan as it is stored now; undefined when it is not there yet. Nobody else changes it meanwhile, in
   * no process. When `change` throws, all is as it was.
   */
  change(planId: string, change: (plan: Plan | undefined) => Plan): Promise<Plan>;
}

/** A word about something that was survived. */
export type Warn = (message: string) => void;

/** Those that have to go so that at most so many are left: finished ones, the oldest first. Plans under way stay. */
export function superfluous(plans: readonly Plan[], keep: number): ReadonlySet<string> {
  const finished = plans.filter((plan) => plan.status !== 'active');
  return new Set(finished.slice(0, Math.max(0, plans.length - keep)).map((plan) => plan.plan_id));
}

export function byAge(plans: Iterable<Plan>): Plan[] {
  return [...plans].toSorted((one, other) =>
    one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0,
  );
}
