// The events of a remote host, over one connection that reconnects; open only while there are listeners.
import { Emitter } from '../../base/emitter.ts';
import type { Json } from '../../base/json.ts';
import type { TrafficEntry } from '../../fleet/recording/traffic.ts';
import type { PluginView, RuntimeEvent } from '../api.ts';
import { endpointOf, pathOf } from '../endpoint.ts';
import { eventsOf, hasForm, parsed, type Requests } from './requests.ts';

export interface RetryOptions {
  /** The first wait; each is twice as long as the one before. @default 250 */
  readonly firstMs?: number;
  /** @default 10,000 */
  readonly longestMs?: number;
}

export class RemoteEvents {
  readonly #requests: Requests;
  readonly #retry: Required<RetryOptions>;
  readonly #events = new Emitter<RuntimeEvent>();
  readonly #entries = new Emitter<TrafficEntry>();
  #connection: AbortController | undefined;
  #isClosed = false;
  #failures = 0;
  #wasOpen = false;
  #lastSeq: number | undefined;

  constructor(requests: Requests, { firstMs = 250, longestMs = 10_000 }: RetryOptions = {}) {
    this.#requests = requests;
    this.#retry = { firstMs, longestMs };
  }

  onEvent(listener: (event: RuntimeEvent) => void): () => void {
    return this.#listen(this.#events, listener);
  }

  onEntry(listener: (entry: TrafficEntry) => void): () => void {
    return this.#listen(this.#entries, listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.abort();
  }

  #listen<Event>(emitter: Emitter<Event>, listener: (event: Event) => void): () => void {
    const isFirst = !emitter.isHeard;
    const end = emitter.add(listener);
    if (isFirst) this.#renew();
    return () => {
      const wasHeard = emitter.isHeard;
      end();
      if (wasHeard && !emitter.isHeard) this.#renew();
    };
  }

  /** What is wanted is other than before: the connection is, too. */
  #renew(): void {
    this.#connection?.abort();
    this.#connection = undefined;
    this.#wasOpen = false;
    this.#failures = 0;
    if (this.#isClosed || !(this.#events.isHeard || this.#entries.isHeard)) return;
    const connection = new AbortController();
    this.#connection = connection;
    void this.#run(connection.signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch {
        // It is tried again.
      }
      this.#failures += 1;
      await later(this.#waitMs(), signal);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const query = this.#entries.isHeard ? { traffic: true, since: this.#lastSeq } : {};
    const response = await this.#requests.open('GET', pathOf('events', {}, query), {
      accept: 'text/event-stream',
      signal,
    });
    for await (const { name, data } of eventsOf(response)) {
      if (signal.aborted) return;
      this.#received(name, parsed(data));
    }
  }

  /** An event of another form is left out. */
  #received(name: string, data: Json): void {
    if (!hasForm(endpointOf('events').events?.[name], data)) return;
    switch (name) {
      case 'hello':
        this.#failures = 0;
        // Something may have happened meanwhile.
        if (this.#wasOpen) for (const kind of ['dropped', 'tools'] as const) this.#events.emit({ kind });
        this.#wasOpen = true;
        void this.#askForQuestions();
        return;
      case 'traffic':
        for (const entry of (data as unknown as { readonly entries: readonly TrafficEntry[] }).entries) {
          this.#lastSeq = entry.seq;
          this.#entries.emit(entry);
        }
        return;
      case 'plugin':
        return this.#events.emit({ kind: name, plugin: data as unknown as PluginView });
      case 'plugin-removed':
      case 'tools':
      case 'approvals':
      case 'log':
      case 'audit':
      case 'dropped':
        return this.#events.emit({ ...(data as object), kind: name } as RuntimeEvent);
      default:
      // Of a newer host.
    }
  }

  /** Questions that came before the connection are fetched. */
  async #askForQuestions(): Promise<void> {
    if (!this.#events.isHeard) return;
    try {
      const { pending } = await this.#requests.ask('approvals', pathOf('approvals'));
      if (pending.length > 0) this.#events.emit({ kind: 'approvals', pending });
    } catch {
      // The connection is about to be lost, and comes back.
    }
  }

  /** Many clients come back after a restart: not all in the same moment. */
  #waitMs(): number {
    const { firstMs, longestMs } = this.#retry;
    return Math.min(longestMs, firstMs * 2 ** Math.min(this.#failures - 1, 20)) * (0.75 + Math.random() / 4);
  }
}

/** Keeps the process alive, since there are listeners. */
function later(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
