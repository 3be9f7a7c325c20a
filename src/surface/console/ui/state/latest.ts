// Asks again only when the last answer is there: many events in a row make two questions, not many.

export function latest(work: () => Promise<void>): () => Promise<void> {
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
