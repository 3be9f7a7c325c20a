// Tells a frozen plugin from a busy one. Whether it is dead, its exit tells.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';

export interface WatchedPlugin {
  readonly name: string;
  /** Asks for a sign of life, within the limit; absent where the dialect has no such question. */
  ping?(limitMs: number): Promise<void>;
  /** A call is under way. */
  isBusy(): boolean;
  /** Whether anything came from it since this was asked last. */
  wasHeard(): boolean;
  /** Its process is stopped, as by SIGSTOP. */
  isStopped(): boolean;
  kill(reason: PluglotError): void;
}

export interface WatchLimits {
  readonly pingEveryMs: number;
  readonly pingMs: number;
  readonly liveness: 'lenient' | 'strict' | 'off';
}

/** How often the process is looked at, at least: dialects ping as rarely as every 30 s, and a look costs next to nothing. */
const LOOK_EVERY_MS = 2000;

/** How long a process may be stopped, at most; less where a ping has to be answered sooner. */
const STOPPED_MS = 1000;

/** A ping that failed this much later than it should have says that this process was late, not the plugin. */
const OWN_LATENESS_MS = 250;

const MISSES_MAX = 2;

/** Looks from time to time until the returned function is called. */
export function watch(plugin: WatchedPlugin, limits: WatchLimits, clock: Clock): () => void {
  const ping = limits.liveness === 'off' || limits.pingEveryMs === 0 ? undefined : plugin.ping?.bind(plugin);
  const everyMs = limits.pingEveryMs === 0 ? LOOK_EVERY_MS : limits.pingEveryMs;
  const lookEveryMs = Math.min(everyMs, LOOK_EVERY_MS);
  const stoppedMs = Math.min(limits.pingMs, STOPPED_MS);
  const strict = limits.liveness === 'strict';
  let over = false;
  let pingAt = clock.now() + everyMs;
  let misses = 0;
  let cancelTimer = () => {};

  const next = (delayMs: number, step: () => void) => {
    if (!over) cancelTimer = clock.after(delayMs, step);
  };
  const end = (why: string) => {
    over = true;
    plugin.kill(new PluglotError('WATCHDOG_KILLED', `Plugin "${plugin.name}" ${why} and was killed.`));
  };

  const lookLater = () => next(Math.max(0, Math.min(lookEveryMs, pingAt - clock.now())), look);

  const look = () => {
    if (plugin.isStopped()) return next(stoppedMs, lookAgain);
    if (ping === undefined || (plugin.isBusy() && !strict)) {
      misses = 0;
      if (clock.now() >= pingAt) pingAt = clock.now() + everyMs;
    } else if (clock.now() >= pingAt) return void ask(ping);
    lookLater();
  };

  // One that continues before the second look was only held for a moment, by a debugger or a user.
  const lookAgain = () => {
    if (plugin.isStopped()) end(`was suspended (SIGSTOP) for ${stoppedMs} ms`);
    else next(lookEveryMs, look);
  };

  const ask = async (ping: (limitMs: number) => Promise<void>) => {
    const askedAt = clock.now();
    try {
      await ping(limits.pingMs);
      misses = 0;
      plugin.wasHeard();
    } catch {
      if (over) return;
      const lateMs = clock.now() - askedAt - limits.pingMs;
      const excused = lateMs > OWN_LATENESS_MS || (!strict && (plugin.isBusy() || plugin.wasHeard()));
      misses = excused ? 0 : misses + 1;
    }
    if (over) return;
    pingAt = askedAt + everyMs;
    if (misses < MISSES_MAX) lookLater();
    else end(`answered none of ${MISSES_MAX} pings within ${limits.pingMs} ms`);
  };

  lookLater();
  return () => {
    over = true;
    cancelTimer();
  };
}
