// Work on something that is shared: one piece after the other, in the order in which it was asked for.

/** Resolves or rejects as the work does, once all is done that was asked for before. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    // That one failed is for whoever asked for it; the next begins all the same.
    last = mine.catch(() => {});
    return mine;
  };
}
