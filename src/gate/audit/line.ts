// One line of the log: a JSON object whose last member is the hash of all the bytes before it.
import { hash as hashOf } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json.ts';

export interface Line {
  readonly seq: number;
  /** When, as an ISO date. */
  readonly at: string;
  readonly event: JsonObject;
  /** The hash of the line before. */
  readonly prev: string;
  readonly hash: string;
}

/** What stands before the first line. */
export const NO_HASH = '0'.repeat(64);

/** Longer lines are never written, and not read. */
export const LINE_MAX = 1024 * 1024;

/** Without the line feed. @param event as JSON */
export function writeLine(
  seq: number,
  at: string,
  event: string,
  prev: string,
): { text: string; hash: string } {
  const body = `{"seq":${seq},"at":${JSON.stringify(at)},"event":${event},"prev":"${prev}"`;
  const hash = hashOf('sha256', body, 'hex');
  return { text: `${body},"hash":"${hash}"}`, hash };
}

/** The line, or in words what is wrong with it; only the bytes that `writeLine` gives are a line. */
export function readLine(bytes: Buffer): Line | string {
  const body = bytes.subarray(0, Math.max(0, bytes.length - END_LENGTH));
  const end = endOfLine.exec(bytes.toString('latin1', body.length));
  if (end === null) return 'is not a line of an audit log: it does not end with a hash';
  const [, hash = ''] = end;
  if (hashOf('sha256', body, 'hex') !== hash) return 'was changed: its hash does not fit its content';
  try {
    // Text that begins with a brace is an object, or no JSON.
    const { seq, at, event, prev } = JSON.parse(`${body.toString('utf8')}}`) as Partial<
      Record<string, unknown>
    >;
    if (
      Number.isSafeInteger(seq) &&
      typeof at === 'string' &&
      isJsonObject(event) &&
      typeof prev === 'string'
    )
      return { seq: seq as number, at, event, prev, hash };
  } catch {
    // Reported below.
  }
  return 'is not a line of an audit log, although its hash fits';
}

const END_LENGTH = ',"hash":""}'.length + 64;
const endOfLine = /^,"hash":"([0-9a-f]{64})"\}$/;
