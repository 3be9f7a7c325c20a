// Work that blocks, such as starting a process, one piece per round of the event loop: between two of them everything else goes on.

/** Resolves when it is the caller's turn; the turns come in the order in which they were asked for. */
export type TakeTurn = () => Promise<void>;

export function createTurns(): TakeTurn {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const mine = last;
    // The one after me comes a whole round later, when what was read meanwhile is dealt with.
    last = mine.then(() => new Promise((resolve) => setImmediate(resolve)));
    return mine;
  };
}
