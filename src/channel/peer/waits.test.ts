// Every wait of a peer ends: with the pipe, however it ends; with the close of this end; with its time limit; with its signal.
import { describe, expect, test } from 'vitest';
import { framingNames, peerAndRawEnd, type FramingName } from '../../../test/support/channel/raw-end.ts';
import { KiB } from '../../base/units.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import type { CallOptions } from './options.ts';
import type { Peer } from './peer.ts';

type Wait = (peer: Peer, options?: CallOptions) => Promise<unknown>;

const inTime: Record<string, Wait> = {
  'a request under way': (peer, options) => peer.request('work', undefined, options),
  'the result of an exchange': (peer, options) => peer.open('work', undefined, options).result,
  'a batch': async (peer, options) => {
    const [first] = await peer.batch([{ method: 'work' }, { method: 'said', notify: true }], options);
    if (first?.status === 'rejected') throw first.reason;
    return first;
  },
  'a request that waits for room': (peer, options) => {
    fill(peer);
    return peer.request('work', undefined, options);
  },
};

const withoutLimit: Record<string, Wait> = {
  'a request that waits for its turn': (peer, options) => {
    for (let i = 0; i < MAX_IN_FLIGHT; i++) peer.open('before');
    return peer.request('work', undefined, options);
  },
  'the wait for room': (peer) => {
    fill(peer);
    return peer.drained();
  },
};

const lives: Record<string, Wait> = {
  closed: (peer) => peer.closed,
  ended: (peer) => peer.ended,
  'a close that waits for an answer': (peer) => {
    peer.open('work');
    return peer.close({ timeoutMs: Infinity });
  },
  'a close that waits for room': (peer) => {
    fill(peer);
    return peer.close({ timeoutMs: Infinity });
  },
};

const ends: Record<string, (ends: ReturnType<typeof open>) => unknown> = {
  'the other end is gone': ({ raw }) => raw.destroy(),
  'the pipe breaks': ({ raw }) => raw.destroy(new Error('read ECONNRESET')),
  'this end closes and has no time': ({ peer, clock }) => {
    void peer.close({ pending: 'abort', timeoutMs: 10 });
    clock.advance(10);
  },
};

const MAX_IN_FLIGHT = 8;

describe.each(framingNames)('over %s', (framing) => {
  describe.each(Object.keys({ ...inTime, ...withoutLimit, ...lives }))('%s', (name) => {
    test.each(Object.keys(ends))('ends when %s', async (end) => {
      const opened = open(framing);
      const { peer } = opened;
      const wait = named({ ...inTime, ...withoutLimit, ...lives }, name)(peer);
      const settled = Promise.allSettled([wait]);
      named(ends, end)(opened);
      expect(await settled).toHaveLength(1);
      await peer.closed;
      expect(peer.stats()).toMatchObject({ inFlight: 0, waiting: 0, handling: 0 });
    });
  });

  test.each(Object.keys({ ...inTime, ...withoutLimit }))(
    '%s fails with a reason when the pipe ends',
    async (name) => {
      const { peer, raw } = open(framing);
      const wait = named({ ...inTime, ...withoutLimit }, name)(peer);
      raw.destroy();
      await expect(wait).rejects.toMatchObject({
        code: 'PIPE_ENDED',
        message: 'The pipe to the plugin is over: the other end closed it.',
      });
    },
  );

  test.each(Object.keys(inTime))('%s ends with its time limit', async (name) => {
    const clock = fakeClock();
    const { peer } = open(framing, clock);
    const wait = named(inTime, name)(peer, { timeoutMs: 1000 });
    clock.advance(1000);
    await expect(wait).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
  });

  test.each(Object.keys({ ...inTime, 'a request that waits for its turn': 0 }))(
    '%s ends with its signal',
    async (name) => {
      const controller = new AbortController();
      const { peer } = open(framing);
      const wait = named({ ...inTime, ...withoutLimit }, name)(peer, { signal: controller.signal });
      controller.abort();
      await expect(wait).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    },
  );

  test('a close ends with its time limit, whatever it waits for', async () => {
    const clock = fakeClock();
    const { peer, raw } = open(framing, clock);
    peer.handle('hang', () => new Promise(() => {}));
    raw.send({ jsonrpc: '2.0', id: 1, method: 'hang' });
    const call = peer.request('work');
    fill(peer);
    const closing = peer.close({ timeoutMs: 1000 });
    clock.advance(1000);
    await expect(call).rejects.toMatchObject({ code: 'PEER_CLOSED' });
    await closing;
    expect(await peer.closed).toEqual({ kind: 'closed' });
    expect(clock.waiting).toBe(0);
  });
});

function open(framing: FramingName, clock = fakeClock()) {
  const ends = peerAndRawEnd(framing, { clock, maxInFlight: MAX_IN_FLIGHT, queueMark: 64 * KiB });
  ends.raw.pause();
  return { ...ends, clock };
}

/** Until the peer asks to wait. */
function fill(peer: Peer): void {
  while (peer.notify('fill', ['x'.repeat(10 * KiB)]));
}

function named<T>(values: Readonly<Record<string, T>>, name: string): T {
  const value = values[name];
  if (value === undefined) throw new Error(`nothing named ${name}`);
  return value;
}
