// What this process holds when garbage is no longer counted.
import v8 from 'node:v8';
import vm from 'node:vm';

export interface MemoryInUse {
  readonly heapMiB: number;
  /** Buffers and what else stands outside of the heap. */
  readonly externalMiB: number;
  /** As the machine sees it: also what the allocator keeps for later. */
  readonly residentMiB: number;
}

/** Garbage is no growth; a worker of the tests cannot be started with --expose-gc. */
export function memoryInUse(): MemoryInUse {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void; // by the flag
  // What the first leaves for finalizers, the second finds.
  collect();
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapMiB: heapUsed / MIB, externalMiB: external / MIB, residentMiB: rss / MIB };
}

const MIB = 1024 * 1024;

export function growth(before: MemoryInUse, after: MemoryInUse): MemoryInUse {
  return {
    heapMiB: after.heapMiB - before.heapMiB,
    externalMiB: after.externalMiB - before.externalMiB,
    residentMiB: after.residentMiB - before.residentMiB,
  };
}
