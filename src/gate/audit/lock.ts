// One process at a time writes to a log. The lock of a process that has died is taken away at once: no call waits for a dead one.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PluglotError, toError } from '../../base/error.ts';

const RETRY_MS = 2;
/** A holder is done in milliseconds. One that is older is dead too, even if its number belongs to another process by now, or to one of another machine. */
const STALE_MS = 10_000;
const OWN_STALE_MS = 1000;
const PATIENCE_MS = 15_000;
/** Calls come in crowds: to make and to remove a file for each of their lines costs more than all else of it. */
const LINGER_MS = 5;
/** Long before anybody takes it for that of a dead one. */
const HELD_MAX_MS = 500;
/** Whoever waits for a lock takes away the right to write it, which nobody needs: its holder gives it up then. */
const WANTED = 0o400;

/** Nobody takes a lock away that is so young, and who waits for it waits so long anyway: it is not looked at more often. */
const LOOK_MS = 5;

/** `first`: others may have been there since the last one. `alone`: nobody was. `same`: so soon after one of those that nobody looked. */
export type Turn = 'first' | 'alone' | 'same';

/** Numbers of files are used again. */
type FileMark = Pick<fs.Stats, 'ino' | 'mtimeMs'>;

interface Held {
  readonly own: string;
  readonly file: FileMark;
  readonly since: number;
}

export class FolderLock {
  readonly #file: string;
  readonly #beforeRelease: () => void;
  #held: Held | undefined;
  #lookedAt = 0;
  #usedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param beforeRelease the last thing that is done while it is held; must not throw */
  constructor(folder: string, beforeRelease: () => void) {
    this.#file = path.join(folder, 'audit.lock');
    this.#beforeRelease = beforeRelease;
  }

  /**
   * Runs `work`, which blocks, while no other process does the same in this folder. One at a time.
   * @throws PluglotError AUDIT_FAILED when nobody gives the lock up, and what `work` throws
   */
  async run<Result>(work: (turn: Turn) => Result): Promise<Result> {
    const turn = this.#held === undefined ? 'first' : await this.#goOn(this.#held);
    if (turn === 'first') {
      this.#held = await take(this.#file);
      this.#lookedAt = performance.now();
    }
    try {
      return work(turn);
    } finally {
      this.#usedAt = performance.now();
      this.#timer ??= setTimeout(() => this.#releaseUnused(), LINGER_MS);
    }
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const held = this.#held;
    this.#held = undefined;
    // It may have been taken away, when this process was stopped for long.
    if (held === undefined || contentOf(this.#file) !== held.own) return;
    this.#beforeRelease();
    fs.rmSync(this.#file, { force: true });
  }

  /** One timer for many turns: to set one for each costs more than to look again. */
  #releaseUnused(): void {
    const left = this.#usedAt + LINGER_MS - performance.now();
    if (left <= 0) return this.release();
    this.#timer = setTimeout(() => this.#releaseUnused(), left);
  }

  async #goOn({ file, since }: Held): Promise<Turn> {
    const now = performance.now();
    // The one clock stands still while the machine sleeps, the other can be set.
    const isFresh = Date.now() - since < HELD_MAX_MS;
    if (now - this.#lookedAt < LOOK_MS && isFresh) return 'same';
    this.#lookedAt = now;
    const stats = fs.statSync(this.#file, { throwIfNoEntry: false });
    const isWanted = stats !== undefined && (stats.mode & 0o777) === WANTED;
    const isOurs = stats?.ino === file.ino && stats.mtimeMs === file.mtimeMs;
    if (isOurs && isFresh && !isWanted) return 'alone';
    this.release();
    if (isWanted) await pause(2 * RETRY_MS);
    return 'first';
  }
}

async function take(lock: string): Promise<Held> {
  const own = `${process.pid} ${randomUUID()} ${whereNumbersHold()}`;
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const file = taken(lock, own);
    if (file !== undefined) return { own, file, since: Date.now() };
    if (Date.now() > giveUpAt)
      throw new PluglotError('AUDIT_FAILED', `${lock} is held by another process. Remove it when none runs.`);
    if (takeAwayIfDead(lock)) continue;
    want(lock);
    await pause(RETRY_MS);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms * (0.5 + Math.random())));
}

function want(lock: string): void {
  try {
    fs.chmodSync(lock, WANTED);
  } catch {
    // It was given up meanwhile.
  }
}

/** Undefined when somebody else has it. */
function taken(lock: string, own: string): FileMark | undefined {
  try {
    const descriptor = fs.openSync(lock, 'wx', 0o600);
    try {
      fs.writeSync(descriptor, own);
      return fs.fstatSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return undefined;
    // Somebody moved it away: a new log begins.
    if (codeOf(thrown) === 'ENOENT' && makeFolder(path.dirname(lock))) return taken(lock, own);
    throw new PluglotError('AUDIT_FAILED', `${lock} cannot be written: ${toError(thrown).message}.`, {
      cause: thrown,
    });
  }
}

/** Whether there was none. */
function makeFolder(folder: string): boolean {
  return fs.mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
}

/** By a rename, so that of several who see the same dead lock one takes it; one that turns out to be alive is put back. */
function takeAwayIfDead(lock: string): boolean {
  const content = contentOf(lock);
  if (content === undefined || !isDead(lock, content)) return content === undefined;
  const grave = `${lock}.${randomUUID()}`;
  try {
    fs.renameSync(lock, grave);
    if (contentOf(grave) !== content) fs.linkSync(grave, lock);
  } catch {
    // Somebody else was faster.
  }
  fs.rmSync(grave, { force: true });
  return true;
}

function isDead(lock: string, content: string): boolean {
  const stats = fs.statSync(lock, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  const age = Date.now() - stats.mtimeMs;
  if (age > STALE_MS) return true;
  const [number, , where] = content.split(' ');
  const pid = Number(number);
  // Its owner has not written its number yet.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  // Containers that share a folder do not see each other's processes.
  if (where !== whereNumbersHold()) return false;
  // Another thread; or a process of a container that is gone, where all get the same numbers.
  if (pid === process.pid) return age > OWN_STALE_MS;
  try {
    process.kill(pid, 0);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === 'ESRCH';
  }
}

/** The machine, and on it the container. */
function whereNumbersHold(): string {
  let namespace = '';
  try {
    namespace = fs.readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not on Linux, or not shown: there is the name of the machine.
  }
  return `${os.hostname()}/${namespace}`.replaceAll(/\s/g, '_');
}

function contentOf(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}
