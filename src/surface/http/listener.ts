// Every request, from its head to its handler: whether it may ask at all, what it asks for, who asks, then the work.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { Tokens } from '../../runtime/tokens/tokens.ts';
import { accessOf, checkAccess, userAccess, type Access } from './access.ts';
import type { Door } from './door.ts';
import { Exchange } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import type { HttpCounts } from './metrics/http-counts.ts';
import { badRequest, HttpProblem, notFound, problemOf } from './problem.ts';
import type { Match, Route, Router } from './router.ts';
import type { RevocableRequests } from './revocable-requests.ts';
import { Upgrade } from './socket/upgrade.ts';

export interface ListenerParts {
  readonly door: Door;
  /** Undefined: whoever asks here is the user, and no token is needed. */
  readonly tokens: Tokens | undefined;
  /** What is under way for those who came by something that can be revoked. */
  readonly underWay: RevocableRequests;
  readonly router: Router;
  readonly limits: HttpLimits;
  readonly clock: Clock;
  readonly counts: HttpCounts;
  readonly closing: { readonly isClosing: boolean };
  readonly mcp: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

export interface Listener {
  readonly onRequest: RequestListener;
  /** One that wants to go on as a WebSocket; `head` came after it. */
  readonly onSocket: (request: IncomingMessage, response: ServerResponse, head: Buffer) => void;
}

export function createListener(parts: ListenerParts): Listener {
  const { limits, clock, closing } = parts;
  const begin = (request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade) => {
    // A client that goes away is no failure of this process.
    request.on('error', () => {});
    response.on('error', () => {});
    if (closing.isClosing) response.setHeader('connection', 'close');
    void handle(parts, request, response, upgrade);
  };
  return {
    onRequest: (request, response) => begin(request, response),
    onSocket: (request, response, head) =>
      begin(request, response, new Upgrade({ request, response, head, limits, clock })),
  };
}

async function handle(
  parts: ListenerParts,
  request: IncomingMessage,
  response: ServerResponse,
  upgrade: Upgrade | undefined,
): Promise<void> {
  const { door, tokens, underWay, limits, clock, counts, mcp } = parts;
  const seen = { route: 'none' };
  const count = () =>
    counts.answered(
      request.method ?? '',
      seen.route,
      upgrade?.isAccepted === true ? 101 : response.statusCode,
    );
  if (upgrade === undefined) response.once('close', count);
  else request.socket.once('close', count);
  const exchangeOf = (params: Match['params'], query: URLSearchParams, access?: Access) =>
    new Exchange({ request, response, upgrade, params, query, access, limits, clock });
  try {
    door.check(request.headers);
    const { path, query } = addressOf(request, limits);
    if (path === '/mcp' && mcp !== undefined && upgrade === undefined) {
      seen.route = '/mcp';
      mcp(request, response);
      return;
    }
    if (request.method === 'OPTIONS') return options(parts, response, path);
    const { route, params } = parts.router.match(request.method ?? '', path);
    seen.route = route.path;
    const access = tokens === undefined ? userAccess : accessOf(tokens, request, upgrade?.protocols.bearer);
    if (route.needs !== 'nothing') checkAccess(access, route.needs);
    if (upgrade !== undefined) checkSocket(parts, route);
    if (access?.token !== undefined) underWay.add(access.token.name, request.socket);
    await route.handle(exchangeOf(params, query, access));
  } catch (thrown) {
    // Too late to say it in order.
    if (upgrade?.isAccepted === true) upgrade.destroy();
    else answerProblem(exchangeOf(new Map(), new URLSearchParams()), thrown);
  } finally {
    // What nobody read must not keep the connection from its next request. /mcp may read it later.
    if (!request.complete && seen.route !== '/mcp') request.resume();
  }
}

/** @throws HttpProblem 404, or 503 when nobody would end it any more */
function checkSocket({ closing }: ListenerParts, { isSocket = false }: Route): void {
  if (!isSocket) throw notFound('No WebSocket is at this address; /api/v1/events is one.');
  if (closing.isClosing) throw new HttpProblem(503, 'UNAVAILABLE', 'The host is shutting down.');
}

function addressOf(
  { url = '' }: IncomingMessage,
  { urlCharacters }: HttpLimits,
): { readonly path: string; readonly query: URLSearchParams } {
  if (url.length > urlCharacters)
    throw new HttpProblem(414, 'BAD_REQUEST', `The address is longer than ${urlCharacters} characters.`);
  if (!url.startsWith('/')) throw badRequest('The address has to begin with a slash.');
  const mark = url.indexOf('?');
  return mark === -1
    ? { path: url, query: NO_QUERY }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}

const NO_QUERY = new URLSearchParams();

/** No page of another origin is told anything more. */
function options({ router }: ListenerParts, response: ServerResponse, path: string): void {
  const methods = router.methods(path);
  if (methods.length === 0) throw new HttpProblem(404, 'NOT_FOUND', 'Nothing is at this address.');
  response.writeHead(204, { allow: methods.join(', ') });
  response.end();
}

function answerProblem(exchange: Exchange, thrown: unknown): void {
  const { response } = exchange;
  if (response.destroyed || response.writableEnded) return;
  // Too late to say it in order.
  if (response.headersSent) return void response.destroy();
  exchange.problem(problemOf(thrown));
}
