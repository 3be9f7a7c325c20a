// The files of the log as a writer sees them. All of it blocks: a dozen calls of microseconds, of which each would wait ten times as
// long for a thread, and every call of a tool waits for them.
import { createHash, type KeyObject } from 'node:crypto';
import fs from 'node:fs';
import type { JsonObject } from '../../base/json.ts';
import {
  broken,
  createKey,
  type Head,
  logFile,
  logFiles,
  openHead,
  type Place,
  readHead,
  readKey,
  syncFolder,
  writeHead,
} from './head.ts';
import { LINE_MAX, readLine, writeLine } from './line.ts';
import type { Turn } from './lock.ts';

/** How much is written at a time; so much is looked through after a crash. */
export const BATCH_MAX = 1024 * 1024;

export interface JournalOptions {
  readonly folder: string;
  readonly rotateBytes: number;
  /** Waits for the disk, so that the log survives the loss of power too. */
  readonly sync: boolean;
  /** Hears of a write that was cut by a crash. */
  readonly report: (message: string) => void;
}

export interface Entry {
  readonly at: string;
  /** As JSON. */
  readonly event: string;
}

/** A write that did not come to its end. */
interface Torn {
  /** What was there of a line that has no end. */
  readonly bytes: Buffer;
  /** How many lines were announced and are not there. */
  readonly lost: number;
}

interface Settled {
  readonly place: Place;
  readonly torn?: Torn;
}

interface OpenFile {
  /** Its number. */
  readonly file: number;
  readonly descriptor: number;
}

export class Journal {
  readonly #options: JournalOptions;
  #key: KeyObject | undefined;
  #open: OpenFile | undefined;
  #head: number | undefined;
  /** Where it ended after the last write; undefined after one that failed. */
  #place: Place | undefined;
  /** The head still announces the last write. */
  #isAnnounced = false;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /**
   * To be called while the folder is locked, and `settle` before that ends. Either all entries are in the log, or it throws.
   * @throws PluglotError AUDIT_FAILED when the log is not as it was left
   */
  append(entries: readonly Entry[], turn: Turn): void {
    const { rotateBytes, sync } = this.#options;
    const known = turn === 'first' ? undefined : this.#place;
    this.#place = undefined;
    if (known === undefined) this.close();
    const key = this.#currentKey(known !== undefined);
    if (known !== undefined) this.#checkUnchanged(known, turn === 'same' ? this.#open : undefined);
    const { place, torn }: Settled = known === undefined ? this.#settled(key) : { place: known };
    const all = torn === undefined ? entries : [noteOf(torn, entries[0]?.at), ...entries];
    if (all.length === 0) {
      this.#place = place;
      return;
    }
    let { seq, hash } = place;
    const texts = all.map(({ at, event }) => {
      seq += 1;
      const line = writeLine(seq, at, event, hash);
      hash = line.hash;
      return `${line.text}\n`;
    });
    const bytes = Buffer.from(texts.join(''));
    const isFull = place.bytes > 0 && place.bytes + bytes.length > rotateBytes;
    const file = isFull ? place.file + 1 : place.file;
    const next: Place = { file, bytes: (isFull ? 0 : place.bytes) + bytes.length, seq, hash };

    if (isFull) this.#checkInPlace(place);
    const head = this.#writeHead(key, { end: place, next });
    // What is announced has to be there before what it announces; where it ends is then seen from that.
    if (sync) fs.fdatasyncSync(head);
    const descriptor = this.#descriptor(file);
    for (let written = 0; written < bytes.length;)
      written += fs.writeSync(descriptor, bytes, written, bytes.length - written);
    if (sync) fs.fdatasyncSync(descriptor);
    this.#place = next;
    this.#isAnnounced = true;
  }

