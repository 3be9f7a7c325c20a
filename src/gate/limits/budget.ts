// How often at all, while the gate lives.
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

  /** Counts the call, or says what is spent and counts nothing. */
  spend({ tool, caller }: Place): Denial | undefined {
    const ofCaller = this.#callers.get(caller.kind);
    const ofTool = this.#tools.get(tool) ?? this.#tool;
    const callerKey = `caller:${caller.kind}`;
    const toolKey = `tool:${tool}`;
    if (this.#isSpent(callerKey, ofCaller))
      return spent(`callers of the kind "${caller.kind}"`, ofCaller, 'callers');
    if (this.#isSpent(toolKey, ofTool))
      return spent(`"${tool}"`, ofTool, this.#tools.has(tool) ? 'tools' : 'tool');
    if (ofCaller !== undefined) this.#count(callerKey);
    if (ofTool !== undefined) this.#count(toolKey);
    return undefined;
  }

  #isSpent(key: string, limit: number | undefined): boolean {
    return limit !== undefined && (this.#spent.get(key) ?? 0) >= limit;
  }

  #count(key: string): void {
    this.#spent.set(key, (this.#spent.get(key) ?? 0) + 1);
  }
}

function spent(of: string, limit: number | undefined, setting: string): Denial {
  return new Denial('budget', {
    code: 'BUDGET_SPENT',
    message: `All ${limit} calls of ${of} that this session may make are spent (gate.limits.budget.${setting}).`,
    reason: 'budget',
  });
}
