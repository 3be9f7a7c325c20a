// Beside the log stands where it ends, sealed with a key: whoever can only change the log can neither cut it off nor write it anew.
import {
  createHmac,
  createSecretKey,
  randomBytes,
  randomUUID,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import { NO_HASH } from './line.ts';

/** A place in the log, after a line. */
export interface Place {
  /** The number of the file. */
  readonly file: number;
  /** How much of it. */
  readonly bytes: number;
  readonly seq: number;
  readonly hash: string;
}

export interface Head {
  /** Written and told. */
  readonly end: Place;
  /** Announced before it is written, and taken away afterwards: so a write that was cut is known as one. */
  readonly next?: Place;
}

export type HeadReading =
  | { readonly kind: 'read'; readonly head: Head }
  | { readonly kind: 'absent' }
  | { readonly kind: 'bad'; readonly problem: string };

export const START: Place = { file: 1, bytes: 0, seq: 0, hash: NO_HASH };

export const headFile = (folder: string) => path.join(folder, 'audit.head');
export const keyFile = (folder: string) => path.join(folder, 'audit.key');
export const logFile = (folder: string, file: number) =>
  path.join(folder, `audit-${String(file).padStart(6, '0')}.jsonl`);

/** The numbers of the files that are there, in order. */
export function logFiles(folder: string): number[] {
  return fs
    .readdirSync(folder)
    .flatMap((name) => /^audit-(\d{6,9})\.jsonl$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((one, other) => one - other);
}

/** Undefined when there is none, or none that could be one. */
export function readKey(folder: string): KeyObject | undefined {
  const text = readSmall(keyFile(folder));
  return text !== undefined && /^[0-9a-f]{64}\n?$/.test(text)
    ? createSecretKey(text.trim(), 'hex')
    : undefined;
}

/**
 * For a folder that has no log yet. The head comes first: a key without one means that somebody took it away.
 */
export function createKey(folder: string, sync: boolean): KeyObject {
  const bytes = randomBytes(32);
  const key = createSecretKey(bytes);
  const head = openHead(folder);
  try {
    writeHead(head, key, { end: START });
    if (sync) fs.fsyncSync(head);
  } finally {
    fs.closeSync(head);
  }
  const fresh = `${keyFile(folder)}.${randomUUID()}.tmp`;
  fs.writeFileSync(fresh, `${bytes.toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: sync });
  fs.renameSync(fresh, keyFile(folder));
  if (sync) syncFolder(folder);
  return key;
}

export function readHead(folder: string, key: KeyObject): HeadReading {
  const text = readSmall(headFile(folder));
  if (text === undefined) return { kind: 'absent' };
  const bad = (problem: string): HeadReading => ({ kind: 'bad', problem });
  const [, content = '', mac = ''] = /^(\{.*\}) ([0-9a-f]{64}) *\n$/.exec(text) ?? [];
  if (mac === '') return bad('is no head of an audit log');
  if (!timingSafeEqual(Buffer.from(seal(content, key)), Buffer.from(mac)))
    return bad('is not sealed with the key of this folder: it was changed by somebody else');
  // The seal says that it is ours.
  const { end, next } = JSON.parse(content) as Partial<Record<string, unknown>>;
  if (!isPlace(end) || (next !== undefined && !isPlace(next))) return bad('is of another version');
  return { kind: 'read', head: { end, ...(next !== undefined && { next }) } };
}

/**
 * In place, in one write that fits a page: so nobody dies in the middle of it. To replace the file would be as safe, but ext4 then waits
 * for the disk, at every call of every tool.
 */
export function writeHead(descriptor: number, key: KeyObject, head: Head): void {
  const content = JSON.stringify(head);
  fs.writeSync(descriptor, `${`${content} ${seal(content, key)}`.padEnd(HEAD_SIZE - 1)}\n`, 0);
}

/** The names of new files survive the loss of power only with their folder. */
export function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

export function openHead(folder: string): number {
  const { O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants;
  return fs.openSync(headFile(folder), O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
}

/** Two places and a seal, with room for the largest numbers. */
const HEAD_SIZE = 512;

/** What cannot be mended by itself: nothing may be written to such a log, or the change would be covered up. */
export function broken(what: string, folder: string): PluglotError {
  return new PluglotError(
    'AUDIT_FAILED',
    `${what}. Nothing is written to it any more, and so nothing is called. Look with "pluglot audit verify", then move ${folder} away: a new log begins.`,
  );
}

function seal(content: string, key: KeyObject): string {
  return createHmac('sha256', key).update(content).digest('hex');
}

function isPlace(value: unknown): value is Place {
  if (!isJsonObject(value)) return false;
  const { file, bytes, seq, hash } = value;
  return [file, bytes, seq].every(Number.isSafeInteger) && typeof hash === 'string';
}

/** Undefined when it is not there, or no small regular file. */
function readSmall(file: string): string | undefined {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size < 4096 ? fs.readFileSync(file, 'utf8') : undefined;
}
