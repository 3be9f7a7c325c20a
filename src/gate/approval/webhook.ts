// Asks a service over HTTP. Whatever it answers but a clear yes is a no; its token is in no message.
import { isUtf8 } from 'node:buffer';
import { boundedBody } from '../../base/bounded-body.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { sentence } from '../../base/sentence.ts';
import { problemOfSafeEndpoint } from '../../base/post-json.ts';
import { readJson } from '../../fleet/discovery/json-reader.ts';
import { decisionOf } from './approval-of.ts';
import type { Approval, Approver, Question } from './approver.ts';

export interface WebhookOptions {
  /** https, or http where it is on this machine. */
  readonly url: string;
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string;
  /** @default 30000 */
  readonly limitMs?: number;
  /** Whether http may leave this machine, where everybody on the way can answer. @default false */
  readonly allowHttp?: boolean;
  readonly fetch: typeof fetch;
  /** @default the real one */
  readonly clock?: Clock;
}

const LIMIT_MS = 30_000;
const ANSWER_MAX = 64 * 1024;

/** @throws PluglotError CONFIG_INVALID for an address or a token that cannot be used */
export function webhookApprover(options: WebhookOptions): Approver {
  const { limitMs = LIMIT_MS, clock = systemClock } = options;
  const url = checkedUrl(options);
  const headers = headersOf(options.token);
  return {
    limitMs,
    async ask(question, signal) {
      const stop = new AbortController();
      const giveUp = () => stop.abort();
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      const callOff = clock.after(limitMs, giveUp);
      try {
        return await post(options.fetch, url, headers, question, stop.signal);
      } finally {
        callOff();
        signal.removeEventListener('abort', giveUp);
      }
    },
  };
}

async function post(
  send: typeof fetch,
  url: URL,
  headers: Readonly<Record<string, string>>,
  question: Question,
  signal: AbortSignal,
): Promise<Approval> {
  // A redirect would hand the question, and perhaps the token, to somebody else.
  const body = JSON.stringify({ version: 1, ...question });
  const response = await send(url, { method: 'POST', headers, body, signal, redirect: 'manual' }).catch(
    (thrown: unknown) => {
      throw new Error(`the webhook ${placeOf(url)} could not be reached (${codeOf(thrown, signal)})`);
    },
  );
  if (response.status !== 200) {
    await response.body?.cancel().catch(() => {});
    throw new Error(`the webhook ${placeOf(url)} answered with status ${response.status}; expected 200`);
  }
  const { bytes, isAll } = await boundedBody(response, ANSWER_MAX).catch((thrown: unknown) => {
    throw new Error(`the webhook broke off (${codeOf(thrown, signal)})`);
  });
  if (!isAll) throw new Error(`the webhook answered with more than ${ANSWER_MAX} bytes`);
  const read = isUtf8(bytes) && readJson(bytes.toString(), { syntax: 'json', depthLimit: 50 });
  if (!read || !read.ok) throw new Error('the webhook answered with something that is no JSON');
  return decisionOf(read.root.value, 'webhook');
}

function checkedUrl({ url, allowHttp }: WebhookOptions): URL {
  const problem = problemOfSafeEndpoint(url, allowHttp);
  if (problem !== undefined) throw invalid(problem);
  return new URL(url);
}

function headersOf(token: string | undefined): Readonly<Record<string, string>> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  if (token === undefined) return headers;
  if (!/^[!-~]+$/.test(token))
    throw invalid('its token is empty, or has characters that no header can carry');
  return { ...headers, authorization: `Bearer ${token}` };
}

function invalid(why: string): PluglotError {
  return new PluglotError(
    'CONFIG_INVALID',
    `The webhook that is to be asked for permission cannot be used: ${sentence(why)}`,
  );
}

/** A query may hold a secret. */
function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`.slice(0, 200);
}

/** What fetch says may quote what it was given, headers included; the code of the cause does not. */
function codeOf(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it took too long';
  const { cause } = toError(thrown);
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : 'the connection failed';
}
