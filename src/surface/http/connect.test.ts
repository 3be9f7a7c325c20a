// A client and a host that comes and goes.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { ask, open } from '../../../test/support/surface/http-client.ts';
import { connected, testServer, testTokens, TOKEN } from '../../../test/support/surface/test-runtime.ts';
import { PluglotError } from '../../base/error.ts';
import type { RuntimeEvent } from '../../runtime/api.ts';
import { connectRuntime } from '../../runtime/connect/connect-runtime.ts';
import { eventsOf, Requests } from '../../runtime/connect/requests.ts';
import { createHttpServer } from './server.ts';

test('a token is given apart from the address', async () => {
  const { server } = await testServer();
  const api = await connected(server.url, TOKEN);
  expect(await api.health()).toMatchObject({ version: '1.2.3' });
  await expect(connectRuntime(`${server.url}/?token=${TOKEN}`)).rejects.toThrow(/^(?!.*a-token).*apart/);
});

test('whoever is not there, not let in, or no host is told apart', async () => {
  const { server } = await testServer();
  const port = server.port;
  await expect(connectRuntime(server.url, 'wrong')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(connectRuntime(server.url)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await server.close();
  await expect(connectRuntime(`http://127.0.0.1:${port}`, TOKEN)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  const socket = path.join(temporaryFolder({ file: '' }), 'file');
  for (const place of [socket, `${socket}.sock`])
    await expect(connectRuntime(`unix:${place}`)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  for (const address of ['', 'nonsense', 'ftp://127.0.0.1', 'file:///etc/passwd'])
    await expect(connectRuntime(address, TOKEN)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  const other = http.createServer((_, response) => void response.writeHead(418).end('<h1>tea</h1>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const address = other.address();
  const otherPort = typeof address === 'object' ? address?.port : 0;
  await expect(connectRuntime(`http://127.0.0.1:${otherPort}`, TOKEN)).rejects.toMatchObject({
    code: 'INVALID_RESPONSE',
  });
  await expect(connectRuntime(`http://u:secret@127.0.0.1:1/?token=${TOKEN}`)).rejects.toThrow(
    /^(?!.*(secret|a-token))/,
  );
});

test('a host that takes connections and says nothing is not waited for without end', async () => {
  const silent = http.createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  await expect(connectRuntime(`http://127.0.0.1:${port}`, TOKEN, { answerMs: 50 })).rejects.toMatchObject({
    code: 'CALL_TIMEOUT',
    message: expect.stringContaining('did not answer within 50 ms') as string,
  });
  // Nothing of it is left open.
  await expect
    .poll(() => new Promise((resolve) => silent.getConnections((_, count) => resolve(count))))
    .toBe(0);
});

test('a host that is gone ends its calls with a word, and those after it', async () => {
  const { server, waiting, user } = await testServer({ limits: { closeMs: 10 } });
  const api = await user();
  const call = api.call('wait');
  const talk = api.talk('wait');
  await waiting;
  await server.close();
  expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect(await talk.ended).toMatchObject({ reason: 'failed' });
  expect(await api.call('greet', { name: 'x' })).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  await expect(api.tools()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a conversation ends with whoever held it, and that it has ended is told while nobody speaks', async () => {
  const { server, user, api: host, runtime } = await testServer({}, { talker: true });
  const begun = await ask(server.url, '/api/v1/talks', { method: 'POST', body: { tool: 'chat' } });
  const { talk: id } = begun.json as { talk: string };
  const held = await open(server.url, `/api/v1/talks/${id}`, { headers: { accept: 'text/event-stream' } });
  // The plugin is in the conversation: a second one waits for it.
  const api = await user();
  const talk = api.talk('chat');
  await expect.poll(() => runtime.fleet.plugin('talker').status.waiting).toBe(1);
  // As a client goes that is killed: without a word.
  held.destroy();
  expect(await talk.opening).toMatchObject({ ok: true, text: 'Go on.' });
  await host.stop('talker');
  expect(await talk.ended).toMatchObject({ reason: 'failed' });
});

test('who listens is told that something was missed, and hears what comes after', async () => {
  const first = await testServer();
  const { port } = first.server;
  const api = await connected(first.server.url, TOKEN);
  const events: RuntimeEvent[] = [];
  api.onEvent((event) => void events.push(event));
  const kinds = () => events.map(({ kind }) => kind);
  await expect
    .poll(async () => {
      await first.api.restart('greeter');
      return kinds();
    })
    .toContain('plugin');
  expect(kinds()).not.toContain('dropped');
  await first.server.close();
  events.length = 0;
  const again = await createHttpServer({ api: first.api, tokens: testTokens(), port });
  onTestFinished(() => again.close());
  await expect.poll(kinds).toContain('dropped');
  await expect
    .poll(async () => {
      await first.api.restart('greeter');
      return kinds();
    })
    .toContain('plugin');
});

test('a connection for events is there only while somebody listens', async () => {
  const { server } = await testServer();
  const api = await connected(server.url, TOKEN);
  const followers = async () => {
    const text = await new Promise<string>((resolve, reject) => {
      http
        .get(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } }, (response) => {
          let all = '';
          response.setEncoding('utf8').on('data', (piece: string) => (all += piece));
          response.once('end', () => resolve(all));
        })
        .once('error', reject);
    });
    return Number(/^pluglot_http_streams (\d+)$/m.exec(text)?.[1]);
  };
  expect(await followers()).toBe(0);
  const end = api.onEvent(() => {});
  const endOther = api.approvals.onChanged(() => {});
  await expect.poll(followers).toBe(1);
  end();
  endOther();
  await expect.poll(followers).toBe(0);
});

test('a question that came before somebody listened is told, too', async () => {
  const { user, api: local, queue } = await testServer();
  const asked = local.call('greet', { name: 'x' }, { caller: { kind: 'model' } });
  await expect.poll(() => queue.pending()).toHaveLength(1);
  const api = await user();
  const pending = await new Promise<readonly { readonly id: string }[]>((resolve) => {
    api.approvals.onChanged(resolve);
  });
  expect(pending).toMatchObject([{ tool: 'greeter__greet' }]);
  await api.approvals.answer(pending[0]?.id ?? '', { kind: 'deny', scope: 'once', by: 'me' });
  expect(await asked).toMatchObject({ ok: false });
});

test('what is given up while its last words are read ends in peace', async () => {
  const { server } = await testServer();
  const requests = new Requests(server.url, TOKEN);
  onTestFinished(() => requests.close());
  for (const giveUp of [
    (one: () => void) => one(),
    (one: () => void) => process.nextTick(one),
    setImmediate,
  ]) {
    const given = new AbortController();
    const response = await requests.open('POST', '/api/v1/tools/count/call', {
      body: {},
      accept: 'text/event-stream',
      signal: given.signal,
    });
    const names: string[] = [];
    const read = async () => {
      for await (const { name } of eventsOf(response)) {
        names.push(name);
        if (name === 'outcome') giveUp(() => given.abort());
      }
    };
    // Whether it is heard before the end is a matter of moments.
    await read().catch((error: unknown) => names.push(codeOf(error)));
    expect(names.slice(0, 3)).toEqual(['text', 'text', 'outcome']);
    expect(names.slice(3).filter((name) => name !== 'PIPE_ENDED')).toEqual([]);
  }
  // An error that nobody hears would have ended the process by now.
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(await requests.ask('health', '/api/v1/health')).toMatchObject({ status: 'ok' });
});

function codeOf(error: unknown): string {
  return error instanceof PluglotError ? error.code : String(error);
}

test('a call with typed arguments, the log and the full name of its tool is one request', async () => {
  const { server } = await testServer();
  const unixSocket = server.unixSocket ?? '';
  const api = await connectRuntime(`unix:${unixSocket}`, undefined, { isChecked: false });
  onTestFinished(() => api.close());
  const logs: string[] = [];
  const call = api.call(
    'echo',
    { given: true },
    {
      pairs: { number: '5', text: 'five' },
      logs: { since: 0, onEntry: ({ message }) => void logs.push(message) },
    },
  );
  expect(await call.target).toEqual({ name: 'greeter__echo', plugin: 'greeter' });
  expect(await call).toMatchObject({ ok: true, data: { data: { given: true, number: 5, text: 'five' } } });
  expect(call.id).not.toBe('');
  const waiting = api.call(
    'wait',
    {},
    { logs: { since: 0, onEntry: ({ message }) => void logs.push(message) } },
  );
  await waiting.target;
  waiting.cancel();
  await waiting;
  const { text } = await ask(server.url, '/metrics');
  const requests = text.match(/^pluglot_http_requests_total.*$/gm) ?? [];
  expect(requests).toEqual([
    'pluglot_http_requests_total{method="POST",route="/api/v1/tools/{name}/call",status="200"} 2',
  ]);
});
