import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { serveHost } from './attach-server.ts';
import { attach } from './attached-host.ts';
import type { Host } from './host.ts';

// What is asked here needs no more of it.
const host = { plugins: () => Promise.resolve([]) } as unknown as Host;

test('a folder that was open to others is closed, and so is the socket', async () => {
  const folder = path.join(temporaryFolder(), 'run');
  fs.mkdirSync(folder);
  fs.chmodSync(folder, 0o777);
  const socket = path.join(folder, 'a.sock');
  const server = await serveHost(host, socket);
  expect([folder, socket].map((place) => fs.statSync(place).mode & 0o777)).toEqual([0o700, 0o600]);
  const attached = await attach(socket);
  expect(await attached?.plugins()).toEqual([]);
  await attached?.close();
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
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => serveHost(host, socket)));
  const servers = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refusals = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(servers).toHaveLength(1);
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  const attached = await attach(socket);
  expect(await attached?.plugins()).toEqual([]);
  await attached?.close();
  await servers[0]?.close();
  expect(fs.readdirSync(folder)).toEqual([]);
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
  expect(await attach(socket)).toBeUndefined();
  expect(connections).toBe(0);
});

test.runIf(isRoot)('nobody listens in a folder of somebody else (needs root)', async () => {
  const folder = path.join(temporaryFolder(), 'run');
  fs.mkdirSync(folder);
  fs.chownSync(folder, 12_345, 12_345);
  await expect(serveHost(host, path.join(folder, 'a.sock'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
