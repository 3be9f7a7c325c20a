// One JSON document to a webhook of the user's: within a time, without following redirects (they would carry the token elsewhere), and
// with no more of the answer than can be used. Reports of failures hold no address, header or token.
import { boundedBody } from './bounded-body.ts';
import type { Clock } from './clock.ts';
import { toError } from './error.ts';
import type { Json } from './json.ts';
import { KiB } from './limits.ts';

export interface Webhook {
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly token?: string | undefined;
}

export type Posted =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'failed'; /** To end a sentence with. */ readonly reason: string }
  | { readonly kind: 'late' }
  | { readonly kind: 'given-up' };

const ANSWER_LIMIT = 256 * KiB;

/** Never rejects. */
export async function postJson(
  webhook: Webhook,
  body: Json,
  parts: { readonly fetch: typeof fetch; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Posted> {
  const limit = new AbortController();
  const callOff = parts.clock.after(webhook.timeoutMs, () => limit.abort());
  try {
    const response = await parts.fetch(webhook.endpoint, {
      method: 'POST',
      headers: headersOf(webhook),
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any([limit.signal, parts.signal]),
    });
    const { bytes, isAll } = await boundedBody(response, ANSWER_LIMIT);
    if (!response.ok) return { kind: 'failed', reason: `it answered with status ${response.status}` };
    if (!isAll) return { kind: 'failed', reason: `it answered with more than ${ANSWER_LIMIT} bytes` };
    return { kind: 'answered', text: bytes.toString('utf8') };
  } catch (thrown) {
    if (parts.signal.aborted) return { kind: 'given-up' };
    if (limit.signal.aborted) return { kind: 'late' };
    return { kind: 'failed', reason: wordOf(thrown) };
  } finally {
    callOff();
  }
}

/** What may be shown of an address: secrets stand in its path, its query or before the host. */
export function shownEndpoint(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).origin : 'the webhook';
}

/** Undefined when it is an address. */
export function problemOfEndpoint(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined || endpoint === '') return 'the address is missing; set "endpoint"';
  if (!URL.canParse(endpoint))
    return '"endpoint" is not an address; expected one that begins with http:// or https://';
  const { protocol } = new URL(endpoint);
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  return `"endpoint" begins with ${protocol}; expected http: or https:`;
}

/** For what must not be read or forged on its way: https, or http on this machine. Undefined when it is such an address. */
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

function headersOf({ headers, token }: Webhook): Headers {
  const all = new Headers(headers);
  all.set('content-type', 'application/json');
  // Some write the word in front of it themselves.
  if (token !== undefined) all.set('authorization', `Bearer ${token.replace(/^bearer\s+/i, '')}`);
  return all;
}

/** Of what fetch throws, the code of the system alone: its messages may name what was sent. */
function wordOf(thrown: unknown): string {
  const { cause, name } = toError(thrown);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : name;
  return `it could not be reached (${code})`;
}
