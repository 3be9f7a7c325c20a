// Whoever looks at the calls that pass the gate: statistics, traces. They change nothing of a call but the trace that it carries on.
import type { Trace } from '../base/trace.ts';
import type { Caller } from '../definition/caller.ts';
import type { Outcome } from '../definition/outcome.ts';
import type { AuditEvent } from './audit/audit.ts';
import type { CallKind } from './policy/policy.ts';

export interface CallObserver {
  /** Somebody asks for a call; what is returned hears how it goes on. */
  asked?(call: ObservedCall): CallWatch | undefined;
  /** What is written to the audit log, secrets masked. */
  audited?(event: AuditEvent): void;
}

export interface ObservedCall {
  readonly id: string;
  /** `talk`: a conversation that begins with a tool, from its first word to its end. */
  readonly kind: CallKind | 'talk';
  readonly name: string;
  readonly caller: Caller;
  /** Where it was asked for as a part of something. */
  readonly trace?: Trace | undefined;
}

export interface CallWatch {
  /** What is carried on instead of the trace that came. */
  readonly trace?: Trace;
  /** It may happen, and is made now. `tool` is `plugin__tool`. */
  begun?(plugin: string, tool: string): void;
  /** Told once, last, however it ended. */
  ended(outcome: Outcome): void;
}

export class CallObservers {
  #all: readonly CallObserver[] = [];

  /** Somebody wants to hear what is written to the audit log, which has to be made fit to be heard first. */
  get hearAudit(): boolean {
    return this.#all.some((observer) => observer.audited !== undefined);
  }

  add(observer: CallObserver): () => void {
    this.#all = [...this.#all, observer];
    return () => {
      this.#all = this.#all.filter((other) => other !== observer);
    };
  }

  /** Undefined while nobody looks, so that it costs nothing. */
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
    // It is the observer's own trouble.
    return undefined;
  }
}
