// Whether the logs are what was written: every line by its hash, the lines by their chain, the end by the sealed head in the index, and
// by the heads that were sent elsewhere.
import type { KeyObject } from 'node:crypto';
import { existsSync, lstatSync, statSync, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toError } from '../../base/error.ts';
import { sentence, shellWord } from '../../base/text.ts';
import { openTarget, otherWriters } from '../../fleet/trust/paths.ts';
import { readSentHeads } from './head-sender.ts';
import {
  defaultIndex,
  type Head,
  headFile,
  type HeadReading,
  keyFile,
  listHeads,
  logListFile,
  type Place,
  readHead,
  readKey,
  readLogList,
  START,
} from './heads.ts';
import { readLine } from './line.ts';
import { logLines, type LogLine } from './log-lines.ts';
import { LOST } from './log-writer.ts';
import { listLogs, logFile, SHARED_LOG } from './logs.ts';

export interface VerifyOptions {
  /** @default as `openAudit` has it */
  readonly index?: string | undefined;
  /** The file to which heads were sent, to compare with. @default none */
  readonly sentHeads?: string | undefined;
}

export interface AuditVerdict {
  /** There is no problem. */
  readonly ok: boolean;
  /** Lines that are as they were written. */
  readonly lines: number;
  readonly files: number;
  /** The first of them. */
  readonly problems: readonly AuditProblem[];
  /** Where lines are missing that could not be written, or that a crash cut off before the log went on. */
  readonly torn: readonly { readonly file: string; readonly line: number; readonly lost: number }[];
  /** Lines of last writes that are under way, or whose process was killed. */
  readonly unfinished: number;
  /** Whether the end was compared with a head; a single file has none. */
  readonly isEndChecked: boolean;
  /** Lines that no head vouches for that was sent elsewhere; undefined where none is compared. */
  readonly notSent?: number;
}

export interface AuditProblem {
  readonly file: string;
  /** Undefined where it is not about a line. */
  readonly line?: number;
  /** What is wrong, as a sentence. */
  readonly problem: string;
  /** The command that fixes it, where one does. */
  readonly fix?: string;
}

/** Of a folder as `openAudit` takes it, or of one file in it. Never throws; changes nothing. Where there is no log it is ok, with no files. */
export async function verifyAudit(file: string, options: VerifyOptions = {}): Promise<AuditVerdict> {
  const findings = new Findings();
  try {
    const isFile = (await stat(file).catch(() => undefined))?.isFile() === true;
    if (isFile) await verifyFile(file, findings);
    else await verifyFolder(file, options, findings);
    return findings.verdict(!isFile);
  } catch (thrown) {
    findings.problem({ file, problem: sentence(`It cannot be read: ${toError(thrown).message}`) });
    return findings.verdict(false);
  }
}

const LISTED_MAX = 100;

class Findings {
  lines = 0;
  files = 0;
  unfinished = 0;
  notSent: number | undefined;
  readonly torn: { file: string; line: number; lost: number }[] = [];
  readonly #problems: AuditProblem[] = [];

