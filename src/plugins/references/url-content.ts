// Web pages over http and https, with limits on time, size and redirects, and without private networks unless they are allowed.
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { boundedBody } from '../../base/bounded-body.ts';
import type { Clock } from '../../base/clock.ts';
import { MiB } from '../../base/units.ts';
import { failureCode, limited, unlessAborted } from '../../outside/outside.ts';
import { bounded, type Content, none } from './source.ts';

export interface UrlOptions {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxChars: number;
  readonly allowPrivate: boolean;
  /**
   * The addresses of a host.
   * @default from the system
   */
  readonly addressesOf?: ((host: string) => Promise<readonly string[]>) | undefined;
}

const REDIRECTS_MAX = 5;
const BYTES_MAX = MiB;

export async function urlContent(given: string, options: UrlOptions): Promise<Content> {
  const { timeoutMs, clock, signal } = options;
  const got = await limited({ limitMs: timeoutMs, clock, signal }, (ended) =>
    getContent(given, ended, options),
  );
  switch (got.kind) {
    case 'failed':
      return none(got.reason);
    case 'late':
      return none(`it took longer than ${timeoutMs / 1000} s`);
    case 'withdrawn':
      return none('it was cancelled');
    case 'text':
    case 'none':
      return got;
  }
}

/** @throws Error whose message ends a sentence */
async function getContent(given: string, signal: AbortSignal, options: UrlOptions): Promise<Content> {
  let url = given;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const checked = await checkedUrl(url, signal, options);
    const response = await options
      .fetch(checked, {
        redirect: 'manual',
        signal,
        headers: { accept: 'text/markdown, text/plain, text/html, application/json;q=0.9, */*;q=0.1' },
      })
      .catch((thrown: unknown) => {
        throw new Error(`it could not be fetched (${failureCode(thrown)})`);
      });
    const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (next === null) return contentOf(response, options.maxChars);
    await response.body?.cancel();
    if (!URL.canParse(next, checked.href)) throw new Error('it redirects to an invalid address');
    url = new URL(next, checked.href).href;
  }
  throw new Error(`it redirects more than ${REDIRECTS_MAX} times`);
}

async function checkedUrl(text: string, signal: AbortSignal, options: UrlOptions): Promise<URL> {
  if (!URL.canParse(text)) throw new Error('it is not a valid address');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`it begins with ${url.protocol}; expected http: or https:`);
  if (url.username !== '' || url.password !== '') throw new Error('there is a user or a password in it');
  if (options.allowPrivate) return url;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const { addressesOf = systemAddresses } = options;
  // A lookup does not take a signal.
  const found = isIP(host) === 0 ? ((await unlessAborted(addressesOf(host), signal)) ?? []) : [host];
  if (found.length === 0 || found.some(isPrivateAddress))
    throw new Error(
      `${host} is an address of this machine or of a local network; set allow_private_addresses if that is meant`,
    );
  return url;
}

async function systemAddresses(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function contentOf(response: Response, maxChars: number): Promise<Content> {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const refused = response.ok
    ? isText(type)
      ? undefined
      : `it is of the type ${type.slice(0, 100)}, which is not text`
    : `it answered with status ${response.status}`;
  if (refused !== undefined) {
    await response.body?.cancel();
    throw new Error(refused);
  }
  const { bytes, isAll } = await boundedBody(response, BYTES_MAX);
  const text = new TextDecoder('utf-8').decode(bytes);
  if (text.includes('\0')) throw new Error('it is binary');
  return bounded(
    text,
    maxChars,
    isAll ? undefined : `It has more than ${BYTES_MAX} bytes, of which the first were read.`,
  );
}

/** Without a type, the content decides. */
function isText(type: string): boolean {
  return (
    type === '' ||
    type.startsWith('text/') ||
    /^application\/(?:[\w.+-]*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-ndjson|markdown|sql|graphql)$/.test(
      type,
    )
  );
}

// Two lists, since one would also match the IPv6 form of IPv4 addresses.
const localIPv4 = new BlockList();
const localIPv6 = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  localIPv4.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 96],
  // Forms of IPv4 addresses; public servers are not reached through them.
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  localIPv6.addSubnet(network, bits, 'ipv6');

/** Also true for an invalid address. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  switch (isIP(plain)) {
    case 4:
      return localIPv4.check(plain, 'ipv4');
    case 6:
      return localIPv6.check(plain, 'ipv6');
    default:
      return true;
  }
}
