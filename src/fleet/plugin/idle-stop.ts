// Stops a plugin that nobody has used for a while.
import type { Clock } from '../../base/clock.ts';

export interface IdleStop {
  /** It was used until now. */
  touch(): void;
  cancel(): void;
}

export function idleStop(clock: Clock, idleMs: number, isIdle: () => boolean, stop: () => void): IdleStop {
  let since = clock.now();
  let cancelTimer: (() => void) | undefined;
  const wait = (ms: number) => {
    cancelTimer = clock.after(ms, () => {
      cancelTimer = undefined;
      // When its last call is over, this begins anew.
      if (!isIdle()) return;
      const leftMs = since + idleMs - clock.now();
      if (leftMs > 0) wait(leftMs);
      else stop();
    });
  };
  return {
    touch() {
      since = clock.now();
      if (cancelTimer === undefined) wait(idleMs);
    },
    cancel() {
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}
