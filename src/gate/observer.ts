// Whoever looks at the calls that pass the gate: statistics, traces. They change nothing of a call but the trace that it carries on.
import type { Trace } from '../base/trace.ts';
import type { Caller } from '../definition/caller.ts';
import type { Outcome } from '../definition/outcome.ts';
import type { AuditEvent } from './audit/audit.ts';

export interface CallObserver {
  /** Somebody asks for a call; what is returned hears how it goes on. */
  asked?(call: ObservedCall): CallWatch | undefined;
  /** What is written to the audit log, secrets masked. */
  audited?(event: AuditEvent): void;
}

export interface ObservedCall {
  readonly id: string;
  readonly kind: 'tool' | 'command';
  readonly name: string;
  readonly caller: Caller;
  /** Where it was asked for as a part of something. */
  readonly trace?: Trace | undefined;
}

export interface CallWatch {
  /** What is carried on instead of the trace that came. */
  readonly trace?: Trace;
  /** It may happen, and is made now. `tool` is the exposed name. */
  begun?(plugin: string, tool: string): void;
  /** Told once, last, however it ended. */
  ended(outcome: Outcome): void;
}

export class CallObservers {
  #all: readonly CallObserver[] = [];

  get isHeard(): boolean {
    return this.#all.length > 0;
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
    const watches = this.#all.flatMap((observer) => harmless(() => observer.asked?.(call)) ?? []);
    const trace = watches.find((watch) => watch.trace !== undefined)?.trace;
    return {
      ...(trace === undefined ? {} : { trace }),
      begun: (plugin, tool) => {
        for (const watch of watches) harmless(() => watch.begun?.(plugin, tool));
      },
      ended: (outcome) => {
        for (const watch of watches) harmless(() => watch.ended(outcome));
      },
    };
  }

  audited(event: AuditEvent): void {
    for (const observer of this.#all) harmless(() => observer.audited?.(event));
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
