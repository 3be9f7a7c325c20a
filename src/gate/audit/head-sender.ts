// Where a log ends, kept where a program that can change the log cannot: a file on another disk, a webhook.
import { appendFile } from 'node:fs/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import { postJson, problemOfSafeEndpoint, shownEndpoint } from '../../base/post-json.ts';
import { late, within } from '../../base/within.ts';
import { sentences } from '../../base/sentence.ts';
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
export interface SentHead extends LogEnd {
  readonly at: string;
  /** The audit folder of the log. */
  readonly folder: string;
}

/** The newest head of each log of the folder that stands in the file. */
export async function readSentHeads(file: string, folder: string): Promise<Map<string, SentHead>> {
  const newest = new Map<string, SentHead>();
  for await (const line of logLines(file)) {
    const head = line.kind === 'line' ? parsed(line.bytes.toString('utf8')) : undefined;
    if (head?.folder === folder && head.seq >= (newest.get(head.log)?.seq ?? 0)) newest.set(head.log, head);
  }
  return newest;
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
  const writing = appendFile(file, `${JSON.stringify(head)}\n`, { mode: 0o600, flush: true });
  if ((await within(writing, LIMIT_MS, clock)) === late)
    throw new Error(`${file} was not written within ${LIMIT_MS / 1000} s`);
}

async function post({ url = '', token, fetch: send = fetch }: HeadTarget, head: SentHead, clock: Clock) {
  const problem = problemOfSafeEndpoint(url);
  if (problem !== undefined) throw new Error(`the webhook cannot be used: ${problem}`);
  const { signal } = new AbortController();
  const webhook = { endpoint: url, timeoutMs: LIMIT_MS, headers: {}, token };
  const posted = await postJson(webhook, { ...head }, { fetch: send, clock, signal });
  if (posted.kind === 'answered') return;
  const why = posted.kind === 'failed' ? posted.reason : `it did not answer within ${LIMIT_MS / 1000} s`;
  throw new Error(`${shownEndpoint(url)}: ${why}`);
}
