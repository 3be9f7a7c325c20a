import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { urlContent, type UrlOptions } from './url-content.ts';

const options: UrlOptions = {
  fetch,
  clock: systemClock,
  signal: new AbortController().signal,
  timeoutMs: 60_000,
  maxChars: 1000,
  allowPrivate: true,
};

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answer =
  (
    body: string | Buffer,
    headers: Record<string, string> = { 'content-type': 'text/plain; charset=utf-8' },
  ): RequestListener =>
  (_, response) => {
    response.writeHead(200, headers);
    response.end(body);
  };

describe('a page', () => {
  test('is its text, cut with a word', async () => {
    const url = await served(answer('Grüße'));
    expect(await urlContent(url, options)).toEqual({ kind: 'text', text: 'Grüße' });
    expect(await urlContent(url, { ...options, maxChars: 2 })).toEqual({
      kind: 'text',
      text: 'Gr',
      cut: 'These are the first 2 of 5 characters.',
    });
  });

  test('is read to a megabyte', async () => {
    const url = await served(answer('x'.repeat(3 * 1024 * 1024)));
    expect(await urlContent(url, { ...options, maxChars: 10_000_000 })).toMatchObject({
      text: 'x'.repeat(1024 * 1024),
      cut: expect.stringContaining('more than 1048576 bytes') as string,
    });
  });

  test.each(['text/html', 'application/json', 'application/ld+json', 'application/x-yaml', ''])(
    'of the type "%s"',
    async (type) => {
      const url = await served(answer('{}', type === '' ? {} : { 'content-type': type }));
      expect(await urlContent(url, options)).toMatchObject({ kind: 'text' });
    },
  );

  test.each<[string, RequestListener, string]>([
    [
      'a picture',
      answer('x', { 'content-type': 'image/png' }),
      'it is of the type image/png, which is not text',
    ],
    ['binary in disguise', answer('a\0b'), 'it is binary'],
    ['not there', (_, response) => void response.writeHead(404).end('gone'), 'it answered with status 404'],
    ['cut off', (request) => void request.socket.destroy(), 'it could not be fetched ('],
  ])('%s is told', async (_, listener, words) => {
    const url = await served(listener);
    expect(await urlContent(url, options)).toEqual({
      kind: 'none',
      reason: expect.stringContaining(words) as string,
    });
  });

  test('that never comes is cancelled', async () => {
    const url = await served(() => {});
    const clock = fakeClock();
    const content = urlContent(url, { ...options, clock, timeoutMs: 5000 });
    await expect.poll(() => clock.waiting, { interval: 1 }).toBe(1);
    clock.advance(5000);
    expect(await content).toEqual({ kind: 'none', reason: 'it took longer than 5 s' });
    const life = AbortSignal.abort();
    expect(await urlContent(url, { ...options, signal: life })).toEqual({
      kind: 'none',
      reason: 'it was cancelled',
    });
  });
});

describe('redirects', () => {
  const hops: RequestListener = (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) return answer('there')(request, response);
    response.writeHead(302, { location: `/${left - 1}` });
    return response.end();
  };

  test('are followed five times', async () => {
    const url = await served(hops);
    expect(await urlContent(`${url}/5`, options)).toMatchObject({ text: 'there' });
    expect(await urlContent(`${url}/6`, options)).toMatchObject({ reason: 'it redirects more than 5 times' });
  });

  test.each(['file:///etc/passwd', 'ftp://example.org/', 'http://u:p@example.org/', 'http://[::'])(
    'not to %s',
    async (location) => {
      const url = await served((_, response) => void response.writeHead(302, { location }).end());
      expect(await urlContent(url, options)).toMatchObject({ kind: 'none' });
    },
  );

  test('lead into no local network', async () => {
    const fetched: string[] = [];
    const fetch = (url: string | URL | Request) => {
      fetched.push(url instanceof Request ? url.url : String(url));
      return Promise.resolve(
        new Response(null, { status: 302, headers: { location: 'http://inside.example/' } }),
      );
    };
    const addressesOf = (host: string) =>
      Promise.resolve(host === 'inside.example' ? ['8.8.8.8', '10.0.0.1'] : ['8.8.8.8']);
    const content = await urlContent('https://public.example/', {
      ...options,
      fetch,
      allowPrivate: false,
      addressesOf,
    });
    expect(content).toEqual({
      kind: 'none',
      reason:
        'inside.example is an address of this machine or of a local network; set allow_private_addresses if that is meant',
    });
    expect(fetched).toEqual(['https://public.example/']);
  });
});

test.each([
  'http://127.0.0.1/',
  'http://localhost/',
  'http://[::1]/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:127.0.0.1]/',
])('%s is not asked unless that is allowed', async (url) => {
  const fetch = vi.fn<typeof globalThis.fetch>();
  const content = await urlContent(url, {
    ...options,
    fetch,
    allowPrivate: false,
    addressesOf: () => Promise.resolve(['127.0.0.1']),
  });
  expect(content).toMatchObject({
    kind: 'none',
    reason: expect.stringContaining('allow_private_addresses') as string,
  });
  expect(fetch).not.toHaveBeenCalled();
});

test.each([
  ['nonsense', 'it is not a valid address'],
  ['file:///etc/passwd', 'it begins with file:; expected http: or https:'],
  ['https://user:secret@example.org/', 'there is a user or a password in it'],
])('%s is no page', async (url, words) => {
  expect(await urlContent(url, options)).toEqual({ kind: 'none', reason: words });
});
