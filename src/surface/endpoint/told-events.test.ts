import { expect, it } from 'vitest';
import type { Notice } from '../../dialect/notices.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { ToldEvents, type Round } from './told-events.ts';

function listener(progressToken: number | undefined = 1) {
  const heard: string[] = [];
  const round: Round = {
    progressToken,
    notify: ({ params }: Notice) => {
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
  const events = new ToldEvents('p', clock);
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
  const events = new ToldEvents('p', clock);
  events.to({ ...round, progressToken: undefined });
  events.event({ kind: 'text', text: 'x' });
  for (let n = 0; n < 120; n += 1) events.event({ kind: 'log', level: 'warn', message: `${n}` });
  await events.end();
  expect(heard[0]).toBe('warning: "0"');
  expect(heard.at(-1)).toMatch(/log entries were left out/);
});

it('what is said between two rounds is told in the next one', async () => {
  const { heard, round } = listener();
  const events = new ToldEvents('p', fakeClock());
  events.event({ kind: 'text', text: 'early ' });
  events.event({ kind: 'text', text: 'words' });
  expect(heard).toEqual([]);
  events.to(round);
  await events.end();
  expect(heard).toEqual(['early words']);
});

it('a client that cannot be told any more does not hold up the call', async () => {
  const { round } = listener();
  const events = new ToldEvents('p', fakeClock());
  events.to({ ...round, notify: () => Promise.reject(new Error('gone')) });
  events.event({ kind: 'text', text: 'x' });
  await expect(events.end()).resolves.toBeUndefined();
});
