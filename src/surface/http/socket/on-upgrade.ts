// Requests that want to go on in another protocol. Node lets go of their connection: what happens to it is ours.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SafeResponse } from '../safe-response.ts';
import { acceptMcpPipe, wantsMcpPipe } from './mcp-pipe.ts';
import { withoutUpgrade } from './without-upgrade.ts';

export interface UpgradeParts {
  /** Answers like any request, or goes on as a WebSocket. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, head: Buffer) => void;
  /** What goes on as lines of MCP, as soon as there is something; undefined where that is not to be had. */
  readonly pipe: (() => ((socket: Socket) => void) | undefined) | undefined;
  /** Takes a connection as if it were new. */
  readonly connect: (socket: Socket) => void;
  /** Those that Node does not end when the server closes. */
  readonly upgraded: Set<Socket>;
}

export function onUpgrade({ handle, pipe, connect, upgraded }: UpgradeParts) {
  return (request: IncomingMessage, _: Duplex, head: Buffer): void => {
    const { socket } = request;
    const response = responseOn(socket, request);
    // An earlier request of it is not answered yet, and its answer would stand in the middle of ours.
    if (response === undefined) return void socket.destroy();
    const isPipe = pipe !== undefined && wantsMcpPipe(request);
    const serve = isPipe ? pipe() : undefined;
    if (isPipe || isWebSocket(request)) {
      upgraded.add(socket);
      socket.once('close', () => upgraded.delete(socket));
      socket.on('error', () => {});
    }
    if (serve !== undefined) {
      response.detachSocket(socket);
      acceptMcpPipe(socket, head);
      return serve(socket);
    }
    if (isPipe || isWebSocket(request)) {
      socket.once('timeout', () => void socket.destroy());
      // A refusal is the last that is said.
      response.shouldKeepAlive = false;
      response.once('finish', () => socket.resume().destroySoon());
      return isPipe ? void response.writeHead(503).end() : handle(request, response, head);
    }
    response.detachSocket(socket);
    // Nobody has to follow the wish, and clients wish without need: that of Java wants HTTP/2 with its first request.
    const again = withoutUpgrade(request);
    if (again === undefined) return void socket.destroy();
    socket.unshift(Buffer.concat([again, head]));
    connect(socket);
  };
}

function responseOn(socket: Socket, request: IncomingMessage): ServerResponse | undefined {
  const response = new SafeResponse(request);
  try {
    response.assignSocket(socket);
    return response;
  } catch {
    return undefined;
  }
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.trim().toLowerCase() === 'websocket';
}
