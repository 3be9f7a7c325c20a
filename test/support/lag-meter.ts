// How late this process itself was: where the machine is busy it does not get the processor when a timer is due, and keeps no time limit better.

export interface LagMeter {
  /** The longest that it was held up since then, in milliseconds. */
  longestSince(since: number): number;
  stop(): void;
}

const EVERY_MS = 10;
/** What is shorter, nobody notices. */
const NOTICED_MS = 5;
/** So long back one may ask. */
const KEPT_MS = 60_000;

export function lagMeter(): LagMeter {
  let before = performance.now();
  let blocks: { at: number; lateMs: number }[] = [];
  const lateMs = () => Math.max(0, performance.now() - before - EVERY_MS);
  const timer = setInterval(() => {
    const late = lateMs();
    before = performance.now();
    if (late > NOTICED_MS) blocks.push({ at: before, lateMs: late });
    if (blocks.length > 10_000) blocks = blocks.filter(({ at }) => at > before - KEPT_MS);
  }, EVERY_MS);
  return {
    longestSince: (since) =>
      blocks.reduce((most, block) => (block.at >= since ? Math.max(most, block.lateMs) : most), lateMs()),
    stop: () => clearInterval(timer),
  };
}
