// Ctrl-C in any phase: waits end at once, and what was begun is closed by whoever began it.
import { PluglotError } from '../../base/error.ts';

/**
 * The value, unless the user interrupts before it comes.
 * @throws PluglotError CALL_CANCELLED
 */
export async function unlessInterrupted<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  let stopWaiting = () => {};
  const interruption = new Promise<never>((_, reject) => {
    const give = () => reject(new PluglotError('CALL_CANCELLED', 'Interrupted.'));
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    stopWaiting = () => signal.removeEventListener('abort', give);
  });
  try {
    return await Promise.race([promise, interruption]);
  } finally {
    stopWaiting();
  }
}

/** Resolves when the user interrupts; keeps the process alive until then. */
export function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // An AbortSignal alone does not keep the process alive.
    const stay = setInterval(() => {}, 60_000);
    const end = () => {
      clearInterval(stay);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
