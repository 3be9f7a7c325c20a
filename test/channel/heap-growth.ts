// How much the heap of a process grows by so many calls, measured in a process of its own.
import path from 'node:path';
import { execute, root } from '../support/project.ts';

export interface HeapGrowth {
  /** Calls, waiting requests and running handlers that are left. */
  readonly left: number;
  readonly grownKiB: number;
  readonly grownByConnectionsKiB: number;
}

/** Of two peers. */
export async function heapGrowth(framing: string, calls: number): Promise<HeapGrowth> {
  return (await measured('many-calls.mjs', framing, calls)) as HeapGrowth;
}

/** Of a served definition and its host, in KiB. */
export async function toolCallGrowth(dialect: string, calls: number): Promise<number> {
  return ((await measured('many-tool-calls.mjs', dialect, calls)) as Pick<HeapGrowth, 'grownKiB'>).grownKiB;
}

async function measured(program: string, what: string, calls: number): Promise<unknown> {
  const { exitCode, stdout, stderr } = await execute(
    process.execPath,
    ['--expose-gc', path.join(root, 'test/hosts', program), what, String(calls)],
    { timeoutMs: 600_000 },
  );
  if (exitCode !== 0) throw new Error(`${program} exited with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout);
}
