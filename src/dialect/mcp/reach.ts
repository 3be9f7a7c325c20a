// A server that is reached over HTTP: where it is, what is sent along, and who we are to it.
import { PluglotError } from '../../base/error.ts';
import { MiB } from '../../base/units.ts';
import type { RemoteSpec } from '../../definition/plugin-spec.ts';
import type { HostServices } from '../host-dialect.ts';
import type { ServerConnection } from './end.ts';
import { HttpLink } from './http-link.ts';
import { authorisation, type Authorisation } from './oauth/authorisation.ts';
import { readChallenge, type Challenge } from './oauth/challenge.ts';

/** @throws PluglotError START_FAILED */
export function reachServer(
  remote: RemoteSpec,
  limit: ResponseLimit,
  services: HostServices,
): ServerConnection {
  const { url, headers } = destination(remote, limit.pluginName);
  const { clock, access } = services;
  const { pluginName } = limit;
  const send = limitedFetch(limit);
  const linkWith = (fetch: typeof globalThis.fetch) =>
    new HttpLink({
      pluginName,
      url,
      headers,
      fetch,
      clock,
      onTrouble: (where, error) => services.trouble({ kind: 'thrown', where, error }),
    });
  // A header in the configuration says how we are let in.
  if (access === undefined || hasAuthorization(headers)) {
    const link = linkWith(send);
    return { link, http: link };
  }
  const over = new AbortController();
  const ask = limitedFetch({ pluginName, messageBytes: MiB });
  const authorising = authorisation(
    {
      pluginName,
      url,
      settings: remote.oauth ?? {},
      access,
      clock,
      log: (message) => services.log({ level: 'info', message }),
      learn: (secrets) => services.learn?.(secrets),
      send: (input, init) => ask(input, { ...init, signal: withLimit(init?.signal) }),
    },
    { signal: over.signal, personDecides: () => services.personDecides?.() ?? (() => {}) },
  );
  const link = linkWith(
    authorisedFetch(send, { pluginName, origin: url.origin, authorisation: authorising }),
  );
  const message = `The connection to plugin "${pluginName}" was closed by this end.`;
  void link.unwritable().then(() => over.abort(new PluglotError('PEER_CLOSED', message)));
  return { link, http: link, waitsForPerson: () => authorising.waitsForPerson };
}

/** An authorisation server answers within that, or not at all. */
const ANSWER_MS = 30_000;

function withLimit(signal: AbortSignal | null | undefined): AbortSignal {
  const limit = AbortSignal.timeout(ANSWER_MS);
  return signal === null || signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

/** Node's errors quote an address with a password, and a header that cannot be sent: both are taken apart here. */
function destination(
  { url: text, headers = {} }: RemoteSpec,
  pluginName: string,
): { readonly url: URL; readonly headers: Record<string, string> } {
  const refuse = (what: string) => new PluglotError('START_FAILED', `Plugin "${pluginName}": ${what}`);
  if (!URL.canParse(text)) throw refuse('"url" is not an address. Write "https://…".');
  const url = new URL(text);
  const sent: Record<string, string> = {};
  if (!hasAuthorization(headers) && (url.username !== '' || url.password !== ''))
    sent['Authorization'] = `Basic ${Buffer.from(credentials(url)).toString('base64')}`;
  url.username = '';
  url.password = '';
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeader(name, value))
      throw refuse(
        `the header ${JSON.stringify(name)} has characters that cannot be sent. Look at its value.`,
      );
    sent[name] = value;
  }
  return { url, headers: sent };
}

function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

function credentials({ username, password }: URL): string {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    // A percent sign that begins no escape is meant literally.
    return `${username}:${password}`;
  }
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

interface AuthorisedFetchPorts {
  readonly pluginName: string;
  /** Where the token may go. */
  readonly origin: string;
  readonly authorisation: Authorisation;
}

function authorisedFetch(
  send: typeof fetch,
  { pluginName, origin, authorisation }: AuthorisedFetchPorts,
): typeof fetch {
  return async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input);
    if (address.origin !== origin) return send(input, init);
    // No person is asked when a session ends.
    const isEnd = init?.method === 'DELETE';
    let token = await unlessAborted(init?.signal, authorisation.token(!isEnd));
    const ask = () => send(input, withToken(init, token));
    let response = await ask();
    if (isEnd) return response;
    if (response.status === 401) {
      const challenge = await taken(response);
      token = await unlessAborted(init?.signal, authorisation.renew(token, challenge));
      response = await ask();
      if (response.status === 401) throw await stillRefused(response, pluginName);
    }
    const challenge = response.status === 403 ? challengeOf(response) : {};
    if (challenge.error === 'insufficient_scope') {
      const wider = await unlessAborted(init?.signal, authorisation.widen(token, challenge));
      if (wider === undefined) return response;
      await response.body?.cancel();
      token = wider;
      response = await ask();
    }
    return response;
  };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
  const headers = new Headers(init?.headers);
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  return { ...init, headers };
}

