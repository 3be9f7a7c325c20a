import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deferred } from '../../base/async.ts';
import type { JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { around, running, started } from '../../../test/support/definition/running-definition.ts';
import { runs } from '../../../test/support/runs.ts';
import { webSearchPlugin } from './web-search-plugin.ts';

describe('DuckDuckGo', () => {
  test('its page becomes plain results, without advertisements and what is no page of the web', async () => {
    const { search } = await searching(fixture('duckduckgo-results.html'));
    expect(await search('  rust async patterns ')).toEqual({
      ok: true,
      data: {
        query: 'rust async patterns',
        result_count: 5,
        results: [
          {
            title: 'Getting Started - Asynchronous Programming in Rust',
            url: 'https://rust-lang.github.io/async-book/',
            snippet: 'A book about async/.await & futures: how they work, and the patterns people use.',
          },
          {
            title: 'Futures & promises – Wikipedia',
            url: 'https://en.wikipedia.org/wiki/Futures_and_promises?lang=en&x=1#History',
            snippet: `"Future" and 'promise' originated in functional programming …`,
          },
          { title: 'tokio - Rust', url: 'https://docs.rs/tokio/latest/tokio/', snippet: '' },
          {
            title: 'A direct link',
            url: 'https://example.org/plain',
            snippet: 'Links are not always wrapped.',
          },
          {
            title: '錆 - Wikipedia evil',
            url: 'https://ja.wikipedia.org/wiki/%E9%8C%86',
            snippet: '錆（さび、英: rust）とは、金属の表面の 不安定な金属原子が…',
          },
        ],
      },
    });
  });

  test('markup that is a little different is read as well', async () => {
    const { search } = await searching(fixture('duckduckgo-older.html'));
    expect(await search('tea')).toMatchObject({
      data: {
        results: [
          {
            title: 'Green tea',
            url: 'https://tea.example/green',
            snippet: 'Leaves that were not fermented.',
          },
          { title: 'Black tea', url: 'http://tea.example/black?a=1&b=2', snippet: 'Leaves that were.' },
        ],
      },
    });
  });

  test.each(['duckduckgo-none.html', 'duckduckgo-advertisements.html'])('nothing found: %s', async (file) => {
    const { search } = await searching(fixture(file));
    expect(await search('qwertz')).toEqual({
      ok: true,
      data: {
        query: 'qwertz',
        result_count: 0,
        results: [],
        message: 'No results found for "qwertz". Try other or fewer terms.',
      },
    });
  });

  test.each([
    ['a page with a puzzle', fixture('duckduckgo-puzzle.html')],
    ['the same as accepted', fixture('duckduckgo-puzzle.html', 202)],
    ['accepted, with something else', { status: 202, body: '<p>later</p>' }],
    ['forbidden', { status: 403, body: '' }],
  ])('a refusal tells the way out: %s', async (_, answer) => {
    const { search } = await searching(answer);
    expect(await search('rust')).toMatchObject({
      ok: false,
      error: { code: 'RATE_LIMITED', message: expect.stringContaining('another engine') as string },
    });
  });

  test.each([
    ['other markup', fixture('duckduckgo-changed.html')],
    ['a login page', fixture('login-page.html')],
    ['nothing at all', { body: '' }],
    ['links that lead nowhere', { body: '<div class=result><a class=result__a href="http://[">x</a></div>' }],
    ['links to nothing of the web', { body: '<a class=result__a href="javascript:alert(1)">x</a>' }],
    ['JSON', { body: '{"results":[]}' }],
  ])('what cannot be read is said, and no empty list: %s', async (_, answer) => {
    const { search } = await searching(answer);
    expect(await search('rust')).toMatchObject({
      ok: false,
      error: { code: 'UNAVAILABLE', message: expect.stringContaining('could not be read') as string },
    });
  });

  test.each([
    [{}, 'q=a+%26+b%3F&kl=wt-wt&kp=-1'],
    [{ region: 'DE-de', safesearch: 'strict' }, 'q=a+%26+b%3F&kl=de-de&kp=1'],
    [{ safesearch: 'off' }, 'q=a+%26+b%3F&kl=wt-wt&kp=-2'],
  ])('is asked with region and safe search: %o', async (config, query) => {
    const { search, requests } = await searching(fixture('duckduckgo-none.html'), config);
    await search('a & b?');
    expect(requests.map(({ url }) => url)).toEqual([`/html/?${query}`]);
    expect(requests[0]?.headers['user-agent']).toMatch(/^Mozilla\/5\.0 /);
  });

  test('any markup gives results or a failure of its own, whatever it is', async () => {
    const pieces = fc.oneof(
      fc.constantFrom(
        '<div class="result">',
        '<div class="result result--ad">',
        '<a class="result__a" href="https://example.org/">',
        '<a class=result__a href="//duckduckgo.com/l/?uddg=http%3A%2F%2Fa.example%2F">',
        '<a class=result__a href="//duckduckgo.com/l/?uddg=%">',
        '<a class="result__snippet">',
        '<script>',
        '<!--',
        '</a>',
        '</div>',
        '<title>',
        '<svg><p>',
        '<![CDATA[',
        '&#x110000;',
        '&amp',
      ),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 60 }), async (html) => {
        const answer = await searchIn(html.join(''));
        expect(answer.ok ? 'ok' : answer.error.code).toMatch(/^(?:ok|UNAVAILABLE|RATE_LIMITED)$/);
      }),
      { numRuns: runs(500, 25) },
    );
  }, 120_000);

  test.each([
    ['nested results', '<div class="result">'.repeat(19_000)],
    ['nested links', '<a class=result__a href="https://a.example/">'.repeat(19_000)],
    ['nested text', `<a class=result__a href="https://a.example/">${'<b>'.repeat(19_000)}x`],
    ['ends of nothing', '<b>'.repeat(9000) + '</i>'.repeat(9000)],
    ['far more than a page has', '<b>'.repeat(400_000)],
    ['many snippets', '<p class=result__snippet>x'.repeat(19_000)],
    [
      'a long class',
      `<p class="${'result '.repeat(200_000)}">${'<a class=result__a href="https://a.example/">x</a>'.repeat(9000)}`,
    ],
  ])('%s neither use up the stack nor the time', async (_, html) => {
    const answer = await searchIn(html);
    expect(answer.ok ? 'ok' : answer.error.code).toMatch(/^(?:ok|UNAVAILABLE)$/);
  });
});

