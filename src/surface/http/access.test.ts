// Who asks, and what that opens: tokens by their purpose, the cookie of the console, links that work once.
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask, open, type Asked } from '../../../test/support/surface/http-client.ts';
import { COOKIE, testRuntime, testServer, testTokens } from '../../../test/support/surface/test-runtime.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import { readAudit, type AuditRecord } from '../../gate/audit/read-audit.ts';
import { tokenPurposes, type TokenPurpose } from '../../runtime/tokens/token-purposes.ts';
import { createTokens, type Tokens } from '../../runtime/tokens/tokens.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { ConsoleLinks } from './console-routes.ts';
import { OpenCalls, OpenStreams } from './open-work.ts';
import { HttpCounts } from './metrics.ts';
import { apiRoutes } from './api-routes.ts';
import { createHttpServer } from './server.ts';

const opens: Readonly<Record<TokenPurpose, readonly string[]>> = {
  mcp: ['nothing'],
  metrics: ['nothing', 'metrics'],
  'api-read': ['nothing', 'metrics', 'api-read'],
  api: ['nothing', 'metrics', 'api-read', 'api'],
};

describe.each(tokenPurposes)('a token for %s', (purpose) => {
  test('opens just what it is for', async () => {
    const tokens = testTokens();
    const { secret } = await tokens.create({ name: 'it', purpose });
    const { server, api } = await testServer({ tokens });
    const parts = {
      api,
      calls: new OpenCalls(1),
      streams: new OpenStreams(1),
      counts: new HttpCounts(),
      maxTalks: 1,
    };
    for (const { method, path, needs } of apiRoutes(parts)) {
      // Of what is opened, nothing is done: no body of it can be read.
      const where = path.replaceAll(/\{\w+\}/g, 'nobody');
      const response = await open(server.url, where, {
        method: method === 'GET' ? 'HEAD' : method,
        token: secret,
        headers: method === 'GET' ? {} : { 'content-encoding': 'gzip', 'content-length': '0' },
      });
      response.destroy();
      const key = `${method} ${path}`;
      const isOpen = opens[purpose].includes(needs);
      expect(`${key} ${response.statusCode === 403}`).toBe(`${key} ${!isOpen}`);
    }
    const { json } = await ask(server.url, '/api/v1/tokens', { token: secret });
    expect(json).toMatchObject({
      status: 403,
      detail: expect.stringContaining(`"it" is for ${purpose}`) as string,
    });
  });

  test('never makes a user of whoever has it', async () => {
    const tokens = testTokens();
    const { secret } = await tokens.create({ name: 'it', purpose });
    const { server, queue } = await testServer({ tokens });
    for (const [method, path, body] of [
      ['POST', '/api/v1/approvals/x', { kind: 'allow', scope: 'once' }],
      ['POST', '/api/v1/tokens', { name: 'more', purpose: 'api' }],
      ['DELETE', '/api/v1/tokens/it', undefined],
      ['POST', '/api/v1/console/link', {}],
      ['POST', '/api/v1/recordings', { plugin: 'greeter' }],
    ] as const)
      expect((await ask(server.url, path, { method, token: secret, ...(body && { body }) })).status).toBe(
        403,
      );
    expect(queue.pending()).toEqual([]);
    expect((await tokens.list()).map(({ name }) => name)).not.toContain('more');
  });
});

