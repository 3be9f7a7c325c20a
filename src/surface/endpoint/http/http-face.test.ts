import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { usualLimits } from '../options.ts';
import type { ServingRoom } from '../serving-room.ts';
import { HttpFace } from './http-face.ts';

test('who is refused as a listener for news of resources leaves nothing behind', async () => {
  const { url, listeners } = await world();
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    // What else has to be said of a client is missing.
    params: {
      notifications: { resourceSubscriptions: ['test://a'] },
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
    },
  });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
  };
  for (let time = 0; time < 5; time += 1) {
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.text();
    expect(response.status).toBe(400);
  }
  expect(listeners.opened).toBe(5);
  await expect.poll(() => listeners.closed).toBe(5);
});

async function world() {
  const listeners = { opened: 0, closed: 0 };
  const room = {
    clock: systemClock,
    limits: usualLimits,
    onChanged: () => () => {},
    failed: () => {},
    connect: () => {
      throw new Error('Nobody gets that far.');
    },
    listener() {
      listeners.opened += 1;
      return { subscribe: () => Promise.resolve(), close: () => void (listeners.closed += 1) };
    },
  };
  // No more of it is used here.
  const face = new HttpFace(room as unknown as ServingRoom, {} as ConstructorParameters<typeof HttpFace>[1]);
  const server = createServer((request, response) => void face.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}/mcp`, listeners };
}
