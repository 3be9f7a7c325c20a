// The HTTP API of a host: on a port for requests with a token or a cookie, and on a socket for the user.
import { rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { within } from '../../base/async.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ConsoleLink, RuntimeApi } from '../../runtime/api.ts';
import type { Tokens } from '../../runtime/tokens/tokens.ts';
import type { CallStats } from '../../runtime/views/call-stats.ts';
import { accessOf, checkAccess, userAccess } from './access.ts';
import { apiRoutes } from './api-routes.ts';
import { type ConsoleFiles, ConsoleLinks, consoleRoutes } from './console-routes.ts';
import { Exchange, sendBody } from './exchange.ts';
import { type HttpLimits, usualHttpLimits } from './limits.ts';
import { createServer, listenOnPort, listenOnSocket } from './listen.ts';
import { createPipeServer, pipeSocketOf } from './mcp-pipe.ts';
import { HttpCounts } from './metrics.ts';
import { OpenCalls, OpenStreams, RevocableRequests } from './open-work.ts';
import { badRequest, HttpProblem, problemOf } from './problem.ts';
import { createRequestGuard, isLoopback, type RequestGuard, socketGuard } from './request-guard.ts';
import { createRouter } from './router.ts';

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
  let isClosing = false;
  const servers: Server[] = [];
  /** Every request from its head to its handler: guard, route, access, handler. */
  const handle = async (
    request: IncomingMessage,
    response: ServerResponse,
    guard: RequestGuard,
    accepted: Tokens | undefined,
  ) => {
    let routePath = 'none';
    response.once('close', () => counts.answered(request.method ?? '', routePath, response.statusCode));
    try {
      guard.check(request.headers);
      const { path, query } = addressOf(request, limits);
      if (path === '/mcp' && mcp !== undefined) {
        routePath = '/mcp';
        mcp(request, response);
        return;
      }
      if (request.method === 'OPTIONS') return answerOptions(response, router.methods(path));
      const { route, params } = router.match(request.method ?? '', path);
      routePath = route.path;
      const access = accepted === undefined ? userAccess : accessOf(accepted, request);
      if (route.needs !== 'nothing') checkAccess(access, route.needs);
      if (access?.token !== undefined) underWay.add(access.token.id, request.socket);
      await route.handle(new Exchange({ request, response, params, query, access, limits, clock }));
    } catch (thrown) {
      answerProblem(response, thrown, limits);
    } finally {
      // An unread body must not keep the connection from its next request. /mcp may read it later.
      if (!request.complete && routePath !== '/mcp') request.resume();
    }
  };
  const closeCalls = async () => {
    await within(Promise.all([calls.settled(), streams.settled()]), limits.closeMs, clock);
    calls.cancelAll('The host is shutting down.');
    // What is left of them is on its way.
    await within(calls.settled(), limits.closeMs, clock);
  };
  const close = async () => {
    isClosing = true;
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
    open(guard: RequestGuard, accepted?: Tokens): Server {
      const server = createServer((request, response) => {
        // A client that goes away is not a failure of this process.
        request.on('error', () => {});
        response.on('error', () => {});
        if (isClosing) response.setHeader('connection', 'close');
        void handle(request, response, guard, accepted);
      }, limits);
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

function answerOptions(response: ServerResponse, methods: readonly string[]): void {
  if (methods.length === 0) throw new HttpProblem(404, 'NOT_FOUND', 'Nothing is at this address.');
  response.writeHead(204, { allow: methods.join(', ') });
  response.end();
}

function answerProblem(response: ServerResponse, thrown: unknown, { stallMs }: HttpLimits): void {
  if (response.destroyed || response.writableEnded) return;
  // Too late for a problem.
  if (response.headersSent) return void response.destroy();
  const { headers, ...body } = problemOf(thrown);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendBody(response, body.status, JSON.stringify(body), 'application/problem+json', stallMs);
}