describe('whoever has a token', () => {
  const call = (token: string | undefined, caller?: object): Asked => ({
    method: 'POST',
    ...(token !== undefined && { token }),
    body: { args: { name: 'x' }, ...(caller !== undefined && { caller }) },
  });

  test('calls as a client, whatever it says, and the audit says so', async () => {
    const tokens = apiTokens();
    const { server, queue, runtime } = await testServer({ tokens });
    for (const kind of ['user', 'program', 'model', 'job']) {
      const { status, json } = await ask(server.url, '/api/v1/tools/greet/call', call(API, { kind }));
      expect([status, json]).toMatchObject([
        400,
        { detail: expect.stringContaining('as a client') as string },
      ]);
    }
    const more = { access: 'user', accessId: 'x', profile: 'x', connection: '1' };
    const [{ id: accessId } = { id: '' }] = await tokens.list();
    const asked = ask(
      server.url,
      '/api/v1/tools/greet/call',
      call(API, { kind: 'client', name: 'me', ...more }),
    );
    await expect.poll(() => queue.pending()).toHaveLength(1);
    const [question] = queue.pending();
    expect(question?.caller).toEqual({ kind: 'client', name: 'me', access: 'ci', accessId });
    queue.answer(question?.id ?? '', { kind: 'deny', scope: 'once', by: 'test' });
    expect((await asked).json).toMatchObject({ ok: false, error: { code: 'PERMISSION_DENIED' } });
    expect((await ask(server.url, '/api/v1/tools/greet/call', call(undefined))).json).toMatchObject({
      ok: true,
    });
    await runtime.close();
    const audited: AuditRecord[] = [];
    for await (const record of readAudit(runtime.folders.audit)) audited.push(record);
    const decided = audited.flatMap(({ event }) => (event.kind === 'decided' ? [event] : []));
    expect(decided.map(({ caller, method }) => [caller, method])).toEqual([
      [{ kind: 'client', name: 'me', access: 'ci', accessId }, 'approval'],
      [{ kind: 'user' }, 'user'],
    ]);
  });

  test('has nothing of what was answered for a revoked token of the same name', async () => {
    const host = await testRuntime();
    const { queue, runtime } = host;
    const server = await createHttpServer({ api: host.api, tokens: runtime.tokens });
    onTestFinished(() => server.close());
    const made = async () => (await runtime.tokens.create({ name: 'dup', purpose: 'api' })).secret;
    const asked = async (token: string, scope: 'session' | 'all' | 'once') => {
      const answer = ask(server.url, '/api/v1/tools/greet/call', call(token));
      await expect.poll(() => queue.pending()).toHaveLength(1);
      const [question] = queue.pending();
      queue.answer(question?.id ?? '', { kind: 'allow', scope, by: 'test' });
      expect((await answer).json).toMatchObject({ ok: true });
    };
    for (const scope of ['session', 'all'] as const) {
      const before = await made();
      await asked(before, scope);
      const again = await ask(server.url, '/api/v1/tools/greet/call', call(before));
      expect(again.json).toMatchObject({ ok: true });
      await runtime.tokens.revoke('dup');
      await asked(await made(), 'once');
      expect(runtime.gate.policy.view().session.allowAll).toEqual([]);
      await runtime.tokens.revoke('dup');
    }
  });

  test('cancels what it began itself, and speaks in no conversation of others', async () => {
    const tokens = apiTokens();
    const { server, waiting, api } = await testServer({ tokens });
    const running = api.call('wait');
    await waiting;
    const gone = await ask(server.url, `/api/v1/calls/${running.id}`, { method: 'DELETE', token: API });
    expect(gone.status).toBe(404);
    running.cancel();
    await running;
  });

  test('neither sees nor runs commands for users', async () => {
    const { server, runtime } = await testServer({ tokens: apiTokens() });
    const handler = () => 'Everything is allowed now.';
    runtime.registry.registerPlugin(
      definePlugin({ name: 'keys', version: '1.0.0', commands: { rules: { forUsersOnly: true, handler } } }),
    );
    await runtime.registry.exposeTool('keys');
    const get = async (path: string) => ask(server.url, `/api/v1${path}`, { token: API });
    expect((await get('/commands')).text).not.toContain('rules');
    expect((await get('/plugins/keys')).json).toMatchObject({ commands: [] });
    expect((await get('/commands/rules')).status).toBe(404);
    expect((await get('/commands/rules/complete?parameter=a&typed=')).status).toBe(404);
    const path = '/api/v1/commands/rules/run';
    const run = await ask(server.url, path, { method: 'POST', token: API, body: {} });
    expect(run.json).toMatchObject({
      ok: false,
      error: { code: 'PERMISSION_DENIED', reason: 'not-offered' },
    });
    expect((await ask(server.url, path, { method: 'POST', body: {} })).json).toMatchObject({ ok: true });
  });

  test('that is for reading starts nothing', async () => {
    const tokens = testTokens();
    const { secret } = await tokens.create({ name: 'watcher', purpose: 'api-read' });
    const { server } = await testServer({ tokens });
    for (const path of [
      '/plugins?fresh=1',
      '/plugins/greeter?ask=1',
      '/tools?ask=1',
      '/commands?ask=1',
      '/tools/greet',
    ])
      expect((await ask(server.url, `/api/v1${path}`, { token: secret })).status).toBe(403);
    for (const path of ['/plugins', '/plugins/greeter', '/tools', '/commands'])
      expect((await ask(server.url, `/api/v1${path}`, { token: secret })).status).toBe(200);
  });

  test('in an address is nobody', async () => {
    const { server } = await testServer({ tokens: apiTokens() });
    for (const path of [`/api/v1/tools?token=${API}`, `/api/v1/tools?access_token=${API}`])
      expect((await ask(server.url, path, { token: null })).status).toBe(401);
  });

  test('loses all that goes on for it when that is revoked, and nobody else does', async () => {
    const tokens = apiTokens();
    const { server, waiting, cancelled } = await testServer({ tokens }, { files: allowed });
    const streams = await Promise.all([
      open(server.url, '/api/v1/events', { token: API, headers: { accept: 'text/event-stream' } }),
      open(server.url, '/api/v1/events', { headers: { accept: 'text/event-stream' } }),
    ]);
    const call = open(server.url, '/api/v1/tools/wait/call', { method: 'POST', token: API, body: {} }).then(
      // The head of a slow call may come before it begins.
      (response) =>
        new Promise<void>((resolve) => {
          response.on('error', () => {}).once('close', resolve);
          response.resume();
        }),
      () => {},
    );
    await waiting;
    const [closed, going] = streams.map((stream) => {
      stream.on('error', () => {}).resume();
      return new Promise<string>((resolve) => stream.once('close', () => resolve('closed')));
    });
    onTestFinished(() => void streams[1]?.destroy());
    expect(await tokens.revoke('ci')).toBe(true);
    expect(await closed).toBe('closed');
    await cancelled;
    await call;
    expect(await Promise.race([going, Promise.resolve('goes on')])).toBe('goes on');
    expect((await ask(server.url, '/api/v1/tools', { token: API })).status).toBe(401);
    expect((await ask(server.url, '/api/v1/tools')).status).toBe(200);
  });
});

