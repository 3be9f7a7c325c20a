// How many plugins are ready, counted the same wherever it is told: those that somebody brought, and that are to run from the beginning.

/** What counts of a plugin; the terminal and the page know more of it. */
interface Counted {
  readonly origin?: string;
  readonly state: string;
  readonly lazy?: boolean;
}

export interface ReadyCount {
  readonly ready: number;
  readonly total: number;
  /** Those that are started when they are first used. */
  readonly later: number;
}

export function readyCount(views: readonly Counted[]): ReadyCount {
  const meant = views.filter(({ origin, state }) => origin !== 'built-in' && state !== 'disabled');
  const eager = meant.filter(({ lazy }) => lazy !== true);
  const ready = eager.filter(({ state }) => state === 'ready' || state === 'busy').length;
  return { ready, total: eager.length, later: meant.length - eager.length };
}
