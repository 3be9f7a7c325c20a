import { expect, test } from 'vitest';
import { byteByByte, decodeChunks, toBytes } from '../../../test/support/channel/frame-events.ts';
import { bodyOf } from './body.ts';
import { lines } from './lines.ts';

test.each([
  ['LF ends a line', '{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
  ['CRLF ends a line', '{"a":1}\r\n{"b":2}\r\n', ['{"a":1}', '{"b":2}']],
  ['both may be mixed', '{"a":1}\r\n{"b":2}\n{"c":3}\r\n', ['{"a":1}', '{"b":2}', '{"c":3}']],
  ['the last line needs no LF', '{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}']],
  ['the last line may end with CR alone', '{"a":1}\n{"b":2}\r', ['{"a":1}', '{"b":2}']],
  ['a CR elsewhere is part of the line', 'a\rb\n\rc\n', ['a\rb', '\rc']],
  ['only one CR belongs to the line break', 'a\r\r\n', ['a\r']],
  ['empty lines are ignored', '\n\n{"a":1}\n\r\n\n{"b":2}\n\n', ['{"a":1}', '{"b":2}']],
  ['lines of blanks are ignored', '  \n\t\r\n \r \n{"a":1}\n   ', ['{"a":1}']],
  ['blanks around a body stay', '  {"a":1} \n', ['  {"a":1} ']],
  ['other separators end nothing', '{"a":"\u2028\u2029\u0085\v\f"}\n', ['{"a":"\u2028\u2029\u0085\v\f"}']],
  ['text that is no JSON is a line too', 'Loading…\n{"a":1}\n', ['Loading…', '{"a":1}']],
])('%s', (_, input, bodies) => {
  const bytes = Buffer.from(input);
  for (const chunks of [[bytes], byteByByte(bytes)]) {
    expect(decodeChunks(lines(), chunks)).toEqual(bodies.map((body) => ({ body })));
  }
});

test('a body is sent as one line without a CR', () => {
  expect(lines().encode(bodyOf('{"a":1}'))).toEqual({ text: '{"a":1}\n' });
  expect(lines().encode(bodyOf('{"a":"é"}'))).toEqual({ text: '{"a":"é"}\n' });
});

test('what stands before the LF counts toward the limit, the LF does not', () => {
  const framing = lines({ receiveLimit: 3, sendLimit: 3 });
  expect(decodeChunks(framing, [Buffer.from('abc\nab\r\nabc\r\nabc')])).toEqual([
    { body: 'abc' },
    { body: 'ab' },
    { oversize: 4, head: 'abc\r' },
    { body: 'abc' },
  ]);
  expect(framing.encode(bodyOf('abc'))).toBe('abc\n');
  expect(() => framing.encode(bodyOf('abcd'))).toThrow(
    'A message of 4 bytes was not sent: the limit for sending is 3 bytes.',
  );
});

test('the limit of 65,535 bytes is exact', () => {
  const framing = lines({ receiveLimit: 65_535, sendLimit: 65_535 });
  const fits = 'x'.repeat(65_535);
  expect(decodeChunks(framing, [Buffer.from(`${fits}\n${fits}x\n`)])).toEqual([
    { body: fits },
    { oversize: 65_536, head: 'x'.repeat(256) },
  ]);
  expect(toBytes(framing.encode(bodyOf(fits)))).toHaveLength(65_536);
  expect(() => framing.encode(bodyOf(`${fits}x`))).toThrow('65536 bytes');
});

test('an oversize line without an end is reported when the input is over', () => {
  const framing = lines({ receiveLimit: 10 });
  expect(decodeChunks(framing, [Buffer.from('{"id":7,"res'), Buffer.from('ult":1')])).toEqual([
    { oversize: 18, head: '{"id":7,"result":1' },
  ]);
});
