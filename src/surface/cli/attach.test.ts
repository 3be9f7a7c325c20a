import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ask } from '../../../test/support/surface/http-client.ts';
import { command } from '../../../test/support/surface/in-process-cli.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { testRuntime } from '../../../test/support/surface/test-runtime.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createSocketServer, type SocketServerOptions } from '../http/server.ts';
import { pipeSocketOf } from '../http/mcp-pipe.ts';
import { attachPipe, socketOf } from './attach.ts';

const never = new AbortController().signal;

test('`pluglot call` beside a running host is one request', async () => {
  const { runtime } = await testRuntime();
  const at = { cwd: temporaryFolder(), home: temporaryFolder() };
  const env = { PLUGLOT_HOME: path.join(at.home, 'pluglot') };
  const unixSocket = await socketOf({ ...at, env, configFile: undefined });
  const server = await createSocketServer({ api: runtime, unixSocket });
  onTestFinished(() => server.close());
  expect(await command(['call', 'greet', 'name=5'], at)).toMatchObject({ exitCode: 0, stdout: 'Hello 5\n' });
  const { text } = await ask('http://localhost', '/metrics', { socketPath: unixSocket });
  expect(text.match(/^pluglot_http_requests_total.*$/gm)).toEqual([
    'pluglot_http_requests_total{method="POST",route="/api/v1/tools/{name}/call",status="200"} 1',
  ]);
});

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
  const folder = temporaryFolder({ 'file.mcp.sock': '' });
  expect(await attachPipe(path.join(folder, 'nothing'), never)).toBeUndefined();
  expect(await attachPipe(path.join(folder, 'file.sock'), never)).toBeUndefined();
});

// Nobody asks anything of it here.
const api = {} as SocketServerOptions['api'];

async function frozen() {
  const unixSocket = path.join(temporaryFolder(), 'socket');
  const server = net.createServer();
  server.listen(pipeSocketOf(unixSocket));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const taken = once(server, 'connection') as Promise<[net.Socket]>; // as Node documents it
  const left = taken.then(([socket]) => {
    socket.on('error', () => {});
    return once(socket.resume(), 'close');
  });
  return { unixSocket, taken, left };
}
