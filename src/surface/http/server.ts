// The HTTP API of a host: on a port for requests with a token or a cookie, and on a socket for the user.
import { rmSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { within } from '../../base/async.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ConsoleLink, RuntimeApi } from '../../runtime/api.ts';
import type { Tokens } from '../../runtime/tokens/tokens.ts';
import type { CallStats } from '../../runtime/views/call-stats.ts';
import { type Access, accessOf, checkAccess, userAccess } from './access.ts';
import { apiRoutes } from './api-routes.ts';
import { type ConsoleFiles, ConsoleLinks, consoleRoutes } from './console-routes.ts';
import { Exchange } from './exchange.ts';
import { type HttpLimits, usualHttpLimits } from './limits.ts';
import { createServer, listenOnPort, listenOnSocket } from './listen.ts';
import { createPipeServer, pipeSocketOf } from './mcp-pipe.ts';
import { HttpCounts } from './metrics.ts';
import { OpenCalls, OpenStreams, RevocableRequests } from './open-work.ts';
import { badRequest, HttpProblem, problemOf } from './problem.ts';
import { createRequestGuard, isLoopback, type RequestGuard, socketGuard } from './request-guard.ts';
import { createRouter, type Match, type Router } from './router.ts';

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpServerOptions {
  /** With its counts, where it is one of this process: they are part of /metrics. */
  readonly api: RuntimeApi & { readonly stats?: CallStats };
  /** For /mcp, which has tokens of its own. */
  readonly mcp?: NodeHandler;
  /** Ends what is under way there, when the server closes: connections are ended after it. */
  readonly closeMcp?: () => Promise<void>;
  /** @default no console */
  readonly console?: ConsoleFiles;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default a free one */
  readonly port?: number;
  /** Access on the port: `runtime.tokens`. */
  readonly tokens: Tokens;
  /** Where it listens too, without a token: its folder is made the user's alone. */
  readonly unixSocket?: string;
  /** Other names that it is reached by, such as that of a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Pages of others that may ask, such as `https://example.org`. */
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<HttpLimits>;
  /** Gets warnings for the owner. */
  readonly warn?: (message: string) => void;
  /** @default the real one */
  readonly clock?: Clock;
}

export interface HttpServer {
  /** Without the token: `http://127.0.0.1:7411`. Where it listens on all addresses, with the first that others reach. */
  readonly url: string;
  readonly port: number;
  readonly unixSocket?: string;
  /** Lets one browser into the console, once and within ten minutes. */
  consoleLink(): ConsoleLink;
  /** Takes nothing new, lets calls end for a moment, then ends all. */
  close(): Promise<void>;
}

/** @throws PluglotError UNAVAILABLE when it cannot listen there */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host = '127.0.0.1', port = 0, unixSocket, tokens } = options;
  await tokens.follow();
  const serving = createServing(options, tokens);
  const onPort = serving.open(createRequestGuard({ ...options, host }), tokens);
  const taken = await listenOnPort(onPort, host, port);
  if (unixSocket !== undefined) {
    try {
      await listenOnSocket(serving.open(socketGuard), unixSocket);
    } catch (error) {
      onPort.close();
      throw error;
    }
  }
  const name = reachableHost(host);
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${taken}`;
  serving.place.url = url;
  if (!isLoopback(host))
    options.warn?.(
      `The server listens on ${host}, which others can reach as ${url}: everyone with a token can call tools, and the connection is not encrypted.`,
    );
  return {
    url,
    port: taken,
    ...(unixSocket !== undefined && { unixSocket }),
    consoleLink: serving.consoleLink,
    close: () => serving.close(),
  };
}

export type SocketServerOptions = Pick<HttpServerOptions, 'api' | 'limits' | 'clock'> & {
  readonly unixSocket: string;
  /** Serves MCP on a connection, in lines as on stdio, over a second socket; undefined until it can. @default there is no second socket */
  readonly mcpPipe?: () => ((socket: Socket) => void) | undefined;
};

/** For the user alone, without a port: its folder is made the user's. @throws PluglotError UNAVAILABLE when it cannot listen there */
export async function createSocketServer(options: SocketServerOptions): Promise<Pick<HttpServer, 'close'>> {
  const { unixSocket, mcpPipe } = options;
  const serving = createServing(options);
  await listenOnSocket(serving.open(socketGuard), unixSocket);
  if (mcpPipe === undefined) return { close: () => serving.close() };
  const pipes = createPipeServer(mcpPipe);
  await listenOnSocket(pipes.server, pipeSocketOf(unixSocket));
  return {
    async close() {
      await Promise.all([serving.close(), pipes.close()]);
    },
  };
}

type ServingOptions = Pick<
  HttpServerOptions,
  'api' | 'mcp' | 'closeMcp' | 'console' | 'unixSocket' | 'limits' | 'clock'
>;

/** What all listening sockets of one server share. */
function createServing(options: ServingOptions, tokens?: Tokens) {
  const { api, mcp, unixSocket, clock = systemClock } = options;
  const limits: HttpLimits = { ...usualHttpLimits, ...options.limits };
  const calls = new OpenCalls(limits.calls);
  const streams = new OpenStreams(limits.streams);
  const counts = new HttpCounts();
  const links = new ConsoleLinks();
  const underWay = new RevocableRequests();
  const unfollow = tokens?.onRevoked(({ id }) => underWay.end(id));
  const place = { url: '' };
  const consoleLink = (): ConsoleLink => {
    const { path, expiresAt } = links.make();
    return { url: `${place.url}${path}`, expiresAt };
  };
  const router = createRouter([
    ...apiRoutes({
      api,
      calls,
      streams,
      counts,
      maxTalks: limits.talks,
      consoleLink: options.console && consoleLink,
    }),
    ...(tokens === undefined ? [] : consoleRoutes(options.console ?? new Map(), links, tokens)),
  ]);
  const closing = { isClosing: false };
  const servers: Server[] = [];
  const closeCalls = async () => {
    await within(Promise.all([calls.settled(), streams.settled()]), limits.closeMs, clock);
    calls.cancelAll('The host is shutting down.');
    // What is left of them is on its way.
    await within(calls.settled(), limits.closeMs, clock);
  };
  const close = async () => {
    closing.isClosing = true;
    unfollow?.();
    const ended = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    for (const server of servers) server.closeIdleConnections();
    streams.endAll();
    await Promise.all([closeCalls(), options.closeMcp?.()]);
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (const server of servers) server.closeAllConnections();
    await Promise.all(ended);
    if (unixSocket !== undefined) rmSync(unixSocket, { force: true });
  };
  let closed: Promise<void> | undefined;
  return {
    /** Where others reach it, once that is known. */
    place,
    consoleLink,
    /** Without tokens every request is that of the user. */
    open(guard: RequestGuard, tokens?: Tokens): Server {
      const listener = createListener({
        guard,
        tokens,
        underWay,
        router,
        limits,
        clock,
        counts,
        closing,
        mcp,
      });
      const server = createServer(listener, limits);
      servers.push(server);
      return server;
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

type Interfaces = Readonly<
  Record<string, readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[] | undefined>
>;

/** The first address that others reach where all are listened on; this machine's own where there is none. */
export function reachableHost(host: string, interfaces: Interfaces = networkInterfaces()): string {
  if (!wildcards.has(host)) return host;
  const known = Object.values(interfaces).flatMap((one) => one ?? []);
  return known.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '']);

interface ListenerParts {
  readonly guard: RequestGuard;
  /** Undefined on the socket of the user, where no token is needed. */
  readonly tokens: Tokens | undefined;
  readonly underWay: RevocableRequests;
  readonly router: Router;
  readonly limits: HttpLimits;
  readonly clock: Clock;
  readonly counts: HttpCounts;
  readonly closing: { readonly isClosing: boolean };
  readonly mcp: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

/** Every request from its head to its handler: guard, route, access, handler. */
function createListener(parts: ListenerParts): RequestListener {
  const { closing } = parts;
  return (request, response) => {
    // A client that goes away is not a failure of this process.
    request.on('error', () => {});
    response.on('error', () => {});
    if (closing.isClosing) response.setHeader('connection', 'close');
    void handle(parts, request, response);
  };
}

async function handle(
  parts: ListenerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { guard, tokens, underWay, limits, clock, counts, mcp } = parts;
  const seen = { route: 'none' };
  response.once('close', () => counts.answered(request.method ?? '', seen.route, response.statusCode));
  const exchangeOf = (params: Match['params'], query: URLSearchParams, access?: Access) =>
    new Exchange({ request, response, params, query, access, limits, clock });
  try {
    guard.check(request.headers);
    const { path, query } = addressOf(request, limits);
    if (path === '/mcp' && mcp !== undefined) {
      seen.route = '/mcp';
      mcp(request, response);
      return;
    }
    if (request.method === 'OPTIONS') return options(parts, response, path);
    const { route, params } = parts.router.match(request.method ?? '', path);
    seen.route = route.path;
    const access = tokens === undefined ? userAccess : accessOf(tokens, request);
    if (route.needs !== 'nothing') checkAccess(access, route.needs);
    if (access?.token !== undefined) underWay.add(access.token.id, request.socket);
    await route.handle(exchangeOf(params, query, access));
  } catch (thrown) {
    answerProblem(exchangeOf(new Map(), new URLSearchParams()), thrown);
  } finally {
    // An unread body must not keep the connection from its next request. /mcp may read it later.
    if (!request.complete && seen.route !== '/mcp') request.resume();
  }
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

function options({ router }: ListenerParts, response: ServerResponse, path: string): void {
  const methods = router.methods(path);
  if (methods.length === 0) throw new HttpProblem(404, 'NOT_FOUND', 'Nothing is at this address.');
  response.writeHead(204, { allow: methods.join(', ') });
  response.end();
}

function answerProblem(exchange: Exchange, thrown: unknown): void {
  const { response } = exchange;
  if (response.destroyed || response.writableEnded) return;
  // Too late for a problem.
  if (response.headersSent) return void response.destroy();
  exchange.problem(problemOf(thrown));
}
