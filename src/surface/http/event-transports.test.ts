// What holds for whoever follows events, whatever carries them and wherever it comes from.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  overSse,
  overWebSocket,
  Refused,
  type EventClient,
  type EventsAsked,
  type EventTransport,
} from '../../../test/support/event-clients.ts';
import { ask } from '../../../test/support/http-client.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import {
  testRuntime,
  testServer,
  testTokens,
  type TestRuntimeOptions,
  type TestServer,
} from '../../../test/support/test-runtime.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createHttpServer, type HttpServerOptions } from './server.ts';

const transports = { 'server-sent events': overSse, WebSocket: overWebSocket };
const places = { 'a port': false, 'the socket of the user': true };
const ways = Object.entries(transports).flatMap(([name, transport]) =>
  Object.entries(places).map(([place, isLocal]) => ({ name, place, transport, isLocal })),
);

describe.each(ways)('$name over $place', ({ transport, isLocal }) => {
  const host = async (options: Partial<HttpServerOptions> = {}, runtime: TestRuntimeOptions = {}) => {
    const own = isLocal ? { unixSocket: path.join(temporaryFolder(), 'run', 'x.sock') } : {};
    const all = await testServer({ ...own, ...options }, runtime);
    return { ...all, follow: follower(transport, all) };
  };

  test('begins with a greeting, then tells what happens', async () => {
    const { follow, api } = await host();
    const client = await follow();
    expect(await client.next('hello')).toEqual({ name: 'hello', data: { version: '1.2.3' } });
    const { pids: _, ...stopped } = await api.stop('greeter');
    expect((await client.next('plugin')).data).toMatchObject({ name: 'greeter' });
    await expect
      .poll(() => client.heard.filter(({ name }) => name === 'plugin').at(-1)?.data)
      .toMatchObject({ name: stopped.name, state: 'stopped' });
    expect(await client.next('tools')).toEqual({ name: 'tools', data: {} });
    await api.start('greeter');
    await api.call('greet', { name: 'ü\u2028\n"' });
    expect((await client.next('audit')).data).toMatchObject({
      event: { kind: expect.any(String) as string },
    });
  });

  test('tells of messages where that is wanted, from where it is wanted, and of whom it is wanted', async () => {
    const { follow, api } = await host({}, { talker: true });
    const without = await follow();
    const all = await follow({ query: '?traffic=1&since=0' });
    const first = await all.next('traffic');
    const { entries } = first.data as { entries: { seq: number; plugin: string }[] };
    expect(entries[0]).toMatchObject({ seq: 1, plugin: 'talker', method: 'initialize' });
    expect(first.id).toBe(entries.at(-1)?.seq);
    const after = await follow({ query: `?traffic=1&since=${entries.length}` });
    const others = await follow({ query: '?traffic=1&plugin=greeter' });
    await Promise.all([after.next('hello'), others.next('hello')]);
    await api.call('talker__echo', { value: 'x' });
    const next = await after.next('traffic');
    expect((next.data as { entries: unknown[] }).entries[0]).toMatchObject({
      seq: entries.length + 1,
      plugin: 'talker',
    });
    await api.stop('greeter');
    for (const client of [without, others]) {
      await client.next('plugin');
      expect(client.heard.map(({ name }) => name)).not.toContain('traffic');
    }
  });

  test('what is wrong is told before it begins', async () => {
    const { follow } = await host();
    for (const query of ['?since=-1', '?since=x&traffic=1'])
      expect(await refusal(follow({ query }))).toMatchObject({
        status: 400,
        json: { code: 'BAD_REQUEST', type: 'urn:pluglot:BAD_REQUEST' },
      });
  });

  test('more than are allowed are refused, until one leaves', async () => {
    const { follow } = await host({ limits: { streams: 2 } });
    const clients = [await follow(), await follow()];
    const more = await Promise.all(Array.from({ length: 20 }, () => refusal(follow())));
    for (const { status, json, headers } of more) {
      expect(status).toBe(503);
      expect(json).toMatchObject({ code: 'UNAVAILABLE' });
      expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'retry-after': '5' });
    }
    clients[0]?.leave();
    await expect
      .poll(() =>
        follow().then(
          () => 'open',
          () => 'refused',
        ),
      )
      .toBe('open');
  });

  test('of one that leaves, nothing is left', async () => {
    const clock = fakeClock();
    const { api } = await testRuntime();
    const open = { listeners: 0 };
    const counted = <Args extends unknown[]>(begin: (...args: Args) => () => void) => {
      return (...args: Args) => {
        const end = begin(...args);
        open.listeners += 1;
        return () => {
          open.listeners -= 1;
          end();
        };
      };
    };
    const unixSocket = path.join(temporaryFolder(), 'run', 'x.sock');
    const server = await createHttpServer({
      api: {
        ...api,
        onEvent: counted((listener) => api.onEvent(listener)),
        traffic: { ...api.traffic, onEntry: counted((listener) => api.traffic.onEntry(listener)) },
      },
      tokens: testTokens(),
      clock,
      ...(isLocal && { unixSocket }),
    });
    const follow = follower(transport, { server });
    const clients = await Promise.all(Array.from({ length: 5 }, () => follow({ query: '?traffic=1' })));
    await Promise.all(clients.map((client) => client.next('hello')));
    expect(open.listeners).toBe(10);
    expect(clock.waiting).toBe(5);
    for (const client of clients) client.leave();
    await expect.poll(() => open.listeners).toBe(0);
    expect(clock.waiting).toBe(0);
    expect((await ask(server.url, '/metrics')).text).toContain('pluglot_http_streams 0\n');
    await server.close();
  });

  test('a server that closes ends it', async () => {
    const { follow, server } = await host();
    const clients = await Promise.all([follow(), follow(), follow()]);
    await server.close();
    await Promise.all(clients.map(({ closed }) => closed));
    for (const { heard } of clients) expect(heard.map(({ name }) => name)).toEqual(['hello']);
  });
});

