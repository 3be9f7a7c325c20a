// Who is let in, and what is answered to those who ask for what is not there.
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask, eventsIn, open } from '../../../test/support/surface/http-client.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import {
  COOKIE,
  testRuntime,
  testServer,
  testTokens,
  TOKEN,
} from '../../../test/support/surface/test-runtime.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import type { ConsoleFiles } from './console-routes.ts';
import { createHttpServer } from './server.ts';

const problem = (status: number, code: string) => ({ status, code, type: `urn:pluglot:${code}` });

describe('the door', () => {
  test.each([
    ['another name', { host: 'evil.example' }],
    ['another name with our port', { host: 'evil.example:PORT' }],
    ['a name that begins like ours', { host: 'localhost.evil.example' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['an image on a page of somebody else', { 'sec-fetch-site': 'cross-site' }],
  ])('%s is refused before anything else, also with the token', async (_, headers) => {
    const { server } = await testServer();
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(server.port))]),
    );
    for (const [where, method] of [
      ['/api/v1/tools/echo/call', 'POST'],
      ['/api/v1/nothing', 'GET'],
      ['/', 'GET'],
      ['/mcp', 'POST'],
    ] as const) {
      const { status, json, headers: sent } = await ask(server.url, where, { method, headers: given });
      expect(json).toMatchObject(problem(403, 'REQUEST_REFUSED'));
      expect(status).toBe(403);
      expect(Object.keys(sent).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST:1', '127.0.0.1:99'])('%s is us', async (host) => {
    const { server } = await testServer();
    expect((await ask(server.url, '/api/v1/tools', { headers: { host } })).status).toBe(200);
    const origin = `http://${host}`;
    expect((await ask(server.url, '/api/v1/tools', { headers: { host, origin } })).status).toBe(200);
  });

  test.each(['a b', 'localhost:port', '[localhost]', 'localhost/'])('%j names no host', async (host) => {
    const { server } = await testServer();
    expect((await ask(server.url, '/api/v1/tools', { headers: { host } })).status).toBe(400);
  });

  test('other names and origins are let in where the owner says so', async () => {
    const { server } = await testServer({
      allowedHosts: ['box.lan'],
      allowedOrigins: ['https://ui.example'],
    });
    const headers = { host: 'box.lan', origin: 'https://ui.example' };
    expect((await ask(server.url, '/api/v1/tools', { headers, token: TOKEN })).status).toBe(200);
    // The cookie is that of our own page alone.
    expect((await ask(server.url, '/api/v1/tools', { headers })).status).toBe(401);
  });

  test('to listen where others can reach it needs a host, and is told', async () => {
    const { api } = await testRuntime();
    const told: string[] = [];
    const server = await createHttpServer({
      api,
      tokens: testTokens(),
      host: '0.0.0.0',
      warn: (line) => void told.push(line),
    });
    expect(told).toMatchObject([expect.stringContaining('others can reach')]);
    const url = `http://127.0.0.1:${server.port}`;
    expect((await ask(url, '/api/v1/tools', { headers: { host: '192.168.7.7' } })).status).toBe(200);
    expect((await ask(url, '/api/v1/tools', { headers: { host: 'evil.example' } })).status).toBe(403);
    await server.close();
  });
});

describe('the token', () => {
  test.each([null, '', 'x', `${TOKEN}x`, TOKEN.slice(0, -1), 'x'.repeat(501)])(
    '%j does not let in',
    async (token) => {
      const { server } = await testServer();
      for (const where of [
        '/api/v1',
        '/api/v1/',
        '/api/v1/tools',
        '/metrics',
        '/api/v1/events',
        '/api/v1/openapi.json',
      ]) {
        const { status, headers, json, text } = await ask(server.url, where, { token });
        expect(json).toMatchObject(problem(401, 'UNAUTHENTICATED'));
        expect(status).toBe(401);
        expect(headers['www-authenticate']).toContain('Bearer');
        expect(text).not.toContain(TOKEN);
      }
    },
  );

  test('without it the health is one word', async () => {
    const { server } = await testServer();
    expect((await ask(server.url, '/api/v1/health', { token: null })).json).toEqual({ status: 'ok' });
  });
});