  /** The head tells where the log ends, and announces nothing more. Once for many writes: what was announced says as much of each. */
  settle(): void {
    if (!this.#isAnnounced || this.#place === undefined || this.#key === undefined) return;
    this.#isAnnounced = false;
    try {
      this.#writeHead(this.#key, { end: this.#place });
    } catch {
      // Whoever writes next finds it by what was announced.
    }
  }

  close(): void {
    this.#isAnnounced = false;
    if (this.#open !== undefined) fs.closeSync(this.#open.descriptor);
    this.#open = undefined;
    if (this.#head !== undefined) fs.closeSync(this.#head);
    this.#head = undefined;
  }

  #writeHead(key: KeyObject, head: Head): number {
    this.#head ??= openHead(this.#options.folder);
    writeHead(this.#head, key, head);
    return this.#head;
  }

  /** A folder that was moved away may be another one by now, with a key of its own: so it is read whenever others may have been there. */
  #currentKey(isKnown: boolean): KeyObject {
    const { folder, sync } = this.#options;
    if (isKnown && this.#key !== undefined) return this.#key;
    this.#key = readKey(folder);
    if (this.#key === undefined && logFiles(folder).length > 0)
      throw broken(`The key of the audit log in ${folder} is gone or unreadable`, folder);
    this.#key ??= createKey(folder, sync);
    return this.#key;
  }

  /** @param open what is looked at instead of what has its name now */
  #checkUnchanged(place: Place, open?: OpenFile): void {
    const { folder } = this.#options;
    const file = logFile(folder, place.file);
    const size = open?.file === place.file ? fs.fstatSync(open.descriptor).size : sizeOf(file);
    if (size !== place.bytes) throw broken(changedSize(file, place.bytes, size), folder);
  }

  /** The next file is made by its name: not in a folder that another one has taken the place of since somebody looked. */
  #checkInPlace({ file }: Place): void {
    if (this.#open?.file !== file) return;
    const { folder } = this.#options;
    const { ino } = fs.fstatSync(this.#open.descriptor);
    if (fs.lstatSync(logFile(folder, file), { throwIfNoEntry: false })?.ino !== ino)
      throw broken(`The audit log in ${folder} was moved away`, folder);
  }

  /** Where the log ends, after a write that was cut has been tidied up. */
  #settled(key: KeyObject): Settled {
    const { folder } = this.#options;
    const reading = readHead(folder, key);
    if (reading.kind === 'absent') throw broken(`The head of the audit log in ${folder} is gone`, folder);
    if (reading.kind === 'bad')
      throw broken(`The head of the audit log in ${folder} ${reading.problem}`, folder);
    const { end, next } = reading.head;
    if (next === undefined || next.file !== end.file) {
      this.#checkUnchanged(end);
      if (next === undefined) return { place: end };
    }
    return this.#afterCut(reading.head, next);
  }

  #afterCut({ end }: Head, next: Place): Settled {
    const { folder, report } = this.#options;
    const file = logFile(folder, next.file);
    const from = next.file === end.file ? end.bytes : 0;
    const size = sizeOf(file);
    if (size < from || size > next.bytes) throw broken(changedSize(file, next.bytes, size), folder);
    const bytes = readRange(file, from, size);
    let { seq, hash } = end;
    let at = 0;
    for (let feed = bytes.indexOf(10, at); feed !== -1; feed = bytes.indexOf(10, at)) {
      const line = readLine(bytes.subarray(at, feed));
      if (typeof line === 'string') throw broken(`A line at the end of ${file} ${line}`, folder);
      if (line.prev !== hash || line.seq !== seq + 1)
        throw broken(`A line at the end of ${file} does not follow the one before`, folder);
      ({ seq, hash } = line);
      at = feed + 1;
    }
    const place: Place = { file: next.file, bytes: from + at, seq, hash };
    if (seq === next.seq && hash === next.hash && at === bytes.length) return { place };
    if (seq >= next.seq) throw broken(`The end of ${file} is not what was written`, folder);
    const torn: Torn = { bytes: bytes.subarray(at), lost: next.seq - seq };
    report(
      `The last write to ${file} was cut by a crash: ${torn.lost} ${torn.lost === 1 ? 'line is' : 'lines are'} missing. The log goes on after it, and says so.`,
    );
    // They were never told to anybody as written, and their content goes into the note.
    if (torn.bytes.length > 0) fs.truncateSync(file, place.bytes);
    return { place, torn };
  }

  #descriptor(file: number): number {
    if (this.#open?.file === file) return this.#open.descriptor;
    if (this.#open !== undefined) fs.closeSync(this.#open.descriptor);
    this.#open = undefined;
    const name = logFile(this.#options.folder, file);
    const isNew = this.#options.sync && !fs.existsSync(name);
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants;
    this.#open = { file, descriptor: fs.openSync(name, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600) };
    if (isNew) syncFolder(this.#options.folder);
    return this.#open.descriptor;
  }
}

/** The words under which a cut is noted. */
export const TORN = 'torn';

function noteOf({ bytes, lost }: Torn, at = new Date().toISOString()): Entry {
  const data: JsonObject = {
    lost,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    text: bytes.subarray(0, 4096).toString('utf8'),
  };
  return { at, event: JSON.stringify({ kind: 'noted', what: TORN, data }) };
}

function changedSize(file: string, expected: number, size: number): string {
  return size < expected
    ? `${file} has ${size} bytes, ${expected} were written: its end was taken away`
    : `${file} has ${size} bytes, ${expected} were written: somebody else has written to it`;
}

function sizeOf(file: string): number {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Never more than one batch and the note before it. */
function readRange(file: string, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(Math.min(to - from, BATCH_MAX + 2 * LINE_MAX));
  if (bytes.length === 0) return bytes;
  const descriptor = fs.openSync(file, 'r');
  try {
    let filled = 0;
    while (filled < bytes.length) {
      const count = fs.readSync(descriptor, bytes, filled, bytes.length - filled, from + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } finally {
    fs.closeSync(descriptor);
  }
}
