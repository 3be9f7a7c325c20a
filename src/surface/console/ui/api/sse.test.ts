import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventParser, type ServerEvent } from './sse.ts';

function read(...pieces: string[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const feed = eventParser((event) => events.push(event));
  for (const piece of pieces) feed(piece);
  return events;
}

test('names, data of many lines, comments, and ends of either kind', () => {
  expect(
    read(': hello\n\nevent: text\ndata: {"a":\ndata: 1}\nid: 4\n\ndata:x\r\n\r\nevent: nothing\n\n'),
  ).toEqual([
    { name: 'text', data: '{"a":\n1}' },
    { name: 'message', data: 'x' },
  ]);
});

test('any cut gives the same events', () => {
  const text =
    'event: traffic\ndata: [1,2,3]\n\n: ping\n\nevent: log\r\ndata: {"x":"ä"}\r\n\r\ndata:last\n\n';
  const whole = read(text);
  expect(whole).toHaveLength(3);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), (cuts) => {
      const places = [0, ...cuts.sort((one, other) => one - other), text.length];
      expect(read(...places.slice(1).map((end, index) => text.slice(places[index], end)))).toEqual(whole);
    }),
  );
});

test('a large event in small pieces takes no long time', () => {
  const events: ServerEvent[] = [];
  const feed = eventParser((event) => events.push(event));
  feed('data: ');
  for (let piece = 0; piece < 4000; piece++) feed('x'.repeat(4000));
  feed('\n\n');
  expect(events[0]?.data).toHaveLength(16_000_000);
});

test('an event without an end is given up', () => {
  const feed = eventParser(() => {});
  expect(() => {
    for (let piece = 0; piece < 100; piece++) feed('x'.repeat(1024 * 1024));
  }).toThrow('too large');
});
