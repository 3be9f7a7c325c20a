// How an author end comes to its end: by a goodbye, by the end of its input, or from this side.
import type { Backend } from '../definition/backend.ts';
import type { Peer } from '../channel/peer/peer.ts';
import type { ServedEnd } from './author-dialect.ts';

/** How long the last answers and bytes may take on their way out. */
const CLOSE_MS = 500;

export class AuthorLife {
  readonly #peer: Peer;
  readonly #backend: Pick<Backend, 'teardown'>;
  #teardown: Promise<void> | undefined;
  /** Resolves when what was queued is finished and the backend is taken down. */
  readonly over: Promise<ServedEnd>;

  constructor(peer: Peer, backend: Pick<Backend, 'teardown'>) {
    this.#peer = peer;
    this.#backend = backend;
    // Before the pipe is closed: what the author logs while it is taken down has a way out.
    peer.lastWords(() => this.takeDown());
    this.over = this.#untilOver();
  }

  /** The host said goodbye. What still runs is given up; what was answered before goes out first. */
  async goodbye(): Promise<void> {
    await this.takeDown();
    await this.#peer.close({ pending: 'abort', timeoutMs: CLOSE_MS });
  }

  /** From this side. What runs is given up, and answered with that: its answers may have a way to go before they are on the wire. */
  async close(): Promise<void> {
    await this.takeDown();
    await this.#peer.close({ pending: 'answer', timeoutMs: CLOSE_MS });
  }

  /** A host that only closed its side still gets the answers to all that it asked. */
  async #untilOver(): Promise<ServedEnd> {
    const ending = await this.#peer.ended;
    await this.#peer.closed;
    await this.takeDown();
    return { exitCode: ending.kind === 'failed' ? 1 : 0 };
  }

  /** For dialects that answer a goodbye when it is done. What runs is given up; a second call waits for the first. */
  takeDown(): Promise<void> {
    this.#teardown ??= this.#backend.teardown();
    return this.#teardown;
  }
}
