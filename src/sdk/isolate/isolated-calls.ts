// The main thread's side of isolation: one warm thread for the tools that may block, a fresh one after each that had to be ended.
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { within } from '../../base/within.ts';
import type { BackendRequest, RunningCall } from '../../definition/backend.ts';
import type { CallSink } from '../../definition/outcome.ts';
import { IsolatedThread, type ThreadOptions } from './isolated-thread.ts';

/** So long a handler that was given up may clean up behind itself; then its thread is ended, whatever it does. */
const GRACE_MS = 500;

/** So long the plugin may take to take down what it set up in the thread. */
const CLOSE_MS = 1000;

interface Waiting {
  readonly request: BackendRequest;
  readonly config: JsonObject;
  readonly sink: CallSink;
}

export class IsolatedCalls {
  readonly #options: ThreadOptions;
  readonly #clock: Clock;
  #thread: IsolatedThread | undefined;
  #current: Waiting | undefined;
  #waiting: Waiting[] = [];

  constructor(options: ThreadOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** One after the other: a handler that blocks leaves no time in its thread for another. */
  call(request: BackendRequest, config: JsonObject, sink: CallSink): RunningCall {
    const call = { request, config, sink };
    this.#waiting.push(call);
    this.#startNext();
    return { cancel: (reason) => this.#cancel(call, reason) };
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread === undefined) return;
    thread.close();
    await within(thread.gone, CLOSE_MS, this.#clock);
    await thread.terminate();
  }

  #startNext(): void {
    if (this.#current !== undefined) return;
    const call = this.#waiting.shift();
    if (call === undefined) return;
    this.#current = call;
    const { request, config, sink } = call;
    this.#warmThread().call(request, config, {
      event: (event) => sink.event(event),
      drained: async () => sink.drained?.(),
      end: (answer) => {
        sink.end(answer);
        this.#next();
      },
    });
  }

  #next(): void {
    this.#current = undefined;
    this.#startNext();
  }

  #warmThread(): IsolatedThread {
    if (this.#thread === undefined || this.#thread.isGone) this.#thread = new IsolatedThread(this.#options);
    return this.#thread;
  }

  /** The caller has heard the end of it already. */
  #cancel(call: Waiting, reason: string): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting !== call);
    if (this.#current !== call) return;
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread !== undefined) {
      thread.cancel(reason);
      this.#clock.after(GRACE_MS, () => void thread.terminate());
    }
    this.#next();
  }
}
