// The last words of all servers, together.
import type { LogBook, LogRecord } from '../../fleet/plugin/logs/log-book.ts';
import type { ServerLog } from './servers.ts';

export const LOG_MAX = 500;

/** Longer messages are cut. */
const MESSAGE_MAX = 2000;

export interface LogRing {
  readonly entries: readonly ServerLog[];
  /** Hears this server from now on, and takes over what it said before. Again: nothing. */
  follow(server: string, logs: LogBook): void;
  unfollow(server: string): void;
  clear(): void;
}

export function logRing(): LogRing {
  let entries: ServerLog[] = [];
  const followed = new Map<string, { readonly logs: LogBook; readonly end: () => void }>();
  const push = (server: string, { at, level, message }: LogRecord) => {
    entries.push({ at, server, level, message: message.slice(0, MESSAGE_MAX) });
    if (entries.length >= 2 * LOG_MAX) entries = entries.slice(-LOG_MAX);
  };
  const unfollow = (server: string) => {
    followed.get(server)?.end();
    followed.delete(server);
  };
  return {
    get entries() {
      return entries.slice(-LOG_MAX);
    },
    follow(server, logs) {
      if (followed.get(server)?.logs === logs) return;
      unfollow(server);
      for (const entry of logs.entries) push(server, entry);
      // What others said meanwhile may be older or newer.
      entries.sort((one, other) => one.at - other.at);
      followed.set(server, { logs, end: logs.follow((entry) => push(server, entry)) });
    },
    unfollow,
    clear() {
      entries = [];
    },
  };
}
