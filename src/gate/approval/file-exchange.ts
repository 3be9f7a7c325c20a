// Asks through a folder: a file in requests/, and the answer in one of the same name in responses/.
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { constants, watch } from 'node:fs';
import path from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { toError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import { shellWord } from '../../base/shell-word.ts';
import { readJson } from '../../fleet/discovery/json-reader.ts';
import { decisionOf } from './approval-of.ts';
import type { Approval, Approver, Question } from './approver.ts';

export interface FileExchangeOptions {
  /** Of this user alone. Made where it is not there. */
  readonly folder: string;
  /** @default 30000 */
  readonly limitMs?: number;
  /** Where the system does not tell of new files. @default 1000 */
  readonly pollMs?: number;
  /** @default the real one */
  readonly clock?: Clock;
}

const ANSWER_MAX = 64 * 1024;
/** Programs may write an answer piece by piece. */
const READS_MAX = 5;

export function fileApprover({
  folder,
  limitMs = 30_000,
  pollMs = 1000,
  clock = systemClock,
}: FileExchangeOptions): Approver {
  return {
    limitMs,
    async ask(question, signal) {
      if (!/^[\w-]{1,120}$/.test(question.id))
        throw new Error('the question has an id that is no name for a file');
      for (const one of [folder, path.join(folder, 'requests'), path.join(folder, 'responses')])
        await ownFolder(one);
      const request = path.join(folder, 'requests', `${question.id}.json`);
      const response = path.join(folder, 'responses', `${question.id}.json`);
      if ((await lstat(response).catch(() => undefined)) !== undefined)
        throw new Error('the answer was there before the question');
      try {
        await write(request, question);
        return await answered(response, question.id, { signal, limitMs, pollMs, clock });
      } finally {
        await rm(request, { force: true }).catch(() => {});
        await rm(response, { force: true, recursive: true }).catch(() => {});
      }
    },
  };
}

/** Whoever may write there may allow everything. */
async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new Error(`${folder} is no folder, but a link or a file`);
  const uid = process.getuid?.();
  if (uid !== undefined && found.uid !== uid) throw new Error(`${folder} belongs to another user`);
  if ((found.mode & 0o022) !== 0)
    throw new Error(`others may write to ${folder} (chmod 700 ${shellWord(folder)})`);
}

/** Nobody sees half of it. */
async function write(file: string, question: Question): Promise<void> {
  const fresh = `${file}.tmp`;
  try {
    const handle = await open(fresh, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ version: 1, ...question }, undefined, 2)}\n`);
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

interface Waiting {
  readonly signal: AbortSignal;
  readonly limitMs: number;
  readonly pollMs: number;
  readonly clock: Clock;
}

function answered(file: string, id: string, { signal, limitMs, pollMs, clock }: Waiting): Promise<Approval> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    let isLooking = false;
    let reads = 0;
    let callOffPoll = () => {};
    const end = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      callOffPoll();
      callOffLimit();
      watcher?.close();
      signal.removeEventListener('abort', giveUp);
      settle();
    };
    const giveUp = () => end(() => reject(new Error('nobody waits for the answer any more')));
    const look = async () => {
      if (isLooking || isOver) return;
      isLooking = true;
      try {
        const approval = await read(file, id);
        if (approval !== undefined) end(() => resolve(approval));
      } catch (thrown) {
        reads += 1;
        if (reads >= READS_MAX) end(() => reject(toError(thrown)));
      }
      isLooking = false;
    };
    const poll = () => {
      callOffPoll = clock.after(pollMs, () => {
        void look();
        if (!isOver) poll();
      });
    };
    const callOffLimit = clock.after(limitMs, () => end(() => reject(new Error('no answer came in time'))));
    const watcher = watching(path.dirname(file), () => void look());
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    else {
      poll();
      void look();
    }
  });
}

/** Undefined where the system has no more watches: then the poll finds it. */
function watching(folder: string, listener: () => void): { close(): void } | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, listener);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** Undefined while it is not there. @throws Error when it is no answer */
async function read(file: string, id: string): Promise<Approval | undefined> {
  const text = await textOf(file);
  if (text === undefined) return undefined;
  const found = readJson(text, { syntax: 'json', depthLimit: 50 });
  if (!found.ok) throw new Error(`the answer is no JSON: ${found.reason}`);
  const { value } = found.root;
  if (!isJsonObject(value) || value['id'] !== id)
    throw new Error('the answer does not name the id of the question');
  return decisionOf(value, 'file');
}

async function textOf(file: string): Promise<string | undefined> {
  // Neither a link nor a pipe leads anywhere.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error('the answer is a link, or cannot be read');
  });
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error('the answer is no regular file');
    if (found.size > ANSWER_MAX) throw new Error(`the answer has more than ${ANSWER_MAX} bytes`);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(ANSWER_MAX), 0, ANSWER_MAX, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
