// Every call of a tool or a command passes here: known and exposed → arguments → policy → approval → rates → budget → the call → its
// output → audit. What is broken on the way denies.
import type { JsonObject } from '../base/json.ts';
import type { Caller } from '../definition/caller.ts';
import type { CallGate, CallSource } from '../fleet/registry/resolved.ts';
import type { Approver } from './approval/approver.ts';
import type { Audit } from './audit/audit.ts';
import type { Policy, Verdict } from './policy/policy.ts';

export interface Gate extends CallGate {
  /** What would be decided, without asking anybody and without calling. */
  check(name: string, args: JsonObject, caller: Caller, kind?: 'tool' | 'command'): Promise<Verdict>;
  /** Asks as for a call, without calling: the tool `askPermission`. `intent` is what the asker says it is for. */
  askPermission(
    name: string,
    args: JsonObject,
    caller: Caller,
    intent: string,
  ): Promise<{ readonly allowed: boolean; readonly reason: string; readonly method: string }>;
  readonly policy: Policy;
  /** Answers that hold for a turn are over. */
  endTurn(): void;
  /** Calls under way are cancelled, new ones are denied. */
  close(): Promise<void>;
}

export interface GateParts {
  readonly source: CallSource;
  readonly policy: Policy;
  readonly audit: Audit;
  /** Undefined: nobody can be asked, and what would have to be is denied. */
  readonly approver?: Approver;
}