describe('the console', () => {
  const enter = (url: string, code: unknown, headers = {}) =>
    ask(url, '/', { method: 'POST', token: null, body: { code }, headers });
  const codeIn = (link: string) => link.split('#/enter/')[1];

  test('is entered by a link that works once, and gives a cookie that scripts cannot read', async () => {
    const tokens = testTokens();
    const { server } = await testServer({ tokens });
    const code = codeIn(server.consoleLink().url);
    expect(code).toMatch(/^[\w-]{32}$/);
    // Whoever only looks at the link does not use it up.
    await ask(server.url, '/', { token: null });
    expect((await enter(server.url, code, { origin: 'http://elsewhere.example' })).status).toBe(403);
    const entered = await enter(server.url, code);
    expect(entered.status).toBe(204);
    const [cookie = ''] = entered.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^pluglot=plt_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
    expect(cookie).not.toContain(code);
    const again = await enter(server.url, code);
    expect(again).toMatchObject({
      status: 401,
      json: { detail: expect.stringContaining('used before') as string },
    });
    expect(again.headers['set-cookie']).toBeUndefined();
    for (const wrong of ['', 'x', 7, undefined, `${code}x`])
      expect((await enter(server.url, wrong)).status).toBe(401);
    // It is no token that could be passed around, and the other way round.
    const [, secret = ''] = /^pluglot=([^;]+)/.exec(cookie) ?? [];
    expect((await ask(server.url, '/api/v1/tools', { token: secret })).status).toBe(401);
    const mine = await tokens.create({ name: 'mine', purpose: 'api' });
    const headers = { cookie: `pluglot=${mine.secret}`, 'sec-fetch-site': 'same-origin' };
    expect((await ask(server.url, '/api/v1/tools', { token: null, headers })).status).toBe(401);
    const name = (await tokens.list()).find(
      (token) => token.purpose === 'console' && token.name !== 'console:test',
    )?.name;
    await tokens.revoke(name ?? '');
    const own = { cookie: `pluglot=${secret}`, 'sec-fetch-site': 'same-origin' };
    expect((await ask(server.url, '/api/v1/tools', { token: null, headers: own })).status).toBe(401);
  });

  test('ends the streams of a browser whose cookie expires', async () => {
    const clock = fakeClock(Date.parse('2026-01-01'));
    const tokens = createTokens([{ name: 'ci', purpose: 'api', secret: API }], {
      clock,
      now: () => clock.now(),
    });
    const { secret } = await tokens.createConsole();
    const { server } = await testServer({ tokens });
    const headers = {
      cookie: `pluglot=${secret}`,
      'sec-fetch-site': 'same-origin',
      accept: 'text/event-stream',
    };
    const stream = await open(server.url, '/api/v1/events', { token: null, headers });
    expect(stream.statusCode).toBe(200);
    const closed = new Promise<void>((resolve) => stream.once('close', resolve));
    stream.on('error', () => {}).resume();
    clock.advance(30 * 24 * 3600_000);
    await closed;
    expect((await ask(server.url, '/api/v1/tools', { token: null, headers })).status).toBe(401);
    expect((await ask(server.url, '/api/v1/tools', { token: API })).status).toBe(200);
  });

  test('has links that expire, of which only so many are kept', () => {
    let now = 0;
    const links = new ConsoleLinks(() => now);
    const code = () => codeIn(links.make().path) ?? '';
    const [soon, late] = [code(), code()];
    now = 10 * 60_000 - 1;
    expect(links.take(soon)).toBe(true);
    now += 1;
    expect(links.take(late)).toBe(false);
    const first = code();
    for (let made = 0; made < 100; made += 1) code();
    expect(links.take(first)).toBe(false);
  });

  test.each([
    ['our own page', { 'sec-fetch-site': 'same-origin' }, 200, 200],
    ['our own page, in a network without TLS', { origin: 'OWN' }, 200, 200],
    ['our own page, in a network without TLS, reading', {}, 200, 401],
    ['an address that somebody typed', { 'sec-fetch-site': 'none' }, 200, 401],
    ['a page of another port', { 'sec-fetch-site': 'same-site' }, 401, 401],
    ['a page of another port, by its origin', { origin: 'http://127.0.0.1:1' }, 403, 403],
    ['a page of somebody else', { 'sec-fetch-site': 'cross-site' }, 403, 403],
    ['a page of somebody else that the owner lets ask', { origin: 'https://ui.example' }, 401, 401],
    ['a page without an origin', { origin: 'null' }, 403, 403],
  ])('its cookie from %s', async (_, given: Record<string, string>, reading, acting) => {
    const { server } = await testServer({ allowedOrigins: ['https://ui.example'] });
    const own = { ...given, ...(given['origin'] === 'OWN' && { origin: server.url }) };
    const asked = { token: null, headers: { cookie: `a=b; pluglot=${COOKIE}; c`, ...own } };
    expect((await ask(server.url, '/api/v1/tools', asked)).status).toBe(reading);
    const post = { ...asked, method: 'POST', body: { args: { name: 'x' } } };
    expect((await ask(server.url, '/api/v1/tools/greet/call', post)).status).toBe(acting);
    const stream = await open(server.url, '/api/v1/events', {
      ...asked,
      headers: { ...asked.headers, accept: 'text/event-stream' },
    });
    stream.destroy();
    expect(stream.statusCode).toBe(reading);
  });
});

const API = 'an-api-token-for-tests-that-is-long-enough-xx';

function apiTokens(): Tokens {
  return createTokens([
    { name: 'ci', purpose: 'api', secret: API },
    { name: 'console:test', purpose: 'console', secret: COOKIE },
  ]);
}

const allowed = { 'home/pluglot/permissions.json': { defaultPolicy: 'allow' } };
