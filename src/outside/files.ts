// Asks through a folder: a question is a file in requests/, its answer a file of the same name in responses/.
import { constants, watch } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemClock, type Clock } from '../base/clock.ts';
import { toError } from '../base/error.ts';
import { shellWord } from '../base/text.ts';
import { changeFile } from '../fleet/trust/files.ts';
import { limited, parseAnswer, unlessAborted, type Outside, type OutsideQuestion } from './outside.ts';

export interface FilesOptions {
  /** Created when it does not exist. */
  readonly folder: string;
  /** Refuses a folder that other users may write to, since they could answer. @default false */
  readonly isPrivate?: boolean;
  /** @default 30000 */
  readonly limitMs?: number;
  /** How often an answer is looked for where the system does not report new files. @default 1000 */
  readonly pollMs?: number;
  /** How often an invalid answer is read again, since programs may write it piece by piece. @default until the time limit */
  readonly maxReads?: number;
  /** @default the system clock */
  readonly clock?: Clock;
}

const ANSWER_MAX = 64 * 1024;
const NOTIFY_MS = 10_000;

export function files({
  folder,
  isPrivate = false,
  limitMs = 30_000,
  pollMs = 1000,
  maxReads = Infinity,
  clock = systemClock,
}: FilesOptions): Outside {
  const folders = [folder, path.join(folder, 'requests'), path.join(folder, 'responses')];
  return {
    name: `the folder ${folder}`,
    ask: (question, signal) =>
      limited({ limitMs, clock, signal }, async (ended) => {
        if (!/^[\w-]{1,120}$/.test(question.id))
          throw new Error('the id of the question is not a valid file name');
        for (const one of folders) await makeFolder(one, isPrivate);
        const request = path.join(folder, 'requests', `${question.id}.json`);
        const response = path.join(folder, 'responses', `${question.id}.json`);
        if ((await lstat(response).catch(() => undefined)) !== undefined)
          throw new Error('the answer existed before the question');
        try {
          await writeRequest(request, question.body);
          const answer = await waitForAnswer(response, question, { ended, pollMs, maxReads, clock });
          return { kind: 'answered', answer };
        } finally {
          await rm(request, { force: true }).catch(() => {});
          await rm(response, { force: true, recursive: true }).catch(() => {});
        }
      }),
    notify: (notice, signal) =>
      limited({ limitMs: NOTIFY_MS, clock, signal }, async (ended) => {
        await unlessAborted(notice.write(folder), ended);
        return { kind: 'sent' };
      }),
  };
}

/** Replaces the file as a whole; creates its folder when needed. */
export function writeJson(file: string, value: object): Promise<void> {
  return changeFile(file, { mode: 0o600 }, () => Promise.resolve(jsonText(value)));
}

export function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

async function makeFolder(folder: string, isPrivate: boolean): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!isPrivate) return;
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new Error(`${folder} is a link or a file; expected a folder`);
  const uid = process.getuid?.();
  if (uid !== undefined && found.uid !== uid) throw new Error(`${folder} belongs to another user`);
  if ((found.mode & 0o022) !== 0)
    throw new Error(`others may write to ${folder} (chmod 700 ${shellWord(folder)})`);
}

/** A reader never sees a part of it. */
async function writeRequest(file: string, body: object): Promise<void> {
  const fresh = `${file}.tmp`;
  try {
    const handle = await open(fresh, 'wx', 0o600);
    try {
      await handle.writeFile(jsonText(body));
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

interface Wait {
  readonly ended: AbortSignal;
  readonly pollMs: number;
  readonly maxReads: number;
  readonly clock: Clock;
}

/** @throws Error when the signal fires, or when the file was not an answer `maxReads` times */
async function waitForAnswer<Answer>(
  file: string,
  question: OutsideQuestion<Answer>,
  { ended, pollMs, maxReads, clock }: Wait,
): Promise<Answer> {
  let wake = () => {};
  const onEvent = () => wake();
  const watcher = watchFolder(path.dirname(file), onEvent);
  ended.addEventListener('abort', onEvent);
  try {
    for (let reads = 0; !ended.aborted;) {
      // Made before the file is read, so that no event is missed.
      const next = new Promise<void>((resolve) => (wake = resolve));
      try {
        const text = await readRegularFile(file);
        if (text !== undefined) return parseAnswer(text, question);
      } catch (thrown) {
        reads += 1;
        if (reads >= maxReads) throw toError(thrown);
      }
      const cancelPoll = clock.after(pollMs, onEvent);
      if (!ended.aborted) await next;
      cancelPoll();
    }
    throw new Error('the question ended');
  } finally {
    watcher?.close();
    ended.removeEventListener('abort', onEvent);
  }
}

/** Undefined where the system has no more watches: then polling finds the answer. */
function watchFolder(folder: string, listener: () => void): { close(): void } | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, listener);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** Undefined while the file does not exist. Links and pipes are not followed. */
async function readRegularFile(file: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error('the answer is a link, or cannot be read');
  });
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error('the answer is not a regular file');
    if (found.size > ANSWER_MAX) throw new Error(`the answer has more than ${ANSWER_MAX} bytes`);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(ANSWER_MAX), 0, ANSWER_MAX, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
