// A second socket of the user that speaks lines of MCP, as on stdio: for commands that pass a client on.
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
