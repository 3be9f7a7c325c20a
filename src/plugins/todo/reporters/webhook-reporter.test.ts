import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { origin, story, tell } from '../../../../test/support/plan-story.ts';
import { systemClock } from '../../../base/clock.ts';
import { deferred, type Deferred } from '../../../base/deferred.ts';
import { fakeClock } from '../../../testing/fake-clock.ts';
import { webhookReporter } from './webhook-reporter.ts';

describe('webhook', () => {
  interface Sent {
    readonly body: { readonly event_type: string };
    readonly headers: Headers;
    readonly answer: Deferred<Response>;
  }
  function setUp() {
    const sent: Sent[] = [];
    const warnings: string[] = [];
    const clock = fakeClock();
    const fetch: typeof globalThis.fetch = (_, options) => {
      const answer = deferred<Response>();
      options?.signal?.addEventListener('abort', () => answer.reject(new Error('aborted')));
      // The reporter sends texts alone.
      const body = JSON.parse(options?.body as string) as Sent['body'];
      sent.push({ body, headers: new Headers(options?.headers), answer });
      return answer.promise;
    };
    const reporter = webhookReporter(
      {
        endpoint: 'https://user:secret@hooks.example/T0/private?key=1',
        timeoutMs: 10_000,
        headers: { 'X-Service': 'pluglot' },
        token: 'Bearer hidden',
      },
      { fetch, clock, warn: (message) => void warnings.push(message) },
    );
    return { sent, warnings, clock, reporter };
  }

  test('sends one after the other, in order, with the token', async () => {
    const { sent, reporter, warnings } = setUp();
    tell(reporter);
    for (let index = 0; index < 8; index++) {
      await expect.poll(() => sent, { interval: 1 }).toHaveLength(index + 1);
      await nextRound();
      expect(sent).toHaveLength(index + 1);
      sent[index]?.answer.resolve(new Response('ok'));
    }
    expect(sent.map(({ body }) => body.event_type)).toEqual(story().map(([type]) => type));
    expect(sent[3]?.body).toMatchObject({
      event_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      timestamp: origin.now().toISOString(),
      plan_title: 'Tidy up',
      step: { sequence: 1, description: 'look', status: 'completed', result: '3 things' },
      progress: { total: 2, completed: 1, pending: 1, percent: 50 },
    });
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer hidden');
    expect(sent[0]?.headers.get('x-service')).toBe('pluglot');
    await reporter.close();
    expect(warnings).toEqual([]);
  });

  test('what it does not take is lost with a word, that tells no secret, and the next goes on', async () => {
    const { sent, reporter, warnings, clock } = setUp();
    tell(reporter, story().slice(0, 4));
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(1);
    clock.advance(10_000);
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(2);
    sent[1]?.answer.resolve(new Response('', { status: 500 }));
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(3);
    sent[2]?.answer.reject(
      new TypeError('fetch failed for secret', {
        cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
      }),
    );
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(4);
    sent[3]?.answer.resolve(new Response('ok'));
    await reporter.close();
    expect(warnings).toEqual([
      'The webhook of the plans (https://hooks.example) did not take an event: it took longer than 10 s.',
      'The webhook of the plans (https://hooks.example) takes events again; 3 are lost.',
    ]);
  });

  test('never holds more than its queue, and keeps the latest', async () => {
    const { sent, reporter, warnings } = setUp();
    const [first] = story();
    for (let index = 0; index < 500; index++) tell(reporter, first === undefined ? [] : [first]);
    tell(reporter, story().slice(-1));
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(1);
    for (let index = 0; index < 101; index++) {
      sent[index]?.answer.resolve(new Response('ok'));
      const next = Math.min(index + 2, 101);
      await expect.poll(() => sent.length, { interval: 1 }).toBeGreaterThanOrEqual(next);
    }
    expect(sent).toHaveLength(101);
    expect(sent.at(-1)?.body.event_type).toBe('plan_completed');
    expect(warnings[0]).toContain('more than 100 wait');
  });

  test('closing waits a moment, then gives up the rest', async () => {
    const { sent, reporter, warnings, clock } = setUp();
    tell(reporter, story().slice(0, 3));
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(1);
    const closed = reporter.close();
    clock.advance(3000);
    await closed;
    expect(warnings).toEqual([
      'The webhook of the plans (https://hooks.example) was left with 3 events that it never took.',
    ]);
    tell(reporter);
    await nextRound();
    expect(sent).toHaveLength(1);
  });

  test('over a real wire; a redirect is not followed, so that the token stays where it belongs', async () => {
    const requests: { url: string; authorization: string | undefined }[] = [];
    const server = createServer((request: IncomingMessage, response) => {
      requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
      request.resume();
      if (request.url === '/old') response.writeHead(302, { location: '/new' });
      response.end('x'.repeat(10));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const warnings: string[] = [];
    const reporterFor = (way: string) =>
      webhookReporter(
        { endpoint: `http://127.0.0.1:${port}${way}`, timeoutMs: 20_000, headers: {}, token: 't' },
        { fetch, clock: systemClock, warn: (message) => void warnings.push(message) },
      );
    for (const way of ['/right', '/old']) {
      const reporter = reporterFor(way);
      tell(reporter, story().slice(0, 1));
      await reporter.close();
    }
    expect(requests).toEqual([
      { url: '/right', authorization: 'Bearer t' },
      { url: '/old', authorization: 'Bearer t' },
    ]);
    expect(warnings.join()).toContain('status 302');
  });
});