  problem(problem: AuditProblem): void {
    if (this.#problems.length < LISTED_MAX) this.#problems.push(problem);
  }

  verdict(isEndChecked: boolean): AuditVerdict {
    const { lines, files, torn, unfinished, notSent } = this;
    const problems = this.#problems;
    const verdict = { ok: problems.length === 0, lines, files, problems, torn, unfinished, isEndChecked };
    return notSent === undefined ? verdict : { ...verdict, notSent };
  }
}

async function verifyFile(file: string, findings: Findings): Promise<void> {
  const first = await firstLine(file);
  const begin = { ...START, seq: (first?.seq ?? 1) - 1, hash: first?.prev ?? START.hash };
  const chain = new Chain(findings, begin);
  if ((await chain.follow(file, 1, Infinity)) && chain.rest > 0)
    findings.problem({ file, line: findings.lines + 1, problem: NO_END });
}

async function firstLine(file: string): Promise<{ seq: number; prev: string } | undefined> {
  for await (const next of logLines(file)) {
    const line = next.kind === 'line' ? readLine(next.bytes) : '';
    return typeof line === 'string' ? undefined : line;
  }
  return undefined;
}

/** A line that has to be in a log, and the source that requires it. */
interface Witness {
  readonly seq: number;
  readonly hash: string;
  readonly source: string;
}

interface LogToVerify {
  readonly folder: string;
  readonly log: string;
  /** Of its files. */
  readonly numbers: readonly number[];
  /** Undefined without a key. */
  readonly read: (() => HeadReading) | undefined;
  readonly headFile: string;
  readonly witnesses: readonly Witness[];
}

async function verifyFolder(folder: string, options: VerifyOptions, findings: Findings): Promise<void> {
  const { index = defaultIndex(folder), sentHeads } = options;
  // Heads grow last when they are sent and first when they are written: so nothing that is looked at later can be too short.
  const sent = await sentHeadsOf(sentHeads, folder, findings);
  const key = readKey(index);
  const listed = key === undefined ? undefined : listedLogs(index, key, findings);
  const logs = orEmpty(() => listLogs(folder), new Map<string, number[]>());
  const heads = orEmpty(() => listHeads(index), []);
  const sharedKey = readKey(folder);
  const hasShared = sharedKey !== undefined || existsSync(headFile(folder, SHARED_LOG));
  const names = new Set([...(hasShared ? [SHARED_LOG] : []), ...logs.keys(), ...heads, ...sent.keys()]);
  if (sentHeads !== undefined && sent.size === 0 && names.size > 0 && existsSync(sentHeads))
    findings.problem({ file: sentHeads, problem: `It has no head of a log in ${folder}.` });
  for (const log of listed ?? [])
    if (!names.has(log)) findings.problem({ file: logFile(folder, log, 1), problem: DELETED });
  // A log is listed before its first line is written. One without a head is reported anyway.
  for (const [log, [number = 1]] of logs)
    if (listed?.includes(log) === false && (log === SHARED_LOG ? hasShared : heads.includes(log)))
      findings.problem({ file: logFile(folder, log, number), problem: NOT_LISTED });
  if (names.size > Number(names.has(SHARED_LOG)) && key === undefined)
    findings.problem({ file: keyFile(index), problem: NO_KEY });
  if (names.has(SHARED_LOG) && sharedKey === undefined)
    findings.problem({ file: keyFile(folder), problem: NO_KEY });
  for (const log of [...names].toSorted()) {
    const isShared = log === SHARED_LOG;
    const [place, itsKey] = isShared ? [folder, sharedKey] : [index, key];
    const known = sent.get(log);
    const end = await verifyLog(
      {
        folder,
        log,
        numbers: logs.get(log) ?? [],
        read: itsKey && (() => readHead(place, log, itsKey)),
        headFile: headFile(place, log),
        witnesses: [
          ...(known === undefined ? [] : [{ ...known, source: sentHeads ?? '' }]),
          ...(isShared && key !== undefined ? indexed(index, key, findings) : []),
        ],
      },
      findings,
    );
    if (known !== undefined) findings.notSent = (findings.notSent ?? 0) + Math.max(0, end - known.seq);
  }
  if (process.platform !== 'win32') await checkModes(folder, index, findings);
}

/** Undefined when the list cannot be read. */
function listedLogs(index: string, key: KeyObject, findings: Findings): readonly string[] | undefined {
  const file = logListFile(index);
  const reading = readLogList(index, key);
  if (reading.kind === 'read') return reading.logs;
  const problem =
    reading.kind === 'bad'
      ? sentence(`The list of all logs ${reading.problem}`)
      : 'The list of all logs is missing, so it is unknown whether logs were deleted.';
  findings.problem({ file, problem });
  return undefined;
}

async function sentHeadsOf(
  file: string | undefined,
  folder: string,
  findings: Findings,
): Promise<ReadonlyMap<string, Omit<Witness, 'source'>>> {
  if (file === undefined) return new Map();
  try {
    findings.notSent = 0;
    const { newest, junkLine } = await readSentHeads(file, folder);
    if (junkLine !== undefined)
      findings.problem({ file, line: junkLine, problem: 'The line is not a head that was sent.' });
    return newest;
  } catch (thrown) {
    const problem = sentence(`The heads that were sent to it cannot be compared: ${toError(thrown).message}`);
    findings.problem({ file, problem });
    return new Map();
  }
}

/** What the index has kept of the shared log, which writes its head beside itself. */
function indexed(index: string, key: KeyObject, findings: Findings): Witness[] {
  const source = headFile(index, SHARED_LOG);
  const reading = readHead(index, SHARED_LOG, key);
  if (reading.kind === 'bad')
    findings.problem({ file: source, problem: sentence(`The head ${reading.problem}`) });
  return reading.kind === 'read' ? [{ ...reading.head.end, source }] : [];
}

/** Gives the number of its last good line. */
async function verifyLog(log: LogToVerify, findings: Findings): Promise<number> {
  const { reading, files } = await snapshotOf(log);
  const head = reading?.kind === 'read' ? reading.head : undefined;
  if (reading?.kind === 'absent') findings.problem({ file: log.headFile, problem: NO_HEAD });
  if (reading?.kind === 'bad')
    findings.problem({ file: log.headFile, problem: sentence(`The head ${reading.problem}`) });
  const known = log.witnesses.map(({ seq }) => seq);
  const chain = new Chain(findings, START, head === undefined ? known : [head.end.seq, ...known]);
  const fileOf = (number: number) => logFile(log.folder, log.log, number);
  let expected = 1;
  for (const { number, size } of files) {
    const file = fileOf(expected);
    if (number !== expected) findings.problem({ file, problem: 'The file is missing.' });
    else if (chain.rest > 0) findings.problem({ file: fileOf(expected - 1), problem: NO_END });
    if (number !== expected || chain.rest > 0 || !(await chain.follow(file, number, size)))
      return chain.place.seq;
    expected += 1;
  }
  const file = fileOf(Math.max(1, expected - 1));
  const problem = head && endProblem(chain, head);
  if (typeof problem === 'string') findings.problem({ file, problem });
  else findings.unfinished += problem ?? 0;
  for (const { seq, hash, source } of log.witnesses) {
    if (chain.place.seq < seq)
      findings.problem({
        file,
        problem: `${source} knows ${seq} lines, ${chain.place.seq} are there: the log was rolled back, or its end removed.`,
      });
    else if (chain.passed.get(seq) !== hash)
      findings.problem({ file, problem: `Line ${seq} is not the one that ${source} knows.` });
  }
  return chain.place.seq;
}

const DELETED = 'The log is missing, and its head too: both were deleted.';
const NOT_LISTED =
  'The list of all logs in the index does not name this log: it was not written by this installation, or a version 0.1 still writes to the folder.';
const NO_END = 'The last line has no end.';
const NO_HEAD = 'The head is missing, so it is unknown where the log ended.';
const NO_KEY =
  'The key is missing or unreadable, so it is unknown where the logs ended. A single file can still be verified.';

/** Follows the chain of one log from file to file. */
class Chain {
  place: Place;
  /** What stands after the last line. */
  rest = 0;
  /** The hashes of the lines that someone knows. */
  readonly passed = new Map<number, string>();
  readonly #findings: Findings;
  readonly #known: ReadonlySet<number>;

