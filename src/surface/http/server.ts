// The HTTP API of a host: on a port for those with a token or a cookie, and on a socket for the user.
import { rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock, type Clock } from '../../base/clock.ts';
import { within } from '../../base/within.ts';
import type { ConsoleLink, RuntimeApi } from '../../runtime/api.ts';
import type { Tokens } from '../../runtime/tokens/tokens.ts';
import type { CallStats } from '../../runtime/views/call-stats.ts';
import { ConsoleLinks, consoleRoutes, type ConsoleFiles } from './console-routes.ts';
import { createDoor, isLoopback, socketDoor, type Door } from './door.ts';
import { createListener } from './listener.ts';
import { usualHttpLimits, type HttpLimits } from './limits.ts';
import { createServer, listenOnPort, listenOnSocket } from './listen.ts';
import { HttpCounts } from './metrics/http-counts.ts';
import { OpenCalls } from './open-calls.ts';
import { OpenStreams } from './open-streams.ts';
import { reachableHost } from './reachable-host.ts';
import { RevocableRequests } from './revocable-requests.ts';
import { createRouter } from './router.ts';
import { apiRoutes } from './routes/api-routes.ts';
import { onUpgrade } from './socket/on-upgrade.ts';

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpServerOptions {
  /** With its counts, where it is one of this process: they are part of /metrics. */
  readonly api: RuntimeApi & { readonly stats?: CallStats };
  /** For /mcp, which has tokens of its own. */
  readonly mcp?: NodeHandler;
  /** Ends what is under way there, when the server closes: connections are ended after it. */
  readonly closeMcp?: () => Promise<void>;
  /** @default there is no page */
  readonly console?: ConsoleFiles;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default a free one */
  readonly port?: number;
  /** Who is let in on the port: `runtime.tokens`. */
  readonly tokens: Tokens;
  /** Where it listens too, without a token: its folder is made the user's alone. */
  readonly unixSocket?: string;
  /** Other names that it is reached by, such as that of a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Pages of others that may ask, such as `https://example.org`. */
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<HttpLimits>;
  /** Told what the owner should know. */
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
  const onPort = serving.open(createDoor({ ...options, host }), tokens);
  const taken = await listenOnPort(onPort, host, port);
  if (unixSocket !== undefined) {
    try {
      await listenOnSocket(serving.open(socketDoor), unixSocket);
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
      `The server listens on ${host}, which others can reach as ${url}: whoever has a token can call tools, and what is said is not encrypted.`,
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
  /** What serves MCP on a connection, in lines as on stdio; undefined as long as nothing does. @default it is not to be had there */
  readonly mcpPipe?: () => ((socket: Socket) => void) | undefined;
};

/** For the user alone, without a port: its folder is made the user's. @throws PluglotError UNAVAILABLE when it cannot listen there */
export async function createSocketServer(options: SocketServerOptions): Promise<Pick<HttpServer, 'close'>> {
  const serving = createServing(options);
  await listenOnSocket(serving.open(socketDoor), options.unixSocket);
  return { close: () => serving.close() };
}

type ServingOptions = Pick<
  HttpServerOptions,
  'api' | 'mcp' | 'closeMcp' | 'console' | 'unixSocket' | 'limits' | 'clock'
> &
  Pick<SocketServerOptions, 'mcpPipe'>;

/** What is behind all doors of one server. */
function createServing(options: ServingOptions, tokens?: Tokens) {
  const { api, mcp, unixSocket, clock = systemClock } = options;
  const limits: HttpLimits = { ...usualHttpLimits, ...options.limits };
  const calls = new OpenCalls(limits.calls);
  const streams = new OpenStreams(limits.streams);
  const counts = new HttpCounts();
  const links = new ConsoleLinks();
  const underWay = new RevocableRequests();
  const unfollow = tokens?.onRevoked(({ name }) => underWay.end(name));
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
  const upgraded = new Set<Socket>();
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
    for (const socket of upgraded) socket.destroy();
    await Promise.all(ended);
    if (unixSocket !== undefined) rmSync(unixSocket, { force: true });
  };
  let closed: Promise<void> | undefined;
  return {
    /** Where others reach it, once that is known. */
    place,
    consoleLink,
    /** Without tokens whoever asks is the user. */
    open(door: Door, tokens?: Tokens): Server {
      const listener = createListener({
        door,
        tokens,
        underWay,
        router,
        limits,
        clock,
        counts,
        closing,
        mcp,
      });
      const server = createServer(listener.onRequest, limits);
      const connect = (socket: Socket) => void server.emit('connection', socket);
      const pipe = tokens === undefined ? options.mcpPipe : undefined;
      server.on('upgrade', onUpgrade({ handle: listener.onSocket, pipe, connect, upgraded }));
      servers.push(server);
      return server;
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}
