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
import { MiB } from '../../base/units.ts';
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

/** The default place of the index. */
export const defaultIndex = (folder: string) => `${path.resolve(folder)}-index`;

export const headFile = (index: string, log: string) => path.join(index, `${log}.head`);
export const keyFile = (index: string) => path.join(index, 'audit.key');
export const logListFile = (index: string) => path.join(index, 'audit.logs');
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

export type LogListReading =
  | { readonly kind: 'read'; readonly logs: readonly string[] }
  | { readonly kind: 'absent' }
  | { readonly kind: 'bad'; readonly problem: string };

/** All logs that ever began, sealed: one that is deleted together with its head is missed. */
export function readLogList(index: string, key: KeyObject): LogListReading {
  const text = readSmall(logListFile(index), LOG_LIST_MAX);
  if (text === undefined) return { kind: 'absent' };
  const [content = '', mac = ''] = text.trimEnd().split(' ');
  if (!isSealed(content, mac, key))
    return { kind: 'bad', problem: 'is not sealed with the key: it was changed, or the key was replaced' };
  return { kind: 'read', logs: content.split(',').filter(isLogName) };
}

/** Adds a log that has begun. Where the list is gone or changed it is left so, for `verify` to report. */
export function enlist(index: string, key: KeyObject, log: string, sync: boolean): void {
  locked(index, () => {
    const reading = readLogList(index, key);
    if (reading.kind === 'read') writeLogList(index, key, [...reading.logs, log], sync);
  });
}

function writeLogList(index: string, key: KeyObject, logs: readonly string[], sync: boolean): void {
  // The first word keeps it apart from what else is sealed.
  const content = ['logs', ...logs].join(',');
  const draft = `${logListFile(index)}.${randomUUID()}.tmp`;
  try {
    const text = `${content} ${seal(content, key)}\n`;
    fs.writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: sync });
    fs.renameSync(draft, logListFile(index));
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

const LOG_LIST_MAX = 16 * MiB;

/** Its holder needs less than a millisecond, so one that is older was killed. */
const LOCK_STALE_MS = 2000;
const LOCK_WAIT_MS = 2;

/** One process at a time. @throws PluglotError AUDIT_FAILED */
function locked<Value>(index: string, work: () => Value): Value {
  const lock = `${logListFile(index)}.lock`;
  takeLock(lock);
  try {
    return work();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): void {
  const giveUpAt = Date.now() + 2 * LOCK_STALE_MS;
  for (;;) {
    try {
      fs.closeSync(fs.openSync(lock, 'wx', 0o600));
      return;
    } catch (thrown) {
      if (codeOf(thrown) !== 'EEXIST') throw thrown;
    }
    const since = fs.lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > LOCK_STALE_MS) fs.rmSync(lock, { force: true });
    else if (Date.now() > giveUpAt)
      throw new PluglotError('AUDIT_FAILED', `${lock} is held by another process. Remove it when none runs.`);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_WAIT_MS);
  }
}

/**
 * The key of the index, made when nothing is sealed yet.
 * @param folder its shared log, if it has one, gets a head in the index: from then on it cannot be rolled back either
 * @throws PluglotError AUDIT_FAILED when there are heads and no key: a new one would make them worthless
 */
export function openKey(index: string, folder: string, sync: boolean): KeyObject {
  return readKey(index) ?? locked(index, () => readKey(index) ?? makeKey(index, folder, sync));
}

function makeKey(index: string, folder: string, sync: boolean): KeyObject {
  if (listHeads(index).length > 0)
    throw new PluglotError(
      'AUDIT_FAILED',
      `The key of the audit logs, ${keyFile(index)}, is missing or unreadable. Put it back, or move ${folder} and ${index} away to begin anew.`,
    );
  const bytes = randomBytes(32);
  const made = createSecretKey(bytes);
  const sharedKey = readKey(folder);
  const shared = sharedKey && readHead(folder, SHARED_LOG, sharedKey);
  // Before the key: from then on a list that is missing was deleted.
  writeLogList(index, made, shared?.kind === 'read' ? [SHARED_LOG] : [], sync);
  const draft = `${keyFile(index)}.${randomUUID()}.tmp`;
  try {
    fs.writeFileSync(draft, `${bytes.toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: sync });
    // Something else in its place is not replaced.
    fs.linkSync(draft, keyFile(index));
  } finally {
    fs.rmSync(draft, { force: true });
  }
  if (shared?.kind === 'read') createHead(index, SHARED_LOG, made, shared.head.end, sync);
  return made;
}

export function readHead(index: string, log: string, key: KeyObject): HeadReading {
  const text = readSmall(headFile(index, log));
  if (text === undefined) return { kind: 'absent' };
  const bad = (problem: string): HeadReading => ({ kind: 'bad', problem });
  const [, content = '', mac = ''] = /^(\{.*\}) ([0-9a-f]{64}) *\n$/.exec(text) ?? [];
  if (mac === '') return bad('is not the head of an audit log');
  if (!isSealed(content, mac, key))
    return bad('is not sealed with the key: it was changed, or the key was replaced');
  // The seal proves that this program wrote it.
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
  const { O_DIRECTORY, O_RDONLY } = fs.constants;
  const descriptor = fs.openSync(folder, O_RDONLY | O_DIRECTORY);
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

function isSealed(content: string, mac: string, key: KeyObject): boolean {
  const expected = Buffer.from(seal(content, key));
  const given = Buffer.from(mac);
  return given.length === expected.length && timingSafeEqual(expected, given);
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
function readSmall(file: string, limit = 4096): string | undefined {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size >= limit) return undefined;
  let descriptor: number | undefined;
  try {
    // By now it may be something else.
    descriptor = openRegular(file, fs.constants.O_RDONLY);
    return fs.readFileSync(descriptor, 'utf8');
  } catch (thrown) {
    if (thrown instanceof PluglotError || codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/**
 * Never waits: opening a named pipe would block this process until another one opens it too, and no signal would end it.
 * @throws PluglotError AUDIT_FAILED when it is not a regular file
 */
export function openRegular(file: string, flags: number): number {
  const { O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(file, flags | O_NOFOLLOW | O_NONBLOCK);
    if (fs.fstatSync(descriptor).isFile()) return descriptor;
  } catch (thrown) {
    // What the system answers for links, pipes that no process reads, sockets and folders.
    if (!['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'].includes(codeOf(thrown))) throw thrown;
  }
  if (descriptor !== undefined) fs.closeSync(descriptor);
  throw new PluglotError('AUDIT_FAILED', `${file} is not a regular file.`);
}

export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
