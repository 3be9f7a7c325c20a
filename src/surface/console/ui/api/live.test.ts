import { expect, test } from 'vitest';
import { ApiError, type StreamRequest } from './client.ts';
import { Live } from './live.ts';

/** A host whose connections are ended by hand, and waits that are written down. */
function world() {
  const paths: string[] = [];
  const waits: number[] = [];
  const events: unknown[] = [];
  let wantsTraffic = false;
  let current: { request: StreamRequest; end: (error?: Error) => void } | undefined;
  let onNext: (() => void) | undefined;
  const live = new Live({
    api: {
      stream: (path, request) => {
        paths.push(path);
        return new Promise((resolve, reject) => {
          request.signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
          current = { request, end: (error) => (error === undefined ? resolve() : reject(error)) };
          onNext?.();
        });
      },
    },
    onOpen: () => events.push('open'),
    onEvent: (name, data) => events.push([name, data]),
    wantsTraffic: () => wantsTraffic,
    sleep: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    random: () => 1,
  });
  return {
    live,
    paths,
    waits,
    events,
    wantTraffic: () => (wantsTraffic = true),
    connected: () =>
      new Promise<StreamRequest>((resolve) => {
        onNext = () => resolve(current?.request as StreamRequest);
      }),
    end: (error?: Error) => current?.end(error),
  };
}

test('comes back, later each time, and at once again after it was open', async () => {
  const { live, waits, events, connected, end } = world();
  let next = connected();
  const run = live.run();
  for (let failure = 0; failure < 7; failure++) {
    await next;
    next = connected();
    end(new ApiError(0, 'NOT_REACHED', ''));
  }
  const request = await next;
  expect(live.connection.value).toBe('lost');
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  request.onOpen?.(new Response());
  request.onEvent('plugin', { name: 'x' });
  expect(live.connection.value).toBe('open');
  expect(events).toEqual(['open', ['plugin', { name: 'x' }]]);
  next = connected();
  end();
  await next;
  expect(waits.at(-1)).toBe(500);
  live.stop();
  await run;
});

test('asks for traffic when that is wanted', async () => {
  const { live, paths, waits, connected, wantTraffic } = world();
  let next = connected();
  const run = live.run();
  await next;
  wantTraffic();
  next = connected();
  live.renew();
  await next;
  expect(paths).toEqual(['/events', '/events?traffic=1']);
  expect(waits).toEqual([]);
  live.stop();
  await run;
});

test('gives up where the host does not know the page, until it is run again', async () => {
  const { live, paths, connected, end } = world();
  let next = connected();
  const run = live.run();
  await next;
  end(new ApiError(401, 'UNAUTHENTICATED', ''));
  await run;
  next = connected();
  const again = live.run();
  await next;
  expect(paths).toHaveLength(2);
  live.stop();
  await again;
});
