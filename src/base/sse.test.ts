import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sseParser, type ServerEvent } from './sse.ts';

test('events have names, data, ids and times to wait; comments and unknown fields are left out', () => {
  const text =
    ': hello\n\nid: 7\nevent: a\ndata: 1\nretry: 5\n\ndata:two\ndata:  lines\n\nevent: empty\n\nevent: b\r\ndata\r\n\r\n';
  expect(sseParser()(text)).toEqual([
    { name: 'a', data: '1', id: '7', retryMs: 5 },
    { name: 'message', data: 'two\n lines' },
    { name: 'b', data: '' },
  ]);
});

test('however it is cut into pieces, it is the same', () => {
  const event = fc.record({ name: fc.constantFrom('a', 'bc'), data: fc.json() });
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 10 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (events, sizes) => {
        const text = events.map(({ name, data }) => `event: ${name}\ndata: ${data}\n\n`).join('');
        const parse = sseParser();
        const heard: ServerEvent[] = [];
        for (let at = 0; at < text.length;) {
          const size = sizes.next().value as number;
          heard.push(...parse(text.slice(at, at + size)));
          at += size;
        }
        expect(heard).toEqual(events);
      },
    ),
  );
});

test('an event without end does not grow for ever', () => {
  const parse = sseParser(1000);
  expect(() => {
    for (let piece = 0; piece < 100; piece += 1) parse('data: xxxxxxxxxxxxxxx');
  }).toThrow(expect.objectContaining({ code: 'FRAME_TOO_LARGE' }));
  const other = sseParser(1000);
  expect(() => {
    for (let piece = 0; piece < 100; piece += 1) other('data: xxxxxxxxxxxxxxx\n');
  }).toThrow(expect.objectContaining({ code: 'FRAME_TOO_LARGE' }));
  const many = sseParser(100);
  for (let piece = 0; piece < 100; piece += 1) expect(many('data: xxxxxxxxxx\n\n')).toHaveLength(1);
});

test('a large event in small pieces takes no long time', () => {
  const parse = sseParser();
  parse('data: ');
  for (let piece = 0; piece < 4000; piece += 1) parse('x'.repeat(4000));
  expect(parse('\n\n')[0]?.data).toHaveLength(16_000_000);
});
