// A connection to the socket of the user that goes on as lines of MCP, as on stdio: for commands that pass on what a client says to them.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The word in `Upgrade`. */
export const MCP_PIPE = 'mcp-lines';

export function wantsMcpPipe({ headers, url }: IncomingMessage): boolean {
  return headers.upgrade?.trim().toLowerCase() === MCP_PIPE && url === '/mcp';
}

/** From now on it is no HTTP any more; `head` came after the request. */
export function acceptMcpPipe(socket: Socket, head: Buffer): void {
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${MCP_PIPE}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
}
