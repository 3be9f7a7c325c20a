// What author ends share: the peer to the host, setup, answers of the backend, and the way it all ends.
import { PluglotError } from '../base/error.ts';
import type { JsonObject } from '../base/json.ts';
import type { Pipe } from '../channel/bytes/pipe.ts';
import type { Framing } from '../channel/frame/framing.ts';
import { framedLink, type LinkOptions } from '../channel/link/framed-link.ts';
import type { CallContext } from '../channel/peer/call-context.ts';
import type { PeerOptions } from '../channel/peer/options.ts';
import { Peer } from '../channel/peer/peer.ts';
import type { RunningCall, ServedPort } from '../definition/plugin-port.ts';
import type { Answer, CallEvent, CallSink } from '../definition/outcome.ts';
import type { AuthorServices, Served, ServedEnd } from './author-dialect.ts';

/** Strict JSON-RPC, unless hosts of the dialect are known to differ, so that a faulty host gets an error. */
export function hostPeer(
  pipe: Pipe,
  framing: Framing,
  services: AuthorServices,
  options: Pick<PeerOptions, 'handling' | 'cancel' | 'onTrouble'> & LinkOptions = {},
): Peer {
  const peer = new Peer(framedLink(pipe, framing, options), {
    name: 'the host',
    clock: services.clock,
    ...options,
  });
  if (services.observer !== undefined) peer.observe(services.observer);
  return peer;
}

/** For a plugin that the dialect cannot express: the problem is printed for its author, and nothing is served. */
export function notServed(problem: string, backend: ServedPort, services: AuthorServices): Served {
  services.print(problem);
  return {
    log: () => {},
    over: backend.teardown().then(() => ({ exitCode: 1 })),
    close: () => {},
  };
}

/** Sets the backend up: at the host's handshake, or before the first call where there was none. */
export class AuthorSetup {
  readonly #backend: Pick<ServedPort, 'setup'>;
  #config: JsonObject;
  #done: Promise<unknown> | undefined;

  /** @param config from the command line; one that the host sends replaces it */
  constructor(backend: Pick<ServedPort, 'setup'>, config: JsonObject = {}) {
    this.#backend = backend;
    this.#config = config;
  }

  /**
   * Sets it up again, even if it was before. A missing program does not fail the handshake: the host learns from the manifest
   * what is required, and calls are refused until it is there.
   * @throws PluglotError INVALID_ARGUMENTS, START_FAILED
   */
  async handshake(config = this.#config): Promise<void> {
    this.#config = config;
    this.#done = undefined;
    try {
      await this.ready();
    } catch (error) {
      if (!(error instanceof PluglotError && error.code === 'REQUIREMENT_MISSING')) throw error;
    }
  }

  /**
   * To be awaited before a call. What failed is tried again: the user may have installed what was missing.
   * @throws PluglotError INVALID_ARGUMENTS, START_FAILED, REQUIREMENT_MISSING
   */
  async ready(): Promise<void> {
    const done = (this.#done ??= this.#backend.setup(this.#config));
    try {
      await done;
    } catch (error) {
      if (this.#done === done) this.#done = undefined;
      throw error;
    }
  }
}

/** Answers a request by a call of the backend. An abort of the request cancels the call. Never rejects. */
export function backendAnswer(
  { signal }: Pick<CallContext, 'signal'>,
  onEvent: (event: CallEvent) => void,
  start: (sink: CallSink) => RunningCall,
  /** Resolves when more events can be taken. @default at any time */
  drained?: () => Promise<void>,
): Promise<Answer> {
  return new Promise((resolve) => {
    let isOver = false;
    const call = start({
      event: (event) => {
        if (!isOver) onEvent(event);
      },
      ...(drained === undefined ? {} : { drained }),
      end: (answer) => {
        isOver = true;
        signal.removeEventListener('abort', cancel);
        resolve(answer);
      },
    });
    function cancel(): void {
      const reason: unknown = signal.reason;
      call.cancel(reason instanceof Error ? reason.message : 'The host gave the call up.');
    }
    if (isOver) return;
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
}

/** How long the last answers and bytes may take. */
const CLOSE_MS = 500;

/** Ends an author end: by the host's goodbye, by the end of its input, or from this side. */
export class AuthorLife {
  readonly #peer: Peer;
  readonly #backend: Pick<ServedPort, 'teardown'>;
  #teardown: Promise<void> | undefined;
  /** Resolves when what was queued is finished and the backend is taken down. */
  readonly over: Promise<ServedEnd>;

  constructor(peer: Peer, backend: Pick<ServedPort, 'teardown'>) {
    this.#peer = peer;
    this.#backend = backend;
    // Before the pipe is closed, so that logs of the teardown still go out.
    peer.beforeClose(() => this.takeDown());
    this.over = this.#untilOver();
  }

  /** The host said goodbye: what still runs is given up; earlier answers go out first. */
  async goodbye(): Promise<void> {
    await this.takeDown();
    await this.#peer.close({ pending: 'abort', timeoutMs: CLOSE_MS });
  }

  /** From this side: what runs is given up and answered with that. */
  async close(): Promise<void> {
    await this.takeDown();
    await this.#peer.close({ pending: 'answer', timeoutMs: CLOSE_MS });
  }

  /** For dialects that answer a goodbye when it is done. A second call waits for the first. */
  takeDown(): Promise<void> {
    this.#teardown ??= this.#backend.teardown();
    return this.#teardown;
  }

  /** A host that only closed its side still gets the answers to all its requests. */
  async #untilOver(): Promise<ServedEnd> {
    const ending = await this.#peer.ended;
    await this.#peer.closed;
    await this.takeDown();
    return { exitCode: ending.kind === 'failed' ? 1 : 0 };
  }
}
