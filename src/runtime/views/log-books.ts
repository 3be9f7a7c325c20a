// The logs of all plugins: those of the fleet, those of plugins in this process, and for a while those of plugins that are gone.
import type { Fleet } from '../../fleet/fleet.ts';
import { LogRing, type KeptRecord, type LogBook } from '../../fleet/plugin/logs/log-book.ts';
import type { LogsOptions } from '../api.ts';
import type { PluginLogged } from '../runtime-parts.ts';

/** Each holds up to a MiB. */
const BOOKS_MAX = 200;

export class LogBooks {
  readonly #books = new Map<string, LogBook>();
  readonly #own = new Map<string, LogRing>();

  /** To be called for every plugin of the fleet. */
  follow(fleet: Fleet, plugin: string): void {
    this.#keep(plugin, fleet.plugin(plugin).logs);
  }

  /** `kept` gets the entry as it is kept. */
  write({ plugin, entry }: PluginLogged, kept: (record: KeptRecord) => void): void {
    let ring = this.#own.get(plugin);
    if (ring === undefined) {
      ring = new LogRing();
      this.#own.set(plugin, ring);
      if (!this.#books.has(plugin)) this.#keep(plugin, ring);
    }
    const unfollow = ring.follow(kept);
    ring.write({ source: 'plugin', ...entry });
    unfollow();
  }

  find(plugin: string): LogBook | undefined {
    return this.#books.get(plugin);
  }

  #keep(plugin: string, book: LogBook): void {
    // The newest stand last.
    this.#books.delete(plugin);
    this.#books.set(plugin, book);
    for (const oldest of this.#books.keys()) {
      if (this.#books.size <= BOOKS_MAX) return;
      this.#books.delete(oldest);
      this.#own.delete(oldest);
    }
  }
}

/** How many may wait for a reader who is slow; then the oldest of them are lost to it. */
const WAITING_MAX = 10_000;

/** What is kept, then all that comes until the signal fires. */
export async function* readLog(
  book: LogBook | undefined,
  { since = 0, after = 0, follow = false, signal }: LogsOptions,
): AsyncGenerator<KeptRecord, void, undefined> {
  const waiting = [...(book?.entries ?? [])].filter(({ at, seq }) => at >= since && seq > after);
  let wake = () => {};
  const unfollow = follow
    ? book?.follow((entry) => {
        waiting.push(entry);
        if (waiting.length > WAITING_MAX) waiting.splice(0, waiting.length - WAITING_MAX);
        wake();
      })
    : undefined;
  const stop = () => {
    unfollow?.();
    wake();
  };
  signal?.addEventListener('abort', stop);
  if (signal?.aborted === true) stop();
  try {
    for (;;) {
      // All at once, since a list is slow to be taken from at its front.
      yield* waiting.splice(0);
      if (waiting.length > 0) continue;
      if (!follow || signal?.aborted === true) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    unfollow?.();
  }
}
