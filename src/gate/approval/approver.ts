// Who is asked when the rules do not decide.
import type { JsonObject } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import type { CallKind, Covers, Scope } from '../policy/policy.ts';

export interface Approver {
  /**
   * Resolves with the answer; where none comes in time the gate denies. Rejections count as a denial.
   * The signal fires when the caller has stopped waiting.
   */
  ask(question: Question, signal: AbortSignal): Promise<Approval>;
  /** How long the gate waits for it. @default 30000 */
  readonly limitMs?: number;
}

export interface Question {
  /** Of the call. */
  readonly id: string;
  readonly kind: CallKind;
  readonly tool: string;
  readonly plugin: string;
  readonly caller: Caller;
  /** Secrets are masked. */
  readonly args: JsonObject;
  /** In one line, what would be done: the commands, or `tool(key=value, …)`. Secrets are masked. */
  readonly signature: string;
  /** Why it is asked. */
  readonly reason: string;
  /** What an answer for longer than this call would be about: exactly this one, by this caller. */
  readonly remembers: string;
  /** The same where the answer says `covers: 'tool'`; left out where that may not be chosen. */
  readonly remembersTool?: string;
  /** What the answer "always" writes, by what it covers, and into which file; left out where it writes nothing. */
  readonly always?: { readonly file: string; readonly call?: string; readonly tool?: string };
  /** What the asker says it is for: not to be trusted. */
  readonly intent?: string;
  /** `host`: the plugin is built in, so that its description can be believed. @default 'plugin' */
  readonly describedBy?: 'host' | 'plugin';
  /** The plugin's description of the call: not to be trusted, and never to be printed as it is. */
  readonly summary?: string;
  readonly details?: string;
  readonly diff?: string;
  /** The definition of the tool is not what was approved before: how it differs; all of it, where the tool is new. */
  readonly changedDefinition?: string;
  /** When it will be too late, in milliseconds since 1970. */
  readonly expiresAt: number;
}

export type Approval =
  | {
      readonly kind: 'allow';
      /** `always` writes a rule. `all` is everything that this caller wants. */
      readonly scope: Scope | 'always' | 'all';
      /** @default 'call' */
      readonly covers?: Covers;
      /** Who said so, for the audit: `terminal`, `webhook`, … */
      readonly by: string;
      /** Instead of those that were asked about; they are checked and decided on anew. */
      readonly args?: JsonObject;
    }
  | {
      readonly kind: 'deny';
      readonly scope: Scope | 'always';
      /** @default 'call' */
      readonly covers?: Covers;
      readonly by: string;
      /** For the model to read. */
      readonly comment?: string;
    };
