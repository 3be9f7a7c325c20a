import { expect, it, onTestFinished, vi } from 'vitest';
import { createSecrets } from '../../secrets/secrets.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { Traffic, type TrafficLimits } from './traffic.ts';

it('keeps what went over the wire, both ways, with what it was', () => {
  const { traffic } = make();
  traffic.record('dice', 'sent', { kind: 'request', id: 1, method: 'roll', params: { dice: '2d6' } });
  traffic.record('dice', 'received', { kind: 'success', id: 1, result: 7 });
  expect(traffic.since(0)).toMatchObject([
    {
      seq: 1,
      plugin: 'dice',
      from: 'host',
      kind: 'request',
      method: 'roll',
      id: 1,
      text: '{"jsonrpc":"2.0","id":1,"method":"roll","params":{"dice":"2d6"}}',
    },
    { seq: 2, from: 'plugin', kind: 'success', id: 1, text: '{"jsonrpc":"2.0","id":1,"result":7}' },
  ]);
  expect(traffic.since(1)).toHaveLength(1);
});

it('masks what looks like a secret', () => {
  const { traffic } = make();
  traffic.record('x', 'sent', { kind: 'notification', method: 'init', params: { token: 'abcdefgh1234' } });
  expect(traffic.since(0)[0]?.text).toContain('"token":"***"');
});

