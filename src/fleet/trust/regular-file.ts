// Reads files that may be anything: nothing but a regular file is read, never more than the limit, and a FIFO blocks nobody.
import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { MiB } from '../../base/limits.ts';
import { isAbsent } from './placeholders.ts';

export type FileReading<Content> =
  | ({ readonly kind: 'read'; /** The permission bits. */ readonly mode: number } & Content)
  | { readonly kind: 'absent' }
  /** `reason` goes on after the name of the file: "is a directory". */
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface TextContent {
  /** Without a byte order mark. */
  readonly text: string;
  readonly sha256: string;
}

export function readTextFile(file: string, limitBytes: number): Promise<FileReading<TextContent>> {
  return withFile(file, limitBytes, async (handle, size) => {
    // One byte more than it said tells a file that grows while it is read.
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
    return text === undefined ? 'is no UTF-8 text' : { text, sha256: digest(bytes) };
  });
}

/** Programs may be large: they are hashed piece by piece. */
const PROGRAM_LIMIT = 1024 * MiB;

/** @param keepUpTo the bytes that were hashed are given as well, for files of up to this size */
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

/** The same as long as it is the same file and nobody has written, renamed or replaced it. */
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
    // Looked at before it is opened, since opening a device can do something; and after it, since it may be another one by then.
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
  if (!stats.isFile()) return 'is no regular file';
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
