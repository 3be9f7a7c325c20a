// The log of one process. All of it blocks: a few system calls of microseconds each, which would take ten times as long in a thread,
// and every call of a tool waits for them.
import type { KeyObject } from 'node:crypto';
import fs from 'node:fs';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { sentences } from '../../base/text.ts';
import {
  claim,
  codeOf,
  createHead,
  enlist,
  headFile,
  openKey,
  openRegular,
  type Place,
  readHead,
  readKey,
  release,
  START,
  syncFolder,
  writeHead,
} from './heads.ts';
import { writeLine } from './line.ts';
import { logFile, newLogName } from './logs.ts';

export interface LogWriterOptions {
  readonly folder: string;
  /** Where the heads are. */
  readonly index: string;
  readonly rotateBytes: number;
  /** Waits for the disk, so that the log survives a loss of power. */
  readonly sync: boolean;
  /** Called with what a person should know: a log that is gone or not as it was left. */
  readonly report: (message: string) => void;
}

export interface Entry {
  /** An ISO date. */
  readonly at: string;
  /** As JSON. */
  readonly event: string;
}

/** Up to which line a log vouches for itself. */
export interface LogEnd {
  readonly log: string;
  readonly seq: number;
  readonly hash: string;
}

/** The `what` of the note that stands where lines are missing. */
export const LOST = 'torn';

interface CurrentLog {
  readonly name: string;
  readonly key: KeyObject;
  /** Where it ends. */
  place: Place;
  /** Where the last write was to end: the head still announces it. */
  announced?: Place | undefined;
  /** That write failed, and may have left a part of itself. */
  isCut: boolean;
}

/** Descriptors. */
interface OpenFiles {
  readonly head: number;
  /** Undefined while nothing is written. */
  file: number | undefined;
}

interface OpenedLog {
  readonly log: CurrentLog;
  readonly files: OpenFiles;
}

export class LogWriter {
  readonly #options: LogWriterOptions;
  #log: CurrentLog | undefined;
  /** Open during a burst of writes only, so that what happens to them between bursts is seen. */
  #files: OpenFiles | undefined;
  /** Entries that have to be written before any other. */
  #notes: Entry[] = [];
  #lost = 0;
  /** The time of what is written now. */
  #at = '';

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  /**
   * Either all entries are in the log, or it throws. Call `settle` when the burst is over.
   * @throws PluglotError AUDIT_FAILED when the log is not as it was left
   */
  append(entries: readonly Entry[]): void {
    this.#at = entries[0]?.at ?? this.#at;
    try {
      this.#append(entries);
    } catch (thrown) {
      this.#lost += entries.length;
      // The next write opens them again: a change to the next file may have closed the one that the log ends in.
      this.#closeFiles();
      throw thrown;
    }
  }

  /** Writes the end of the log to the head and closes the files; once for many writes, since the head announced each of them. */
  settle(): LogEnd | undefined {
    const log = this.#log;
    try {
      if (log?.announced !== undefined && !log.isCut) {
        const files = this.#files ?? this.#openFiles(log);
        if (typeof files !== 'string') {
          this.#files = files;
          writeHead(files.head, log.name, log.key, { end: log.place });
        }
        log.announced = undefined;
      }
    } catch {
      // For a complete write the announcement is enough.
    }
    this.#closeFiles();
    return log && { log: log.name, seq: log.place.seq, hash: log.place.hash };
  }

