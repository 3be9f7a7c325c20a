import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { usualLimits } from '../options.ts';
import type { LinkListener } from '../../../channel/link/link.ts';
import type { Connected, Serving } from '../serving.ts';
import { HttpTransport } from './http-transport.ts';

test('a request to listen that is refused opens nothing', async () => {
  const { url, connections } = await world();
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
  expect(connections()).toBe(0);
});

test('each message of a batch has a turn of the event loop to itself, so that others are served between', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const seen: number[] = [];
  const { url } = await world((_access, _id, link) => {
    link.open({
      chunkStart: () => {},
      end: () => {},
      message(message) {
        if (message.kind !== 'request') return;
        seen.push(turns);
        link.send({ kind: 'success', id: message.id, result: {} });
      },
    } as Partial<LinkListener> as LinkListener);
    return { server: { isInitialized: true }, close: () => {} } as unknown as Connected;
  });
  const post = (body: unknown, session = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...session,
      },
      body: JSON.stringify(body),
    });
  const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const begun = await post({ ...request(0), method: 'initialize' });
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') };
  seen.length = 0;
  count();
  const response = await post([request(1), request(2), request(3), request(4)], session);
  expect((await response.text()).match(/"id":\d/g)).toEqual(['"id":1', '"id":2', '"id":3', '"id":4']);
  isOver = true;
  expect(new Set(seen).size).toBe(4);
});

async function world(connect?: Serving['connect']) {
  let opened = 0;
  const serving = {
    clock: systemClock,
    limits: usualLimits,
    failed: () => {},
    connect:
      connect ??
      (() => {
        opened += 1;
        throw new Error('It should have been refused.');
      }),
  };
  // No more of it is used here.
  const transport = new HttpTransport(
    serving as unknown as Serving,
    {} as ConstructorParameters<typeof HttpTransport>[1],
  );
  const server = createServer((request, response) => void transport.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}/mcp`, connections: () => opened };
}