describe('results', () => {
  test.each([
    [{}, { max_results: 2 }, 2],
    [{ max_results: 3 }, {}, 3],
    [{ max_results: 3 }, { max_results: 4 }, 4],
  ])('are as many as wanted: %o %o', async (config, args, count) => {
    const { search } = await searching(fixture('duckduckgo-results.html'), config);
    expect(await search('rust', args)).toMatchObject({ data: { result_count: count } });
  });

  test('have texts of a length that can be read', async () => {
    const long = '🦆'.repeat(3000);
    const { data } = await searchIn(
      `<div class=result><a class=result__a href="https://a.example/">${long}</a><p class=result__snippet>x${long}</div>`,
    );
    const [{ title, snippet }] = (data as unknown as { results: [{ title: string; snippet: string }] })
      .results;
    expect([title.length, snippet.length]).toEqual([299, 1000]);
    expect(Buffer.from(title + snippet).toString()).toBe(title + snippet);
  });

  test('without a title have their address for one, and too long an address is none', async () => {
    const { data } = await searchIn(
      `<a class=result__a href="https://a.example/"> </a><a class=result__a href="https://b.example/${'b'.repeat(2000)}">b</a>`,
    );
    expect(data).toMatchObject({ results: [{ title: 'https://a.example/', url: 'https://a.example/' }] });
  });
});

