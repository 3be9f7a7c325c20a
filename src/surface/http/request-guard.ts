// Checked before anything else of a request: it names this host, and does not come from a page of another origin.
// A page whose name was pointed at this machine after it was loaded (DNS rebinding) fails the first check.
import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { HttpProblem } from './problem.ts';

export interface RequestGuard {
  /** @throws HttpProblem 403, or 400 without a host */
  check(headers: IncomingHttpHeaders): void;
}

export interface RequestGuardOptions {
  /** Where it listens. */
  readonly host: string;
  /** Other names that it is reached by. */
  readonly allowedHosts?: readonly string[];
  /** Other origins whose pages may send requests, such as `https://example.org`. */
  readonly allowedOrigins?: readonly string[];
}

export function createRequestGuard({
  host,
  allowedHosts = [],
  allowedOrigins = [],
}: RequestGuardOptions): RequestGuard {
  const names = new Set([...loopbackNames, host, ...allowedHosts].map((name) => name.toLowerCase()));
  // A host that is named by its number cannot be rebound.
  const takesNumbers = !isLoopback(host);
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  /** Most requests have the same headers as the one before. */
  let last: Pick<IncomingHttpHeaders, 'host' | 'origin' | 'sec-fetch-site'> | undefined;
  return {
    check({ host: asked, origin, 'sec-fetch-site': site }) {
      if (
        last !== undefined &&
        asked === last.host &&
        origin === last.origin &&
        site === last['sec-fetch-site']
      )
        return;
      const name = nameOf(asked);
      if (name === undefined)
        throw new HttpProblem(400, 'BAD_REQUEST', 'The request has no valid Host header.');
      if (!names.has(name) && !(takesNumbers && isIP(name) !== 0))
        throw new HttpProblem(
          403,
          'REQUEST_REFUSED',
          'The Host header names another host. Use the address that `pluglot up` prints.',
        );
      const isOwn = origin === undefined || sameOrigin(origin, asked) || origins.has(origin.toLowerCase());
      const isCrossSite = origin === undefined && site === 'cross-site';
      if (!isOwn || isCrossSite)
        throw new HttpProblem(403, 'REQUEST_REFUSED', 'Requests from pages of other origins are refused.');
      last = { host: asked, origin, 'sec-fetch-site': site };
    },
  };
}

/** For a socket in the file system: browsers cannot open it, so a request with an origin is refused. */
export const socketGuard: RequestGuard = {
  check({ origin }) {
    if (origin !== undefined)
      throw new HttpProblem(403, 'REQUEST_REFUSED', 'Requests from web pages are refused on this socket.');
  },
};

const loopbackNames = ['localhost', '127.0.0.1', '::1'];

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Without the port: a tunnel may have another one. */
function nameOf(host: string | undefined): string | undefined {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(host ?? '') ?? [];
  return (bracketed ?? plain)?.toLowerCase();
}

export function sameOrigin(origin: string, host: string | undefined): boolean {
  const given = origin.toLowerCase();
  const own = host?.toLowerCase();
  return given === `http://${own}` || given === `https://${own}`;
}
