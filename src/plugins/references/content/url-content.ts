// Pages: over http and https alone, with a time, a size and few redirects, and not from the inside of a network unless that is allowed.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { boundedBody } from '../../../base/bounded-body.ts';
import type { Clock } from '../../../base/clock.ts';
import { toError } from '../../../base/error.ts';
import { MiB } from '../../../base/limits.ts';
import { bounded, none, type Content } from './content.ts';
import { isPrivateAddress } from './private-address.ts';

export interface UrlOptions {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxChars: number;
  readonly allowPrivate: boolean;
  /**
   * The addresses of a host.
   * @default as the system knows them
   */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>;
}

const REDIRECTS_MAX = 5;
const BYTES_MAX = MiB;

export async function urlContent(given: string, options: UrlOptions): Promise<Content> {
  const limit = new AbortController();
  const callOff = options.clock.after(options.timeoutMs, () => limit.abort());
  const signal = AbortSignal.any([limit.signal, options.signal]);
  try {
    return await getContent(given, signal, options);
  } catch (thrown) {
    if (limit.signal.aborted) return none(`it took longer than ${options.timeoutMs / 1000} s`);
    if (options.signal.aborted) return none('it was given up');
    if (thrown instanceof Refusal) return none(thrown.message);
    const { cause, message } = toError(thrown);
    return none(
      `it could not be fetched (${cause instanceof Error && 'code' in cause ? String(cause.code) : message})`,
    );
  } finally {
    callOff();
  }
}

/** Says what is wrong with an address or an answer, to end a sentence with. */
class Refusal extends Error {}

async function getContent(given: string, signal: AbortSignal, options: UrlOptions): Promise<Content> {
  let url = given;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const checked = await checkedUrl(url, signal, options);
    const response = await options.fetch(checked, {
      redirect: 'manual',
      signal,
      headers: { accept: 'text/markdown, text/plain, text/html, application/json;q=0.9, */*;q=0.1' },
    });
    const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (next === null) return contentOf(response, options.maxChars);
    await response.body?.cancel();
    if (!URL.canParse(next, checked.href)) throw new Refusal('it redirects to something that is no address');
    url = new URL(next, checked.href).href;
  }
  throw new Refusal(`it redirects more than ${REDIRECTS_MAX} times`);
}

async function checkedUrl(text: string, signal: AbortSignal, options: UrlOptions): Promise<URL> {
  if (!URL.canParse(text)) throw new Refusal('it is no address');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Refusal(`it begins with ${url.protocol}; expected http: or https:`);
  if (url.username !== '' || url.password !== '') throw new Refusal('there is a user or a password in it');
  if (options.allowPrivate) return url;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const found =
    isIP(host) === 0 ? await raced((options.addressesOf ?? systemAddresses)(host), signal) : [host];
  if (found.length === 0 || found.some(isPrivateAddress))
    throw new Refusal(
      `${host} is an address of this machine or of a local network; set allow_private_addresses if that is meant`,
    );
  return url;
}

async function systemAddresses(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Names are looked up without a signal of their own. */
async function raced<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let end = () => {};
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(new Error('aborted'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function contentOf(response: Response, maxChars: number): Promise<Content> {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const refused = response.ok
    ? isText(type)
      ? undefined
      : `it is of the type ${type.slice(0, 100)}, which is no text`
    : `it answered with status ${response.status}`;
  if (refused !== undefined) {
    await response.body?.cancel();
    throw new Refusal(refused);
  }
  const { bytes, isAll } = await boundedBody(response, BYTES_MAX);
  const text = new TextDecoder('utf-8').decode(bytes);
  if (text.includes('\0')) throw new Refusal('it is binary');
  return bounded(
    text,
    maxChars,
    isAll ? undefined : `It has more than ${BYTES_MAX} bytes, of which the first were read.`,
  );
}

/** A server that does not say is looked at. */
function isText(type: string): boolean {
  return (
    type === '' ||
    type.startsWith('text/') ||
    /^application\/(?:[\w.+-]*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-ndjson|markdown|sql|graphql)$/.test(
      type,
    )
  );
}
