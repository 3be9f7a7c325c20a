// The index folder, outside of the audit folder: where each log ends, sealed with a key. Changing, cutting off, deleting or rolling back a
// log leaves a head that does not fit.
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
import { isLogName, SHARED_LOG } from './logs.ts';

/** A place in a log, after a line. */
export interface Place {
  /** The number of the file. */
  readonly file: number;
  /** How much of it. */
  readonly bytes: number;
  readonly seq: number;
  readonly hash: string;
}

export interface Head {
  /** Everything up to here is written. */
  readonly end: Place;
  /** Announced before it is written and removed afterwards, so that a write that a crash cut off is known as one. */
  readonly next?: Place;
}

export type HeadReading =
  | { readonly kind: 'read'; readonly head: Head }
  | { readonly kind: 'absent' }
  | { readonly kind: 'bad'; readonly problem: string };

export const START: Place = { file: 1, bytes: 0, seq: 0, hash: NO_HASH };

/** Where the index is unless a setting says otherwise. */
export const defaultIndex = (folder: string) => `${path.resolve(folder)}-index`;

export const headFile = (index: string, log: string) => path.join(index, `${log}.head`);
export const keyFile = (index: string) => path.join(index, 'audit.key');
const freeFile = (index: string, log: string) => path.join(index, `${log}.free`);

/** The logs that the index knows, in order of their names. */
export function listHeads(index: string): string[] {
  return logsWith(index, '.head');
}

/** Undefined when there is no key, or the file does not hold one. */
export function readKey(index: string): KeyObject | undefined {
  const text = readSmall(keyFile(index));
  return text !== undefined && /^[0-9a-f]{64}\n?$/.test(text)
    ? createSecretKey(text.trim(), 'hex')
    : undefined;
}

/**
 * The key of the index, made when nothing is sealed yet.
 * @param folder its shared log, if it has one, gets a head in the index: from then on it cannot be rolled back either
 * @throws PluglotError AUDIT_FAILED when there are heads and no key: a new one would make them worthless
 */
export function openKey(index: string, folder: string, sync: boolean): KeyObject {
  const key = readKey(index);
  if (key !== undefined) return key;
  if (listHeads(index).length > 0)
    throw new PluglotError(
      'AUDIT_FAILED',
      `The key of the audit logs, ${keyFile(index)}, is missing or unreadable. Put it back, or move ${folder} and ${index} away to begin anew.`,
    );
  const bytes = randomBytes(32);
  const draft = `${keyFile(index)}.${randomUUID()}.tmp`;
  try {
    fs.writeFileSync(draft, `${bytes.toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: sync });
    // Of several processes that make one, the first wins.
    fs.linkSync(draft, keyFile(index));
  } catch (thrown) {
    const theirs = readKey(index);
    if (theirs === undefined) throw thrown;
    return theirs;
  } finally {
    fs.rmSync(draft, { force: true });
  }
  const made = createSecretKey(bytes);
  const sharedKey = readKey(folder);
  const shared = sharedKey && readHead(folder, SHARED_LOG, sharedKey);
  if (shared?.kind === 'read') createHead(index, SHARED_LOG, made, shared.head.end, sync);
  return made;
}

export function readHead(index: string, log: string, key: KeyObject): HeadReading {
  const text = readSmall(headFile(index, log));
  if (text === undefined) return { kind: 'absent' };
  const bad = (problem: string): HeadReading => ({ kind: 'bad', problem });
  const [, content = '', mac = ''] = /^(\{.*\}) ([0-9a-f]{64}) *\n$/.exec(text) ?? [];
  if (mac === '') return bad('is not the head of an audit log');
  if (!timingSafeEqual(Buffer.from(seal(content, key)), Buffer.from(mac)))
    return bad('is not sealed with the key: it was changed, or the key was replaced');
  // The seal says that we wrote it.
  const { log: owner = SHARED_LOG, end, next } = JSON.parse(content) as Partial<Record<string, unknown>>;
  if (owner !== log) return bad('is that of another log');
  if (!isPlace(end) || (next !== undefined && !isPlace(next))) return bad('was written by another version');
  return { kind: 'read', head: { end, ...(next !== undefined && { next }) } };
}

/** @throws when the log has a head */
export function createHead(index: string, log: string, key: KeyObject, end: Place, sync: boolean): void {
  const file = headFile(index, log);
  const descriptor = fs.openSync(file, 'wx', 0o600);
  try {
    writeHead(descriptor, log, key, { end });
    if (sync) fs.fsyncSync(descriptor);
  } catch (thrown) {
    fs.rmSync(file, { force: true });
    throw thrown;
  } finally {
    fs.closeSync(descriptor);
  }
  if (sync) syncFolder(index);
}

/** In place, in one write that fits a page, so that no crash cuts it. Replacing the file would be as safe, but ext4 then waits for the disk. */
export function writeHead(descriptor: number, log: string, key: KeyObject, head: Head): void {
  const content = JSON.stringify({ log, ...head });
  fs.writeSync(descriptor, `${`${content} ${seal(content, key)}`.padEnd(HEAD_SIZE - 1)}\n`, 0);
}

/** Marks that no process writes to the log: the next one may go on with it. So there are as many logs as processes at once, not as ever ran. */
export function release(index: string, log: string): void {
  fs.closeSync(fs.openSync(freeFile(index, log), 'wx', 0o600));
}

/** Takes a log that no process writes to; undefined when there is none. Of several that try, the one that removes the mark has it. */
export function claim(index: string): string | undefined {
  return logsWith(index, '.free').find((log) => {
    try {
      fs.unlinkSync(freeFile(index, log));
      return true;
    } catch {
      return false;
    }
  });
}

/** The names of new files survive a loss of power only with their folder. */
export function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** A name, two places and a seal, with room for the largest numbers. */
const HEAD_SIZE = 512;

function seal(content: string, key: KeyObject): string {
  return createHmac('sha256', key).update(content).digest('hex');
}

function isPlace(value: unknown): value is Place {
  if (!isJsonObject(value)) return false;
  const { file, bytes, seq, hash } = value;
  return [file, bytes, seq].every(Number.isSafeInteger) && typeof hash === 'string';
}

function logsWith(index: string, suffix: string): string[] {
  const names = fs.readdirSync(index).filter((name) => name.endsWith(suffix));
  return names
    .map((name) => name.slice(0, -suffix.length))
    .filter(isLogName)
    .toSorted();
}

/** Undefined when it is not there, or not a small regular file. */
function readSmall(file: string): string | undefined {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size < 4096 ? fs.readFileSync(file, 'utf8') : undefined;
}
