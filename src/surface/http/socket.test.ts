// The socket of the user, which needs no token: whose it is, and who has its name.
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { RuntimeApi } from '../../runtime/api.ts';
import { connectRuntime } from '../../runtime/connect/connect-runtime.ts';
import { createSocketServer } from './server.ts';

// What is asked here needs no more of it.
const api = {
  approvals: { pending: () => Promise.resolve([]) },
  tools: () => Promise.resolve([]),
} as unknown as RuntimeApi;

const serve = (unixSocket: string) => createSocketServer({ api, unixSocket });

async function answers(socket: string): Promise<void> {
  const connected = await connectRuntime(`unix:${socket}`);
  expect(await connected.tools()).toEqual([]);
  await connected.close();
}

test('a folder that was open to others is closed, and so is the socket', async () => {
  const folder = path.join(temporaryFolder(), 'run');
  fs.mkdirSync(folder);
  fs.chmodSync(folder, 0o777);
  const socket = path.join(folder, 'a.sock');
  const server = await serve(socket);
  expect([folder, socket].map((place) => fs.statSync(place).mode & 0o777)).toEqual([0o700, 0o600]);
  await answers(socket);
  await server.close();
  expect(fs.existsSync(socket)).toBe(false);
});

test.each([
  ['where nobody was before', () => {}],
  ['where one was killed', leaveStale],
])('of many that begin to listen at once one does, %s', async (_, prepare) => {
  const folder = path.join(temporaryFolder(), 'run');
  fs.mkdirSync(folder);
  const socket = path.join(folder, 'a.sock');
  await prepare(socket);
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => serve(socket)));
  const servers = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refusals = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(servers).toHaveLength(1);
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'UNAVAILABLE' });
  await answers(socket);
  await servers[0]?.close();
  expect(fs.readdirSync(folder)).toEqual([]);
});

test.each([
  ['null', null],
  ['a text', 'hello'],
  ['an empty object', {}],
  ['lists of nothing', { tools: [null], pending: [null], plugins: [null] }],
  ['fields of other types', { tools: [{ name: 1 }], pending: {}, plugins: 1, name: 2, ok: false }],
])('another program that answers %s is named in the error', async (_, answer) => {
  const socket = path.join(temporaryFolder(), 'a.sock');
  const json = JSON.stringify(answer);
  const server = http.createServer(({ headers: { accept } }, response) => {
    const isStream = accept === 'text/event-stream';
    response.end(
      isStream
        ? ['target', 'text', 'outcome'].map((name) => `event: ${name}\ndata: ${json}\n\n`).join('')
        : json,
    );
  });
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  const connected = await connectRuntime(`unix:${socket}`, undefined, { isChecked: false });
  const failure = {
    code: 'INVALID_RESPONSE',
    message: expect.stringContaining(`What answers at ${socket} is not a host of pluglot`) as string,
  };
  const asked = [
    connected.tools(),
    connected.tool('t'),
    connected.plugins(),
    connected.commands(),
    connected.approvals.pending(),
    connected.explain('t'),
    connected.start('p'),
  ];
  for (const one of await Promise.allSettled(asked)) expect(one).toMatchObject({ reason: failure });
  expect(await connected.call('t').outcome).toMatchObject({ ok: false, error: failure });
  await connected.close();
});

test('a call that failed for no reason is not taken for an answer', async () => {
  const socket = path.join(temporaryFolder(), 'a.sock');
  const outcome = JSON.stringify({ ok: false, id: '1', durationMs: 1 });
  const server = http.createServer((_, response) => response.end(`event: outcome\ndata: ${outcome}\n\n`));
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  const connected = await connectRuntime(`unix:${socket}`, undefined, { isChecked: false });
  expect(await connected.call('t').outcome).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE' } });
  await connected.close();
});

/** As a process leaves it that had no time to remove it. */
async function leaveStale(socket: string): Promise<void> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  fs.renameSync(socket, `${socket}.kept`);
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  fs.renameSync(`${socket}.kept`, socket);
}

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)('a socket of somebody else is not spoken to (needs root)', async () => {
  const socket = path.join(temporaryFolder(), 'a.sock');
  let connections = 0;
  const server = net.createServer((connection) => {
    connections += 1;
    connection.destroy();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  fs.chownSync(socket, 12_345, 12_345);
  await expect(connectRuntime(`unix:${socket}`)).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  expect(connections).toBe(0);
});

test.runIf(isRoot)('nobody listens in a folder of somebody else (needs root)', async () => {
  const folder = path.join(temporaryFolder(), 'run');
  fs.mkdirSync(folder);
  fs.chownSync(folder, 12_345, 12_345);
  await expect(serve(path.join(folder, 'a.sock'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a path that the system would cut off is refused', async () => {
  const socket = path.join(temporaryFolder(), 'x'.repeat(120), 'a.sock');
  await expect(serve(socket)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('too long for a socket') as string,
  });
});
