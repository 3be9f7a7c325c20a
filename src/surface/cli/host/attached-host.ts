// The host of a running `up`, through its socket.
import { lstat } from 'node:fs/promises';
import { PluglotError } from '../../../base/error.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';

/**
 * Undefined when no `up` of this user runs there.
 * @throws PluglotError CALL_TIMEOUT when one does not answer
 */
export async function attach(socket: string): Promise<RuntimeApi | undefined> {
  // Mostly nobody is there; then nothing has to be loaded to know it.
  if ((await lstat(socket).catch(() => undefined)) === undefined) return undefined;
  const { connectRuntime } = await import('../../../runtime/connect/connect-runtime.ts');
  try {
    return await connectRuntime(`unix:${socket}`, undefined, { answerMs: ANSWER_MS });
  } catch (thrown) {
    if (!(thrown instanceof PluglotError)) throw thrown;
    if (nobody.has(thrown.code)) return undefined;
    if (thrown.code !== 'CALL_TIMEOUT') throw thrown;
    throw new PluglotError('CALL_TIMEOUT', `${thrown.message} --standalone does without it.`, {
      cause: thrown,
    });
  }
}

/** It does no more than to look at a list. */
const ANSWER_MS = 5000;

/** Who was killed leaves a socket behind; one of somebody else is not spoken to. */
const nobody: ReadonlySet<string> = new Set(['UNAVAILABLE', 'NOT_TRUSTED']);
