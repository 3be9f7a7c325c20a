// Does something again when there is news, but not more often than so: news while it waits or works is gathered, and puts nothing off.

export interface Paced {
  /** There is news. */
  ask(afterMs?: number): void;
  /** Nothing is begun any more. */
  stop(): void;
}

/** @param work must not reject */
export function paced(work: () => Promise<void>, restMs: number): Paced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWorking = false;
  let isStale = false;
  let isStopped = false;
  const begin = async () => {
    timer = undefined;
    isWorking = true;
    isStale = false;
    await work();
    isWorking = false;
    if (isStale) ask();
  };
  const ask = (afterMs = restMs) => {
    isStale = true;
    if (isStopped || isWorking || timer !== undefined) return;
    timer = setTimeout(() => void begin(), afterMs);
  };
  return {
    ask,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
