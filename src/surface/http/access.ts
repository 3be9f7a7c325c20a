// Who asks, and what that opens: the user over the socket or by the cookie of the console, a client by its bearer token.
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../definition/caller.ts';
import type { Tokens, TokenView } from '../../runtime/tokens/tokens.ts';
import type { Needs as EndpointNeeds } from '../../runtime/api.ts';
import { sameOrigin } from './request-guard.ts';
import { HttpProblem } from './problem.ts';

type Needs = Exclude<EndpointNeeds, 'nothing'>;

export interface Access {
  readonly caller: Caller;
  /** What it came by, where it can be revoked. */
  readonly token?: TokenView;
}

/** Of every request over the socket. */
export const userAccess: Access = { caller: { kind: 'user' } };

const opens: Readonly<Record<TokenView['purpose'], readonly Needs[]>> = {
  mcp: [],
  metrics: ['metrics'],
  'api-read': ['metrics', 'api-read'],
  api: ['metrics', 'api-read', 'api'],
  console: ['metrics', 'api-read', 'api', 'user'],
};

/** Undefined without a token or cookie that is valid. */
export function accessOf(tokens: Tokens, request: IncomingMessage): Access | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const [, bearer] = /^bearer +(\S{1,500})$/i.exec(authorization) ?? [];
    const token = bearer === undefined ? undefined : tokens.find(bearer);
    // The cookie of a browser is not a token that programs may send.
    if (token === undefined || token.purpose === 'console') return undefined;
    const { name, id, profile } = token;
    const caller: Caller = { kind: 'client', access: name, accessId: id };
    return { caller: profile === undefined ? caller : { ...caller, profile }, token };
  }
  const cookie = cookieIn(request.headers.cookie);
  const token = cookie === undefined || !isFromOwnPage(request) ? undefined : tokens.find(cookie);
  return token?.purpose === 'console' ? { caller: { kind: 'user' }, token } : undefined;
}

export function isOpen({ token }: Access, needs: Needs): boolean {
  return token === undefined || (opens[token.purpose] ?? []).includes(needs);
}

/** @throws HttpProblem 401, or 403 for a token that opens other things */
export function checkAccess(access: Access | undefined, needs: Needs): Access {
  if (access === undefined)
    throw new HttpProblem(
      401,
      'UNAUTHENTICATED',
      'The request needs a token that opens this address: Authorization: Bearer TOKEN. `pluglot tokens new NAME --for api` makes one.',
      { 'www-authenticate': 'Bearer realm="pluglot"' },
    );
  if (isOpen(access, needs)) return access;
  const what = `The token "${access.token?.name}" is for ${access.token?.purpose}`;
  throw new HttpProblem(
    403,
    'REQUEST_REFUSED',
    needs === 'user'
      ? `${what}, and this is for the user alone. Use the console, or a command on the machine of the host.`
      : `${what}. This address needs one that is for ${needs}: \`pluglot tokens new NAME --for ${needs}\` makes it.`,
  );
}

/**
 * Browsers send cookies to every port of a machine, and for pages of every port. A request that changes something has to say that it
 * comes from our own page; a reading one may leave that out, as browsers do without TLS, since no other page gets to see the answer.
 */
function isFromOwnPage({ method, headers }: IncomingMessage): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isReading = method === 'GET' || method === 'HEAD';
  if (origin !== undefined && !sameOrigin(origin, host)) return false;
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isReading);
  return isReading || origin !== undefined;
}

const COOKIE = 'pluglot';
const COOKIE_S = 30 * 24 * 3600;

/** For the page; scripts cannot read it. */
export function cookieOf(secret: string): string {
  return `${COOKIE}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_S}`;
}

function cookieIn(cookies: string | undefined): string | undefined {
  for (const part of cookies?.split(';') ?? []) {
    const [name, value] = part.split('=', 2);
    if (name?.trim() === COOKIE) return value?.trim() ?? '';
  }
  return undefined;
}
