// When repeated work runs: not twice at once, not too often, and once a frame.

/** Calls while the work runs make it run once more afterwards, however many they are. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isStale = false;
  const run = async () => {
    do {
      isStale = false;
      await work();
    } while (isStale);
  };
  return () => {
    isStale = true;
    running ??= run().finally(() => (running = undefined));
    return running;
  };
}

export interface Throttled {
  request(afterMs?: number): void;
  stop(): void;
}

/**
 * Runs the work after a request, with a pause between two runs. Requests in that pause are combined and do not extend it.
 * @param work must not reject
 */
export function throttled(work: () => Promise<void>, pauseMs: number): Throttled {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWorking = false;
  let isStale = false;
  let isStopped = false;
  const run = async () => {
    timer = undefined;
    isWorking = true;
    isStale = false;
    await work();
    isWorking = false;
    if (isStale) request();
  };
  const request = (afterMs = pauseMs) => {
    isStale = true;
    if (isStopped || isWorking || timer !== undefined) return;
    timer = setTimeout(() => void run(), afterMs);
  };
  return {
    request,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

interface FrameWindow {
  readonly requestAnimationFrame: (step: () => void) => unknown;
  readonly document: Pick<Document, 'hidden' | 'addEventListener' | 'removeEventListener'>;
}

/** Runs a step before the next frame. A hidden page draws no frames: there it runs soon. */
export function nextFrame({ requestAnimationFrame, document }: FrameWindow): (step: () => void) => void {
  return (step) => {
    let isDone = false;
    const once = () => {
      if (isDone) return;
      isDone = true;
      document.removeEventListener('visibilitychange', onHide);
      step();
    };
    const onHide = () => {
      if (document.hidden) soon(once);
    };
    document.addEventListener('visibilitychange', onHide);
    if (document.hidden) soon(once);
    else requestAnimationFrame(once);
  };
}

/** Timers of a hidden page run once in a second or a minute; messages are not delayed. */
function soon(step: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    step();
  };
  port2.postMessage(undefined);
}
