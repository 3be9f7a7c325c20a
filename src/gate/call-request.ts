// What is asked of the gate, and by whom.
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Trace } from '../base/trace.ts';
import { callerKinds, type Caller } from '../definition/caller.ts';
import type { ResolvedContent } from '../fleet/registry/contract.ts';
import type { Approver } from './approval/approver.ts';
import type { CallKind } from './policy/policy.ts';

export interface CallRequest {
  readonly id: string;
  readonly kind: CallKind;
  readonly name: string;
  readonly caller: Caller;
  /** As given: not validated. */
  readonly args: JsonObject;
  /** The purpose of the call, as the caller states it. */
  readonly intent?: string | undefined;
  readonly trace?: Trace | undefined;
  /** Asked about this call instead of the usual approver. */
  readonly approver?: Approver | undefined;
  /** Why the caller is not shown the target: the call is denied with it. */
  readonly notShown?: string | undefined;
  /** The target itself, where no name of a tool or command leads to it. */
  readonly content?: ResolvedContent | undefined;
}

/** The call does not say who calls: nothing is allowed. */
export const unknownCaller: Caller = { kind: 'client', name: '?' };

const kinds = new Set<unknown>(callerKinds);
/** Clients name themselves. */
const NAME_MAX = 200;

/** Programs without types may leave anything out. */
export function callerOf(caller: unknown): Caller {
  if (!isJsonObject(caller) || !kinds.has(caller['kind'])) return unknownCaller;
  const { name, access, accessId, profile, isProfileChosen, connection } = caller;
  // Checked by the line above.
  const kind = caller['kind'] as Caller['kind'];
  const named: Caller =
    typeof name === 'string' && name !== '' ? { kind, name: name.slice(0, NAME_MAX) } : { kind };
  if (access === undefined && profile === undefined && connection === undefined) return named;
  return {
    ...named,
    ...(typeof access === 'string' && { access }),
    ...(typeof accessId === 'string' && { accessId }),
    ...(typeof profile === 'string' && { profile }),
    ...(isProfileChosen === true && { isProfileChosen }),
    ...(typeof connection === 'string' && { connection }),
  };
}