describe('SearXNG', () => {
  test.each(['', '/', '/search', '/sub/path/'])('is asked for JSON below %o', async (path) => {
    const { search, requests } = await searching(
      fixture('searxng-results.json'),
      { engine: 'searxng', region: 'us-en', safesearch: 'strict' },
      { path },
    );
    expect(await search('rust async patterns')).toEqual({
      ok: true,
      data: {
        query: 'rust async patterns',
        result_count: 2,
        results: [
          {
            title: 'Asynchronous Programming in Rust',
            url: 'https://rust-lang.github.io/async-book/',
            snippet: 'A book about async & await.',
          },
          { title: 'Tokio', url: 'https://tokio.rs/', snippet: '' },
        ],
      },
    });
    const folder = path.startsWith('/sub') ? '/sub/path' : '';
    expect(requests.map(({ url }) => url)).toEqual([
      `${folder}/search?q=rust+async+patterns&format=json&safesearch=2&language=en-US`,
    ]);
  });

  test.each([
    ['searxng-none.json', { ok: true, data: { result_count: 0 } }],
    [
      'searxng-silent.json',
      { error: { code: 'UNAVAILABLE', message: expect.stringContaining('google: CAPTCHA') as string } },
    ],
    [
      'login-page.html',
      { error: { code: 'UNAVAILABLE', message: expect.stringContaining('settings.yml') as string } },
    ],
  ])('%s', async (file, expected) => {
    const { search } = await searching(fixture(file), { engine: 'searxng' });
    expect(await search('rust')).toMatchObject(expected);
  });

  test.each([
    [{ status: 403, body: '' }, 'search.formats'],
    [{ body: '[]' }, 'search.formats'],
    [{ body: '{}' }, 'no list of results'],
    [{ body: '{"__proto__":{"results":[]}}' }, 'no list of results'],
  ])('that does not answer as it should: %o', async (answer, word) => {
    const { search } = await searching(answer, { engine: 'searxng' });
    expect(await search('rust')).toMatchObject({
      error: { code: 'UNAVAILABLE', message: expect.stringContaining(word) as string },
    });
  });
});

describe('Brave', () => {
  const KEY = 'BSA-very-secret-key';

  test.each([
    ['its usual variable', {}, { BRAVE_API_KEY: KEY }],
    ['a reference', { api_key: '${env:MY_KEY}' }, { MY_KEY: KEY }],
    ['the configuration', { api_key: KEY }, {}],
  ])('gets its key from %s', async (_, config, env) => {
    const { search, requests } = await searching(
      fixture('brave-results.json'),
      { engine: 'brave', region: 'gb-en', ...config },
      { env },
    );
    expect(await search('rust', { max_results: 30 })).toEqual({
      ok: true,
      data: {
        query: 'rust',
        result_count: 2,
        results: [
          {
            title: 'Async in depth & more | Tokio',
            url: 'https://tokio.rs/tokio/tutorial/async',
            snippet: `At this point, we have covered async Rust 'completely': a <T>.`,
          },
          { title: 'Without a description', url: 'https://example.org/', snippet: '' },
        ],
      },
    });
    expect(requests[0]?.headers['x-subscription-token']).toBe(KEY);
    expect(requests[0]?.url).toBe('/html/?q=rust&count=20&safesearch=moderate&country=GB&search_lang=en');
  });

  test('found nothing', async () => {
    const { search } = await searching(fixture('brave-none.json'), { engine: 'brave', api_key: KEY });
    expect(await search('qwertz')).toMatchObject({ ok: true, data: { result_count: 0 } });
  });

  test.each([
    [{ status: 401, body: KEY }, 'UNAUTHENTICATED'],
    [{ status: 422, body: KEY }, 'UNAUTHENTICATED'],
    [{ status: 429, body: KEY }, 'RATE_LIMITED'],
    [{ status: 500, body: KEY }, 'UNAVAILABLE'],
    [{ body: KEY }, 'UNAVAILABLE'],
    [{ body: `{"web":"${KEY}"}` }, 'UNAVAILABLE'],
    [{ status: 302, headers: { location: `//localhost/${KEY}` }, body: '' }, 'UNAVAILABLE'],
  ])('never tells its key: %o', async (answer, code) => {
    const { search } = await searching(answer, { engine: 'brave', api_key: KEY });
    const failed = await search('rust');
    expect(failed).toMatchObject({ ok: false, error: { code } });
    expect(JSON.stringify(failed)).not.toContain(KEY);
  });

  test('sends its key to no other place', async () => {
    const other = await serving(() => fixture('brave-results.json'));
    const { search } = await searching(
      { status: 307, headers: { location: other.url }, body: '' },
      { engine: 'brave', api_key: KEY },
    );
    expect(await search('rust')).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    expect(other.requests).toEqual([]);
  });
});

