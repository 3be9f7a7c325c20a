// Asks and notifies a service over HTTP. Errors hold no path, query, header or token of it: these may be secret.
import { isUtf8 } from 'node:buffer';
import { boundedBody } from '../base/bounded-body.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { toError } from '../base/error.ts';
import { failureCode, limited, parseAnswer, type Notice, type Outside, type Sent } from './outside.ts';

export interface WebhookSettings {
  readonly endpoint: string;
  /** How long an answer may take, and the delivery of a notice. */
  readonly limitMs: number;
  /** @default limitMs */
  readonly notifyMs?: number;
  /** Sent with the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string | undefined;
  /** The only status that an answer may have. @default any 2xx but 204 */
  readonly answerStatus?: number;
}

export interface WebhookParts {
  readonly fetch: typeof fetch;
  /** @default the system clock */
  readonly clock?: Clock;
}

interface Webhook extends Outside {
  notify(notice: Pick<Notice, 'body'>, signal: AbortSignal): Promise<Sent>;
}

const ANSWER_MAX = 64 * 1024;

export function webhook(settings: WebhookSettings, { fetch, clock = systemClock }: WebhookParts): Webhook {
  const { endpoint, limitMs, notifyMs = limitMs, answerStatus } = settings;
  const name = `the webhook ${originOf(endpoint)}`;
  const post = async (body: object, signal: AbortSignal): Promise<Response> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: headersOf(settings),
      body: JSON.stringify(body),
      // A redirect would pass the body, and perhaps the token, to another service.
      redirect: 'manual',
      signal,
    }).catch((thrown: unknown) => {
      throw new Error(`${name} could not be reached (${failureCode(thrown)})`);
    });
    if (response.ok) return response;
    await response.body?.cancel().catch(() => {});
    throw new Error(`${name} answered with status ${response.status}`);
  };
  return {
    name,
    ask: (question, signal) =>
      limited({ limitMs, clock, signal }, async (ended) => {
        const response = await post(question.body, ended);
        if (response.status === 204 || response.status !== (answerStatus ?? response.status)) {
          await response.body?.cancel().catch(() => {});
          throw new Error(`${name} answered with status ${response.status}; expected ${answerStatus ?? 200}`);
        }
        const { bytes, isAll } = await boundedBody(response, ANSWER_MAX).catch((thrown: unknown) => {
          throw new Error(`${name} broke off its answer (${failureCode(thrown)})`);
        });
        if (!isAll) throw new Error(`${name} answered with more than ${ANSWER_MAX} bytes`);
        if (!isUtf8(bytes)) throw new Error(`${name}: the answer is not JSON, since it is not UTF-8`);
        try {
          return { kind: 'answered', answer: parseAnswer(bytes.toString(), question) };
        } catch (thrown) {
          throw new Error(`${name}: ${toError(thrown).message}`, { cause: thrown });
        }
      }),
    notify: (notice, signal) =>
      limited({ limitMs: notifyMs, clock, signal }, async (ended) => {
        const response = await post(notice.body, ended);
        await response.body?.cancel().catch(() => {});
        return { kind: 'sent' };
      }),
  };
}

/** Undefined when it is a valid address. */
export function problemOfEndpoint(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined || endpoint === '') return 'the address is missing; set "endpoint"';
  if (!URL.canParse(endpoint))
    return '"endpoint" is not an address; expected one that begins with http:// or https://';
  const { protocol } = new URL(endpoint);
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  return `"endpoint" begins with ${protocol}; expected http: or https:`;
}

/** For data that must not be read or forged on its way: https, or http on this machine. Undefined when it is such an address. */
export function problemOfSafeEndpoint(endpoint: string, allowHttp = false): string | undefined {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'its address is not valid; write "https://…"';
  if (url.username !== '' || url.password !== '')
    return 'its address has a name or a password in it; give a token instead';
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname))
    return 'its address is http and not on this machine; use https, or say allowHttp';
  return undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function originOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).origin : '';
}

function headersOf({ headers, token }: WebhookSettings): Headers {
  const all = new Headers(headers);
  all.set('content-type', 'application/json');
  all.set('accept', 'application/json');
  // Some users include the scheme in the token.
  if (token !== undefined) all.set('authorization', `Bearer ${token.replace(/^bearer\s+/i, '')}`);
  return all;
}
