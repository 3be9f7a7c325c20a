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

/** How often the process is looked at where nobody is to be pinged. */
const LOOK_EVERY_MS = 2000;

/** A ping that failed this much later than it should have says that this process was late, not the plugin. */
const OWN_LATENESS_MS = 250;

const MISSES_MAX = 2;

/** Looks from time to time until the returned function is called. */
export function watch(plugin: WatchedPlugin, limits: WatchLimits, clock: Clock): () => void {
  const ping = limits.liveness === 'off' || limits.pingEveryMs === 0 ? undefined : plugin.ping?.bind(plugin);
  const everyMs = limits.pingEveryMs === 0 ? LOOK_EVERY_MS : limits.pingEveryMs;
  const strict = limits.liveness === 'strict';
  let over = false;
  let misses = 0;
  let cancelTimer = () => {};

  const next = (delayMs: number, step: () => void) => {
    if (!over) cancelTimer = clock.after(delayMs, step);
  };
  const end = (why: string) => {
    over = true;
    plugin.kill(new PluglotError('WATCHDOG_KILLED', `Plugin "${plugin.name}" ${why}; it was ended.`));
  };

  const look = () => {
    if (plugin.isStopped()) return next(limits.pingMs, lookAgain);
    if (ping === undefined || (plugin.isBusy() && !strict)) {
      misses = 0;
      return next(everyMs, look);
    }
    void ask(ping);
  };

  // One that continues before the second look was only held for a moment, by a debugger or a user.
  const lookAgain = () => {
    if (plugin.isStopped()) end(`was stopped, and still is ${limits.pingMs} ms later`);
    else next(everyMs, look);
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
    if (misses < MISSES_MAX) next(Math.max(0, askedAt + everyMs - clock.now()), look);
    else
      end(`missed ${MISSES_MAX} pings in a row, each answered within ${limits.pingMs} ms by a healthy one`);
  };

  next(everyMs, look);
  return () => {
    over = true;
    cancelTimer();
  };
}
