// The page's one event stream. It reconnects by itself, after a longer wait each time it fails.
import { signal, type ReadonlySignal } from '@preact/signals';
import { ApiError, type Api } from './client.ts';

export type Connection = 'connecting' | 'open' | 'lost';

interface LiveOptions {
  readonly api: Pick<Api, 'stream'>;
  readonly onOpen: () => void;
  readonly onEvent: (name: string, data: unknown) => void;
  /** Whether messages of plugins are sent too. */
  readonly wantsTraffic: () => boolean;
  /** Resolves after the time, or when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export class Live {
  readonly #options: LiveOptions;
  readonly #connection = signal<Connection>('connecting');
  #attempt = new AbortController();
  #isRunning = false;
  #failures = 0;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  get connection(): ReadonlySignal<Connection> {
    return this.#connection;
  }

  /** Runs until it is stopped or the host rejects the cookie. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#isRunning) {
      this.#attempt = new AbortController();
      const { signal } = this.#attempt;
      try {
        await this.#listen(signal);
        if (!signal.aborted) this.#failures += 1;
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) break;
        if (!signal.aborted) this.#failures += 1;
      }
      if (signal.aborted) continue;
      this.#connection.value = 'lost';
      await this.#options.sleep(this.#wait(), signal);
    }
    this.#isRunning = false;
  }

  /** Reconnects at once: the subscription has changed, or the user does not want to wait. */
  renew(): void {
    this.#failures = 0;
    this.#attempt.abort();
  }

  stop(): void {
    this.#isRunning = false;
    this.#attempt.abort();
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { api, onOpen, onEvent, wantsTraffic } = this.#options;
    await api.stream(wantsTraffic() ? '/events?traffic=1' : '/events', {
      signal,
      onOpen: () => {
        this.#failures = 0;
        this.#connection.value = 'open';
        onOpen();
      },
      onEvent,
    });
  }

  /** Random, so that many pages do not reconnect at the same moment after a restart. */
  #wait(): number {
    const { random = Math.random } = this.#options;
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, this.#failures - 1));
    return longest * (0.75 + random() / 4);
  }
}
