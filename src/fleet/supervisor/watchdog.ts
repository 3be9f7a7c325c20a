// Distinguishes a frozen plugin from a busy one. A dead one is noticed by its exit.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';

export interface WatchedPlugin {
  readonly name: string;
  /** Pings the plugin, within the limit; absent if the dialect has no ping. */
  ping?(limitMs: number): Promise<void>;
  /** A call is under way. */
  isBusy(): boolean;
  /** Whether it sent anything since the last call of this. */
  wasHeard(): boolean;
  /** Its process is stopped, for example by SIGSTOP. */
  isStopped(): boolean;
  kill(reason: PluglotError): void;
}

export interface WatchLimits {
  readonly pingEveryMs: number;
  readonly pingMs: number;
  readonly liveness: 'lenient' | 'strict' | 'off';
}

/** The longest interval between two checks of the process: dialects ping as rarely as every 30 s, and a check is cheap. */
const LOOK_EVERY_MS = 2000;

/** How long a process may be stopped, at most; less where a ping has to be answered sooner. */
const STOPPED_MS = 1000;

/** If a ping fails this much too late, this process was blocked, not the plugin. */
const OWN_LATENESS_MS = 250;

const MISSES_MAX = 2;

/** Checks repeatedly until the returned function is called. */
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

  // A process that continues before the second check was only paused briefly, by a debugger or a user.
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
