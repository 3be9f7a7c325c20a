// What all search engines share: their interface, and one request with limits on time, size and redirects.
import { boundedBody } from '../../base/bounded-body.ts';
import type { Clock } from '../../base/clock.ts';
import { MiB } from '../../base/units.ts';
import { fail, type FailureOptions, failures, isFailure } from '../../definition/failure.ts';
import { failureCode } from '../../outside/outside.ts';
import type { HostPorts } from '../host-ports.ts';
import type { Settings } from './settings.ts';

export interface Query {
  readonly query: string;
  /** At most so many results are wanted. */
  readonly maxResults: number;
}

/** Not checked: an address may be anything, and texts have any length. */
export interface Found {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface Engine {
  /** For errors. */
  readonly name: string;
  request(query: Query, settings: Settings): EngineRequest;
  /** The meaning of an error status; undefined: the usual one. */
  failure?(status: number): FailureOptions | undefined;
  /**
   * An empty list means that the engine found nothing.
   * @throws Failure UNAVAILABLE when the answer cannot be read, RATE_LIMITED when it is a refusal
   */
  read(answer: EngineAnswer): Promise<readonly Found[]>;
}

/** A GET. */
interface EngineRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a header is a secret for this host. */
  readonly isSecret: boolean;
}

export interface EngineAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

export interface FetchOptions {
  readonly fetch: HostPorts['fetch'];
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Of the caller. */
  readonly signal: AbortSignal;
  /** The name of the engine, for errors. */
  readonly engine: string;
}

const BODY_MAX = 2 * MiB;
const REDIRECTS_MAX = 5;

/** @throws Failure TIMEOUT, UNAVAILABLE, CALL_CANCELLED */
export async function fetchAnswer(request: EngineRequest, options: FetchOptions): Promise<EngineAnswer> {
  const { clock, timeoutMs, signal, engine } = options;
  const limit = new AbortController();
  const cancelLimit = clock.after(timeoutMs, () => limit.abort());
  try {
    const response = await follow(request, options, AbortSignal.any([limit.signal, signal]));
    const text = await bodyOf(response, engine);
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') ?? undefined };
  } catch (thrown) {
    if (limit.signal.aborted) return tooLate(engine, timeoutMs);
    if (isFailure(thrown)) throw thrown;
    if (signal.aborted) return fail({ code: 'CALL_CANCELLED', message: 'The search was cancelled.' });
    return unavailable(
      engine,
      `could not be reached at ${request.url.host} (${failureCode(thrown)}). See whether this machine is online.`,
    );
  } finally {
    cancelLimit();
    // The rest of an answer is not read.
    limit.abort();
  }
}

async function follow(
  request: EngineRequest,
  { fetch, engine }: FetchOptions,
  signal: AbortSignal,
): Promise<Response> {
  let { url } = request;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const response = await fetch(url.href, { headers: request.headers, redirect: 'manual', signal });
    const target = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || target === null) return response;
    url = nextOf(url, target, request, engine);
  }
  return unavailable(engine, `sent the request on more than ${REDIRECTS_MAX} times.`);
}

/** Another site may be the login page of a network; and a key is only sent to its own host. */
function nextOf(from: URL, target: string, { isSecret }: EngineRequest, engine: string): URL {
  const next = URL.canParse(target, from.href) ? new URL(target, from) : undefined;
  const isAllowed =
    next !== undefined &&
    (next.protocol === 'https:' || next.protocol === from.protocol) &&
    (isSecret ? next.origin === from.origin : isSameSite(next.hostname, from.hostname));
  if (isAllowed) return next;
  return unavailable(
    engine,
    `sent the request on to ${next === undefined ? 'an invalid address' : next.host}, which is not followed. See whether the network asks for a login, and "base_url" in the configuration of plugin "web_search".`,
  );
}

function isSameSite(one: string, other: string): boolean {
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

async function bodyOf(response: Response, engine: string): Promise<string> {
  const { bytes, isAll } = await boundedBody(response, BODY_MAX);
  return isAll
    ? bytes.toString('utf8')
    : unavailable(engine, `answered with more than ${BODY_MAX / MiB} MiB.`);
}

function tooLate(engine: string, timeoutMs: number): never {
  return failures.timeout({
    message: `${engine} did not answer within ${timeoutMs / 1000} s. Try again, or set a longer "timeout" in the configuration of plugin "web_search".`,
    timeoutMs,
  });
}

function unavailable(engine: string, what: string): never {
  return fail({ code: 'UNAVAILABLE', message: `${engine} ${what}`, recoverable: true });
}
