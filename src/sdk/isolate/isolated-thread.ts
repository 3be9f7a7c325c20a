// One worker thread with the author's program in it, from its start to its end.
import type { Worker } from 'node:worker_threads';
import { builtins } from '../../base/builtins.ts';
import { toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import type { CallRequest, CallSink } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { FromThread, ToThread } from './messages.ts';
import { RunAhead } from './run-ahead.ts';
import { isolatedThread } from './thread-role.ts';

export interface ThreadOptions {
  /** The program that calls `serve`. */
  readonly entry: string;
  /** Its command line. */
  readonly args: readonly string[];
  /** What belongs to no call. */
  readonly log: (entry: LogEntry) => void;
}

export class IsolatedThread {
  readonly #worker: Worker;
  readonly #options: ThreadOptions;
  #sink: CallSink | undefined;
  #error: Error | undefined;
  #isGone = false;
  /** Resolves when the thread is gone. */
  readonly gone: Promise<void>;

  constructor(options: ThreadOptions) {
    this.#options = options;
    const runAhead = new RunAhead();
    this.#worker = new builtins.threads.Worker(options.entry, {
      argv: [...options.args],
      workerData: isolatedThread(runAhead),
    });
    // The host's pipe is what this process lives for.
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => {
      runAhead.received();
      this.#receive(message);
    });
    this.#worker.on('error', (thrown) => {
      this.#error = toError(thrown);
    });
    this.gone = new Promise((resolve) => {
      this.#worker.on('exit', (exitCode) => {
        this.#isGone = true;
        this.#fail(this.#error?.message ?? `it exited with code ${exitCode}`);
        resolve();
      });
    });
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** One at a time: the call before has ended. */
  call(request: CallRequest, config: JsonObject, sink: CallSink): void {
    this.#sink = sink;
    // The main thread watches the time, since this one may be blocked.
    this.#post({ kind: 'call', request: { ...request, timeoutMs: Infinity }, config });
  }

  /** Asks the handler to stop, without waiting for it. */
  cancel(reason: string): void {
    this.#sink = undefined;
    this.#post({ kind: 'cancel', reason });
  }

  /** Lets the plugin take down what it set up in this thread. */
  close(): void {
    this.#post({ kind: 'close' });
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(message: ToThread): void {
    // A thread has no origin, unlike a window.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    const sink = this.#sink;
    switch (message.kind) {
      case 'log':
        this.#options.log(message.entry);
        break;
      case 'event':
        sink?.event(message.event);
        break;
      case 'drain':
        void this.#answerDrain(sink);
        break;
      case 'end':
        this.#sink = undefined;
        sink?.end(message.answer);
    }
  }

  async #answerDrain(sink: CallSink | undefined): Promise<void> {
    await sink?.drained?.();
    this.#post({ kind: 'drained' });
  }

  #fail(why: string): void {
    const sink = this.#sink;
    this.#sink = undefined;
    const message = `The thread of an isolated tool ended before its answer: ${sentence(why)}`;
    sink?.end({ ok: false, error: { code: 'INTERNAL', message } });
  }
}