describe('addresses', () => {
  test.each([
    ['GET', '/api/v1/nothing', 404],
    ['GET', '/api/v2/tools', 404],
    ['GET', '/api/v1/tools/', 404],
    ['GET', '/api/v1//', 404],
    ['GET', '/api', 404],
    ['POST', '/api/v1/', 405],
    ['GET', '//api/v1/tools', 404],
    ['GET', '/api/v1/plugins//logs', 404],
    ['GET', '/api/v1/../v1/tools', 404],
    ['GET', '/api/v1/%74ools', 404],
    ['GET', '/index.html', 404],
    ['GET', '/', 404],
    ['PUT', '/api/v1/tools', 405],
    ['DELETE', '/api/v1/tools', 405],
    ['GET', '/api/v1/tools/echo/call', 405],
    ['GET', '/api/v1/plugins/%', 400],
    ['GET', '/api/v1/plugins/%C0%AF', 400],
    ['GET', '/api/v1/plugins/%2e%2e%2f%2e%2e%2fetc', 404],
    ['GET', '/api/v1/plugins/__proto__', 404],
    ['GET', '/api/v1/plugins/constructor', 404],
    ['GET', '/api/v1/plugins/%00', 404],
    ['GET', '/api/v1/plugins/greeter%2Flogs', 404],
    ['GET', '/api/v1/traffic?since=-1', 400],
    ['GET', '/api/v1/traffic?limit=1e9', 400],
    ['GET', `/api/v1/plugins/${'x'.repeat(9000)}`, 414],
    ['DELETE', '/api/v1/calls/nothing', 404],
    ['DELETE', '/api/v1/talks/nothing', 404],
    ['DELETE', '/api/v1/recordings/nothing', 404],
    ['POST', '/api/v1/talks/nothing/say', 404],
  ])('%s %s is %i', async (method, where, status) => {
    const { server } = await testServer();
    const answer = await ask(server.url, where, {
      method,
      ...(method === 'POST' && { body: { content: 'x' } }),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json).toMatchObject({ status, detail: expect.any(String) as string });
    expect(answer.headers.allow !== undefined).toBe(status === 405);
  });

  test('a name is decoded once', async () => {
    const { server } = await testServer();
    expect((await ask(server.url, '/api/v1/plugins/gr%65eter')).json).toMatchObject({ name: 'greeter' });
    expect((await ask(server.url, '/api/v1/plugins/gr%2565eter')).status).toBe(404);
    const unknown = await ask(server.url, '/api/v1/tools/a%2Fb%20%22%0A/call', { method: 'POST' });
    expect(unknown.json).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL' } });
  });

  test('HEAD is GET without the body, OPTIONS says what there is', async () => {
    const { server } = await testServer();
    for (const where of ['/api/v1/tools', '/api/v1/plugins/greeter/logs', '/api/v1/events', '/metrics']) {
      const headers = where.endsWith('events') ? { accept: 'text/event-stream' } : {};
      const head = await ask(server.url, where, { method: 'HEAD', headers });
      expect(`${head.status}${head.text}`).toBe('200');
    }
    const options = await ask(server.url, '/api/v1/tools/echo/call', { method: 'OPTIONS', token: null });
    expect(options.status).toBe(204);
    expect(options.headers.allow).toBe('POST, OPTIONS');
    expect(options.headers['access-control-allow-origin']).toBeUndefined();
    expect((await ask(server.url, '/nothing', { method: 'OPTIONS' })).status).toBe(404);
  });
});

describe('bodies', () => {
  const call = '/api/v1/tools/echo/call';
  const json = { 'content-type': 'application/json' };
  test.each([
    ['no JSON', '{', json, 400],
    ['no object', '[]', json, 400],
    ['no UTF-8', Buffer.from('{"args":{"a":"\xff"}}', 'latin1'), json, 400],
    ['a form', 'args=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['plain text', '{}', { 'content-type': 'text/plain' }, 415],
    ['another charset', '{}', { 'content-type': 'application/json; charset=utf-16' }, 415],
    ['something compressed', '{}', { ...json, 'content-encoding': 'gzip' }, 415],
    ['arguments that are none', '{"args":[]}', json, 400],
    ['a limit that is none', '{"timeoutMs":"1"}', json, 400],
    ['a limit below any', '{"timeoutMs":-1}', json, 400],
    ['a context that is none', '{"context":{"env":{"A":1}}}', json, 400],
    ['a caller that is none', '{"caller":{"kind":"root"}}', json, 400],
  ])('%s is refused', async (_, body, headers, status) => {
    const { server } = await testServer();
    const answer = await ask(server.url, call, { method: 'POST', body, headers });
    expect(answer.json).toMatchObject(problem(status, 'BAD_REQUEST'));
  });

  test.each([
    ['{"args":[]}', '"args" has to be an object.'],
    ['{"timeoutMs":0}', '"timeoutMs" has to be a number above 0, at most 86400000.'],
    ['{"context":{"phase":"later"}}', '"context.phase" has to be one of setup, verify, cleanup.'],
    ['{"pairs":{"a":1}}', '"pairs.a" has to be a text.'],
    ['{"logs":{"since":"now"}}', '"logs.since" has to be a number.'],
  ])('%s is refused with what is expected', async (body, detail) => {
    const { server } = await testServer();
    const answer = await ask(server.url, call, { method: 'POST', body, headers: json });
    expect(answer.json).toMatchObject({ detail });
  });

  test('fields that the table of the API does not have are ignored', async () => {
    const { server } = await testServer();
    const body = { args: { a: 1 }, newer: true, context: { workdir: '/', newer: true } };
    const answer = await ask(server.url, call, { method: 'POST', body });
    expect(answer.json).toMatchObject({ ok: true });
  });

  test.each([
    ['no decision', { kind: 'perhaps' }, '"kind" has to be "allow" or "deny".'],
    ['no scope', { kind: 'allow' }, '"scope" has to be one of once, turn, idle, session, always, all.'],
    [
      'a scope that is not one',
      { kind: 'deny', scope: 'ever' },
      '"scope" has to be one of once, turn, idle, session, always.',
    ],
  ])('an answer to a question with %s is refused', async (_, body, detail) => {
    const { server } = await testServer();
    const answer = await ask(server.url, '/api/v1/approvals/x', { method: 'POST', body });
    expect(answer.json).toMatchObject({ status: 400, detail });
  });

  test('keys that programs trip over are data', async () => {
    const { server } = await testServer();
    const body =
      '{"args":{"a":{"__proto__":{"admin":true}},"constructor":1},"__proto__":{"caller":{"kind":"user"}}}';
    const { json: outcome } = await ask(server.url, call, { method: 'POST', body, headers: json });
    expect(JSON.stringify(outcome)).toContain('"a":{"__proto__":{"admin":true}},"constructor":1');
    // As the name of an argument not every door could pass it on.
    const named = '{"args":{"__proto__":{"admin":true}}}';
    const refused = await ask(server.url, call, { method: 'POST', body: named, headers: json });
    expect(refused.json).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('what is nested without end is refused, and is not the end', async () => {
    const { server } = await testServer();
    const deep = `{"args":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const answer = await ask(server.url, call, { method: 'POST', body: deep, headers: json });
    expect(answer.json).toMatchObject(problem(413, 'BAD_REQUEST'));
    expect((await ask(server.url, '/api/v1/health')).status).toBe(200);
  });

  test('an answer to a question that is none does not settle it', async () => {
    const { server, api, queue } = await testServer();
    const asked = api.call('greet', { name: 'x' }, { caller: { kind: 'model' } });
    await expect.poll(() => queue.pending()).toHaveLength(1);
    const at = `/api/v1/approvals/${queue.pending()[0]?.id}`;
    for (const body of [{}, { kind: 'allow' }, { kind: 'maybe', scope: 'once' }])
      expect((await ask(server.url, at, { method: 'POST', body })).status).toBe(400);
    const body = { kind: 'allow', scope: 'once' };
    expect((await ask(server.url, at, { method: 'POST', body })).status).toBe(204);
    expect((await ask(server.url, at, { method: 'POST', body })).status).toBe(404);
    expect(await asked).toMatchObject({ ok: true });
  });
});

test('a call has an id in its head, by which another connection cancels it', async () => {
  const { server } = await testServer();
  const response = await open(server.url, '/api/v1/tools/wait/call', { method: 'POST', body: {} });
  const id = response.headers['x-pluglot-call'];
  expect((await ask(server.url, `/api/v1/calls/${String(id)}`, { method: 'DELETE' })).status).toBe(204);
  let text = '';
  for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) text += piece;
  expect(JSON.parse(text)).toMatchObject({ ok: false, id, error: { code: 'CALL_CANCELLED' } });
});

test('what a call says is a stream of events, its outcome the last', async () => {
  const { server } = await testServer();
  const events = await eventsIn(server.url, '/api/v1/tools/count/call', { method: 'POST', body: {} });
  expect(events.map(({ name }) => name)).toEqual(['text', 'text', 'outcome']);
  expect(JSON.parse(events[0]?.data ?? '')).toEqual({ kind: 'text', text: 'one ' });
  expect(JSON.parse(events[2]?.data ?? '')).toMatchObject({ ok: true, id: expect.any(String) as string });
});

test('what breaks within says nothing of it', async () => {
  const { api } = await testRuntime();
  const broken = { ...api, tools: () => Promise.reject(new Error('the password is sesame')) };
  const server = await createHttpServer({ api: broken, tokens: testTokens() });
  const { status, text } = await ask(server.url, '/api/v1/tools');
  expect(status).toBe(500);
  expect(text).not.toContain('sesame');
  await server.close();
});

test('the page is served without a token, with the headers that it brings', async () => {
  const files: ConsoleFiles = new Map([
    [
      '/',
      { body: Buffer.from('<p>'), headers: { 'content-type': 'text/html; charset=utf-8', 'x-mine': '1' } },
    ],
    [
      '/assets/a.js',
      { body: Buffer.from('1'), headers: { 'content-type': 'text/javascript', 'cache-control': 'public' } },
    ],
  ]);
  const { server } = await testServer({ console: files });
  const page = await ask(server.url, '/', { token: null });
  expect(page).toMatchObject({ status: 200, text: '<p>' });
  expect(page.headers).toMatchObject({
    'x-mine': '1',
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  expect((await ask(server.url, '/assets/a.js', { token: null })).headers['cache-control']).toBe('public');
  for (const where of ['/assets/b.js', '/assets/%61.js', '/assets/../assets/a.js', '/assets'])
    expect((await ask(server.url, where, { token: null })).status).toBe(404);
});

test('browsers are told the same of every answer, whoever gives it', async () => {
  const { server } = await testServer({ mcp: (_, response) => void response.end('{}') });
  const answers = [
    await ask(server.url, '/api/v1/plugins'),
    await ask(server.url, '/api/v1/plugins', { token: null }),
    await ask(server.url, '/nothing'),
    await ask(server.url, '/mcp'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 200]);
  for (const { headers } of answers)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
    });
});

test('a conversation waits for a plugin that is starting', async () => {
  const { server, api } = await testServer({}, { talker: true });
  await api.stop('talker');
  const started = api.start('talker');
  const begun = await ask(server.url, '/api/v1/talks', { method: 'POST', body: { tool: 'chat' } });
  expect(begun.json).toMatchObject({ talk: expect.any(String) as string, outcome: { ok: true } });
  await started;
});

test('/mcp may read its body later', async () => {
  const { server } = await testServer({
    mcp: (request, response) => void setImmediate(() => setImmediate(() => request.pipe(response))),
  });
  const body = { hello: 'mcp' };
  const { text } = await ask(server.url, '/mcp', { method: 'POST', token: null, body });
  expect(text).toBe(JSON.stringify(body));
});

test('/mcp is handed on as it is, once it came through the door', async () => {
  const { server } = await testServer({
    mcp: (request, response) => void response.end(`mcp ${request.url}`),
  });
  expect((await ask(server.url, '/mcp?profile=x', { token: null })).text).toBe('mcp /mcp?profile=x');
  expect((await ask(server.url, '/mcp/x', { token: null })).status).toBe(404);
});

describe('the socket', () => {
  test('needs no token, and only its user can open it', async () => {
    const unixSocket = path.join(temporaryFolder(), 'run', 'x.sock');
    const { server } = await testServer({ unixSocket });
    expect(fs.statSync(path.dirname(unixSocket)).mode & 0o777).toBe(0o700);
    expect(fs.statSync(unixSocket).mode & 0o777).toBe(0o600);
    const over = { socketPath: unixSocket, token: null };
    expect((await ask(server.url, '/api/v1/tools', over)).status).toBe(200);
    expect(
      (await ask(server.url, '/api/v1/tools', { ...over, headers: { origin: 'http://localhost' } })).status,
    ).toBe(403);
    const { api } = await testRuntime();
    await expect(createHttpServer({ api, tokens: testTokens(), unixSocket })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect((await ask(server.url, '/api/v1/tools', over)).status).toBe(200);
    await server.close();
    expect(fs.existsSync(unixSocket)).toBe(false);
  });

  test('takes the place of one that somebody left behind', async () => {
    const unixSocket = path.join(temporaryFolder({ 'run/x.sock': '' }), 'run', 'x.sock');
    const { server } = await testServer({ unixSocket });
    expect((await ask(server.url, '/api/v1/health', { socketPath: unixSocket })).status).toBe(200);
  });
});

test('a port that is taken is told', async () => {
  const { server, api } = await testServer();
  await expect(createHttpServer({ api, tokens: testTokens(), port: server.port })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining(String(server.port)) as string,
  });
});

test('an address that this machine does not have is told', async () => {
  const { api } = await testRuntime();
  await expect(createHttpServer({ api, tokens: testTokens(), host: '192.0.2.1' })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message:
      'The server cannot listen on 192.0.2.1:0: this machine does not have that address. Choose another host.',
  });
});

test('a wish for another protocol is ignored, and the request is answered', async () => {
  // The clock does not move, so that answers come in one piece.
  const { server } = await testServer({ clock: fakeClock() });
  const socket = net.connect(server.port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  const body = JSON.stringify({ args: { name: 'Ada' } });
  const request = [
    'POST /api/v1/tools/greet/call HTTP/1.1',
    'host: localhost',
    `cookie: pluglot=${COOKIE}`,
    `origin: http://localhost`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    // As the client of Java asks for HTTP/2.
    'upgrade: h2c',
    'connection: Upgrade, HTTP2-Settings',
    'http2-settings: AAMAAABk',
    '',
    body,
  ].join('\r\n');
  // One connection serves them all, and the body may come late.
  for (let turn = 0; turn < 20; turn += 1) {
    socket.write(request.slice(0, -5));
    setImmediate(() => socket.write(request.slice(-5)));
    const [answer] = (await once(socket, 'data')) as [string];
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*"text":"Hello Ada"/);
  }
});
