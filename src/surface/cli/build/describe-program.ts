// What the plugin of a program says of itself, found out by running the program in a thread where `serve` only tells that.
import { Worker } from 'node:worker_threads';
import { PluglotError, toError } from '../../../base/error.ts';
import type { Clock } from '../../../base/clock.ts';
import { late, within } from '../../../base/within.ts';
import { sentence } from '../../../base/sentence.ts';
import type { Profile } from '../../../definition/backend.ts';
import { describedThread } from '../../../sdk/isolate/thread-role.ts';

/** A program that waits for something else says nothing for so long. */
const DESCRIBE_MS = 30_000;

/**
 * Undefined when the program ends without having served anything.
 * @throws PluglotError START_FAILED when it throws or takes too long
 */
export async function describeProgram(
  file: string,
  { clock, print }: { readonly clock: Clock; readonly print: (text: string) => void },
): Promise<Profile | undefined> {
  const worker = new Worker(file, { workerData: describedThread, stdout: true, stderr: true });
  for (const stream of [worker.stdout, worker.stderr])
    stream.on('data', (chunk: Buffer) => print(String(chunk)));
  const told = new Promise<Profile | undefined>((resolve, reject) => {
    // Our own SDK in the thread says nothing else.
    worker.once('message', (profile: Profile) => resolve(profile));
    worker.once('error', (thrown) => reject(toError(thrown)));
    worker.once('exit', () => resolve(undefined));
  });
  try {
    const profile = await within(told, DESCRIBE_MS, clock);
    if (profile !== late) return profile;
    throw new Error(`it neither called serve() nor ended within ${DESCRIBE_MS / 1000} s`);
  } catch (cause) {
    const message = `The plugin cannot be asked what it is: ${sentence(toError(cause).message)}`;
    throw new PluglotError('START_FAILED', message, { cause });
  } finally {
    await worker.terminate();
  }
}
