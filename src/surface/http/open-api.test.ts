// The document says what the server does, both ways.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { ask, eventsIn, eventsOf, open, type Asked } from '../../../test/support/surface/http-client.ts';
import { testServer } from '../../../test/support/surface/test-runtime.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { OpenCalls, OpenStreams } from './open-work.ts';
import { apiRoutes } from './api-routes.ts';
import { HttpCounts } from './metrics.ts';
import { openApi } from './open-api.ts';

const document = openApi('1.2.3');
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ ...document, $id: 'api' });

test('every route is in the document, and nothing else is', async () => {
  const { api } = await testServer();
  const parts = {
    calls: new OpenCalls(1),
    streams: new OpenStreams(1),
    counts: new HttpCounts(),
    maxTalks: 1,
  };
  const routes = apiRoutes({ api, ...parts }).map(({ method, path, needs }) => `${method} ${path} ${needs}`);
  const written = operations().map(
    ({ method, path, operation }) => `${method} ${path} ${operation['x-needs'] as string}`,
  );
  expect(written.toSorted()).toEqual(routes.toSorted());
});

test('it is well formed: schemas compile, references lead somewhere and all are used, names are unique', () => {
  const schemas = at(document, 'components', 'schemas');
  for (const name of Object.keys(schemas)) ajv.compile({ $ref: `api#/components/schemas/${name}` });
  const references = new Set<string>(
    [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name = '']) => name,
    ),
  );
  expect([...references].toSorted()).toEqual(Object.keys(schemas).toSorted());
  const ids = operations().map(({ operation }) => operation['operationId']);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, operation } of operations()) {
    const named = (operation['parameters'] as JsonObject[]).filter((one) => one['in'] === 'path');
    expect(named.map(({ name }) => `{${name as string}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    for (const tag of operation['tags'] as string[]) expect(document['tags']).toContainEqual({ name: tag });
  }
});

test('every route answers as the document says', async () => {
  const page = { body: Buffer.from('<p>'), headers: { 'content-type': 'text/html' } };
  const { server, runtime } = await testServer({ console: new Map([['/', page]]) }, { talker: true });
  const { url } = server;
  const seen = new Set<string>();
  const check = async (key: string, asked: Asked & { readonly path?: string } = {}) => {
    const [method = '', pattern = ''] = key.split(' ');
    const answer = await ask(url, asked.path ?? pattern, { ...asked, method });
    const expected = at(document, 'paths', pattern, method.toLowerCase(), 'responses');
    const status = Object.keys(expected).find((one) => one !== 'default');
    expect(`${key}: ${answer.status} ${answer.status >= 400 ? answer.text : ''}`).toBe(`${key}: ${status} `);
    seen.add(key);
    if (status === '204') return answer.json;
    const [type = ''] = answer.headers['content-type']?.split(';') ?? [];
    const schema = at(expected, status ?? '', 'content', type, 'schema');
    expect(errorsOf(schema, answer.json ?? answer.text), key).toEqual([]);
    return answer.json;
  };
  const name = (key: string, value: string) =>
    key.replace(/^\w+ /, '').replace(/\{\w+\}/, encodeURIComponent(value));

  const index = await check('GET /api/v1');
  expect(await check('GET /api/v1', { path: '/api/v1/' })).toEqual(index);
  await check('GET /api/v1/health');
  await check('GET /api/v1/health', { token: null });
  for (const plugin of ['greeter', 'talker']) {
    const named = (key: string) => check(key, { path: name(key, plugin) });
    await named('GET /api/v1/plugins/{name}');
    for (const action of ['stop', 'start', 'restart']) await named(`POST /api/v1/plugins/{name}/${action}`);
    await named('GET /api/v1/plugins/{name}/logs');
  }
  await check('GET /api/v1/tools');
  const call = 'POST /api/v1/tools/{name}/call';
  await check(call, {
    path: name(call, 'greet'),
    body: { args: { name: 'x' }, timeoutMs: 1000, context: { workdir: '/' } },
  });
  await check(call, { path: name(call, 'fail'), body: {} });
  await check(call, { path: name(call, 'talker__count'), body: { args: { to: 3 } } });
  await check('GET /api/v1/tools', { path: '/api/v1/tools?ask=1' });
  const tool = 'GET /api/v1/tools/{name}';
  await check(tool, { path: name(tool, 'greeter__greet') });
  await check('GET /api/v1/commands');
  const command = 'GET /api/v1/commands/{name}';
  await check(command, { path: name(command, 'hello') });
  const run = 'POST /api/v1/commands/{name}/run';
  await check(run, { path: name(run, 'hello'), body: { args: { who: 'x' } } });
  const complete = 'GET /api/v1/commands/{name}/complete';
  await check(complete, { path: `${name(complete, 'hello')}?parameter=who&typed=a` });
  await check('GET /api/v1/plugins', { path: '/api/v1/plugins?fresh=1' });

  const { talk } = (await check('POST /api/v1/talks', { body: { tool: 'chat' } })) as { talk: string };
  const say = 'POST /api/v1/talks/{id}/say';
  await check(say, { path: name(say, talk), body: { content: 'hello' } });
  await check('DELETE /api/v1/talks/{id}', { path: name('DELETE /api/v1/talks/{id}', talk) });

  const asked = ask(url, '/api/v1/tools/greet/call', {
    method: 'POST',
    body: { args: { name: 'x' }, caller: { kind: 'model' } },
  });
  await expect
    .poll(() => check('GET /api/v1/approvals'))
    .toMatchObject({ pending: [{ tool: 'greeter__greet' }] });
  const { pending } = (await check('GET /api/v1/approvals')) as { pending: { id: string }[] };
  await check('POST /api/v1/approvals/{id}', {
    path: `/api/v1/approvals/${pending[0]?.id}`,
    body: { kind: 'allow', scope: 'session' },
  });
  expect((await asked).json).toMatchObject({ ok: true });

  const underWay = new Promise<string>((resolve) => {
    runtime.gate.observe({ asked: ({ id }) => ({ begun: () => resolve(id), ended: () => {} }) });
  });
  const waiting = ask(url, '/api/v1/tools/wait/call', { method: 'POST', body: {} });
  await check('DELETE /api/v1/calls/{id}', { path: `/api/v1/calls/${await underWay}` });
  expect((await waiting).json).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });

  await check('POST /api/v1/tools/{name}/explain', {
    path: '/api/v1/tools/talker__count/explain',
    body: { args: { to: 3 }, caller: { kind: 'model' } },
  });
  await check('GET /api/v1/traffic', { path: '/api/v1/traffic?since=1&plugin=talker&limit=5' });
  await check('GET /api/v1/traffic/cassette', { path: '/api/v1/traffic/cassette?plugin=talker' });
  const recording = (await check('POST /api/v1/recordings', { body: { plugin: 'talker' } })) as {
    id: string;
  };
  await check('GET /api/v1/recordings');
  await check('DELETE /api/v1/recordings/{id}', { path: `/api/v1/recordings/${recording.id}` });
  await check('GET /api/v1/audit', { path: '/api/v1/audit?verify=1&limit=50&denied=0' });
  await check('POST /api/v1/tokens', { body: { name: 'ci', purpose: 'mcp', profile: 'reader' } });
  await check('GET /api/v1/tokens');
  await check('DELETE /api/v1/tokens/{name}', { path: '/api/v1/tokens/ci' });
  await check('POST /api/v1/console/link');
  await check('GET /api/v1/openapi.json');
  await check('GET /metrics');

  const streams = {
    'POST /api/v1/tools/{name}/call': ['/api/v1/tools/talker__count/call', { args: { to: 3 } }],
    'POST /api/v1/talks': ['/api/v1/talks', { tool: 'chat' }],
    'GET /api/v1/plugins/{name}/logs': ['/api/v1/plugins/talker/logs', undefined],
  } as const;
  for (const [key, [path, body]] of Object.entries(streams)) {
    const [method = '', pattern = ''] = key.split(' ');
    const events = await eventsIn(url, path, { method, ...(body && { body }) });
    expect(events.length).toBeGreaterThan(0);
    const known = at(
      document,
      'paths',
      pattern,
      method.toLowerCase(),
      'responses',
      '200',
      'content',
      'text/event-stream',
      'x-events',
    );
    for (const { name, data } of events)
      expect(errorsOf(at(known, name, 'data'), JSON.parse(data)), `${key} ${name}`).toEqual([]);
  }
  const all = operations().map(({ method, path }) => `${method} ${path}`);
  // Streams without an end.
  expect(all.filter((key) => !seen.has(key))).toEqual(['GET /api/v1/talks/{id}', 'GET /api/v1/events']);
});

test('it begins with what there is, each where it says', async () => {
  const { server } = await testServer();
  const { json } = await ask(server.url, '/api/v1');
  expect(json).toMatchObject({ name: 'pluglot', version: '1.2.3' });
  const { links } = json as { links: Record<string, { href: string; title: string }> };
  expect(Object.keys(links)).toEqual(
    'health plugins tools commands approvals events traffic recordings audit tokens openApi metrics'.split(
      ' ',
    ),
  );
  for (const { href } of Object.values(links))
    expect(`${href} ${(await ask(server.url, href, { method: 'HEAD' })).status}`).toBe(`${href} 200`);
});

test('every event is as the document says', async () => {
  const { server, api, queue } = await testServer({}, { talker: true });
  const known = at(
    document,
    'paths',
    '/api/v1/events',
    'get',
    'responses',
    '200',
    'content',
    'text/event-stream',
    'x-events',
  );
  const heard = new Map<string, unknown>();
  // Once its head is there, it hears what happens.
  const headers = { accept: 'text/event-stream' };
  const stream = await open(server.url, '/api/v1/events?traffic=1&since=0', { headers });
  const done = eventsOf(stream).then((events) => {
    for (const { name, data } of events) {
      heard.set(name, data);
      expect(errorsOf(at(known, name, 'data'), JSON.parse(data)), name).toEqual([]);
    }
  });
  const seen = new Set<string>();
  api.onEvent(({ kind }) => void seen.add(kind));
  await expect
    .poll(async () => {
      await api.call('talker__echo', { value: 'x' });
      await api.restart('greeter');
      const call = api.call('greet', { name: 'x' }, { caller: { kind: 'model' } });
      await expect.poll(() => queue.pending()).toHaveLength(1);
      queue.answer(queue.pending()[0]?.id ?? '', { kind: 'allow', scope: 'once', by: 'me' });
      await call;
      return [...seen];
    })
    .toEqual(expect.arrayContaining(['plugin', 'tools', 'approvals', 'log', 'audit']) as string[]);
  await server.close();
  await done;
  const all = ['hello', 'plugin', 'tools', 'approvals', 'log', 'audit'];
  expect([...heard.keys()]).toEqual(expect.arrayContaining(all));
});

function operations(): { method: string; path: string; operation: JsonObject }[] {
  return Object.entries(at(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, JsonObject>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function at(value: unknown, ...keys: readonly string[]): JsonObject {
  let found: unknown = value;
  for (const key of keys) {
    if (!isJsonObject(found) || !Object.hasOwn(found, key))
      throw new Error(`Nothing at ${keys.join(' ')}: ${key}`);
    found = found[key];
  }
  return found as JsonObject;
}

/** References are to the document. */
function errorsOf(schema: JsonObject, value: unknown): unknown[] {
  const absolute = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components', '"api#/components'),
  ) as JsonObject;
  const validate = ajv.compile(absolute);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message, params }) => ({ instancePath, message, params }));
}
