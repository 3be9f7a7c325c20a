// Reads and changes files that others may control: only regular files, never more than the limit, never blocked by a FIFO.
import { createHash, randomUUID } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { MiB } from '../../base/units.ts';
import { isAbsent } from './placeholders.ts';

export type FileReading<Content> =
  | ({ readonly kind: 'read'; /** The permission bits. */ readonly mode: number } & Content)
  | { readonly kind: 'absent' }
  /** `reason` continues a sentence after the name of the file: "is a directory". */
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface TextContent {
  /** Without a byte order mark. */
  readonly text: string;
  readonly sha256: string;
}

export function readTextFile(file: string, limitBytes: number): Promise<FileReading<TextContent>> {
  return withFile(file, limitBytes, async (handle, size) => {
    // One byte more than its size, to notice a file that grows while it is read.
    const buffer = Buffer.allocUnsafe(size + 1);
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    if (filled > size) return 'changed while it was read';
    const bytes = buffer.subarray(0, filled);
    const text = decoded(bytes);
    return text === undefined ? 'is not UTF-8 text' : { text, sha256: digest(bytes) };
  });
}

/** Programs may be large: they are hashed in pieces. */
const PROGRAM_LIMIT = 1024 * MiB;

/** @param keepUpTo files of up to this size are returned with their bytes */
export function hashFile(
  file: string,
  keepUpTo = 0,
): Promise<FileReading<{ readonly sha256: string; readonly identity: string; readonly bytes?: Buffer }>> {
  return withFile(file, PROGRAM_LIMIT, async (handle, size) => {
    const identity = identityOf(await handle.stat({ bigint: true }));
    const hash = createHash('sha256');
    const kept: Buffer[] | undefined = size <= keepUpTo ? [] : undefined;
    const stream = handle.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 });
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      kept?.push(chunk);
    }
    if (identityOf(await handle.stat({ bigint: true })) !== identity) return 'changed while it was read';
    const sha256 = hash.digest('hex');
    return { sha256, identity, ...(kept && { bytes: Buffer.concat(kept) }) };
  });
}

/** Equal as long as the file was not written, renamed or replaced. */
export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

async function withFile<Content extends object>(
  file: string,
  limitBytes: number,
  read: (handle: FileHandle, size: number) => Promise<Content | string>,
): Promise<FileReading<Content>> {
  let handle: FileHandle | undefined;
  try {
    // Checked before it is opened, since opening a device can have effects; and after it, since it may have been replaced.
    const looks = await stat(file);
    if (looks.isDirectory() && isAbsent(file)) return { kind: 'absent' };
    const before = unfit(looks, limitBytes);
    if (before) return { kind: 'unreadable', reason: before };
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
    const stats = await handle.stat();
    const after = unfit(stats, limitBytes);
    if (after) return { kind: 'unreadable', reason: after };
    const content = await read(handle, stats.size);
    if (typeof content === 'string') return { kind: 'unreadable', reason: content };
    return { kind: 'read', mode: stats.mode & 0o7777, ...content };
  } catch (error) {
    return failed(error);
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

interface Looks {
  readonly size: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

function unfit(stats: Looks, limitBytes: number): string | undefined {
  if (stats.isDirectory()) return 'is a directory';
  if (stats.isFIFO()) return 'is a named pipe';
  if (stats.isSocket()) return 'is a socket';
  if (!stats.isFile()) return 'is not a regular file';
  if (stats.size > limitBytes) return `has ${stats.size} bytes; at most ${limitBytes} are read`;
  return undefined;
}

function failed(error: unknown): { kind: 'absent' } | { kind: 'unreadable'; reason: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'absent' };
    case 'EACCES':
    case 'EPERM':
      return { kind: 'unreadable', reason: 'may not be read by this user' };
    case 'ELOOP':
      return { kind: 'unreadable', reason: 'is a symbolic link that leads to itself' };
    case 'ENAMETOOLONG':
      return { kind: 'unreadable', reason: 'has a name that is too long' };
    default:
      return { kind: 'unreadable', reason: `cannot be read (${code || String(error)})` };
  }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

// Changes a small file that several processes may change: one at a time, and readers never see half of it.

export interface GuardedChange {
  /** For a new file; an existing one keeps its mode. */
  readonly mode: number;
  /**
   * Removes the permissions of others from an existing file.
   * @default false
   */
  readonly enforceMode?: boolean;
}

/**
 * Runs `change` while no other process changes this file, and writes the returned text; undefined writes nothing.
 * Follows a symbolic link, so that a file kept elsewhere stays there.
 */
export async function changeFile(
  file: string,
  options: GuardedChange,
  change: (target: string) => Promise<string | undefined>,
): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const target = await realpath(file).catch(() => file);
    if ((await stat(target).catch(() => undefined))?.isDirectory() && isAbsent(target)) throw isHeld(file);
    await locked(target, async () => {
      const text = await change(target);
      if (text !== undefined) await replace(target, text, options);
    });
  } catch (error) {
    throw explained(error, file);
  }
}

function isHeld(file: string): PluglotError {
  return new PluglotError(
    'CONFIG_INVALID',
    `${file} cannot be made now: a confined program is running that can write to its folder. Wait for its end, or stop it (\`pluglot status\` shows confined plugins).`,
  );
}

/** Errors of the system, such as a full disk or a missing permission, are errors of the environment. */
function explained(error: unknown, file: string): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error;
  return new PluglotError(
    'CONFIG_INVALID',
    `${file} could not be written (${String(error.code)}); it was left as it is. Make room, or make its folder writable.`,
    { cause: error },
  );
}

async function replace(
  file: string,
  text: string,
  { mode, enforceMode = false }: GuardedChange,
): Promise<void> {
  const present = await stat(file).catch(() => undefined);
  const kept = present === undefined ? mode : present.mode & 0o777 & (enforceMode ? mode : 0o777);
  const fresh = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(fresh, 'wx', kept);
    try {
      // The umask of the process may have removed bits.
      await handle.chmod(kept);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** A lock is held for milliseconds; the holder of an older one has died. */
const STALE_MS = 10_000;
const RETRY_MS = 15;

async function locked(file: string, work: () => Promise<void>): Promise<void> {
  const lock = `${file}.lock`;
  const giveUpAt = Date.now() + STALE_MS + 5000;
  for (;;) {
    try {
      const handle = await open(lock, 'wx', 0o600);
      await handle.close();
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    if (Date.now() > giveUpAt) {
      throw new PluglotError(
        'CONFIG_INVALID',
        `${lock} is held by another process. Remove it when none runs.`,
      );
    }
    if (await isStale(lock)) await takeAway(lock);
    else await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + Math.random())));
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function isStale(lock: string): Promise<boolean> {
  const stats = await stat(lock).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > STALE_MS;
}

/** By a rename, so that only one of several processes takes a dead lock; a living lock is not removed. */
async function takeAway(lock: string): Promise<void> {
  const grave = `${lock}.${randomUUID()}`;
  await rename(lock, grave).catch(() => undefined);
  if (await isStale(grave)) await rm(grave, { force: true });
  else await rename(grave, lock).catch(() => undefined);
}
