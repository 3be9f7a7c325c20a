// Clients that say too much, too slowly, or do not listen: each costs little, and ends.
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask, credentials, open, raw } from '../../../test/support/surface/http-client.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { COOKIE, testServer } from '../../../test/support/surface/test-runtime.ts';
import { MiB } from '../../base/units.ts';
import { sseParser } from '../../base/sse.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { requestLimits, usualRequestLimits } from './limits.ts';
import type { HttpServer } from './server.ts';

const head = (method: string, path: string, ...lines: readonly string[]) =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `cookie: pluglot=${COOKIE}`,
    'sec-fetch-site: same-origin',
    ...lines,
    '',
    '',
  ].join('\r\n');
const call = '/api/v1/tools/echo/call';
const json = 'content-type: application/json';
const codeOf = (server: HttpServer) => server.consoleLink().url.split('/').at(-1);

test('a body that says that it is too large is not read', async () => {
  const { server } = await testServer({ limits: { bodyBytes: 1000 } });
  const text = await raw(server.port, head('POST', call, json, 'content-length: 1001'));
  expect(text).toMatch(/^HTTP\/1.1 413 /);
  expect(text).toContain('urn:pluglot:BAD_REQUEST');
});

test('a body without a length is read up to the limit and no further', async () => {
  const { server } = await testServer({ limits: { bodyBytes: MiB } });
  const answer = await new Promise<number>((resolve) => {
    const request = http.request({
      port: server.port,
      method: 'POST',
      path: call,
      headers: {
        cookie: `pluglot=${COOKIE}`,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
      },
    });
    let isAnswered = false;
    request.on('response', (response) => {
      isAnswered = true;
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    // The server may hang up while it is still spoken to.
    request.on('error', () => {});
    const more = () => {
      if (isAnswered || request.destroyed) return void request.destroy();
      if (request.write(Buffer.alloc(64 * 1024, 32))) setImmediate(more);
      else request.once('drain', more);
    };
    more();
  });
  expect(answer).toBe(413);
  expect(
    (await ask(server.url, call, { method: 'POST', body: { args: { a: 'x'.repeat(MiB / 2) } } })).status,
  ).toBe(200);
});

test('a body of the full size passes', async () => {
  const { server } = await testServer();
  const a = 'x'.repeat(4 * MiB - 100);
  const { json: outcome } = await ask(server.url, call, { method: 'POST', body: { args: { a } } });
  expect(outcome).toMatchObject({ ok: true });
});

test('limits that a configuration does not name are the usual ones', () => {
  expect(requestLimits()).toEqual(usualRequestLimits);
  expect(requestLimits({ keys: 7, bodyBytes: 100 })).toEqual({
    bodyBytes: 100,
    json: { ...usualRequestLimits.json, keys: 7 },
  });
});

test('a body with more keys, values or levels than are allowed is not parsed', async () => {
  const { server } = await testServer({ limits: { json: { keys: 10, values: 20, depth: 5 } } });
  const headers = { 'content-type': 'application/json' };
  for (const [args, why] of [
    [`{${'"a":1,'.repeat(10)}"b":1}`, 'more than 10 keys'],
    [`{"a":[${'1,'.repeat(20)}1]}`, 'more than 20 values'],
    [`{"a":${'['.repeat(4)}${']'.repeat(4)}}`, 'more than 5 levels'],
    // Not even whether it is JSON.
    [`{"a":${'['.repeat(100)}`, 'more than 5 levels'],
  ] as const) {
    const answer = await ask(server.url, call, { method: 'POST', headers, body: `{"args":${args}}` });
    expect(answer.json).toMatchObject({
      status: 413,
      code: 'BAD_REQUEST',
      detail: expect.stringMatching(`${why}.*server\\.limits`) as string,
    });
  }
  expect((await ask(server.url, call, { method: 'POST', body: { args: { a: [1, 2] } } })).status).toBe(200);
});

test('a client that sends a byte now and then is given up', async () => {
  const { server } = await testServer({ limits: { requestMs: 300, headersMs: 300 } });
  for (const opening of [head('POST', call, json, 'content-length: 100'), 'POST / HT']) {
    const socket = net.connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(opening);
    const dripping = setInterval(() => socket.write('x'), 50);
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    clearInterval(dripping);
    expect(text).toMatch(/^HTTP\/1.1 (408|400) /);
  }
});

describe('a code that is posted, by nobody yet,', () => {
  const posted = (length: number) =>
    ['POST / HTTP/1.1', 'host: 127.0.0.1', json, `content-length: ${length}`, '', ''].join('\r\n');

  test('is short', async () => {
    const { server } = await testServer();
    expect(await raw(server.port, posted(4097))).toMatch(/^HTTP\/1.1 413 /);
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const long = { method: 'POST', token: null, headers, body: ' '.repeat(5000) };
    expect((await ask(server.url, '/', long)).status).toBe(413);
    const right = { method: 'POST', token: null, body: { code: codeOf(server) } };
    expect((await ask(server.url, '/', right)).status).toBe(204);
  });

  test('comes at once, of few at a time', async () => {
    const clock = fakeClock();
    const { server } = await testServer({ clock });
    const slow = Array.from({ length: 16 }, () => raw(server.port, `${posted(100)}{`));
    await expect.poll(() => clock.waiting).toBe(16);
    const more = await ask(server.url, '/', { method: 'POST', token: null, body: { code: codeOf(server) } });
    expect(more.json).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(more.headers['retry-after']).toBe('5');
    clock.advance(5000);
    for (const text of await Promise.all(slow)) expect(text).toMatch(/^HTTP\/1.1 408 /);
    const again = await ask(server.url, '/', { method: 'POST', token: null, body: { code: codeOf(server) } });
    expect(again.status).toBe(204);
  });
});

test('heads and addresses have limits', async () => {
  const { server } = await testServer();
  const long = await raw(server.port, head('GET', '/', `x: ${'y'.repeat(20_000)}`));
  expect(long).toMatch(/^HTTP\/1.1 431 /);
  expect(await raw(server.port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  expect(await raw(server.port, 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  const absolute = head('GET', 'http://127.0.0.1/api/v1/tools', 'connection: close');
  expect(await raw(server.port, absolute)).toMatch(/^HTTP\/1.1 400 /);
  const both = head('POST', call, json, 'content-length: 5', 'transfer-encoding: chunked');
  expect(await raw(server.port, both)).toMatch(/^HTTP\/1.1 400 /);
});

test('a client that goes away takes its call with it, whatever form it asked for', async () => {
  for (const accept of ['text/event-stream', 'application/json']) {
    const { server, waiting, cancelled, api } = await testServer();
    const request = http.request({
      port: server.port,
      method: 'POST',
      path: '/api/v1/tools/wait/call',
      headers: { ...credentials(undefined), accept },
    });
    request.on('error', () => {});
    request.end();
    await waiting;
    request.destroy();
    await cancelled;
    await expect.poll(async () => (await api.plugin('greeter')).stats.running).toBe(0);
  }
});

// Over a port, the system takes tens of megabytes for a client that does not read; over a socket it takes little.
async function slowServer(stallMs = 300) {
  const socketPath = path.join(temporaryFolder(), 'run', 'x.sock');
  const host = await testServer({
    unixSocket: socketPath,
    limits: { stallMs, waitingBytes: 64 * 1024 },
  });
  return { ...host, socketPath };
}

test('a client that does not read what a call says loses it', async () => {
  // Long enough to see the call while it lasts, also on a busy machine.
  const { server, socketPath } = await slowServer(3000);
  const response = await open(server.url, '/api/v1/tools/large/call', {
    method: 'POST',
    body: {},
    headers: { accept: 'text/event-stream' },
    socketPath,
  });
  response.on('error', () => {});
  expect(await metric(server.url, 'pluglot_http_calls')).toBe(1);
  await expect.poll(() => metric(server.url, 'pluglot_http_calls'), { timeout: 15_000 }).toBe(0);
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
  response.resume();
  await closed;
  expect(response.complete).toBe(false);
});

test('a client that does not read a large answer is hung up on', async () => {
  const { server, socketPath } = await slowServer();
  const response = await open(server.url, '/api/v1/tools/large/call', {
    method: 'POST',
    body: {},
    socketPath,
  });
  response.on('error', () => {});
  const answered =
    'pluglot_http_requests_total{method="POST",route="/api/v1/tools/{name}/call",status="200"}';
  await expect.poll(() => metric(server.url, answered)).toBe(1);
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
  response.resume();
  await closed;
  expect(response.complete).toBe(false);
});

test('a client that follows events without reading them gets a part of them, and is hung up on in the end', async () => {
  const { server, api, socketPath } = await slowServer();
  const response = await open(server.url, '/api/v1/events', {
    headers: { accept: 'text/event-stream' },
    socketPath,
  });
  response.on('error', () => {});
  const said = Array.from({ length: 15 }, () => 'x'.repeat(2000));
  expect(await metric(server.url, 'pluglot_http_streams')).toBe(1);
  await expect
    .poll(async () => {
      await Promise.all(Array.from({ length: 20 }, () => api.call('echo', { said })));
      return metric(server.url, 'pluglot_http_streams');
    })
    .toBe(0);
});

test('a client that reads late is told how much it has missed', async () => {
  const socketPath = path.join(temporaryFolder(), 'run', 'x.sock');
  const { server, api } = await testServer({ unixSocket: socketPath, limits: { waitingBytes: 64 * 1024 } });
  const response = await open(server.url, '/api/v1/events', {
    headers: { accept: 'text/event-stream' },
    socketPath,
  });
  const said = Array.from({ length: 15 }, () => 'x'.repeat(2000));
  for (let turn = 0; turn < 10; turn += 1)
    await Promise.all(Array.from({ length: 10 }, () => api.call('echo', { said })));
  const parse = sseParser();
  let missed = 0;
  for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
    for (const { name, data } of parse(piece))
      if (name === 'dropped') missed += (JSON.parse(data) as { count: number }).count;
    if (missed > 50) break;
  }
  expect(missed).toBeGreaterThan(50);
});

test('fifty clients at once are all answered', async () => {
  const { user, api } = await testServer();
  const clients = await Promise.all(Array.from({ length: 50 }, () => user()));
  const outcomes = await Promise.all(
    clients.flatMap((client, index) =>
      Array.from({ length: 10 }, (_, turn) => client.call('greet', { name: `${index}.${turn}` })),
    ),
  );
  expect(outcomes.map(({ text }) => text)).toEqual(
    clients.flatMap((_, index) => Array.from({ length: 10 }, (__, turn) => `Hello ${index}.${turn}`)),
  );
  expect((await api.plugin('greeter')).stats).toMatchObject({ calls: 500, running: 0 });
});

test('more calls, conversations or followers than are allowed are refused', async () => {
  const { server, waiting } = await testServer({ limits: { calls: 1, talks: 0, streams: 0 } });
  const first = await open(server.url, '/api/v1/tools/wait/call', { method: 'POST', body: {} });
  await waiting;
  const more = await ask(server.url, call, { method: 'POST', body: {} });
  expect(more.json).toMatchObject({ status: 429, code: 'TOO_MANY_CALLS' });
  expect(more.headers['retry-after']).toBe('1');
  first.destroy();
  expect((await ask(server.url, '/api/v1/talks', { method: 'POST', body: { tool: 'x' } })).status).toBe(429);
  expect((await ask(server.url, '/api/v1/events')).status).toBe(503);
});

test('a server that closes ends its streams, cancels its calls and answers them', async () => {
  const { server, waiting } = await testServer({ limits: { closeMs: 50 } });
  const events = ask(server.url, '/api/v1/events', { headers: { accept: 'text/event-stream' } });
  const logs = ask(server.url, '/api/v1/plugins/greeter/logs?follow=1', {
    headers: { accept: 'text/event-stream' },
  });
  const running = ask(server.url, '/api/v1/tools/wait/call', { method: 'POST', body: {} });
  await waiting;
  await expect.poll(() => metric(server.url, 'pluglot_http_streams')).toBe(2);
  await server.close();
  expect((await running).json).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect((await events).text).toContain('event: hello');
  expect((await logs).status).toBe(200);
  await expect(ask(server.url, '/api/v1/health')).rejects.toThrow(/ECONNREFUSED/);
});

async function metric(url: string, name: string): Promise<number> {
  const { text } = await ask(url, '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}
