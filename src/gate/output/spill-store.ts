// Results that are too large to be handed on: each in a file that only this user can read, found again by a handle that cannot be guessed.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { toError } from '../../base/error.ts';
import { MiB } from '../../base/units.ts';
import { isOwner, type Caller } from '../../definition/caller.ts';

export interface SpillStoreOptions {
  /** Made when the first result is put there. Each store has a folder of its own in it. */
  readonly folder: string;
  /** All files together; the oldest go first. @default 256 MiB */
  readonly totalBytes?: number;
}

export interface Spilled {
  readonly handle: string;
  readonly bytes: number;
}

export interface SpillPart {
  readonly text: string;
  /** In bytes, where this part begins. */
  readonly offset: number;
  /** Where the next one does; undefined at the end. */
  readonly nextOffset?: number;
  readonly totalBytes: number;
}

export interface SpillReading {
  /** In bytes. @default 0 */
  readonly offset?: number;
  /** @default 50000 */
  readonly maxBytes?: number;
}

interface Kept {
  /** Who may read it. */
  readonly reader: string;
  readonly accessId: string | undefined;
  readonly file: string;
  readonly bytes: number;
}

const TOTAL_BYTES = 256 * MiB;
const PART_BYTES = 50_000;
const PART_MAX = MiB;
/** What a host left that was killed. */
const STALE_MS = 7 * 24 * 3_600_000;
const PREFIX = 'spill-';

export class SpillStore {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  #own: Promise<string> | undefined;
  #isClosed = false;

  constructor({ folder, totalBytes = TOTAL_BYTES }: SpillStoreOptions) {
    this.#folder = folder;
    this.#maxBytes = totalBytes;
  }

  /** @throws Error when it cannot be kept */
  async put(text: string, caller: Caller): Promise<Spilled> {
    if (this.#isClosed) throw new Error('the gate is closed');
    const bytes = Buffer.byteLength(text);
    if (bytes > this.#maxBytes)
      throw new Error(`it is larger than all that is kept (${this.#maxBytes} bytes)`);
    this.#own ??= this.#makeFolder();
    const folder = await this.#own.catch((error: unknown) => {
      // The next one may be luckier.
      this.#own = undefined;
      throw error;
    });
    const handle = `${PREFIX}${randomBytes(16).toString('base64url')}`;
    const file = path.join(folder, handle);
    // Counted before it is written, so that many at once stay within the limit too.
    this.#kept.set(handle, { reader: readerOf(caller), accessId: caller.accessId, file, bytes });
    this.#bytes += bytes;
    try {
      await this.#makeRoom();
      const opened = await open(file, 'wx', 0o600);
      try {
        await opened.writeFile(text);
      } finally {
        await opened.close();
      }
      // Others may have needed the room meanwhile, or it was closed.
      if (!this.#kept.has(handle)) throw new Error('there was no room for it');
    } catch (error) {
      await this.#drop(handle);
      await rm(file, { force: true }).catch(() => {});
      throw toError(error);
    }
    return { handle, bytes };
  }

  /** Whether it was put there by a call of this caller, or the caller owns this host. */
  isFor(caller: Caller, handle: string): boolean {
    return isOwner(caller) || this.#kept.get(handle)?.reader === readerOf(caller);
  }

  /** Undefined when there is nothing under this handle, or not any more. */
  async read(
    handle: string,
    { offset = 0, maxBytes = PART_BYTES }: SpillReading = {},
  ): Promise<SpillPart | undefined> {
    const kept = this.#kept.get(handle);
    if (kept === undefined || !(offset >= 0)) return undefined;
    const from = Math.min(Math.floor(offset), kept.bytes);
    // A character has up to four bytes, and a part has to have one at least.
    const size = Math.min(Math.max(4, Math.floor(maxBytes) || 0), PART_MAX);
    const buffer = Buffer.alloc(Math.min(size, kept.bytes - from));
    const opened = await open(kept.file, 'r').catch(() => undefined);
    if (opened === undefined) return undefined;
    let read: number;
    try {
      ({ bytesRead: read } = await opened.read(buffer, 0, buffer.length, from));
    } finally {
      await opened.close();
    }
    const { start, end } = wholeCharacters(buffer.subarray(0, read), from + read >= kept.bytes);
    const next = from + end;
    return {
      text: buffer.toString('utf8', start, end),
      offset: from + start,
      ...(next < kept.bytes ? { nextOffset: next } : {}),
      totalBytes: kept.bytes,
    };
  }

  /** Removes the results of callers with this token. Never rejects. */
  async forgetAccess(accessId: string): Promise<void> {
    const theirs = [...this.#kept].filter(([, kept]) => kept.accessId === accessId);
    await Promise.all(theirs.map(([handle]) => this.#drop(handle)));
  }

  /** Nothing is left of it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#kept.clear();
    const own = await this.#own?.catch(() => undefined);
    if (own !== undefined) await rm(own, { recursive: true, force: true }).catch(() => {});
  }

  async #makeFolder(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await removeStale(this.#folder);
    // With mode 700, and an unused name.
    return mkdtemp(path.join(this.#folder, PREFIX));
  }

  async #makeRoom(): Promise<void> {
    for (const handle of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      await this.#drop(handle);
    }
  }

  async #drop(handle: string): Promise<void> {
    const kept = this.#kept.get(handle);
    if (kept === undefined) return;
    this.#kept.delete(handle);
    this.#bytes -= kept.bytes;
    await rm(kept.file, { force: true }).catch(() => {});
  }
}

/** Who comes again with the same token and profile is the same reader; without either it is the same connection. */
function readerOf({ kind, access, accessId, profile, connection }: Caller): string {
  const isKnown = access !== undefined || profile !== undefined;
  return JSON.stringify([kind, access, accessId, profile, isKnown ? undefined : connection]);
}

/** Without the halves of characters at both ends. */
function wholeCharacters(bytes: Buffer, isEnd: boolean): { start: number; end: number } {
  let start = 0;
  while (start < bytes.length && start < 3 && isContinuation(bytes[start])) start += 1;
  if (isEnd) return { start, end: bytes.length };
  let end = bytes.length;
  // Back to the beginning of the last character, which may be cut.
  while (end > start && bytes.length - end < 3 && isContinuation(bytes[end - 1])) end -= 1;
  const lead = bytes[end - 1] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return { start, end: end - 1 + length <= bytes.length ? end - 1 + length : end - 1 };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(PREFIX)) continue;
    const place = path.join(folder, name);
    const found = await stat(place).catch(() => undefined);
    if (found?.isDirectory() === true && Date.now() - found.mtimeMs > STALE_MS)
      await rm(place, { recursive: true, force: true }).catch(() => {});
  }
}
