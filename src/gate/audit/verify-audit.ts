// Whether a log is what was written: every line by its hash, the lines by their chain, the end by the sealed head.
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { toError } from '../../base/error.ts';
import {
  type Head,
  headFile,
  keyFile,
  logFile,
  logFiles,
  type Place,
  readHead,
  readKey,
  START,
} from './head.ts';
import { TORN } from './journal.ts';
import { readLine } from './line.ts';
import { logLines } from './log-lines.ts';

export type AuditVerdict =
  | {
      readonly ok: true;
      readonly lines: number;
      readonly files: number;
      /** Writes that were cut by a crash, after which the log went on; the first of them. */
      readonly torn: readonly { readonly file: string; readonly line: number; readonly lost: number }[];
      /** The last write is not complete: it is under way, or its process was killed. So many lines are missing. */
      readonly unfinished?: number;
      /** Whether the end was compared with the head; a single file has none. */
      readonly isEndChecked: boolean;
    }
  | {
      readonly ok: false;
      /** Lines that are as they were written, before the first that is not. */
      readonly lines: number;
      readonly file: string;
      /** Undefined where it is not about a line. */
      readonly line?: number;
      /** What is wrong, as a sentence. */
      readonly problem: string;
    };

/** Of a folder as `openAudit` takes it, or of one file of it. Never throws; takes no lock and changes nothing. */
export async function verifyAudit(path: string): Promise<AuditVerdict> {
  try {
    if ((await stat(path)).isDirectory()) return await verifyFolder(path);
    return await verifyFile(path);
  } catch (thrown) {
    return { ok: false, lines: 0, file: path, problem: `It cannot be read: ${toError(thrown).message}.` };
  }
}

const TORN_TOLD = 100;

/** Follows the chain from file to file. */
class Chain {
  place: Place;
  lines = 0;
  readonly torn: { file: string; line: number; lost: number }[] = [];
  /** At the place the head knows. */
  passed: string | undefined;
  /** What stands after the last line. */
  rest = 0;
  readonly #knownSeq: number;

  constructor(place: Place, knownSeq = -1) {
    this.place = place;
    this.#knownSeq = knownSeq;
    this.#pass();
  }

  /** In words, with its line, what is wrong in this file; undefined when nothing is. */
  async follow(
    file: string,
    number: number,
    size: number,
  ): Promise<{ line: number; problem: string } | undefined> {
    this.place = { ...this.place, file: number, bytes: 0 };
    for await (const next of logLines(file, size)) {
      const at = (problem: string) => ({ line: next.number, problem });
      if (next.kind === 'too-long') return at('The line is longer than any that is written.');
      if (next.kind === 'rest') {
        this.rest = next.length;
        return undefined;
      }
      const line = readLine(next.bytes);
      if (typeof line === 'string') return at(`The line ${line}.`);
      if (line.seq !== this.place.seq + 1)
        return at(
          `The line has the number ${line.seq}, expected ${this.place.seq + 1}: lines are missing, doubled or moved.`,
        );
      if (line.prev !== this.place.hash)
        return at('The line does not follow the one before it: that one was changed or replaced.');
      this.place = { file: number, bytes: next.end, seq: line.seq, hash: line.hash };
      this.lines += 1;
      this.#pass();
      if (line.event['kind'] === 'noted' && line.event['what'] === TORN && this.torn.length < TORN_TOLD) {
        const { lost } = (line.event['data'] ?? {}) as { lost?: unknown };
        this.torn.push({ file, line: next.number, lost: typeof lost === 'number' ? lost : 0 });
      }
    }
    return undefined;
  }

  #pass(): void {
    if (this.place.seq === this.#knownSeq) this.passed = this.place.hash;
  }
}

async function verifyFile(file: string): Promise<AuditVerdict> {
  const first = await firstLine(file);
  const chain = new Chain({ file: 1, bytes: 0, seq: (first?.seq ?? 1) - 1, hash: first?.prev ?? START.hash });
  const wrong = await chain.follow(file, 1, Infinity);
  if (wrong !== undefined) return { ok: false, lines: chain.lines, file, ...wrong };
  if (chain.rest > 0)
    return {
      ok: false,
      lines: chain.lines,
      file,
      line: chain.lines + 1,
      problem: 'The last line has no end.',
    };
  return { ok: true, lines: chain.lines, files: 1, torn: chain.torn, isEndChecked: false };
}

