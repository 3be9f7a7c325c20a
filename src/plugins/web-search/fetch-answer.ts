// One request to an engine: within its time, its size and a few redirects, and nothing it says is trusted.
import { boundedBody } from '../../base/bounded-body.ts';
import type { Clock } from '../../base/clock.ts';
import { MiB } from '../../base/limits.ts';
import { toError } from '../../base/error.ts';
import { shortened } from '../../base/shown.ts';
import { failures } from '../../definition/common-failures.ts';
import { fail, isFailure } from '../../definition/failure.ts';
import type { HostPorts } from '../host-ports.ts';
import type { EngineAnswer, EngineRequest } from './engine.ts';

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
  const over = new AbortController();
  let isLate = false;
  const callOff = clock.after(timeoutMs, () => {
    isLate = true;
    over.abort();
  });
  const giveUp = () => over.abort();
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    const response = await follow(request, options, over.signal);
    const text = await bodyOf(response, engine);
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') ?? undefined };
  } catch (thrown) {
    if (isLate) return tooLate(engine, timeoutMs);
    if (isFailure(thrown)) throw thrown;
    if (signal.aborted) return fail({ code: 'CALL_CANCELLED', message: 'The search was given up.' });
    return notReached(thrown, request, engine);
  } finally {
    callOff();
    signal.removeEventListener('abort', giveUp);
    // What is left of an answer that was given up is not read.
    over.abort();
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

/** Another site is a login page of a network, or worse; and a key belongs to one host alone. */
function nextOf(from: URL, target: string, { isSecret }: EngineRequest, engine: string): URL {
  const next = URL.canParse(target, from.href) ? new URL(target, from) : undefined;
  const isAllowed =
    next !== undefined &&
    (next.protocol === 'https:' || next.protocol === from.protocol) &&
    (isSecret ? next.origin === from.origin : isSameSite(next.hostname, from.hostname));
  if (isAllowed) return next;
  return unavailable(
    engine,
    `sent the request on to ${next === undefined ? 'something that is no address' : next.host}, which is not followed. See whether the network asks for a login, and "base_url" in the configuration of plugin "web_search".`,
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

/** Of the error only the word of the system is told: its text may hold anything. */
function notReached(thrown: unknown, { url }: EngineRequest, engine: string): never {
  const { cause, message } = toError(thrown);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : shortened(message, 100);
  return unavailable(
    engine,
    `could not be reached at ${url.host} (${code}). See whether this machine is online.`,
  );
}

function unavailable(engine: string, what: string): never {
  return fail({ code: 'UNAVAILABLE', message: `${engine} ${what}`, recoverable: true });
}
