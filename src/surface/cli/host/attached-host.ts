// The host of a running `up`, through its socket.
import { lstat } from 'node:fs/promises';
import { PluglotError } from '../../../base/error.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';

/** Undefined when no `up` of this user runs there. */
export async function attach(socket: string): Promise<RuntimeApi | undefined> {
  // Mostly nobody is there; then nothing has to be loaded to know it.
  if ((await lstat(socket).catch(() => undefined)) === undefined) return undefined;
  const { connectRuntime } = await import('../../../runtime/connect/connect-runtime.ts');
  try {
    return await connectRuntime(`unix:${socket}`);
  } catch (thrown) {
    if (thrown instanceof PluglotError && nobody.has(thrown.code)) return undefined;
    throw thrown;
  }
}

/** Who was killed leaves a socket behind; one of somebody else is not spoken to. */
const nobody: ReadonlySet<string> = new Set(['UNAVAILABLE', 'NOT_TRUSTED']);
