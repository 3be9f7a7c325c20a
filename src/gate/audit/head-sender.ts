// Where a log ends, kept where a program that can change the log cannot: a file on another disk, a webhook.
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import { late, within } from '../../base/async.ts';
import { sentences } from '../../base/text.ts';
import { problemOfSafeEndpoint, webhook } from '../../outside/webhook.ts';
import { logLines } from './log-lines.ts';
import type { LogEnd } from './log-writer.ts';

export interface HeadTarget {
  /** Each head is added to it as a line of JSON; its folder has to be there. */
  readonly file?: string;
  /** Each head is posted to it as JSON: https, or http on this machine. */
  readonly url?: string;
  /** Sent to `url` as `Authorization: Bearer …`. */
  readonly token?: string;
  /** Every call waits until the head with its line was taken, and is not made where it was not. @default false */
  readonly required?: boolean;
  /** @default that of Node */
  readonly fetch?: typeof fetch;
  /** @default the real one */
  readonly clock?: Clock;
}

export interface HeadSender {
  /** In the background: at most one every few seconds, the newest; again when it fails. */
  offer(end: LogEnd | undefined): void;
  /** @throws PluglotError AUDIT_FAILED */
  send(end: LogEnd | undefined): Promise<void>;
  /** Sends what was not sent yet, once. */
  close(end: LogEnd | undefined): Promise<void>;
}

const INTERVAL_MS = 5000;
const LONGEST_INTERVAL_MS = 60_000;
const LIMIT_MS = 5000;

/** @param failed called once for as long as sending fails, with the reason */
export function createHeadSender(
  target: HeadTarget,
  folder: string,
  failed: (reason: string) => void,
): HeadSender {
  const { clock = systemClock } = target;
  let newest: LogEnd | undefined;
  let sent: LogEnd | undefined;
  let failures = 0;
  let isClosed = false;
  let sending: Promise<void> | undefined;
  let wake = () => {};

  const isSent = (end: LogEnd | undefined) =>
    end === undefined || end.seq === 0 || (end.log === sent?.log && end.seq === sent.seq);
  const deliver = async (end: LogEnd): Promise<void> => {
    const head: SentHead = { at: new Date().toISOString(), folder, ...end };
    const { file, url } = target;
    await Promise.all([
      ...(file === undefined ? [] : [append(file, head, clock)]),
      ...(url === undefined ? [] : [post(target, head, clock)]),
    ]);
    sent = end;
  };
  const attempt = async (): Promise<void> => {
    if (newest === undefined || isSent(newest)) return;
    try {
      await deliver(newest);
      failures = 0;
    } catch (thrown) {
      failures += 1;
      if (failures === 1) failed(toError(thrown).message);
    }
  };
  const run = async (): Promise<void> => {
    while (!isSent(newest) && !isClosed) {
      await attempt();
      const pauseMs = Math.min(INTERVAL_MS * 2 ** failures, LONGEST_INTERVAL_MS);
      await new Promise<void>((resolve) => {
        const callOff = clock.after(pauseMs, resolve);
        wake = () => {
          callOff();
          resolve();
        };
        if (isClosed) wake();
      });
    }
    sending = undefined;
  };

  return {
    offer(end) {
      newest = end ?? newest;
      // Not where there is nothing to send: it would reset `sending` before it is set here.
      if (!isSent(newest) && !isClosed) sending ??= run();
    },
    async send(end) {
      if (end === undefined || isSent(end)) return;
      await deliver(end).catch((thrown: unknown) => {
        throw new PluglotError(
          'AUDIT_FAILED',
          sentences(
            `The head of the audit log could not be sent, as gate.audit.sendHead requires: ${toError(thrown).message}`,
            'Make it reachable, then call again.',
          ),
          { cause: thrown },
        );
      });
    },
    async close(end) {
      isClosed = true;
      newest = end ?? newest;
      wake();
      await sending;
      await attempt();
    },
  };
}

/** What is sent. */
interface SentHead extends LogEnd {
  readonly at: string;
  /** The audit folder of the log. */
  readonly folder: string;
}

export interface SentHeads {
  /** The newest head of each log of the folder. */
  readonly newest: ReadonlyMap<string, SentHead>;
  /** The number of the first line that is not a head. */
  readonly junkLine?: number;
}

/** What stands in the file. */
export async function readSentHeads(file: string, folder: string): Promise<SentHeads> {
  const newest = new Map<string, SentHead>();
  let junkLine: number | undefined;
  for await (const line of logLines(file)) {
    // What has no end yet may be a head that is written now.
    if (line.kind === 'rest') continue;
    const head = line.kind === 'line' ? parsed(line.bytes.toString('utf8')) : undefined;
    if (head === undefined) junkLine ??= line.number;
    if (head?.folder === folder && head.seq >= (newest.get(head.log)?.seq ?? 0)) newest.set(head.log, head);
  }
  return { newest, ...(junkLine !== undefined && { junkLine }) };
}

/** It may stand behind the part of a line that a write has left that was cut off. */
function parsed(text: string): SentHead | undefined {
  try {
    const value: unknown = JSON.parse(text.slice(text.lastIndexOf('{"at":')));
    if (!isJsonObject(value)) return undefined;
    const { at, folder, log, seq, hash } = value;
    if (typeof at !== 'string' || typeof folder !== 'string' || typeof log !== 'string') return undefined;
    return typeof seq === 'number' && typeof hash === 'string' ? { at, folder, log, seq, hash } : undefined;
  } catch {
    return undefined;
  }
}

async function append(file: string, head: SentHead, clock: Clock): Promise<void> {
  const writing = appendLine(file, `${JSON.stringify(head)}\n`);
  if ((await within(writing, LIMIT_MS, clock)) === late)
    throw new Error(`${file} was not written within ${LIMIT_MS / 1000} s`);
}

/** A thread that waits for a reader of a named pipe would keep this process from ending. */
async function appendLine(file: string, line: string): Promise<void> {
  const before = await stat(file).catch(() => undefined);
  if (before !== undefined && !before.isFile()) throw new Error(`${file} is not a regular file`);
  const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;
  const handle = await open(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${file} is not a regular file`);
    await handle.writeFile(line);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function post({ url = '', token, fetch: send = fetch }: HeadTarget, head: SentHead, clock: Clock) {
  const problem = problemOfSafeEndpoint(url);
  if (problem !== undefined) throw new Error(`the webhook cannot be used: ${problem}`);
  const { signal } = new AbortController();
  const outside = webhook({ endpoint: url, limitMs: LIMIT_MS, token }, { fetch: send, clock });
  const sent = await outside.notify({ body: head }, signal);
  if (sent.kind === 'failed') throw new Error(sent.reason);
  if (sent.kind !== 'sent') throw new Error(`${outside.name} did not answer within ${LIMIT_MS / 1000} s`);
}
