// What holds for clients that follow events, over a port and over the socket of the user.
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  answeredOf,
  ask,
  open,
  type Answered,
  type Asked,
} from '../../../test/support/surface/http-client.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import {
  testRuntime,
  testServer,
  testTokens,
  type TestRuntimeOptions,
  type TestServer,
} from '../../../test/support/surface/test-runtime.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createHttpServer, type HttpServerOptions } from './server.ts';

const transports = { 'server-sent events': overSse };
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

// Clients that follow events.

interface Heard {
  readonly name: string;
  readonly data: unknown;
  readonly id?: number;
}

interface EventClient {
  /** All that came so far. */
  readonly heard: readonly Heard[];
  /** The next of this name, or one that came already and was not asked for. */
  next(name: string): Promise<Heard>;
  pause(): void;
  resume(): void;
  leave(): void;
  readonly closed: Promise<void>;
}

type EventsAsked = Pick<Asked, 'headers' | 'token' | 'socketPath'> & {
  /** @default '' */
  readonly query?: string;
};

/** @throws Refused */
type EventTransport = (url: string, asked?: EventsAsked) => Promise<EventClient>;

/** What was answered instead of events. */
class Refused extends Error {
  readonly answer: Answered;

  constructor(answer: Answered) {
    super(`${answer.status} ${answer.text}`);
    this.answer = answer;
  }
}

async function overSse(
  url: string,
  { query = '', headers, ...asked }: EventsAsked = {},
): Promise<EventClient> {
  const response = await open(url, `/api/v1/events${query}`, {
    ...asked,
    headers: { accept: 'text/event-stream', ...headers },
  });
  if (response.statusCode !== 200) throw new Refused(await answeredOf(response));
  const hearing = listener((hear) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      const blocks = `${text}${piece}`.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id, name = '', data = ''] =
          /^(?:id: (\d+)\n)?event: (\w\S*)\ndata: ([^\n]*)$/.exec(block) ?? [];
        if (block !== ':')
          hear({ name, data: JSON.parse(data) as unknown, ...(id !== undefined && { id: Number(id) }) });
      }
    });
  });
  response.on('error', () => {});
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
  const leave = () => void response.destroy();
  onTestFinished(leave);
  return {
    ...hearing,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    leave,
    closed,
  };
}

function listener(begin: (hear: (event: Heard) => void) => void): Pick<EventClient, 'heard' | 'next'> {
  const heard: Heard[] = [];
  const left: Heard[] = [];
  const waiting: { readonly name: string; readonly resolve: (event: Heard) => void }[] = [];
  begin((event) => {
    heard.push(event);
    const at = waiting.findIndex(({ name }) => name === event.name);
    if (at === -1) left.push(event);
    else waiting.splice(at, 1)[0]?.resolve(event);
  });
  return {
    heard,
    next(name) {
      const at = left.findIndex((event) => event.name === name);
      const [event] = at === -1 ? [] : left.splice(at, 1);
      return event === undefined
        ? new Promise((resolve) => waiting.push({ name, resolve }))
        : Promise.resolve(event);
    },
  };
}
