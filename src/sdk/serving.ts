// Serves a definition to its host, once the wire is taken. Loaded when a program serves, so that importing the SDK stays fast.
import { systemClock, type Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import { within } from '../base/async.ts';
import { fdPipe } from '../channel/bytes/stream-pipe.ts';
import type { RunningCall, ServedPort } from '../definition/plugin-port.ts';
import type { Definition } from '../definition/definition.ts';
import type { CallRequest, CallSink } from '../definition/outcome.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import type { PluginHost } from '../definition/run/plugin-host.ts';
import { runDefinition } from '../definition/run/run-definition.ts';
import { answerHost, type Stop } from './answer-host.ts';
import { HostPipe } from './host-pipe.ts';
import { IsolatedThread, type ThreadOptions } from './isolate/isolated-thread.ts';
import type { FromThread, ToThread } from './isolate/messages.ts';
import type { OwnThread } from './isolate/thread-role.ts';
import type { Prints } from './prints.ts';
import { processHost, type OwnProcess } from './process-host.ts';

export interface Serving {
  readonly definition: Definition;
  readonly prints: Prints;
  readonly own: OwnProcess;
  readonly debug: boolean | undefined;
}

export interface HostServing extends Serving {
  /** The descriptor that leads to the host. */
  readonly wire: number;
  readonly dialect: DialectName | undefined;
  readonly config: JsonObject | undefined;
  readonly lingerMs: number;
  readonly print: (line: string) => void;
  readonly stopped: Promise<Stop>;
  /** The file of this program and its command line; undefined when a thread could not run it, as in `node -e`. */
  readonly program: { readonly entry: string; readonly args: readonly string[] } | undefined;
}

/** Gives the exit code of the process. */
export async function serveHost(serving: HostServing): Promise<number> {
  const { definition, prints, program, wire, dialect, config, debug, lingerMs, print, stopped } = serving;
  const isolated =
    program && new IsolatedCalls({ ...program, log: (logged) => prints.log(logged) }, systemClock);
  const exitCode = await answerHost({
    pipe: new HostPipe(fdPipe(0, wire)),
    backend: runDefinition(definition, {
      ...hostOf(serving),
      isolate: isolated && ((request, config, sink) => isolated.call(request, config, sink)),
    }),
    dialect,
    config,
    debug,
    lingerMs,
    clock: systemClock,
    prints,
    print,
    stopped,
  });
  await isolated?.close();
  return exitCode;
}

/** Runs the tools that may block, for the main thread. */
export function serveMainThread(
  serving: Serving,
  port: OwnThread['port'],
  post: (message: FromThread) => void,
): void {
  answerInThread(runDefinition(serving.definition, hostOf(serving)), port, post);
}

function hostOf({ definition, prints, own, debug }: Serving): Omit<PluginHost, 'isolate'> {
  return {
    ...processHost(definition.name, own),
    log: (entry) => prints.log(entry),
    flushPrints: () => prints.flush(),
    debug,
  };
}

/** Goes on until the main thread closes it or ends the thread. */
export function answerInThread(
  backend: ServedPort,
  port: OwnThread['port'],
  post: (message: FromThread) => void,
): void {
  const setUp = setUpWhenChanged(backend);
  let running: RunningCall | undefined;
  let hearDrained = () => {};

  const call = async (request: CallRequest, config: JsonObject) => {
    await setUp(config);
    running = backend.call(request, {
      event: (event) => post({ kind: 'event', event }),
      drained: () =>
        new Promise((resolve) => {
          hearDrained = resolve;
          post({ kind: 'drain' });
        }),
      end: (answer) => post({ kind: 'end', answer }),
    });
  };

  port.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'call':
        void call(message.request, message.config);
        break;
      case 'cancel':
        running?.cancel(message.reason);
        break;
      case 'drained':
        hearDrained();
        break;
      case 'close':
        void backend.teardown().then(() => port.close());
    }
  });
}

/** A failure is reported by the call, which finds the plugin not set up. */
function setUpWhenChanged(backend: ServedPort): (config: JsonObject) => Promise<void> {
  let last: string | undefined;
  return async (config) => {
    const text = JSON.stringify(config);
    if (text === last) return;
    last = text;
    try {
      await backend.setup(config);
    } catch {
      last = undefined;
    }
  };
}

/** So long a handler that was given up may clean up behind itself; then its thread is ended, whatever it does. */
const GRACE_MS = 500;

/** So long the plugin may take to take down what it set up in the thread. */
const CLOSE_MS = 1000;

interface Waiting {
  readonly request: CallRequest;
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
  call(request: CallRequest, config: JsonObject, sink: CallSink): RunningCall {
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

  /** For its caller it has ended already. */
  #cancel(call: Waiting, reason: string): 'free' {
    this.#waiting = this.#waiting.filter((waiting) => waiting !== call);
    if (this.#current !== call) return 'free';
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread !== undefined) {
      thread.cancel(reason);
      this.#clock.after(GRACE_MS, () => void thread.terminate());
    }
    this.#next();
    return 'free';
  }
}