describe('an engine that does not do its part', () => {
  test.each([
    [{ status: 429, headers: { 'retry-after': '120' }, body: '' }, 'RATE_LIMITED', 'Try again in 120 s.'],
    [{ status: 429, headers: { 'retry-after': 'soon' }, body: '' }, 'RATE_LIMITED', 'in some minutes'],
    [{ status: 503, body: '' }, 'UNAVAILABLE', 'HTTP 503. Try again later.'],
    [{ status: 404, body: '' }, 'UNAVAILABLE', 'HTTP 404. See "base_url"'],
    [{ status: 304, body: '' }, 'UNAVAILABLE', 'HTTP 304'],
    [{ body: Buffer.alloc(2 * MiB + 1, ' ') }, 'UNAVAILABLE', 'more than 2 MiB'],
    [
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(20 * MiB)) },
      'UNAVAILABLE',
      'more than 2 MiB',
    ],
    [{ headers: { 'content-encoding': 'gzip' }, body: 'no gzip' }, 'UNAVAILABLE', 'could not be reached'],
    [{ status: 302, headers: { location: '/html/' }, body: '' }, 'UNAVAILABLE', 'more than 5 times'],
    [{ status: 302, headers: { location: 'http://localhost/' }, body: '' }, 'UNAVAILABLE', 'not followed'],
    [{ status: 302, headers: { location: 'file:///etc/passwd' }, body: '' }, 'UNAVAILABLE', 'not followed'],
    [{ status: 302, headers: { location: 'http://[' }, body: '' }, 'UNAVAILABLE', 'an invalid address'],
  ])('%o', async (answer, code, word) => {
    const { search } = await searching(answer);
    expect(await search('rust')).toMatchObject({
      ok: false,
      error: { code, message: expect.stringContaining(word) as string },
    });
  });

  test('a redirect on the same host is followed', async () => {
    const { search, requests } = await searching(({ url }) =>
      url?.startsWith('/html/') === true
        ? { status: 301, headers: { location: '/moved?to=here' }, body: '' }
        : fixture('duckduckgo-older.html'),
    );
    expect(await search('tea')).toMatchObject({ data: { result_count: 2 } });
    expect(requests.map(({ url }) => url)).toEqual(['/html/?q=tea&kl=wt-wt&kp=-1', '/moved?to=here']);
  });

  test('nobody at its address', async () => {
    const gone = await serving(() => ({ body: '' }));
    await gone.close();
    const { call } = await plugin({ base_url: gone.url });
    expect(await call({ query: 'rust' })).toMatchObject({
      error: { code: 'UNAVAILABLE', message: expect.stringContaining('ECONNREFUSED') as string },
    });
  });

  test.each([
    ['never answers', () => undefined],
    ['never ends its answer', (response: http.ServerResponse) => void response.write('<html>')],
  ])('one that %s is given up in time', async (_, begin) => {
    const asked = deferred<void>();
    const left = deferred<void>();
    const { url } = await serving((request, response) => {
      request.socket.once('close', () => left.resolve());
      begin(response);
      asked.resolve();
      return undefined;
    });
    const { call, clock } = await plugin({ base_url: url });
    const answer = call({ query: 'rust' });
    await asked.promise;
    clock.advance(10_000);
    expect(await answer).toMatchObject({
      error: {
        code: 'TIMEOUT',
        message: expect.stringContaining('within 10 s') as string,
        data: { timeout_sec: 10 },
      },
    });
    await left.promise;
  });

  test('is left when the caller gives up', async () => {
    const asked = deferred<void>();
    const left = deferred<void>();
    const { url } = await serving((request) => {
      request.socket.once('close', () => left.resolve());
      asked.resolve();
      return undefined;
    });
    const { start } = await plugin({ base_url: url });
    const call = start({ query: 'rust' });
    await asked.promise;
    call.running.cancel('enough');
    expect((await call.ended).answer).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
    await left.promise;
  });
});

