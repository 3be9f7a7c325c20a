import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { fakeClock } from '../../../testing/fake-clock.ts';
import { createSocketServer, type SocketServerOptions } from '../../http/server.ts';
import { attachPipe } from './attach-pipe.ts';

const never = new AbortController().signal;

test('one that takes connections and says nothing is not waited for', async () => {
  const clock = fakeClock();
  const { unixSocket, left } = await frozen();
  const attaching = attachPipe(unixSocket, never, clock);
  await expect.poll(() => clock.waiting).toBe(1);
  clock.advance(2000);
  expect(await attaching).toBeUndefined();
  await left;
});

test('whoever interrupts does not wait for it either', async () => {
  const interruption = new AbortController();
  const { unixSocket, taken, left } = await frozen();
  const attaching = attachPipe(unixSocket, interruption.signal);
  await taken;
  interruption.abort();
  await expect(attaching).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  await left;
});

test('one that is still starting refuses; later it is the wire', async () => {
  const unixSocket = path.join(temporaryFolder(), 'own', 'socket');
  const served: { serve?: (socket: net.Socket) => void } = {};
  const server = await createSocketServer({ api, unixSocket, mcpPipe: () => served.serve });
  onTestFinished(() => server.close());
  expect(await attachPipe(unixSocket, never)).toBeUndefined();
  served.serve = (socket) => void socket.pipe(socket);
  const wire = await attachPipe(unixSocket, never);
  wire?.write('hello');
  expect(String(wire && (await once(wire, 'data')))).toBe('hello');
  wire?.destroy();
});

test('nothing there, or nobody behind it, is no wire', async () => {
  const folder = temporaryFolder({ file: '' });
  expect(await attachPipe(path.join(folder, 'nothing'), never)).toBeUndefined();
  expect(await attachPipe(path.join(folder, 'file'), never)).toBeUndefined();
});

// Nobody asks anything of it here.
const api = {} as SocketServerOptions['api'];

async function frozen() {
  const unixSocket = path.join(temporaryFolder(), 'socket');
  const server = net.createServer();
  server.listen(unixSocket);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const taken = once(server, 'connection') as Promise<[net.Socket]>; // as Node documents it
  const left = taken.then(([socket]) => {
    socket.on('error', () => {});
    return once(socket.resume(), 'close');
  });
  return { unixSocket, taken, left };
}
