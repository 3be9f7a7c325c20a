// Who is asked when the rules do not decide.
import type { JsonObject } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Scope } from '../policy/policy.ts';

export interface Approver {
  /**
   * Resolves with the answer; where none comes in time the gate denies. Rejections count as a denial.
   * The signal fires when nobody waits for the answer any more.
   */
  ask(question: Question, signal: AbortSignal): Promise<Approval>;
  /** How long the gate waits for it. @default 30000 */
  readonly limitMs?: number;
}

export interface Question {
  /** Of the call. */
  readonly id: string;
  readonly kind: 'tool' | 'command';
  readonly tool: string;
  readonly plugin: string;
  readonly caller: Caller;
  /** Secrets are masked. */
  readonly args: JsonObject;
  /** In one line, what would be done: the commands, or `tool(key=value, …)`. Secrets are masked. */
  readonly signature: string;
  /** Why it is asked. */
  readonly reason: string;
  /** What an answer for longer than this call would be about. */
  readonly remembers: string;
  /** What the asker says it is for: not to be trusted. */
  readonly intent?: string;
  /** In the plugin's own words: not to be trusted, and never to be printed as they are. */
  readonly summary?: string;
  readonly details?: string;
  readonly diff?: string;
  /** The definition of the tool is not what was approved before: how it differs. */
  readonly changedDefinition?: string;
  /** When it will be too late, in milliseconds since 1970. */
  readonly expiresAt: number;
}

export type Approval =
  | {
      readonly kind: 'allow';
      readonly scope: Scope | 'all';
      /** Who said so, for the audit: `terminal`, `webhook`, … */
      readonly by: string;
      /** Instead of those that were asked about; they are checked and decided on anew. */
      readonly args?: JsonObject;
    }
  | {
      readonly kind: 'deny';
      readonly scope: Scope;
      readonly by: string;
      /** For the model to read. */
      readonly comment?: string;
    };