describe('arguments and configuration that make no search', () => {
  test.each([
    {},
    { query: '' },
    { query: ' \n' },
    { query: 7 },
    { query: 'a', max_results: 0 },
    { query: 'a', page: 2 },
  ])('%o', async (args) => {
    const { call } = await plugin({});
    expect(await call(args)).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
  });

  test.each([
    [{ engine: 'google' }, 'INVALID_ARGUMENTS', 'engine'],
    [{ safesearch: 'on' }, 'INVALID_ARGUMENTS', 'safesearch'],
    [{ region: 'nowhere&q=x' }, 'INVALID_ARGUMENTS', 'region'],
    [{ timeout: 0 }, 'INVALID_ARGUMENTS', 'timeout'],
    [{ engine: 'searxng' }, 'CONFIG_INVALID', 'needs "base_url"'],
    [{ base_url: 'duckduckgo.com' }, 'CONFIG_INVALID', 'not an http or https address'],
    [{ base_url: 'file:///etc' }, 'CONFIG_INVALID', 'not an http or https address'],
    [{ base_url: 'https://me:secret@host/' }, 'CONFIG_INVALID', 'Leave them out'],
    [{ engine: 'brave' }, 'CONFIG_INVALID', 'BRAVE_API_KEY'],
    [{ engine: 'brave', api_key: '${env:NOT_SET}' }, 'CONFIG_INVALID', 'NOT_SET'],
    [{ engine: 'brave', api_key: 'two\nlines' }, 'CONFIG_INVALID', 'characters that no key has'],
  ])('%o', async (config, code, word) => {
    await expect(plugin(config)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(word) as string,
    });
    await expect(plugin(config)).rejects.not.toMatchObject({
      message: expect.stringMatching(/secret|two/) as string,
    });
  });
});

test('what it says of itself', () => {
  const { name, tools, autoApprove, instructions } = webSearchPlugin({ fetch, env: {} });
  expect(name).toBe('web_search');
  expect(tools.map(({ name, hints }) => [name, hints?.readOnly])).toEqual([['web_search', true]]);
  expect(autoApprove).toEqual(['web_search']);
  expect(instructions).toContain('web_search');
});

interface Served {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

type Answering = (request: http.IncomingMessage, response: http.ServerResponse) => Served | undefined;

function fixture(file: string, status = 200): Served {
  return {
    status,
    body: fs.readFileSync(
      new URL(`../../../test/support/plugins/fixtures/web-search/${file}`, import.meta.url),
    ),
  };
}

/** A server on this machine; what it answers with undefined stays open. */
async function serving(answering: Answering) {
  const requests: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    requests.push(request);
    const answer = answering(request, response);
    if (answer === undefined) return;
    response.writeHead(answer.status ?? 200, answer.headers);
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(() => (server.listening ? close() : undefined));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close };
}

async function plugin(config: JsonObject, ports: Partial<Parameters<typeof webSearchPlugin>[0]> = {}) {
  const clock = fakeClock();
  const { backend } = running(webSearchPlugin({ fetch, env: {}, ...ports }, { clock }));
  await backend.setup?.(config);
  const start = (args: JsonObject) =>
    started((sink) => backend.call({ ...around, tool: 'web_search', args }, sink));
  return { clock, start, call: async (args: JsonObject) => (await start(args).ended).answer };
}

async function searching(
  answer: Served | Answering,
  config: JsonObject = {},
  { path = '/html/', env = {} }: { path?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const { url, requests } = await serving(typeof answer === 'function' ? answer : () => answer);
  const { call } = await plugin({ base_url: url + path, ...config }, { env });
  return { requests, search: (query: string, more = {}) => call({ query, ...more }) };
}

/** In a page, without a server. */
async function searchIn(html: string) {
  const { call } = await plugin({}, { fetch: () => Promise.resolve(new Response(html)) });
  return call({ query: 'anything' });
}
