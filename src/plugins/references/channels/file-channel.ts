// A program that looks at files: requests/ID.json is answered by responses/ID.json; results/latest.json tells what came of it.
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { toError } from '../../../base/error.ts';
import { KiB } from '../../../base/limits.ts';
import { changeFile } from '../../../fleet/trust/guarded-file.ts';
import { readTextFile } from '../../../fleet/trust/regular-file.ts';
import { requestJson, type Selection, type SelectionChannel } from './channel.ts';
import { readAnswer } from './read-answer.ts';

export interface FileChannelSettings {
  readonly basePath: string;
  readonly timeoutMs: number;
  readonly pollMs: number;
}

const ANSWER_LIMIT = 256 * KiB;

export function fileChannel(
  { basePath, timeoutMs, pollMs }: FileChannelSettings,
  {
    clock,
    now,
    warn,
  }: { readonly clock: Clock; readonly now: () => Date; readonly warn: (message: string) => void },
): SelectionChannel {
  const fileOf = (folder: string, name: string) => path.join(basePath, folder, `${name}.json`);
  return {
    choose: async (request, signal) => {
      const id = request.request_id;
      const asked = fileOf('requests', id);
      const answered = fileOf('responses', id);
      const endsAt = clock.now() + timeoutMs;
      try {
        await mkdir(path.dirname(answered), { recursive: true, mode: 0o700 });
        await writeJson(asked, requestJson(request));
        return await answerIn(answered, id, { clock, endsAt, pollMs, signal });
      } catch (thrown) {
        const reason = `References could not be asked for in ${basePath}: ${toError(thrown).message}`;
        warn(reason);
        return { kind: 'unavailable', reason };
      } finally {
        await Promise.allSettled([rm(asked, { force: true }), rm(answered, { force: true })]);
      }
    },
    tell: async (message) => {
      try {
        await writeJson(fileOf('results', 'latest'), { timestamp: now().toISOString(), message });
      } catch (thrown) {
        warn(`What came of a selection could not be written to ${basePath}: ${toError(thrown).message}`);
      }
    },
  };
}

interface Waiting {
  readonly clock: Clock;
  readonly endsAt: number;
  readonly pollMs: number;
  readonly signal: AbortSignal;
}

/** A file that is not whole yet, or no answer, may become one. */
async function answerIn(
  file: string,
  id: string,
  { clock, endsAt, pollMs, signal }: Waiting,
): Promise<Selection> {
  for (;;) {
    const reading = await readTextFile(file, ANSWER_LIMIT);
    const ids = reading.kind === 'read' ? readAnswer(reading.text, id) : undefined;
    if (ids !== undefined) return ids.length === 0 ? { kind: 'none' } : { kind: 'selected', ids };
    if (signal.aborted) return { kind: 'none' };
    const left = endsAt - clock.now();
    if (left <= 0) return { kind: 'late' };
    await pause(Math.min(pollMs, left), clock, signal);
  }
}

async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      callOff();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const callOff = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}

function writeJson(file: string, value: object): Promise<void> {
  return changeFile(file, { mode: 0o600 }, () => Promise.resolve(`${JSON.stringify(value, undefined, 2)}\n`));
}
