// Who may ask at all, before anything else is looked at: the name that a request was sent to has to be one of ours, and no page of
// somebody else may ask. A page whose name was pointed at this machine after it was loaded (DNS rebinding) fails the first.
import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { HttpProblem } from './problem.ts';

export interface Door {
  /** @throws HttpProblem 403, or 400 where it does not say whom it asks */
  check(headers: IncomingHttpHeaders): void;
}

export interface DoorOptions {
  /** Where it listens. */
  readonly host: string;
  /** Other names that it is reached by. */
  readonly allowedHosts?: readonly string[];
  /** Pages of others that may ask, such as `https://example.org`. */
  readonly allowedOrigins?: readonly string[];
}

export function createDoor({ host, allowedHosts = [], allowedOrigins = [] }: DoorOptions): Door {
  const names = new Set([...loopbackNames, host, ...allowedHosts].map((name) => name.toLowerCase()));
  // No name can be pointed at a machine that is asked for by its number.
  const takesNumbers = !isLoopback(host);
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  /** Most requests say of this what the one before said. */
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
        throw new HttpProblem(400, 'BAD_REQUEST', 'The request does not say which host it asks.');
      if (!names.has(name) && !(takesNumbers && isIP(name) !== 0))
        throw new HttpProblem(
          403,
          'REQUEST_REFUSED',
          'This server is not the host that the request names. Use the address that `pluglot up` prints.',
        );
      const isOwn = origin === undefined || sameOrigin(origin, asked) || origins.has(origin.toLowerCase());
      const isCrossSite = origin === undefined && site === 'cross-site';
      if (!isOwn || isCrossSite)
        throw new HttpProblem(403, 'REQUEST_REFUSED', 'Pages of other origins may not ask this server.');
      last = { host: asked, origin, 'sec-fetch-site': site };
    },
  };
}

/** For a socket in the file system: browsers cannot open it, so whoever says that a page asks is none of ours. */
export const socketDoor: Door = {
  check({ origin }) {
    if (origin !== undefined)
      throw new HttpProblem(403, 'REQUEST_REFUSED', 'No page may ask over this socket.');
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
