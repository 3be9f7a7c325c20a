// What was asked for, how it was decided and what came of it.
import type { JsonObject } from '../../base/json.ts';
import type { ErrorCode } from '../../base/error.ts';
import type { Caller } from '../../definition/caller.ts';
import type { CallKind, Scope } from '../policy/policy.ts';

/** The writer masks secrets. */
export type AuditEvent =
  | {
      readonly kind: 'decided';
      readonly id: string;
      readonly what: CallKind;
      readonly name: string;
      readonly plugin: string;
      readonly caller: Caller;
      readonly args: JsonObject;
      readonly allowed: boolean;
      /** A method of the policy, or the stage that refused: `unknown`, `arguments`, `approval`, `rate`, `budget`, `definition` … */
      readonly method: string;
      readonly reason: string;
      /** The id of the trace that the call is a part of. */
      readonly trace?: string;
      /** Present when a person was asked. */
      readonly approval?: { readonly by: string; readonly scope: Scope | 'always' | 'all' };
    }
  | {
      readonly kind: 'ended';
      readonly id: string;
      readonly ok: boolean;
      readonly code?: ErrorCode;
      readonly durationMs: number;
      /** Of the result, as JSON. */
      readonly bytes: number;
      /** Where a result that was too large has been put. */
      readonly spilled?: string;
    }
  /** Something that changes what is allowed: a rule for the session, a file that was read, a start or an end. */
  | { readonly kind: 'noted'; readonly what: string; readonly data?: JsonObject };

export interface Audit {
  /** Resolves when it is written; rejects when it cannot be, and then nothing may be called. In the order of the calls of this. */
  write(event: AuditEvent): Promise<void>;
  close(): Promise<void>;
}
