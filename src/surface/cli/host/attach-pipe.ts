// The MCP endpoint of a running `up`, as a wire: what is written to it are lines of MCP, as on stdio.
import { lstat } from 'node:fs/promises';
import http from 'node:http';
import type { Socket } from 'node:net';
import { systemClock, type Clock } from '../../../base/clock.ts';
import { late, within } from '../../../base/within.ts';
import { MCP_PIPE } from '../../http/socket/mcp-pipe.ts';
import { unlessInterrupted } from '../interruption.ts';

/** One that was suspended takes connections and says nothing. */
const ANSWER_MS = 2000;

/**
 * Undefined when no `up` of this user runs there, or one that has no such wire, or not yet, or that does not answer.
 * @throws PluglotError CALL_CANCELLED when the signal fires first
 */
export async function attachPipe(
  socketPath: string,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<Socket | undefined> {
  const stats = await lstat(socketPath).catch(() => undefined);
  // One of somebody else is not spoken to.
  const isOwn =
    stats?.isSocket() === true && (process.getuid === undefined || stats.uid === process.getuid());
  if (!isOwn) return undefined;
  const request = http.request({
    socketPath,
    path: '/mcp',
    headers: { host: 'localhost', connection: 'Upgrade', upgrade: MCP_PIPE },
  });
  let wire: Socket | undefined;
  try {
    const answered = await unlessInterrupted(signal, within(answerTo(request), ANSWER_MS, clock));
    wire = answered === late ? undefined : answered;
    return wire;
  } finally {
    if (wire === undefined) request.destroy();
  }
}

function answerTo(request: http.ClientRequest): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    request.once('upgrade', (_, socket: Socket, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.once('response', (response) => {
      response.resume();
      resolve(undefined);
    });
    // Who was killed leaves a socket behind.
    request.on('error', () => resolve(undefined));
    request.end();
  });
}
