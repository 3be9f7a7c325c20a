// The page's one connection for what happens at the host. It comes back by itself, a little later each time it fails.
import { signal, type ReadonlySignal } from '@preact/signals';
import { ApiError, type Api } from './client.ts';

export type Connection = 'connecting' | 'open' | 'lost';

export interface LivePorts {
  readonly api: Pick<Api, 'stream'>;
  readonly onOpen: () => void;
  readonly onEvent: (name: string, data: unknown) => void;
  /** Whether messages on the wires are told too. */
  readonly wantsTraffic: () => boolean;
  /** Resolves later, or early when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export class Live {
  readonly #ports: LivePorts;
  readonly #connection = signal<Connection>('connecting');
  #attempt = new AbortController();
  #isRunning = false;
  #failures = 0;

  constructor(ports: LivePorts) {
    this.#ports = ports;
  }

  get connection(): ReadonlySignal<Connection> {
    return this.#connection;
  }

  /** Runs until it is stopped or the host does not know this page any more. */
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
      await this.#ports.sleep(this.#wait(), signal);
    }
    this.#isRunning = false;
  }

  /** Connects anew at once: what is wanted has changed, or somebody is impatient. */
  renew(): void {
    this.#failures = 0;
    this.#attempt.abort();
  }

  stop(): void {
    this.#isRunning = false;
    this.#attempt.abort();
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { api, onOpen, onEvent, wantsTraffic } = this.#ports;
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

  /** Many pages come back after a restart: not all in the same moment. */
  #wait(): number {
    const { random = Math.random } = this.#ports;
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, this.#failures - 1));
    return longest * (0.75 + random() / 4);
  }
}
