// One buffer for all large writes of this process, since memory that is touched for the first time costs more than what is
// copied into it. And text that was copied is free at once: while a slow write keeps it, V8 moves it among what lives long.
import { MiB } from '../../base/limits.ts';

const SIZE = 2 * MiB;
let desk: Buffer | undefined;
let isTaken = false;

/** Undefined while somebody has it, or when it is too small. To be given back when the bytes have left. */
export function takeDesk(size: number): Buffer | undefined {
  if (isTaken || size > SIZE) return undefined;
  isTaken = true;
  desk ??= Buffer.allocUnsafeSlow(SIZE);
  return desk;
}

export function giveDeskBack(): void {
  isTaken = false;
}
