// The MCP endpoint of a running `up`, as a wire: what is written to it are lines of MCP, as on stdio.
import { lstat } from 'node:fs/promises';
import http from 'node:http';
import type { Socket } from 'node:net';
import { MCP_PIPE } from '../../http/socket/mcp-pipe.ts';

/** Undefined when no `up` of this user runs there, or one that has no such wire. */
export async function attachPipe(socketPath: string): Promise<Socket | undefined> {
  const stats = await lstat(socketPath).catch(() => undefined);
  // One of somebody else is not spoken to.
  const isOwn =
    stats?.isSocket() === true && (process.getuid === undefined || stats.uid === process.getuid());
  if (!isOwn) return undefined;
  return new Promise((resolve) => {
    const request = http.request({
      socketPath,
      path: '/mcp',
      headers: { host: 'localhost', connection: 'Upgrade', upgrade: MCP_PIPE },
    });
    request.once('upgrade', (_, socket: Socket, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.once('response', (response) => {
      response.resume();
      resolve(undefined);
    });
    // Who was killed leaves a socket behind.
    request.once('error', () => resolve(undefined));
    request.end();
  });
}
