// Sockets of the user: whether a host listens, and the second one, which speaks lines of MCP as on stdio.
import net, { type Server, type Socket } from 'node:net';

/** Sent first, so that a client can recognise a suspended host. */
export const PIPE_GREETING = 'pluglot mcp\n';

export function pipeSocketOf(unixSocket: string): string {
  return unixSocket.replace(/(\.sock)?$/, '.mcp.sock');
}

/** A connection is closed at once while nothing can serve it. */
export function createPipeServer(serve: () => ((socket: Socket) => void) | undefined): {
  readonly server: Server;
  close(): Promise<void>;
} {
  const sockets = new Set<Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    const serveOn = serve();
    if (serveOn === undefined) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.write(PIPE_GREETING);
    serveOn(socket);
  });
  return {
    server,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

/** Whether a host listens on the socket: one that was killed leaves the file behind. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}