  /** Leaves the log to the next process. */
  close(): LogEnd | undefined {
    const end = this.settle();
    try {
      if (this.#log?.announced === undefined && end !== undefined) release(this.#options.index, end.log);
    } catch {
      // Then the next process begins a log of its own.
    }
    this.#log = undefined;
    return end;
  }

  #append(entries: readonly Entry[]): void {
    this.#undoCut();
    const { log, files } = this.#opened();
    const problem = this.#sizeProblem(log, files);
    if (problem !== undefined) throw stopped(problem);
    const { place } = log;
    const { bytes, seq, hash } = chained([...this.#notes, ...this.#lostNote(), ...entries], place);
    if (place.bytes === 0 || place.bytes + bytes.length <= this.#options.rotateBytes) {
      this.#write(log, files, { file: place.file, bytes: place.bytes + bytes.length, seq, hash }, bytes);
    } else {
      this.settle();
      // Opened by name: the next file must not be made in a folder that took the place of this one.
      const again = this.#opened();
      if (again.log !== log) return this.#append(entries);
      again.files.file = closed(again.files.file);
      this.#write(log, again.files, { file: place.file + 1, bytes: bytes.length, seq, hash }, bytes);
    }
    this.#notes = [];
    this.#lost = 0;
  }

  #write(log: CurrentLog, files: OpenFiles, next: Place, bytes: Buffer): void {
    const { sync } = this.#options;
    log.announced = next;
    writeHead(files.head, log.name, log.key, { end: log.place, next });
    // What is announced has to be on the disk before what it announces.
    if (sync) fs.fdatasyncSync(files.head);
    files.file ??= this.#created(log.name, next.file);
    log.isCut = true;
    try {
      for (let written = 0; written < bytes.length;)
        written += fs.writeSync(files.file, bytes, written, bytes.length - written);
      if (sync) fs.fdatasyncSync(files.file);
    } catch (thrown) {
      try {
        this.#undoCut();
      } catch {
        // The next write tries again.
      }
      throw thrown;
    }
    log.place = next;
    log.isCut = false;
  }

  /** Removes what a write that failed has left: its callers know that it failed. */
  #undoCut(): void {
    if (this.#log?.announced === undefined || !this.#log.isCut) return;
    const { name, place, announced } = this.#log;
    const file = logFile(this.#options.folder, name, announced.file);
    if (announced.file !== place.file || place.bytes === 0) fs.rmSync(file, { force: true });
    else {
      const size = fs.lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > place.bytes && size <= announced.bytes) truncate(file, place.bytes);
    }
    this.#log.isCut = false;
    this.#closeFiles();
  }

  /** The log of this process, with its files open: the one it has, one that another process has left, or a new one. */
  #opened(): OpenedLog {
    if (this.#log !== undefined) {
      const files = this.#files ?? this.#openFiles(this.#log);
      if (typeof files !== 'string') {
        this.#files = files;
        return { log: this.#log, files };
      }
      if (!this.#isMovedAway(this.#log)) throw stopped(files);
      this.#leave(this.#log.name, files);
    }
    const { folder, index, sync } = this.#options;
    for (const one of [folder, index]) fs.mkdirSync(one, { recursive: true, mode: 0o700 });
    const key = openKey(index, folder, sync);
    for (let name = claim(index); name !== undefined; name = claim(index)) {
      const taken = this.#takeOver(name, key);
      if (typeof taken !== 'string') return taken;
      this.#leave(name, taken);
    }
    const name = newLogName(this.#at);
    createHead(index, name, key, START, sync);
    // After its head: so a log that is listed has one.
    enlist(index, key, name, sync);
    this.#log = { name, key, place: START, isCut: false };
    return this.#opened();
  }

  /** Goes on with a log that another process has left, or gives the reason why not. */
  #takeOver(name: string, key: KeyObject): OpenedLog | string {
    const reading = readHead(this.#options.index, name, key);
    if (reading.kind !== 'read' || reading.head.next !== undefined) return 'its head is not as it was left';
    const log: CurrentLog = { name, key, place: reading.head.end, isCut: false };
    const files = this.#openFiles(log);
    if (typeof files === 'string') return files;
    [this.#log, this.#files] = [log, files];
    return this.#sizeProblem(log, files) ?? { log, files };
  }

  /** A text is what is wrong with them. */
  #openFiles({ name, place }: CurrentLog): OpenFiles | string {
    const { O_APPEND, O_WRONLY } = fs.constants;
    let head: number | undefined;
    let opening = headFile(this.#options.index, name);
    try {
      head = openRegular(opening, O_WRONLY);
      if (place.seq === 0) return { head, file: undefined };
      opening = logFile(this.#options.folder, name, place.file);
      return { head, file: openRegular(opening, O_WRONLY | O_APPEND) };
    } catch (thrown) {
      closed(head);
      if (thrown instanceof PluglotError) return thrown.message;
      if (codeOf(thrown) === 'ENOENT') return `${opening} is gone`;
      throw thrown;
    }
  }

  /** Whether all of the log is gone, with the key of the index: so a user begins anew. */
  #isMovedAway({ name, key, place }: CurrentLog): boolean {
    const { folder, index } = this.#options;
    // Another process may have begun anew before, with a key of its own.
    if (readKey(index)?.equals(key) === true) return false;
    const files = [headFile(index, name), logFile(folder, name, place.file)];
    return files.every((file) => fs.lstatSync(file, { throwIfNoEntry: false }) === undefined);
  }

  #created(name: string, file: number): number {
    const { folder, sync } = this.#options;
    const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = fs.constants;
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL;
    const created = logFile(folder, name, file);
    const descriptor = fs.openSync(created, flags, 0o600);
    try {
      if (sync) syncFolder(folder);
      return descriptor;
    } catch (thrown) {
      closed(descriptor);
      // The next write creates it again.
      fs.rmSync(created, { force: true });
      throw thrown;
    }
  }

  #closeFiles(): void {
    closed(this.#files?.head);
    closed(this.#files?.file);
    this.#files = undefined;
  }

  #sizeProblem({ name, place }: CurrentLog, { file }: OpenFiles): string | undefined {
    const size = file === undefined ? 0 : fs.fstatSync(file).size;
    if (size === place.bytes) return undefined;
    const what = size < place.bytes ? 'its end was removed' : 'another program has written to it';
    return `${logFile(this.#options.folder, name, place.file)} has ${size} bytes, ${place.bytes} were written: ${what}`;
  }

  /** What others did to a log stays as it is, for `verify` to find; this process begins another. */
  #leave(log: string, reason: string): void {
    this.#closeFiles();
    this.#log = undefined;
    this.#notes.push(note('log-left', { log, reason }, this.#at));
    this.#options.report(
      sentences(
        `The audit log ${log} is not as it was left: ${reason}`,
        'A new one begins. Look with "pluglot audit verify".',
      ),
    );
  }

  #lostNote(): Entry[] {
    return this.#lost === 0 ? [] : [note(LOST, { lost: this.#lost }, this.#at)];
  }
}

function stopped(problem: string): PluglotError {
  return new PluglotError(
    'AUDIT_FAILED',
    sentences(
      problem,
      'Nothing is written to the log any more, so no call is made. Look with "pluglot audit verify", then start this host again: it begins a new log.',
    ),
  );
}

function truncate(file: string, bytes: number): void {
  const descriptor = openRegular(file, fs.constants.O_WRONLY);
  try {
    fs.ftruncateSync(descriptor, bytes);
  } finally {
    closed(descriptor);
  }
}

function note(what: string, data: JsonObject, at: string): Entry {
  return { at, event: JSON.stringify({ kind: 'noted', what, data }) };
}

function chained(
  entries: readonly Entry[],
  { seq: last, hash: prev }: Place,
): { bytes: Buffer; seq: number; hash: string } {
  let [seq, hash] = [last, prev];
  const lines = entries.map(({ at, event }) => {
    seq += 1;
    const line = writeLine(seq, at, event, hash);
    hash = line.hash;
    return `${line.text}\n`;
  });
  return { bytes: Buffer.from(lines.join('')), seq, hash };
}

function closed(descriptor: number | undefined): undefined {
  if (descriptor !== undefined) fs.closeSync(descriptor);
}