// Over a port, the system takes tens of megabytes for a client that does not read; over a socket it takes little.
describe.each(Object.entries(transports))('a client that does not read %s', (_, transport) => {
  const said = Array.from({ length: 15 }, () => 'x'.repeat(2000));
  const host = async (options: Partial<HttpServerOptions> = {}) => {
    const unixSocket = path.join(temporaryFolder(), 'run', 'x.sock');
    const all = await testServer({ unixSocket, limits: { waitingBytes: 64 * 1024 }, ...options });
    const client = await follower(transport, all)();
    await client.next('hello');
    client.pause();
    return { ...all, client };
  };
  const sayMuch = async ({ api }: Pick<TestServer, 'api'>) => {
    for (let turn = 0; turn < 10; turn += 1)
      await Promise.all(Array.from({ length: 10 }, () => api.call('echo', { said })));
  };

  test('is told how much it has missed when it reads again', async () => {
    const { client, api } = await host();
    let happened = 0;
    api.onEvent(() => (happened += 1));
    await sayMuch({ api });
    client.resume();
    const missed = () =>
      client.heard.reduce((sum, { name, data }) => sum + (name === 'dropped' ? countOf(data) : 0), 0);
    const told = () => client.heard.filter(({ name }) => name !== 'dropped' && name !== 'hello').length;
    await expect.poll(() => told() + missed() === happened).toBe(true);
    expect(missed()).toBeGreaterThan(50);
    await api.stop('greeter');
    await client.next('plugin');
  });

  test('is hung up on in the end', async () => {
    const clock = fakeClock();
    const { client, api, server } = await host({ clock });
    const followers = async () =>
      /pluglot_http_streams \d/.exec((await ask(server.url, '/metrics')).text)?.[0];
    await sayMuch({ api });
    clock.advance(29_999);
    expect(await followers()).toBe('pluglot_http_streams 1');
    clock.advance(1);
    await expect.poll(followers).toBe('pluglot_http_streams 0');
    expect(clock.waiting).toBe(0);
    client.resume();
    await client.closed;
  });
});

test('all hear the same in the same order', async () => {
  const unixSocket = path.join(temporaryFolder(), 'run', 'x.sock');
  const { server, api, queue } = await testServer({ unixSocket }, { talker: true });
  const clients = await Promise.all(
    ways.map(({ transport, isLocal }) => {
      const query = '?traffic=1';
      return transport(server.url, isLocal ? { query, token: null, socketPath: unixSocket } : { query });
    }),
  );
  await Promise.all(clients.map((client) => client.next('hello')));
  const { last: before } = await api.traffic.since(0);
  await api.call('talker__echo', { value: 'x' });
  const call = api.call('greet', { name: 'x' }, { caller: { kind: 'model' } });
  await expect.poll(() => queue.pending()).toHaveLength(1);
  queue.answer(queue.pending()[0]?.id ?? '', { kind: 'allow', scope: 'once', by: 'me' });
  await call;
  await api.restart('greeter');
  await api.stop('talker');
  const stopped = ({ name, data }: { name: string; data: unknown }) =>
    name === 'plugin' &&
    JSON.stringify(data).includes('"stopped"') &&
    JSON.stringify(data).includes('talker');
  await expect.poll(() => clients.every(({ heard }) => heard.some(stopped))).toBe(true);
  // Messages come in batches, each client's at its own moment.
  const [first = [], ...others] = clients.map(({ heard }) =>
    heard.filter(({ name }) => name !== 'traffic').slice(0, heard.findIndex(stopped)),
  );
  expect(new Set(first.map(({ name }) => name))).toEqual(
    new Set(['hello', 'audit', 'log', 'approvals', 'plugin', 'tools']),
  );
  for (const other of others) expect(other).toEqual(first);
  const messages = ({ heard }: EventClient) =>
    heard.flatMap(({ name, data }) => (name === 'traffic' ? (data as { entries: unknown[] }).entries : []));
  const { entries } = await api.traffic.since(before);
  expect(entries.length).toBeGreaterThan(2);
  for (const client of clients) await expect.poll(() => messages(client)).toEqual(entries);
});

function follower(transport: EventTransport, { server }: Pick<TestServer, 'server'>) {
  const { unixSocket } = server;
  const local = unixSocket === undefined ? {} : { socketPath: unixSocket, token: null };
  return (asked: EventsAsked = {}) => transport(server.url, { ...local, ...asked });
}

function countOf(data: unknown): number {
  return (data as { count: number }).count;
}

async function refusal(following: Promise<EventClient>) {
  const thrown: unknown = await following.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Refused)) throw new Error('It was not refused.', { cause: thrown });
  return thrown.answer;
}
