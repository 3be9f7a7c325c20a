// WebSockets: who is let in, and clients that say too much, break the rules, or are not there any more.
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSocket, Refused, type SocketAsked } from '../../../../test/support/event-clients.ts';
import { ask, raw, type Answered } from '../../../../test/support/http-client.ts';
import {
  callOf,
  frame,
  many,
  rawClient,
  upgrade,
  type RawClient,
} from '../../../../test/support/raw-web-socket.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { testServer, TOKEN } from '../../../../test/support/test-runtime.ts';
import { fakeClock } from '../../../testing/fake-clock.ts';
import type { HttpServer } from '../server.ts';

const events = '/api/v1/events';
const problem = (status: number, code: string) => ({
  status,
  json: { status, code, type: `urn:pluglot:${code}`, detail: expect.any(String) as string },
  headers: { 'content-type': 'application/problem+json', connection: 'close' },
});

describe('the door', () => {
  test.each([
    ['another name', { host: 'evil.example' }],
    ['another name with our port', { host: 'evil.example:PORT' }],
    ['a name that begins like ours', { host: 'localhost.evil.example' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of a name that begins like ours', { origin: 'http://127.0.0.1.evil.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page that hides its origin', { 'sec-fetch-site': 'cross-site' }],
  ])('%s is refused before anything else, also with the token and the cookie', async (_, given) => {
    const { server } = await testServer();
    const headers = Object.fromEntries(
      Object.entries({ ...given, cookie: await cookieOf(server) }).map(([name, value]) => [
        name,
        value.replace('PORT', String(server.port)),
      ]),
    );
    for (const path of [events, '/api/v1/nothing', '/mcp'])
      expect(await refusal(server, { path, headers })).toMatchObject(problem(403, 'REQUEST_REFUSED'));
  });

  test('a page of ours is let in, and one that the owner allows', async () => {
    const { server } = await testServer({ allowedOrigins: ['https://ui.example'] });
    for (const origin of [server.url, 'https://ui.example']) {
      const { hearing } = await openSocket(server.url, { headers: { origin }, token: TOKEN });
      expect(await hearing.next('hello')).toEqual({ name: 'hello', data: { version: '1.2.3' } });
    }
  });

  test('no page may ask over the socket of the user', async () => {
    const unixSocket = path.join(temporaryFolder(), 'run', 'x.sock');
    const { server } = await testServer({ unixSocket });
    const over = { socketPath: unixSocket, token: null };
    expect(await refusal(server, { ...over, headers: { origin: 'http://localhost' } })).toMatchObject(
      problem(403, 'REQUEST_REFUSED'),
    );
    await (await openSocket(server.url, over)).hearing.next('hello');
  });
});

describe('the token', () => {
  test.each([null, 'x', `${TOKEN}x`, TOKEN.slice(0, -1)])('%j does not let in', async (token) => {
    const { server } = await testServer();
    const bearer = token === null ? [] : ['pluglot.v1', `pluglot.bearer.${token}`];
    for (const asked of [
      { token },
      { token: null, protocols: bearer },
      { token: null, query: `?token=${token ?? TOKEN}` },
      { token: null, headers: { cookie: `pluglot=${token ?? TOKEN}` } },
    ]) {
      const answer = await refusal(server, asked);
      expect(answer).toMatchObject(problem(401, 'UNAUTHENTICATED'));
      expect(answer.headers['www-authenticate']).toContain('Bearer');
      expect(JSON.stringify(answer)).not.toContain(TOKEN);
    }
  });

  test('may stand beside the protocol, and is not repeated', async () => {
    const { server } = await testServer();
    const bearer = `pluglot.bearer.${TOKEN}`;
    for (const protocols of [
      ['pluglot.v1', bearer],
      [bearer, 'pluglot.v1'],
      ['pluglot.v2', 'pluglot.v1', bearer],
    ]) {
      const { headers, webSocket, hearing } = await openSocket(server.url, { token: null, protocols });
      await hearing.next('hello');
      expect(webSocket.protocol).toBe('pluglot.v1');
      expect(JSON.stringify(headers)).not.toContain(TOKEN);
    }
    for (const protocols of [[bearer], [bearer, 'pluglot.v2']]) {
      const answer = await refusal(server, { token: null, protocols });
      expect(answer).toMatchObject(problem(400, 'BAD_REQUEST'));
      expect(JSON.stringify(answer)).not.toContain(TOKEN);
    }
    // For what begins a WebSocket alone.
    const plain = { 'sec-websocket-protocol': `pluglot.v1, ${bearer}` };
    expect((await ask(server.url, events, { token: null, headers: plain })).status).toBe(401);
  });

  test('no protocol has to be offered, but one that is has to be ours', async () => {
    const { server } = await testServer();
    expect((await openSocket(server.url)).webSocket.protocol).toBe('');
    expect((await openSocket(server.url, { protocols: ['pluglot.v1'] })).webSocket.protocol).toBe(
      'pluglot.v1',
    );
    expect(await refusal(server, { protocols: ['chat'] })).toMatchObject(problem(400, 'BAD_REQUEST'));
  });

  test('the page of the console has its cookie, pages of other ports have it in vain', async () => {
    const { server } = await testServer();
    const cookie = await cookieOf(server);
    for (const headers of [
      { cookie, origin: server.url },
      { cookie, 'sec-fetch-site': 'same-origin' },
      { cookie, origin: server.url, 'sec-fetch-site': 'same-origin' },
    ])
      await (await openSocket(server.url, { token: null, headers })).hearing.next('hello');
    expect(
      await refusal(server, { token: null, headers: { cookie, 'sec-fetch-site': 'same-site' } }),
    ).toMatchObject(problem(401, 'UNAUTHENTICATED'));
    // A page always says where it is from.
    for (const headers of [{ cookie }, { cookie, 'sec-fetch-site': 'none' }])
      expect(await refusal(server, { token: null, headers })).toMatchObject(problem(401, 'UNAUTHENTICATED'));
    expect(
      await refusal(server, { token: null, headers: { cookie: `${cookie}x`, origin: server.url } }),
    ).toMatchObject(problem(401, 'UNAUTHENTICATED'));
  });
});

describe('what does not begin a WebSocket', () => {
  test.each([
    ['GET', '/api/v1/nothing', 404],
    ['GET', '/', 404],
    ['GET', '/mcp', 404],
    ['GET', '/api/v1/tools', 404],
    ['GET', '/api/v1/health', 404],
    ['GET', '/metrics', 404],
    ['POST', '/api/v1/tools/echo/call', 404],
    ['GET', '/api/v1/tools/echo/call', 405],
    ['POST', events, 405],
    ['HEAD', events, 400],
    ['GET', `${events}?since=x`, 400],
    ['GET', `${events}/${'x'.repeat(9000)}`, 414],
    ['GET', `http://127.0.0.1${events}`, 400],
  ])('%s %s is %i', async (method, where, status) => {
    const { server } = await testServer({ mcp: (_, response) => void response.end('mcp') });
    const text = await raw(server.port, upgrade({ method, path: where }));
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toContain('content-type: application/problem+json');
    expect(text).not.toContain('101 Switching');
  });

  test.each([
    ['no key', { 'sec-websocket-key': undefined }, 400],
    ['a key that is none', { 'sec-websocket-key': 'x' }, 400],
    ['no version', { 'sec-websocket-version': undefined }, 426],
    ['an old version', { 'sec-websocket-version': '8' }, 426],
    ['a new version', { 'sec-websocket-version': '14' }, 426],
    ['protocols that are none', { 'sec-websocket-protocol': 'pluglot.v1, a b' }, 400],
    ['protocols twice', { 'sec-websocket-protocol': 'pluglot.v1, pluglot.v1' }, 400],
    ['a name that is none', { host: 'a b' }, 400],
  ])('%s', async (_, headers, status) => {
    const { server } = await testServer();
    const text = await raw(server.port, upgrade({ headers }));
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toContain('content-type: application/problem+json');
    expect(/^sec-websocket-version: 13\r$/m.test(text)).toBe(status === 426);
    expect((await ask(server.url, '/api/v1/health')).status).toBe(200);
  });

  test.each(['websocket', 'h2c'])('a wish for %s before the last answer came ends both', async (wish) => {
    // It does not move, so that no head of an answer goes ahead of it.
    const { server, waiting, cancelled } = await testServer({ clock: fakeClock() });
    const socket = net.connect(server.port, '127.0.0.1').resume();
    const closed = once(socket, 'close');
    socket.write(callOf('wait', {}));
    await waiting;
    socket.write(upgrade({ headers: { upgrade: wish } }));
    await Promise.all([closed, cancelled]);
    expect(socket.bytesRead).toBe(0);
    expect(await raw(server.port, `${callOf('wait', {})}${upgrade({ headers: { upgrade: wish } })}`)).toBe(
      '',
    );
    expect((await ask(server.url, '/api/v1/health')).status).toBe(200);
  });

  test('a wish for another protocol is not followed, and what was asked for is answered', async () => {
    // It does not move, so that answers come in one piece.
    const { server } = await testServer({ clock: fakeClock() });
    const socket = net.connect(server.port, '127.0.0.1').setEncoding('utf8');
    onTestFinished(() => void socket.destroy());
    const wish = { upgrade: 'h2c', connection: 'Upgrade, HTTP2-Settings', 'http2-settings': 'AAMAAABk' };
    // The same connection serves them all, and the body may come late.
    for (let turn = 0; turn < 20; turn += 1) {
      const call = callOf('greet', { name: 'Ada' }, wish);
      socket.write(call.slice(0, -5));
      setImmediate(() => socket.write(call.slice(-5)));
      const [answer] = (await once(socket, 'data')) as [string];
      expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*"text":"Hello Ada"/);
    }
    socket.write(upgrade({ path: '/api/v1/health', headers: { ...wish, connection: 'Upgrade, close' } }));
    const [answer] = (await once(socket, 'data')) as [string];
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*connection: close\r\n[^]*"status":"ok"/i);
  });

  test('one of too many headers for that is given up', async () => {
    const { server } = await testServer();
    const headers = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`x${index}`, '']));
    const text = await raw(server.port, upgrade({ headers: { ...headers, upgrade: 'h2c' } }));
    expect(text).toBe('');
  });
});

