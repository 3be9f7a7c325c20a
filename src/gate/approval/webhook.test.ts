import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { question, unaborted } from '../../../test/support/gate/question.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { webhookApprover } from './approvers.ts';

const token = 'secret-token-1234';

interface Received {
  readonly method: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

async function service(
  answer: (response: http.ServerResponse) => void,
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      received.push({ method: request.method, authorization: request.headers.authorization, body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on a port.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/ask?key=hidden`, received };
}

function ask(url: string, signal = unaborted) {
  return webhookApprover({ url, token, fetch }).ask(question(), signal);
}

test('posts the question with its token, and takes the decision', async () => {
  const { url, received } = await service((response) => response.end('{"decision":"allow_session"}'));
  expect(await ask(url)).toEqual({ kind: 'allow', scope: 'session', by: 'webhook' });
  expect(received).toMatchObject([{ method: 'POST', authorization: `Bearer ${token}` }]);
  expect(JSON.parse(received[0]?.body ?? '')).toEqual({ version: 1, ...question() });
});

test('a comment and other arguments come with it', async () => {
  const denied = await service((response) => response.end('{"decision":"deny","comment":"not on Fridays"}'));
  expect(await ask(denied.url)).toEqual({
    kind: 'deny',
    scope: 'once',
    by: 'webhook',
    comment: 'not on Fridays',
  });
  const edited = await service((response) => response.end('{"decision":"allow","arguments":{"path":"b"}}'));
  expect(await ask(edited.url)).toMatchObject({ kind: 'allow', args: { path: 'b' } });
});

test.each<[string, (response: http.ServerResponse) => void, RegExp]>([
  [
    'another status',
    (response) => response.writeHead(500).end('{"decision":"allow"}'),
    /answered with status 500/,
  ],
  ['an empty one', (response) => response.writeHead(204).end(), /answered with status 204/],
  [
    'another status that is a success',
    (response) => response.writeHead(202).end('{"decision":"allow"}'),
    /answered with status 202; expected 200/,
  ],
  [
    'a scope that only a decision of its own has',
    (response) => response.writeHead(200).end('{"decision":"allow","scope":"all"}'),
    /"scope" cannot be all/,
  ],
  [
    'a redirect',
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    /answered with status 302/,
  ],
  ['text', (response) => response.end('allow'), /not JSON/],
  ['no decision', (response) => response.end('{"ok":true}'), /"decision" has to be one of/],
  ['Latin-1', (response) => response.end(Buffer.from([0x22, 0xff, 0x22])), /not JSON/],
  [
    'too much',
    (response) => response.end(`{"decision":"allow","x":"${'x'.repeat(70_000)}"}`),
    /more than 65536 bytes/,
  ],
  [
    'an end in the middle',
    (response) => response.write('{"decision":', () => response.destroy()),
    /broke off|could not be reached/,
  ],
])('%s is not an answer, and the error does not contain the token', async (_, answer, message) => {
  const { url } = await service(answer);
  const error = await ask(url).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(String(error)).toMatch(message);
  expect(String(error)).not.toMatch(/secret-token|hidden/);
});

test('a service that does not listen', async () => {
  const error = await ask('http://127.0.0.1:1/').catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/could not be reached \((ECONNREFUSED|Error|TypeError)\)/);
});

test('ends with the signal, and with its own limit', async () => {
  const { url, received } = await service(() => {});
  const controller = new AbortController();
  const asked = ask(url, controller.signal);
  await expect.poll(() => received).toHaveLength(1);
  controller.abort();
  await expect(asked).rejects.toThrow('the question was withdrawn');

  const clock = fakeClock();
  const late = webhookApprover({ url, fetch, clock, limitMs: 500 }).ask(question(), unaborted);
  await expect.poll(() => received).toHaveLength(2);
  clock.advance(500);
  await expect(late).rejects.toThrow('no answer came in time');
  await expect(ask(url, AbortSignal.abort())).rejects.toThrow('the question was withdrawn');
});

test.each([
  ['http://example.org/', 'http and not on this machine'],
  ['http://127.0.0.1.example.org/', 'http and not on this machine'],
  ['http://localhost.example.org/', 'http and not on this machine'],
  ['ftp://127.0.0.1/', 'its address is not valid'],
  ['nowhere', 'its address is not valid'],
  ['https://user:hidden@example.org/', 'a name or a password'],
])('the address %s is refused', (url, message) => {
  expect(() => webhookApprover({ url, fetch })).toThrow(message);
  expect(() => webhookApprover({ url, fetch })).not.toThrow('hidden');
});

test.each(['https://example.org/', 'http://localhost:8080/', 'http://[::1]:8080/', 'http://127.8.9.1/'])(
  'the address %s is taken',
  (url) => expect(webhookApprover({ url, fetch }).limitMs).toBe(30_000),
);

test('http elsewhere where that is allowed; a token that a header cannot carry is refused without being shown', () => {
  expect(webhookApprover({ url: 'http://example.org/', fetch, allowHttp: true }).limitMs).toBe(30_000);
  for (const bad of ['', 'a b', 'geheim\nx-admin: 1', 'ü'])
    expect(() => webhookApprover({ url: 'https://example.org/', token: bad, fetch })).toThrow(
      /^(?!.*geheim).*its token/,
    );
});