it('masks what is known wherever it stands, also where a message is too long to be kept', () => {
  const { traffic } = make({ textCharacters: 200 });
  const around = 'x'.repeat(2 * 1024 * 1024);
  traffic.record('x', 'sent', {
    kind: 'request',
    id: secret,
    method: secret,
    params: { note: `a ${secret}` },
  });
  traffic.record('x', 'received', {
    kind: 'invalid',
    as: 'parse',
    id: null,
    reason: 'no JSON',
    text: `printed ${secret}`,
  });
  traffic.record('x', 'received', { kind: 'success', id: 1, result: [secret, around] });
  traffic.record('x', 'received', { kind: 'success', id: 1, result: [around.slice(0, 160), secret, around] });
  const entries = traffic.since(0);
  expect(JSON.stringify(entries)).not.toMatch(/correct|horse|battery/);
  expect(entries.map(({ text }) => text?.slice(0, 60))).toEqual([
    '{"jsonrpc":"2.0","id":"***","method":"***","params":{"note":',
    '"printed ***"',
    expect.stringMatching(/^\{"jsonrpc":"2.0","id":1,"result":\["\*\*\*","x+$/),
    expect.stringMatching(/^\{"jsonrpc":"2.0","id":1,"result":\["x+$/),
  ]);
});

it('masks a long message by its names as it does a short one', () => {
  const { traffic } = make();
  const login = { user: 'ann', password: 'hunter2 of ann', pass: ['sword fish'], pin_secret: 48151623 };
  const [text, at, none] = ['a\nb', new Date(0), undefined];
  for (const rest of ['', 'x'.repeat(1.1 * 1024 * 1024), Array.from({ length: 600_000 }, () => 1)])
    traffic.record('x', 'received', { kind: 'success', id: 1, result: { login, text, at, none, rest } });
  const [short = '', ...long] = traffic.since(0).map(({ text = '' }) => text);
  expect(short).toContain('"password":"***","pass":["***"],"pin_secret":"***"}');
  for (const text of long) {
    expect(text).toHaveLength(64 * 1024);
    expect(text.slice(0, short.length - 4)).toBe(short.slice(0, -4));
  }
  expect(traffic.since(0)[1]?.size).toBeGreaterThan(1.1 * 1024 * 1024);
});

it('shows no half of a secret where a long message is cut, however much was masked before', () => {
  const { traffic } = make({ textCharacters: 200 });
  const before = `${secret} `.repeat(194);
  for (let cut = 0; cut < 60; cut += 1) {
    const text = `${before}${'-'.repeat(cut)}${secret}${'x'.repeat(2 * 1024 * 1024)}`;
    traffic.record('x', 'received', { kind: 'success', id: 1, result: { list: [text, text] } });
  }
  expect(JSON.stringify(traffic.since(0))).not.toMatch(/correc|orrect|-horse|horse-|battery/);
});

const secret = 'correct-horse-battery';

it('keeps no more entries and no more text than it may', () => {
  const { traffic, say } = make({ entries: 5, characters: 400, textCharacters: 100 });
  say('a'.repeat(10_000));
  expect(traffic.since(0)[0]).toMatchObject({ text: expect.stringMatching(/^.{100}$/) as string });
  expect(traffic.since(0)[0]?.size).toBeGreaterThan(10_000);
  for (let count = 0; count < 20; count += 1) say('a'.repeat(10_000));
  expect(traffic.since(0).map(({ seq }) => seq)).toEqual([18, 19, 20, 21]);
  for (let count = 0; count < 20; count += 1) say('');
  expect(traffic.since(0)).toHaveLength(5);
  expect(traffic.count).toBe(41);
});

it('makes texts of so many messages a second, and keeps the heads of the others', () => {
  const { traffic, say, clock } = make({ textsPerSecond: 2 });
  for (let count = 0; count < 3; count += 1) say('x');
  clock.advance(1000);
  say('x');
  expect(traffic.since(0).map(({ text }) => text !== undefined)).toEqual([true, true, false, true]);
  expect(traffic.since(0)[2]).toMatchObject({ method: 'log', size: 0 });
});

it('shows messages in a moment, as they were when they came', async () => {
  const { traffic, say } = make();
  const heard: (string | undefined)[] = [];
  traffic.onEntry(({ text }) => void heard.push(text));
  const params = { text: 'first' };
  traffic.record('x', 'received', { kind: 'notification', method: 'log', params });
  params.text = 'changed by whoever got it';
  expect(heard).toEqual([]);
  await nextTurn();
  expect(heard).toEqual([expect.stringContaining('"first"')]);
  // Nobody waits for a look: what is asked for is there, and a flood is not left for later.
  say('second');
  expect(traffic.since(0)).toHaveLength(2);
  for (let count = 0; count < 100; count += 1) say('more');
  expect(heard.length).toBeGreaterThan(60);
  await nextTurn();
  expect(heard).toHaveLength(102);
});

it('tells those who listen, and survives what nobody can write down', async () => {
  const { traffic } = make();
  const heard: number[] = [];
  const end = traffic.onEntry(({ seq }) => void heard.push(seq));
  let params: unknown = {};
  for (let level = 0; level < 100_000; level += 1) params = { params };
  traffic.record('x', 'received', { kind: 'notification', method: 'deep', params });
  await nextTurn();
  end();
  traffic.record('x', 'received', { kind: 'notification', method: 'later', params: {} });
  expect(heard).toEqual([1]);
  expect(traffic.since(0)[0]?.text).toContain('nested too deeply');
});

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function make(limits?: TrafficLimits) {
  const clock = fakeClock();
  const traffic = new Traffic(clock, createSecrets([secret]), limits);
  const say = (text: string) =>
    traffic.record('x', 'received', { kind: 'notification', method: 'log', params: { text } });
  return { traffic, say, clock };
}

it('tells the time of day as fine as the clock does, and follows when that is set', () => {
  const day = vi.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
  onTestFinished(() => day.mockRestore());
  const { traffic, clock } = make();
  const say = () => {
    traffic.record('x', 'sent', { kind: 'notification', method: 'm', params: {} });
    return traffic.since(0).at(-1)?.at;
  };
  expect(say()).toBe(1_800_000_000_000);
  clock.advance(0.25);
  expect(say()).toBe(1_800_000_000_000.25);
  // The machine has slept.
  day.mockReturnValue(1_800_000_900_000);
  clock.advance(1);
  expect(say()).toBe(1_800_000_900_000);
});
