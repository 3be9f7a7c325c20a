import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventsIn, type ServerEvent } from './sse.ts';

async function read(...chunks: readonly string[]): Promise<ServerEvent[]> {
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
  }
  const events: ServerEvent[] = [];
  for await (const event of eventsIn(body())) events.push(event);
  return events;
}

it.each([
  ['one event', 'data: a\n\n', [{ name: 'message', data: 'a' }]],
  ['all fields', 'event: x\nid: 7\nretry: 20\ndata: a\n\n', [{ name: 'x', data: 'a', id: '7', retryMs: 20 }]],
  ['data of several lines', 'data: a\ndata:b\ndata\n\n', [{ name: 'message', data: 'a\nb\n' }]],
  ['an id alone', 'id: 7\ndata:\n\n', [{ name: 'message', data: '', id: '7' }]],
  ['comments and empty lines', ': hi\n\n\n\ndata: a\n\n', [{ name: 'message', data: 'a' }]],
  [
    'an unknown field, and a retry that is not a number',
    'x: y\nretry: soon\ndata: a\n\n',
    [{ name: 'message', data: 'a' }],
  ],
  ['an event that is not complete', 'data: a\n', []],
])('reads %s', async (_, text, events) => {
  expect(await read(text)).toEqual(events);
});

it('reads the same whatever the line ends and wherever the chunks are cut', async () => {
  const text = 'id: 1\ndata: é\ndata: b\n\n: comment\n\nevent: x\ndata: c\n\n';
  const expected = await read(text);
  expect(expected).toHaveLength(2);
  const cuts = fc.array(fc.integer({ min: 0, max: text.length * 2 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('\n', '\r', '\r\n'), cuts, async (lineEnd, places) => {
      const bytes = text.replaceAll('\n', lineEnd);
      const ordered = [0, ...places.toSorted((one, other) => one - other), bytes.length];
      const chunks = ordered.slice(1).map((end, index) => bytes.slice(ordered[index], end));
      expect(await read(...chunks)).toEqual(expected);
    }),
  );
});
