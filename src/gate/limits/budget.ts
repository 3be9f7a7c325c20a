// How often at all, while the gate lives.
import { ownPart } from '../../definition/full-name.ts';
import { Denial } from '../denial.ts';
import type { BudgetTable, Place } from './limit-options.ts';

export class Budget {
  readonly #callers: ReadonlyMap<string, number>;
  readonly #tools: ReadonlyMap<string, number>;
  readonly #tool: number | undefined;
  readonly #spent = new Map<string, number>();

  constructor({ callers = {}, tool, tools = {} }: BudgetTable = {}) {
    this.#callers = new Map(Object.entries(callers));
    this.#tools = new Map(Object.entries(tools));
    this.#tool = tool;
  }

  /** What is spent already; undefined: the call can be made. */
  refusal({ tool, caller }: Place): Denial | undefined {
    const ofCaller = this.#callers.get(caller.kind);
    if (this.#isSpent(`caller:${caller.kind}`, ofCaller))
      return spent(`callers of the kind "${caller.kind}"`, ofCaller, 'callers');
    const named = this.#named(tool);
    const ofTool = named ?? this.#tool;
    if (this.#isSpent(`tool:${tool}`, ofTool))
      return spent(`"${tool}"`, ofTool, named === undefined ? 'tool' : 'tools');
    return undefined;
  }

  /** Counts a call, or with -1 takes one back that was not made. */
  count({ tool, caller }: Place, by: 1 | -1): void {
    if (this.#callers.has(caller.kind)) this.#add(`caller:${caller.kind}`, by);
    if ((this.#named(tool) ?? this.#tool) !== undefined) this.#add(`tool:${tool}`, by);
  }

  /** By its full name, or by its own. */
  #named(tool: string): number | undefined {
    return this.#tools.get(tool) ?? this.#tools.get(ownPart(tool));
  }

  #isSpent(key: string, limit: number | undefined): boolean {
    return limit !== undefined && (this.#spent.get(key) ?? 0) >= limit;
  }

  #add(key: string, by: 1 | -1): void {
    this.#spent.set(key, (this.#spent.get(key) ?? 0) + by);
  }
}

function spent(of: string, limit: number | undefined, setting: string): Denial {
  return new Denial('budget', {
    code: 'BUDGET_SPENT',
    message: `All ${limit} calls of ${of} that this session may make are spent (gate.limits.budget.${setting}).`,
    reason: 'budget',
  });
}