async function firstLine(file: string): Promise<{ seq: number; prev: string } | undefined> {
  for await (const next of logLines(file)) {
    const line = next.kind === 'line' ? readLine(next.bytes) : '';
    return typeof line === 'string' ? undefined : line;
  }
  return undefined;
}

async function verifyFolder(folder: string): Promise<AuditVerdict> {
  const snapshot = await snapshotOf(folder);
  if ('problem' in snapshot) return { ok: false, lines: 0, ...snapshot };
  const { head, files } = snapshot;
  const chain = new Chain(START, head.end.seq);
  let expected = 1;
  for (const { number, size } of files) {
    const file = logFile(folder, expected);
    const fail = (problem: string, line?: number) => ({
      ok: false as const,
      lines: chain.lines,
      file,
      problem,
      ...(line !== undefined && { line }),
    });
    if (number !== expected) return fail('The file is missing.');
    if (chain.rest > 0) return { ...fail('The last line has no end.'), file: logFile(folder, expected - 1) };
    const wrong = await chain.follow(file, number, size);
    if (wrong !== undefined) return fail(wrong.problem, wrong.line);
    expected += 1;
  }
  const problem = endProblem(chain, head);
  const file = logFile(folder, Math.max(1, expected - 1));
  if (typeof problem === 'string') return { ok: false, lines: chain.lines, file, problem };
  const torn = chain.torn;
  return { ok: true, lines: chain.lines, files: files.length, torn, isEndChecked: true, ...problem };
}

/** In words; or how much of the last write is missing, where it was announced. */
function endProblem(chain: Chain, { end, next }: Head): string | { unfinished?: number } {
  const { place, rest, passed } = chain;
  const last = next ?? end;
  if (rest === 0 && isSame(place, last)) return {};
  if (place.seq > last.seq) return `There are ${place.seq - last.seq} more lines than were written.`;
  if (place.seq === last.seq)
    return rest > 0
      ? 'There is something after the last line that was not written.'
      : 'The last line is not the one that was written.';
  if (passed === end.hash && next !== undefined && place.bytes + rest <= next.bytes)
    return { unfinished: next.seq - place.seq };
  return `The end is missing: ${last.seq} lines were written, ${place.seq} are there.`;
}

function isSame(one: Place, other: Place): boolean {
  // Nothing written yet has no file.
  if (other.seq === 0) return one.seq === 0;
  return (
    one.file === other.file && one.bytes === other.bytes && one.seq === other.seq && one.hash === other.hash
  );
}

interface Snapshot {
  readonly head: Head;
  readonly files: readonly { readonly number: number; readonly size: number }[];
}

/**
 * Writers go on meanwhile: a look counts when the head is the same before and after, best with all there that it announces. Where they
 * never pause, the log is read as far as the head knew; that nothing else stands behind it, they see to themselves.
 */
async function snapshotOf(
  folder: string,
): Promise<Snapshot | { readonly file: string; readonly problem: string }> {
  const key = readKey(folder);
  if (key === undefined)
    return {
      file: keyFile(folder),
      problem:
        'The key is gone or unreadable, so that nobody can tell where the log ended. A single file can still be verified.',
    };
  for (let tries = 1; ; tries++) {
    const reading = readHead(folder, key);
    if (reading.kind === 'absent')
      return {
        file: headFile(folder),
        problem: 'The head is gone, so that nobody can tell where the log ended.',
      };
    if (reading.kind === 'bad') {
      // It may be read while it is written.
      if (tries >= TRIES) return { file: headFile(folder), problem: `The head ${reading.problem}.` };
      await sleep(WAIT_MS);
      continue;
    }
    const { head } = reading;
    const files = logFiles(folder).map((number) => ({
      number,
      size: statSync(logFile(folder, number)).size,
    }));
    const isSettled = JSON.stringify(readHead(folder, key)) === JSON.stringify(reading);
    const isWhole = head.next === undefined || head.next.bytes === files.at(-1)?.size;
    if (isSettled && (isWhole || tries >= TRIES)) return { head, files };
    if (tries >= TRIES) return upTo(head.end, files);
    await sleep(WAIT_MS);
  }
}

const TRIES = 20;
const WAIT_MS = 3;

function upTo(end: Place, files: Snapshot['files']): Snapshot {
  const known = files.filter(({ number }) => number <= end.file);
  return {
    head: { end },
    files: known.map(({ number, size }) => ({
      number,
      size: number === end.file ? Math.min(size, end.bytes) : size,
    })),
  };
}
