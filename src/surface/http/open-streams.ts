// Clients who follow something without an end; so many at once, since each holds a connection and memory.
import type { ServerResponse } from 'node:http';
import { HttpProblem } from './problem.ts';

export class OpenStreams {
  readonly #max: number;
  readonly #open = new Set<ServerResponse>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws HttpProblem 503 */
  async run(response: ServerResponse, follow: () => Promise<void>): Promise<void> {
    if (this.#open.size >= this.#max)
      throw new HttpProblem(503, 'UNAVAILABLE', `${this.#max} clients follow events already.`, {
        'retry-after': '5',
      });
    this.#open.add(response);
    try {
      await follow();
    } finally {
      this.#open.delete(response);
    }
  }

  endAll(): void {
    for (const response of this.#open) response.end();
  }
}