describe('a client that', () => {
  test.each([
    ['says something', (client: RawClient) => client.send(frame(1, 'hello')), 1008],
    ['says something in bytes', (client: RawClient) => client.send(frame(2, 'hello')), 1008],
    ['says something of the full size', (client: RawClient) => client.send(frame(1, 'x'.repeat(4096))), 1008],
    ['says too much', (client: RawClient) => client.send(frame(1, 'x'.repeat(4097))), 1009],
    [
      'says that it will say too much',
      (client: RawClient) => client.send(frame(1, '', { length: 2 ** 40 })),
      1009,
    ],
    ['says too much in parts', (client: RawClient) => sendParts(client), 1009],
    ['says what is no text', (client: RawClient) => client.send(frame(1, Buffer.from([0xff]))), 1007],
    [
      'does not mask what it says',
      (client: RawClient) => client.send(frame(1, 'x', { isMasked: false })),
      1002,
    ],
    ['compresses what it says', (client: RawClient) => client.send(frame(0x41, 'x')), 1002],
    ['speaks another protocol', (client: RawClient) => client.send('GET / HTTP/1.1\r\n\r\n'), 1002],
    ['sends 150 pings at once', (client: RawClient) => client.send(many(150, frame(9, 'x'))), 1008],
    ['sends 150 pongs at once', (client: RawClient) => client.send(many(150, frame(10, 'x'))), 1008],
  ])('%s is told why it is left, and is not waited for', async (_, say, code) => {
    const clock = fakeClock();
    const { server } = await testServer({ clock });
    const client = await rawClient(server);
    say(client);
    expect((await client.next(8)).readUInt16BE()).toBe(code);
    clock.advance(2999);
    expect(await followers(server)).toBe(1);
    clock.advance(1);
    await expect.poll(() => followers(server)).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  test('begins to speak before it is let in is heard like any other', async () => {
    const { server } = await testServer();
    const client = await rawClient(server, many(2, frame(1, 'hello')));
    expect((await client.next(8)).readUInt16BE()).toBe(1008);
    const broken = await rawClient(server, Buffer.from([0xff, 0xff, 0xff]));
    expect((await broken.next(8)).readUInt16BE()).toBe(1002);
  });

  test.each([
    ['messages', frame(1, 'hello')],
    ['pings', frame(9, 'x'.repeat(125))],
    ['pongs', frame(10, '')],
  ])('does not stop to send %s and does not read is hung up on', async (_, one) => {
    const clock = fakeClock();
    const { server } = await testServer({ clock });
    const client = await rawClient(server);
    client.socket.pause();
    const piece = many(1000, one);
    const more = () => {
      if (client.socket.destroyed) return;
      if (client.socket.write(piece)) setImmediate(more);
      else client.socket.once('drain', more);
    };
    more();
    await expect.poll(() => followers(server)).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  test('sends a ping now and then gets its answer', async () => {
    const clock = fakeClock();
    const { server } = await testServer({ clock });
    const client = await rawClient(server);
    for (let turn = 0; turn < 100; turn += 1) {
      client.send(frame(9, `are you there ${turn}`));
      expect((await client.next(10)).toString()).toBe(`are you there ${turn}`);
    }
    clock.advance(15_000);
    await client.next(9);
    client.send(frame(9, 'still?'));
    expect((await client.next(10)).toString()).toBe('still?');
  });

  test('answers pings stays, and is asked every 15 s', async () => {
    const clock = fakeClock();
    const { server, api } = await testServer({ clock });
    const { webSocket, hearing } = await openSocket(server.url);
    await hearing.next('hello');
    for (let turn = 0; turn < 10; turn += 1) {
      const asked = once(webSocket, 'ping');
      clock.advance(15_000);
      await asked;
      await expect.poll(() => clock.waiting).toBe(1);
    }
    await api.stop('greeter');
    await hearing.next('plugin');
  });

  test('is not there any more is found out', async () => {
    const clock = fakeClock();
    const { server } = await testServer({ clock });
    const client = await rawClient(server);
    clock.advance(15_000);
    await client.next(9);
    clock.advance(29_999);
    expect(client.isLeft).toBe(false);
    clock.advance(1);
    await client.left;
    await expect.poll(() => followers(server)).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  test('takes leave is answered', async () => {
    const clock = fakeClock();
    const { server } = await testServer({ clock });
    const { webSocket, hearing, closed } = await openSocket(server.url);
    await hearing.next('hello');
    webSocket.close(1000, 'enough');
    expect(await closed).toEqual({ code: 1000, reason: 'enough' });
    await expect.poll(() => followers(server)).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  test('takes leave and does not go is not waited for', async () => {
    const clock = fakeClock();
    const { server } = await testServer({ clock });
    const client = await rawClient(server);
    client.send(frame(8, Buffer.from([0x03, 0xe8])));
    expect((await client.next(8)).readUInt16BE()).toBe(1000);
    await client.left;
    expect(await followers(server)).toBe(1);
    clock.advance(3000);
    await expect.poll(() => followers(server)).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  test.each(['end', 'destroy', 'resetAndDestroy'] as const)('just goes (%s) is forgotten', async (how) => {
    const clock = fakeClock();
    const { server } = await testServer({ clock });
    const client = await rawClient(server);
    client.socket[how]();
    await expect.poll(() => followers(server)).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  test('goes while it is let in is forgotten', async () => {
    const { server } = await testServer();
    for (let turn = 0; turn < 20; turn += 1) {
      const socket = net.connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(upgrade(), () => void (turn % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()));
      await once(socket, 'close');
    }
    await expect.poll(() => followers(server)).toBe(0);
  });
});

describe('a server that closes', () => {
  test('tells all, and waits for their leave', async () => {
    const unixSocket = path.join(temporaryFolder(), 'run', 'x.sock');
    const { server } = await testServer({ unixSocket, clock: fakeClock() });
    const clients = await Promise.all([
      openSocket(server.url),
      openSocket(server.url),
      openSocket(server.url, { socketPath: unixSocket, token: null }),
    ]);
    await server.close();
    for (const { closed } of clients)
      expect(await closed).toEqual({ code: 1001, reason: 'The host is shutting down.' });
  });

  test('does not hang up before', async () => {
    const { server } = await testServer({ clock: fakeClock() });
    const client = await rawClient(server);
    const closed = server.close();
    const leave = await client.next(8);
    await expect(ask(server.url, '/api/v1/health')).rejects.toThrow(/ECONNREFUSED/);
    expect(client.isLeft).toBe(false);
    client.send(frame(8, leave));
    client.socket.end();
    await closed;
  });

  test('does not wait for ever', async () => {
    const { server } = await testServer({ limits: { closeMs: 50 } });
    const silent = await rawClient(server);
    const deaf = await rawClient(server);
    deaf.socket.pause();
    await server.close();
    expect((await silent.next(8)).readUInt16BE()).toBe(1001);
    await silent.left;
  });
});

test('nothing is compressed', async () => {
  const { server } = await testServer();
  const { headers, webSocket } = await openSocket(server.url, { options: { perMessageDeflate: true } });
  expect(webSocket.extensions).toBe('');
  expect(headers['sec-websocket-extensions']).toBeUndefined();
});

test('they are counted by how they were answered', async () => {
  const { server } = await testServer();
  const { webSocket, closed } = await openSocket(server.url);
  webSocket.close();
  await closed;
  await refusal(server, { token: null });
  const counted = async (status: number) =>
    (await ask(server.url, '/metrics')).text.includes(
      `pluglot_http_requests_total{method="GET",route="/api/v1/events",status="${status}"} 1\n`,
    );
  for (const status of [101, 401]) await expect.poll(() => counted(status)).toBe(true);
});

test('what breaks within ends it, and says nothing of it', async () => {
  const { api, server: other } = await testServer();
  await other.close();
  const broken = {
    ...api,
    traffic: { ...api.traffic, since: () => Promise.reject(new Error('the password is sesame')) },
  };
  const { server } = await testServer({ api: broken });
  const { closed } = await openSocket(server.url, { query: '?traffic=1&since=0' });
  expect(await closed).toEqual({ code: 1006, reason: '' });
  await expect.poll(() => followers(server)).toBe(0);
});

async function refusal(server: HttpServer, asked: SocketAsked): Promise<Answered> {
  const thrown: unknown = await openSocket(server.url, asked).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Refused)) throw new Error('It was not refused.', { cause: thrown });
  return thrown.answer;
}

async function cookieOf(server: HttpServer): Promise<string> {
  const code = server.consoleLink().url.split('/').at(-1);
  const { headers } = await ask(server.url, '/', { method: 'POST', token: null, body: { code } });
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

async function followers(server: HttpServer): Promise<number> {
  return Number(/^pluglot_http_streams (\d+)$/m.exec((await ask(server.url, '/metrics')).text)?.[1]);
}

function sendParts(client: RawClient): void {
  client.send(frame(1, 'x'.repeat(3000), { isFinal: false }));
  client.send(frame(0, 'x'.repeat(3000), { isFinal: false }));
}
