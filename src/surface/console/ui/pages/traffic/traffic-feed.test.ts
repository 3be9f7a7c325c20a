import { expect, test } from 'vitest';
import type { TrafficEntry } from '../../api/types.ts';
import { TrafficFeed } from './traffic-feed.ts';

function entry(seq: number): TrafficEntry {
  return { seq, at: seq, plugin: 'echo', from: 'host', kind: 'notification', size: 1 };
}

/** A host that has said `last` messages and keeps those from `first` on. */
function world(host: { first: number; last: number; characters?: number }) {
  const received: number[] = [];
  const asked: string[] = [];
  let lost = 0;
  let last = 0;
  let onPage = () => {};
  const store = {
    receive(entries: readonly TrafficEntry[]) {
      received.push(...entries.map(({ seq }) => seq));
      last = received.at(-1) ?? 0;
    },
    lost: (count: number) => void (lost += count),
    get lastSeq() {
      return last;
    },
    restarted: () => void (last = 0),
    settled: () => Promise.resolve(),
  };
  const feed = new TrafficFeed(store, async (since, limit) => {
    asked.push(`${since} ${limit}`);
    const from = Math.max(since + 1, host.first);
    const count = Math.max(0, Math.min(limit, host.last - from + 1));
    const entries = Array.from({ length: count }, (_, index) => entry(from + index));
    onPage();
    return { entries, last: host.last, size: count * (host.characters ?? 100) };
  });
  const say = (count: number) => {
    const entries = Array.from({ length: count }, (_, index) => entry(host.last + 1 + index));
    host.last += count;
    feed.live(entries);
  };
  const all = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return {
    feed,
    received,
    asked,
    say,
    all,
    lost: () => lost,
    eachPage: (step: () => void) => (onPage = step),
  };
}

test('all that is kept is read, in pages of a good size', async () => {
  const { feed, received, asked, all } = world({ first: 1, last: 7293 });
  feed.opened();
  await expect.poll(() => received.length).toBe(7293);
  expect(received).toEqual(all(1, 7293));
  expect(asked[0]).toBe('0 50');
  expect(asked[1]).toBe('50 2000');
  expect(asked).toHaveLength(5);
});

test('pages of large messages are small', async () => {
  const { feed, received, asked } = world({ first: 1, last: 100, characters: 64_000 });
  feed.opened();
  await expect.poll(() => received.length).toBe(100);
  expect(asked[1]).toBe('50 10');
});

test('what comes meanwhile comes after it, once', async () => {
  const { feed, received, say, all, eachPage } = world({ first: 5, last: 4000 });
  eachPage(() => say(3));
  feed.opened();
  await expect.poll(() => received.length).toBeGreaterThan(3999);
  eachPage(() => {});
  say(1);
  expect(received).toEqual(all(5, received.at(-1) ?? 0));
});

test('a gap is filled from what the host keeps; what it does not keep is lost', async () => {
  const host = { first: 1, last: 10 };
  const { feed, received, say, all, lost } = world(host);
  feed.opened();
  await expect.poll(() => received.length).toBe(10);
  host.last += 30;
  say(1);
  await expect.poll(() => received.length).toBe(41);
  expect(received).toEqual(all(1, 41));
  expect(lost()).toBe(0);
  host.last += 100;
  host.first = 100;
  say(1);
  await expect.poll(() => received.at(-1)).toBe(142);
  expect(lost()).toBe(58);
});

test('a restarted host counts from one', async () => {
  const host = { first: 1, last: 10 };
  const { feed, received } = world(host);
  feed.opened();
  await expect.poll(() => received.length).toBe(10);
  feed.closed();
  host.last = 3;
  feed.opened();
  await expect.poll(() => received.slice(10)).toEqual([1, 2, 3]);
  feed.closed();
  host.last = 0;
  feed.opened();
  await new Promise((resolve) => setImmediate(resolve));
  feed.live([entry(1)]);
  expect(received.slice(13)).toEqual([1]);
});

test('what a host says at once after it was started again is not lost', async () => {
  const host = { first: 1, last: 5000 };
  const { feed, received, lost, eachPage } = world(host);
  feed.opened();
  await expect.poll(() => received.length).toBe(5000);
  feed.closed();
  Object.assign(host, { first: 1, last: 0 });
  feed.opened();
  // Its page is answered before these are said, and read after them.
  feed.live([entry(1), entry(2), entry(3)]);
  await expect.poll(() => received.slice(5000)).toEqual([1, 2, 3]);
  // Without a page, the numbers show it.
  feed.closed();
  eachPage(() => {
    throw new Error('gone');
  });
  feed.opened();
  feed.live([entry(1), entry(2)]);
  await expect.poll(() => received.slice(5003)).toEqual([1, 2]);
  expect(lost()).toBe(0);
});

test('what a host that was started again does not keep is counted', async () => {
  const host = { first: 1, last: 5000 };
  const { feed, received, lost } = world(host);
  feed.opened();
  await expect.poll(() => received.length).toBe(5000);
  feed.closed();
  Object.assign(host, { first: 11, last: 20 });
  feed.opened();
  await expect.poll(() => received.length).toBe(5010);
  expect(lost()).toBe(10);
});

test('only so many wait while older ones are read; the others are read too', async () => {
  const { feed, received, say, all, eachPage, lost } = world({ first: 1, last: 10 });
  let pages = 0;
  eachPage(() => {
    pages += 1;
    if (pages === 1) for (let batch = 0; batch < 50; batch++) say(1000);
  });
  feed.opened();
  await expect.poll(() => received.at(-1)).toBe(50_010);
  expect(received).toEqual(all(1, 50_010));
  expect(pages).toBeGreaterThan(5);
  expect(lost()).toBe(0);
});

test('who is closed brings nothing more', async () => {
  const { feed, received } = world({ first: 1, last: 10 });
  feed.opened();
  feed.closed();
  await new Promise((resolve) => setImmediate(resolve));
  expect(received).toEqual([]);
});
