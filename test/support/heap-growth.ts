// How much the heap of a process grows by so many calls, measured in a process of its own.
import path from 'node:path';
import { execute, root } from './project.ts';

export interface HeapGrowth {
  /** Calls, waiting requests and running handlers that are left. */
  readonly left: number;
  readonly grownKiB: number;
  readonly grownByConnectionsKiB: number;
}

export async function heapGrowth(framing: string, calls: number): Promise<HeapGrowth> {
  const program = path.join(root, 'test/hosts/many-calls.mjs');
  const { exitCode, stdout, stderr } = await execute(
    process.execPath,
    ['--expose-gc', program, framing, String(calls)],
    { timeoutMs: 600_000 },
  );
  if (exitCode !== 0) throw new Error(`many-calls.mjs exited with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as HeapGrowth;
}