  constructor(findings: Findings, place: Place, known: readonly number[] = []) {
    this.#findings = findings;
    this.#known = new Set(known);
    this.place = place;
    if (this.#known.has(place.seq)) this.passed.set(place.seq, place.hash);
  }

  /** Whether all lines of the file, up to a size, are as they were written. */
  async follow(file: string, number: number, size: number): Promise<boolean> {
    this.place = { ...this.place, file: number, bytes: 0 };
    this.#findings.files += 1;
    for await (const next of logLines(file, size)) {
      if (next.kind === 'rest') {
        this.rest = next.length;
        return true;
      }
      const problem =
        next.kind === 'too-long' ? 'is longer than any that is written' : this.#take(next, file);
      if (problem === undefined) continue;
      this.#findings.problem({ file, line: next.number, problem: sentence(`The line ${problem}`) });
      return false;
    }
    return true;
  }

  /** What is wrong with it, after `The line`. */
  #take(next: Extract<LogLine, { kind: 'line' }>, file: string): string | undefined {
    const line = readLine(next.bytes);
    if (typeof line === 'string') return line;
    const { seq, hash, event } = line;
    if (seq !== this.place.seq + 1)
      return `has the number ${seq}, expected ${this.place.seq + 1}: lines are missing, doubled or moved`;
    if (line.prev !== this.place.hash)
      return 'does not follow the one before it: that one was changed or replaced';
    this.place = { file: this.place.file, bytes: next.end, seq, hash };
    if (this.#known.has(seq)) this.passed.set(seq, hash);
    this.#findings.lines += 1;
    if (event['kind'] === 'noted' && event['what'] === LOST && this.#findings.torn.length < LISTED_MAX) {
      const { lost } = (event['data'] ?? {}) as { lost?: unknown };
      this.#findings.torn.push({ file, line: next.number, lost: typeof lost === 'number' ? lost : 0 });
    }
    return undefined;
  }
}

/** In words; or how many lines of the last write are missing that was announced. */
function endProblem({ place, rest, passed }: Chain, { end, next }: Head): string | number {
  const last = next ?? end;
  if (rest === 0 && isSame(place, last)) return 0;
  if (place.seq > last.seq) return `There are ${place.seq - last.seq} more lines than were written.`;
  if (place.seq === last.seq)
    return rest > 0
      ? 'There is something after the last line that was not written.'
      : 'The last line is not the one that was written.';
  if (passed.get(end.seq) === end.hash && next !== undefined && place.bytes + rest <= next.bytes)
    return next.seq - place.seq;
  return `The end is missing: ${last.seq} lines were written, ${place.seq} are there. It was removed, or an older state of the log put back.`;
}

function isSame(one: Place, other: Place): boolean {
  // Where nothing is written there is no file.
  if (other.seq === 0) return one.seq === 0;
  return (
    one.file === other.file && one.bytes === other.bytes && one.seq === other.seq && one.hash === other.hash
  );
}

interface Snapshot {
  readonly reading: HeadReading | undefined;
  readonly files: readonly { readonly number: number; readonly size: number }[];
}

/**
 * Writers go on meanwhile: a look counts when the head is the same before and after, best with everything there that it announces. Where
 * they never pause, the log is read as far as the head knew; its writer sees to the rest.
 */
async function snapshotOf({ folder, log, numbers, read }: LogToVerify): Promise<Snapshot> {
  for (let tries = 1; ; tries++) {
    const reading = read?.();
    const files = sizesOf(folder, log, numbers);
    if (reading?.kind !== 'read') {
      // It may be read while it is written.
      if (reading?.kind !== 'bad' || tries >= TRIES) return { reading, files };
      await sleep(WAIT_MS);
      continue;
    }
    const { end, next } = reading.head;
    const isSettled = JSON.stringify(read?.()) === JSON.stringify(reading);
    const isWhole = next === undefined || next.bytes === files.at(-1)?.size;
    if (isSettled && (isWhole || tries >= TRIES)) return { reading, files };
    if (tries >= TRIES) return { reading: { kind: 'read', head: { end } }, files: upTo(end, files) };
    await sleep(WAIT_MS);
  }
}

const TRIES = 20;
const WAIT_MS = 3;

/** With those that came since the folder was listed. */
function sizesOf(folder: string, log: string, numbers: readonly number[]): Snapshot['files'] {
  const sizeOf = (number: number) =>
    statSync(logFile(folder, log, number), { throwIfNoEntry: false })?.size ?? -1;
  const files = numbers.map((number) => ({ number, size: sizeOf(number) }));
  for (let number = (numbers.at(-1) ?? 0) + 1; sizeOf(number) >= 0; number++)
    files.push({ number, size: sizeOf(number) });
  return files.filter(({ size }) => size >= 0);
}

function upTo(end: Place, files: Snapshot['files']): Snapshot['files'] {
  const known = files.filter(({ number }) => number <= end.file);
  return known.map(({ number, size }) => ({
    number,
    size: number === end.file ? Math.min(size, end.bytes) : size,
  }));
}

/** What others may read they can copy and put back; with the key they can seal a log of their own. */
async function checkModes(folder: string, index: string, findings: Findings): Promise<void> {
  const check = (file: string, expected: 'file' | 'folder', others: number, chmod: string) => {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (!(expected === 'file' ? stats.isFile() : stats.isDirectory())) {
      findings.problem({ file, problem: notExpected(stats, expected) });
      return;
    }
    const owner = openTarget(file, 'state');
    if ((stats.mode & others) !== 0) {
      const what = (stats.mode & 0o022) === 0 ? 'read' : 'change';
      const problem = `Other users of this machine can ${what} it.`;
      findings.problem({ file, problem, fix: `chmod ${chmod} ${shellWord(file)}` });
    } else if (owner !== undefined)
      findings.problem({ file, problem: sentence(`It ${owner.reason}`), fix: owner.fix });
  };
  // The user may have chosen a folder that others can list; the one beside the index is ours.
  if (path.resolve(index) === defaultIndex(folder)) check(folder, 'folder', 0o077, '700');
  else check(folder, 'folder', 0o022, 'go-w');
  check(index, 'folder', 0o077, '700');
  for (const place of [folder, index])
    for (const name of await readdir(place).catch(() => []))
      if (/^audit.*[.](?:jsonl|head|key|free|logs)$/.test(name))
        check(path.join(place, name), 'file', 0o077, '600');
  const above = [folder, index]
    .filter((place) => existsSync(place))
    .map((place) => otherWriters(place, 'state'))
    .filter((open) => open !== undefined && open.place !== folder && open.place !== index);
  for (const open of new Map(above.map((one) => [one?.place, one])).values())
    if (open !== undefined)
      findings.problem({
        file: open.place,
        problem: `The folder ${open.reason}, who can put other logs in the place of these.`,
        fix: open.fix,
      });
}

function notExpected(stats: Stats, expected: 'file' | 'folder'): string {
  if (stats.isSymbolicLink())
    return `It is a link${expected === 'folder' ? '; name the folder that it leads to in "gate.audit.folder" instead' : ', which no log, head or key is'}.`;
  return `It is not a ${expected}.`;
}

function orEmpty<Value>(list: () => Value, empty: Value): Value {
  try {
    return list();
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return empty;
    throw thrown;
  }
}
