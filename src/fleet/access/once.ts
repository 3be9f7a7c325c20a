// Work that several want at the same time, done once.

export type Once = <Value>(
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
) => Promise<Value>;

interface Joint {
  readonly result: Promise<unknown>;
  readonly abort: AbortController;
  waiting: number;
}

/** Whoever waits may leave by its own signal; when all have left, the work is given up. */
export function createOnce(): Once {
  const joints = new Map<string, Joint>();
  const begin = (key: string, work: (signal: AbortSignal) => Promise<unknown>): Joint => {
    const abort = new AbortController();
    const result = work(abort.signal).finally(() => {
      if (joints.get(key) === joint) joints.delete(key);
    });
    // All may have left before it fails.
    result.catch(() => {});
    const joint: Joint = { result, abort, waiting: 0 };
    joints.set(key, joint);
    return joint;
  };
  return async <Value>(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> => {
    signal.throwIfAborted();
    const joint = joints.get(key) ?? begin(key, work);
    joint.waiting += 1;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      // What a signal fires with is an Error in this program.
      leave = () => reject(signal.reason as Error);
    });
    signal.addEventListener('abort', leave, { once: true });
    try {
      // One key always means one kind of work.
      return (await Promise.race([joint.result, left])) as Value;
    } finally {
      signal.removeEventListener('abort', leave);
      joint.waiting -= 1;
      if (joint.waiting === 0) {
        if (joints.get(key) === joint) joints.delete(key);
        joint.abort.abort(signal.reason);
      }
    }
  };
}
