// What is written down of every call that came to the gate.
import type { Caller } from '../../fleet/registry/gatekeeper.ts';

export interface AuditEntry {
  readonly traceId: string;
  readonly caller: Caller;
  readonly plugin: string;
  readonly tool: string;
  readonly kind: 'tool' | 'command';
  /** Secrets left out, long values cut. */
  readonly args: unknown;
  readonly decision: 'allowed' | 'denied';
  /** What decided: a rule, a person, a limit. */
  readonly by: string;
  readonly reason: string;
  /** How it ended, when it was allowed. */
  readonly outcome?: { readonly ok: boolean; readonly code?: string; readonly durationMs: number };
}

export interface AuditSink {
  append(entry: AuditEntry): void;
}
