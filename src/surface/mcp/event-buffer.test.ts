import { expect, it } from 'vitest';
import type { Notification } from '../../dialect/sender.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { EventBuffer, type Round } from './event-buffer.ts';

function listener(progressToken: number | undefined = 1) {
  const heard: string[] = [];
  const round: Round = {
    progressToken,
    notify: ({ params }: Notification) => {
      const { message, progress } = params as { message?: string; progress: number };
      heard.push(message ?? String(progress));
      return Promise.resolve();
    },
    log: (level, data) => {
      heard.push(`${level}: ${JSON.stringify(data)}`);
      return Promise.resolve();
    },
  };
  return { heard, round };
}

it('a flood comes in fewer, longer pieces, and all is told before the end', async () => {
  const clock = fakeClock();
  const { heard, round } = listener();
  const events = new EventBuffer('p', clock);
  events.to(round);
  for (let n = 0; n < 1000; n += 1) events.event({ kind: 'text', text: 'x' });
  expect(heard).toHaveLength(100);
  clock.advance(25);
  expect(heard).toHaveLength(101);
  expect(heard.at(-1)).toHaveLength(900);
  events.event({ kind: 'text', text: 'end' });
  await events.end();
  expect(heard.join('')).toBe(`${'x'.repeat(1000)}end`);
});

it('who did not ask for progress hears logs alone; too many of them are counted', async () => {
  const clock = fakeClock();
  const { heard, round } = listener();
  const events = new EventBuffer('p', clock);
  events.to({ ...round, progressToken: undefined });
  events.event({ kind: 'text', text: 'x' });
  for (let n = 0; n < 120; n += 1) events.event({ kind: 'log', level: 'warn', message: `${n}` });
  await events.end();
  expect(heard[0]).toBe('warning: "0"');
  expect(heard.at(-1)).toMatch(/log entries were left out/);
});

it('what is said between two rounds is told in the next one', async () => {
  const { heard, round } = listener();
  const events = new EventBuffer('p', fakeClock());
  events.event({ kind: 'text', text: 'early ' });
  events.event({ kind: 'text', text: 'words' });
  expect(heard).toEqual([]);
  events.to(round);
  await events.end();
  expect(heard).toEqual(['early words']);
});

it('no text is lost while the client waits, however much there is and whatever is between', async () => {
  const texts: string[] = [];
  const { round } = listener();
  const events = new EventBuffer('p', fakeClock());
  const said: string[] = [];
  const say = (text: string) => {
    said.push(text);
    events.event({ kind: 'text', text });
  };
  for (let n = 0; n < 500; n += 1) {
    say(`${n} `);
    events.event({ kind: 'progress', progress: n, total: 500 });
  }
  say('😀'.repeat(100_001));
  for (let n = 0; n < 50; n += 1) say(`${n}${'x'.repeat(10_000)}`);
  events.to({
    ...round,
    notify: ({ params }) => {
      const { message } = params as { message?: string };
      if (message !== undefined) texts.push(message);
      return undefined;
    },
  });
  await events.end();
  expect(texts.join('')).toBe(said.join(''));
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(64 * 1024);
  // A character cut in two would be replaced.
  expect(Buffer.from(texts.join('\n')).toString().replaceAll('\n', '')).toBe(said.join(''));
});

it('of progress the newest waits, in its place', async () => {
  const told: unknown[] = [];
  const events = new EventBuffer('p', fakeClock());
  events.event({ kind: 'progress', progress: 1, total: 9 });
  events.event({ kind: 'text', text: 'a' });
  events.event({ kind: 'progress', progress: 5 });
  events.event({ kind: 'text', text: 'b' });
  events.to({
    progressToken: 1,
    notify: ({ params }) => void told.push(params),
    log: () => undefined,
  });
  await events.end();
  expect(told).toMatchObject([{ message: 'a' }, { progress: 5, total: 9 }, { message: 'b' }]);
});

it('what a client has not read keeps the rest waiting, and nothing is lost', async () => {
  const heard: string[] = [];
  let read = () => {};
  const events = new EventBuffer('p', fakeClock());
  events.to({
    progressToken: 1,
    notify: ({ params }) => {
      heard.push((params as { message: string }).message);
      return new Promise((resolve) => {
        const before = read;
        read = () => {
          before();
          resolve();
        };
      });
    },
    log: () => undefined,
  });
  const piece = 'x'.repeat(64 * 1024);
  for (let n = 0; n < 40; n += 1) events.event({ kind: 'text', text: piece });
  expect(heard.length).toBeLessThan(10);
  const ended = events.end();
  while (heard.length < 40) {
    read();
    await new Promise((resolve) => setImmediate(resolve));
  }
  read();
  await ended;
  expect(heard.join('')).toBe(piece.repeat(40));
});

it.each([1, 40])(
  'a client that reads nothing of %i pieces is not waited for without limit',
  async (count) => {
    const clock = fakeClock();
    const { round } = listener();
    let sent = 0;
    const events = new EventBuffer('p', clock);
    events.to({
      ...round,
      notify: () => {
        sent += 1;
        return new Promise(() => {});
      },
    });
    for (let n = 0; n < count; n += 1) events.event({ kind: 'text', text: 'x'.repeat(64 * 1024) });
    let isOver = false;
    const ended = events.end().then(() => (isOver = true));
    clock.advance(59_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    clock.advance(1);
    await ended;
    expect([sent, clock.waiting]).toEqual([Math.min(count, 8), 0]);
  },
);

it('log entries that were left out are counted once', async () => {
  const { heard, round } = listener();
  const events = new EventBuffer('p', fakeClock());
  events.event({ kind: 'log', level: 'info', message: 'early' });
  events.to(round);
  await events.end();
  await events.end();
  expect(heard).toEqual(['warning: "1 log entries were left out."']);
});

it('a client that cannot be told any more does not hold up the call', async () => {
  const { round } = listener();
  const events = new EventBuffer('p', fakeClock());
  events.to({ ...round, notify: () => Promise.reject(new Error('gone')) });
  events.event({ kind: 'text', text: 'x' });
  await expect(events.end()).resolves.toBeUndefined();
});
