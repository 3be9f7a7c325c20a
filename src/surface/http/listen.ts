// Where requests come in: a port, and a socket in a folder of the user.
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import http, {
  ServerResponse,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo, Server as SocketServer } from 'node:net';
import path from 'node:path';
import { PluglotError, toError } from '../../base/error.ts';
import { sentence } from '../../base/text.ts';
import type { HttpLimits } from './limits.ts';
import { isListening } from './mcp-pipe.ts';

export function createServer(listener: RequestListener, limits: HttpLimits): Server {
  const server = http.createServer(
    {
      ServerResponse: SafeResponse,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: Math.min(limits.headersMs, limits.requestMs),
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.max(100, Math.min(1000, limits.headersMs / 4)),
      keepAliveTimeout: 5000,
      requireHostHeader: true,
      insecureHTTPParser: false,
    },
    listener,
  );
  server.maxConnections = limits.connections;
  server.timeout = 0;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const status = statuses.get(error.code ?? '') ?? '400 Bad Request';
    const title = status.slice(4);
    const body = JSON.stringify({
      type: 'urn:pluglot:BAD_REQUEST',
      title,
      status: Number(status.slice(0, 3)),
      detail: 'The request cannot be read as HTTP, is too long, or came too slowly.',
      code: 'BAD_REQUEST',
    });
    const head = `content-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
    socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`, () => void socket.destroy());
  });
  return server;
}

const statuses = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/** The port that it has. @throws PluglotError UNAVAILABLE */
export async function listenOnPort(server: Server, host: string, port: number): Promise<number> {
  try {
    await listening(server, () => server.listen({ host, port, exclusive: true }));
  } catch (thrown) {
    const error: NodeJS.ErrnoException = toError(thrown);
    const why = reasons.get(error.code ?? '') ?? error.message;
    throw new PluglotError('UNAVAILABLE', `The server cannot listen on ${host}:${port}: ${sentence(why)}`, {
      cause: thrown,
    });
  }
  // One that listens on a port has such an address.
  return (server.address() as AddressInfo).port;
}

const reasons = new Map([
  ['EACCES', 'that port is kept for the system. Choose one above 1023'],
  ['EADDRINUSE', 'something else listens there. Choose another port'],
  ['EADDRNOTAVAIL', 'this machine does not have that address. Choose another host'],
  ['ENOTFOUND', 'nothing is known under that name. Choose another host'],
]);

/** Only the user reaches it, without a token. @throws PluglotError UNAVAILABLE when another host listens there */
export async function listenOnSocket(server: SocketServer, socket: string): Promise<void> {
  try {
    // The system cuts longer ones off without a word.
    if (Buffer.byteLength(socket) > SOCKET_PATH_MAX)
      throw new PluglotError(
        'UNAVAILABLE',
        `The path ${socket} is too long for a socket. Choose a shorter state folder with PLUGLOT_HOME.`,
      );
    makeOwnFolder(path.dirname(socket));
    // The first host has the name, and another one does not remove it.
    if (!(await takes(server, socket))) {
      await removeStale(socket);
      if (!(await takes(server, socket))) throw runsAlready(socket);
    }
    chmodSync(socket, 0o600);
  } catch (thrown) {
    if (thrown instanceof PluglotError) throw thrown;
    throw new PluglotError(
      'UNAVAILABLE',
      `The server cannot listen on ${socket}: ${sentence(toError(thrown).message)}`,
      {
        cause: thrown,
      },
    );
  }
}

const SOCKET_PATH_MAX = 103;

function makeOwnFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(folder);
  if (process.getuid !== undefined && uid !== process.getuid())
    throw new PluglotError(
      'UNAVAILABLE',
      `${folder} belongs to another user, who could take the place of this host. Choose another state folder with PLUGLOT_HOME.`,
    );
  // One that was there before may be open to others.
  if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** False when the name is taken. */
async function takes(server: SocketServer, socket: string): Promise<boolean> {
  try {
    await listening(server, () => server.listen(socket));
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE') return false;
    throw thrown;
  }
}

/** What a host that was killed has left; and that alone, should another one have come meanwhile. */
async function removeStale(socket: string): Promise<void> {
  const before = identityOf(socket);
  if (await isListening(socket)) throw runsAlready(socket);
  if (before === identityOf(socket)) rmSync(socket, { force: true });
}

/** Numbers of files are given again; the moment is not. */
function identityOf(file: string): string {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return `${stat?.ino} ${stat?.ctimeNs}`;
}

function runsAlready(socket: string): PluglotError {
  return new PluglotError(
    'UNAVAILABLE',
    `A host is running already: it listens on ${socket}. \`pluglot status\` shows it.`,
  );
}

function listening(server: SocketServer, begin: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      server.off('listening', succeed);
      reject(error);
    };
    const succeed = () => {
      server.off('error', fail);
      // What fails later is one connection.
      server.on('error', () => {});
      resolve();
    };
    server.once('error', fail);
    server.once('listening', succeed);
    begin();
  });
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

const always: OutgoingHttpHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
};

/** Put in with the others when they are written: to set each of them before would cost as much as the rest of a short answer. */
class SafeResponse extends ServerResponse {
  override writeHead(status: number, headers?: Headers): this;
  override writeHead(status: number, message?: string, headers?: Headers): this;
  override writeHead(status: number, first?: string | Headers, second?: Headers): this {
    const given = typeof first === 'string' ? second : first;
    const headers = Array.isArray(given)
      ? [...Object.entries(always).flat(), ...given]
      : { ...always, ...given };
    return typeof first === 'string'
      ? super.writeHead(status, first, headers as Headers)
      : super.writeHead(status, headers as Headers);
  }
}