async function taken(response: Response): Promise<Challenge> {
  const challenge = challengeOf(response);
  await response.body?.cancel();
  return challenge;
}

function challengeOf({ headers }: Response): Challenge {
  return readChallenge(headers.get('www-authenticate'));
}

async function stillRefused(response: Response, pluginName: string): Promise<PluglotError> {
  await response.body?.cancel();
  return new PluglotError(
    'UNAUTHENTICATED',
    `Plugin "${pluginName}" answers with HTTP 401 to a token that was just given for it, which only its operator can fix.`,
  );
}

/** The person goes on deciding when a call is over its time: the next one gets the answer. */
async function unlessAborted<Value>(
  signal: AbortSignal | null | undefined,
  promise: Promise<Value>,
): Promise<Value> {
  if (signal === null || signal === undefined) return promise;
  promise.catch(() => {});
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    // What fetch itself would reject with.
    abort = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export interface ResponseLimit {
  readonly pluginName: string;
  readonly messageBytes: number;
}

export function limitedFetch({ pluginName, messageBytes }: ResponseLimit): typeof fetch {
  const send = faithfulFetch(pluginName);
  return async (input, init) => {
    const response = await send(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const count = isStream ? eventCounter() : bodyCounter();
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (count(chunk) <= messageBytes) return controller.enqueue(chunk);
          controller.error(
            new PluglotError(
              'FRAME_TOO_LARGE',
              `Plugin "${pluginName}" answered with more than ${messageBytes} bytes, which is over the limit for receiving (limits.messageBytes).`,
            ),
          );
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(counted, { status, statusText, headers });
  };
}

/** Takes a chunk and gives the largest size that had to be held at once so far. */
type Counter = (chunk: Uint8Array) => number;

function bodyCounter(): Counter {
  let size = 0;
  return (chunk) => (size += chunk.length);
}

const LF = 0x0a;
const CR = 0x0d;

/** An event ends at an empty line; a line ends at LF, CR or both. */
function eventCounter(): Counter {
  let event = 0;
  let largest = 0;
  let lineLength = 0;
  let isAfterCR = false;
  return (chunk) => {
    let start = 0;
    let nextLF = chunk.indexOf(LF);
    let nextCR = chunk.indexOf(CR);
    while (start < chunk.length) {
      if (nextLF !== -1 && nextLF < start) nextLF = chunk.indexOf(LF, start);
      if (nextCR !== -1 && nextCR < start) nextCR = chunk.indexOf(CR, start);
      const end = Math.min(nextLF === -1 ? chunk.length : nextLF, nextCR === -1 ? chunk.length : nextCR);
      lineLength += end - start;
      event += end - start;
      largest = Math.max(largest, event);
      const isRestOfCRLF = isAfterCR && end === start && end === nextLF;
      if (end < chunk.length && !isRestOfCRLF) {
        if (lineLength === 0) event = 0;
        lineLength = 0;
      }
      isAfterCR = end < chunk.length && end === nextCR;
      start = end + 1;
    }
    return largest;
  };
}

/**
 * fetch of the system sends most headers, and the body, to any address that a server names. This one follows a server to another path of its own,
 * never to another server.
 */
export function faithfulFetch(
  pluginName: string,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    let address = new URL(input instanceof Request ? input.url : input);
    for (let hops = 0; ; hops += 1) {
      const response = await fetch(hops === 0 ? input : address, { ...init, redirect: 'manual' });
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null) return response;
      await response.body?.cancel();
      const next = URL.canParse(location, address.href) ? new URL(location, address) : undefined;
      const isOwn = next !== undefined && next.origin === address.origin;
      // The others stand for a GET of something else.
      const isSame = response.status === 307 || response.status === 308;
      if (!isOwn || !isSame || hops === HOPS_MAX) throw astray(pluginName, response.status, next);
      address = next;
    }
  };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HOPS_MAX = 5;

function astray(pluginName: string, status: number, next: URL | undefined): PluglotError {
  return new PluglotError(
    'UNAVAILABLE',
    `Plugin "${pluginName}" redirects to another server (HTTP ${status}, to ${next?.origin ?? 'no address'}), which is not followed. Correct "url".`,
  );
}
