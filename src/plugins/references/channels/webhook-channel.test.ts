import { describe, expect, test } from 'vitest';
import { forever, request } from '../../../../test/support/selection-request.ts';
import { fakeClock } from '../../../testing/fake-clock.ts';
import { webhookChannel } from './webhook-channel.ts';

describe('webhook', () => {
  function setUp(answer: () => Promise<Response>) {
    const clock = fakeClock();
    const sent: { body: unknown; authorization: string | null }[] = [];
    const warnings: string[] = [];
    const channel = webhookChannel(
      { endpoint: 'https://hooks.example/private', timeoutMs: 300_000, headers: {}, token: 'hidden' },
      {
        clock,
        warn: (message) => void warnings.push(message),
        fetch: (_, options) => {
          sent.push({
            // The channel sends texts alone.
            body: JSON.parse(options?.body as string) as unknown,
            authorization: new Headers(options?.headers).get('authorization'),
          });
          const aborted = new Promise<never>((_resolve, reject) => {
            options?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
          });
          return Promise.race([answer(), aborted]);
        },
      },
    );
    return { clock, sent, warnings, channel };
  }

  test('sends the request and takes the ids', async () => {
    const { channel, sent } = setUp(() => Promise.resolve(Response.json({ selected_ids: ['auth'] })));
    expect(await channel.choose(request, forever)).toEqual({ kind: 'selected', ids: ['auth'] });
    expect(sent).toEqual([
      { body: { ...request, sources: request.sources }, authorization: 'Bearer hidden' },
    ]);
    await channel.tell('done', forever);
    expect(sent[1]?.body).toEqual({ type: 'selection_result', message: 'done' });
  });

  test('an empty list is none, anything else is told without its address', async () => {
    expect(
      await setUp(() => Promise.resolve(Response.json({ selected_ids: [] }))).channel.choose(
        request,
        forever,
      ),
    ).toEqual({ kind: 'none' });
    for (const answer of [new Response('<html>'), new Response('', { status: 403 })]) {
      const { channel, warnings } = setUp(() => Promise.resolve(answer));
      expect(await channel.choose(request, forever)).toMatchObject({ kind: 'unavailable' });
      expect(warnings.join()).toContain('(https://hooks.example)');
      expect(warnings.join()).not.toMatch(/private|hidden/);
    }
  });

  test('ends by its time, or when it is given up', async () => {
    const { channel, clock } = setUp(() => new Promise(() => {}));
    const late = channel.choose(request, forever);
    clock.advance(300_000);
    expect(await late).toEqual({ kind: 'late' });
    expect(await channel.choose(request, AbortSignal.timeout(0))).toEqual({ kind: 'none' });
  });
});
