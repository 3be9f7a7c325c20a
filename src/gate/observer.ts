// Observers of the calls at the gate: statistics, traces. They change nothing but the trace that a call passes on.
import type { Trace } from '../base/trace.ts';
import type { Caller } from '../definition/caller.ts';
import type { Outcome } from '../definition/outcome.ts';
import type { AuditEvent } from './audit/audit.ts';
import type { CallKind } from './policy/policy.ts';

export interface CallObserver {
  /** A call arrives. The returned watch is notified how it goes on. */
  asked?(call: ObservedCall): CallWatch | undefined;
  /** An event of the audit log, with secrets masked. */
  audited?(event: AuditEvent): void;
}

export interface ObservedCall {
  readonly id: string;
  /** `talk`: a whole conversation that begins with a tool. */
  readonly kind: CallKind | 'talk';
  readonly name: string;
  readonly caller: Caller;
  /** Of the caller. */
  readonly trace?: Trace | undefined;
}

export interface CallWatch {
  /** Passed on instead of the caller's trace. */
  readonly trace?: Trace;
  /** The call was allowed and is made now. `tool` is `plugin__tool`. */
  begun?(plugin: string, tool: string): void;
  /** Called once, last, however the call ended. */
  ended(outcome: Outcome): void;
}

export class CallObservers {
  #all: readonly CallObserver[] = [];

  /** Whether an observer wants audit events, which have to be masked for it. */
  get wantAudit(): boolean {
    return this.#all.some((observer) => observer.audited !== undefined);
  }

  add(observer: CallObserver): () => void {
    this.#all = [...this.#all, observer];
    return () => {
      this.#all = this.#all.filter((other) => other !== observer);
    };
  }

  /** Undefined while there is no observer, so that it costs nothing. */
  asked(call: ObservedCall): CallWatch | undefined {
    if (this.#all.length === 0) return undefined;
    const watches: CallWatch[] = [];
    for (const observer of this.#all) {
      const watch = harmless(() => observer.asked?.(call));
      if (watch !== undefined) watches.push(watch);
    }
    return watches.length === 0 ? undefined : new Watches(watches);
  }

  audited(event: AuditEvent): void {
    for (const observer of this.#all) harmless(() => observer.audited?.(event));
  }
}

class Watches implements CallWatch {
  readonly trace?: Trace;
  readonly #all: readonly CallWatch[];

  constructor(all: readonly CallWatch[]) {
    this.#all = all;
    for (const { trace } of all) if (trace !== undefined) this.trace = trace;
  }

  begun(plugin: string, tool: string): void {
    for (const watch of this.#all) harmless(() => watch.begun?.(plugin, tool));
  }

  ended(outcome: Outcome): void {
    for (const watch of this.#all) harmless(() => watch.ended(outcome));
  }
}

function harmless<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch {
    // A fault of an observer does not fail the call.
    return undefined;
  }
}
