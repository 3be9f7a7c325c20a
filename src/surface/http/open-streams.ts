// Clients who follow something without an end; so many at once, since each holds a connection and memory.
import { HttpProblem } from './problem.ts';

/** An answer that goes on, or a WebSocket. */
export interface OpenStream {
  /** Says that it is over. */
  end(): unknown;
}

export class OpenStreams {
  readonly #max: number;
  readonly #open = new Map<OpenStream, Promise<void>>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws HttpProblem 503 */
  async run(stream: OpenStream, follow: () => Promise<void>): Promise<void> {
    if (this.#open.size >= this.#max)
      throw new HttpProblem(503, 'UNAVAILABLE', `${this.#max} clients follow events already.`, {
        'retry-after': '5',
      });
    const following = follow();
    this.#open.set(stream, following);
    try {
      await following;
    } finally {
      this.#open.delete(stream);
    }
  }

  endAll(): void {
    for (const stream of this.#open.keys()) stream.end();
  }

  /** Resolves when those that are open now are over. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open.values());
  }
}
