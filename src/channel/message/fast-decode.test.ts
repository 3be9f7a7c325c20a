import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { body } from '../../../test/support/channel/arbitrary-bodies.ts';
import { runs } from '../../../test/support/runs.ts';
import { decodeAny, messageDecoder } from './decode.ts';
import { fastDecoder } from './fast-decode.ts';
import { strict, tolerant } from './tolerances.ts';

/** One for all tests, so that what it remembers of earlier messages is tested too. */
const decodeFast = fastDecoder();
const decodeTolerant = fastDecoder(tolerant);

describe.each([
  { name: 'strict', tolerances: strict, decodeFast },
  { name: 'tolerant', tolerances: tolerant, decodeFast: decodeTolerant },
])('$name', ({ tolerances, decodeFast }) => {
  test('what the fast decoder takes it reads as the full one does', () => {
    let taken = 0;
    let left = 0;
    fc.assert(
      fc.property(body, (text) => {
        const fast = decodeFast(text, 0, text.length);
        if (fast === undefined) left += 1;
        else taken += 1;
        expect(fast ?? decodeAny(text, tolerances)).toStrictEqual(decodeAny(text, tolerances));
      }),
      { numRuns: runs(10_000) },
    );
    // Both happen often, or the test would prove nothing.
    expect(Math.min(taken, left)).toBeGreaterThan((taken + left) / 50);
  });

  test('a body inside a longer text is read as it is alone', () => {
    fc.assert(
      fc.property(
        body,
        body,
        body,
        fc.constantFrom('', ' ', '    ', '\n'),
        (before, text, after, between) => {
          const start = before.length + between.length;
          const chunk = before + between + text + between + after;
          const decoded = messageDecoder(tolerances)(chunk, start, start + text.length);
          expect(decoded).toStrictEqual(decodeAny(text, tolerances));
        },
      ),
      { numRuns: runs(5000) },
    );
  });
});

test('bodies of one text, one after another, are read as each is alone', () => {
  fc.assert(
    fc.property(fc.array(body, { maxLength: 8 }), fc.constantFrom('\n', '    '), (bodies, between) => {
      const decode = messageDecoder(strict);
      const chunk = bodies.join(between);
      let start = 0;
      for (const text of bodies) {
        expect(decode(chunk, start, start + text.length)).toStrictEqual(decodeAny(text, strict));
        start += text.length + between.length;
      }
    }),
    { numRuns: runs(2000) },
  );
});

test('methods are read right however many there are and however long', () => {
  const decode = messageDecoder(strict);
  const methods = Array.from({ length: 600 }, (_, index) => `${'long '.repeat(index % 40)}${index % 300}}`);
  for (const method of methods) {
    const text = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[1]}`;
    const expected = { kind: 'request', id: 1, method, params: [1] };
    expect(decode(text, 0, text.length)).toEqual(expected);
    expect(decode(text, 0, text.length)).toEqual(expected);
  }
});

test.each([
  '{"jsonrpc":"2.0","id":0,"result":null}',
  '{"jsonrpc":"2.0","id":999999999999999,"result":[{"a":"}"}]}',
  '{"jsonrpc":"2.0","id":7,"result": {"a":1} }',
  '{"jsonrpc":"2.0","id":7,"method":"m"}',
  '{"jsonrpc":"2.0","id":7,"method":"é","params":[1]}',
  '{"jsonrpc":"2.0","method":"m"}',
  '{"jsonrpc":"2.0","method":"m","params":{"a":{"b":{}}}}',
])('takes %s', (text) => {
  expect(decodeFast(text, 0, text.length)).toStrictEqual(decodeAny(text, strict));
  expect(decodeFast(text, 0, text.length)).toBeDefined();
});

test.each([
  '{"jsonrpc":"2.0","id":7,"result":{"a":[1]},"error":null}',
  '{"jsonrpc":"2.0","id":7,"result":null,"error":null}',
  '{"jsonrpc":"2.0","id":7,"result":{"error":null}}',
])('takes %s where "error": null beside a result is tolerated', (text) => {
  expect(decodeTolerant(text, 0, text.length)).toBeDefined();
  expect(decodeTolerant(text, 0, text.length)).toStrictEqual(decodeAny(text, tolerant));
});

test.each([
  '{"id":7,"jsonrpc":"2.0","result":1}',
  '{"jsonrpc": "2.0","id":7,"result":1}',
  '{"jsonrpc":"2.0","id":-0,"result":1}',
  '{"jsonrpc":"2.0","id":01,"result":1}',
  '{"jsonrpc":"2.0","id":1e3,"result":1}',
  '{"jsonrpc":"2.0","id":1234567890123456,"result":1}',
  '{"jsonrpc":"2.0","id":"7","result":1}',
  '{"jsonrpc":"2.0","id":null,"result":1}',
  '{"jsonrpc":"2.0","id":7,"result":1,"id":8}',
  '{"jsonrpc":"2.0","id":7,"result":1,"error":null}',
  '{"jsonrpc":"2.0","id":7,"result":}',
  '{"jsonrpc":"2.0","id":7,"result":1,}',
  '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}',
  '{"jsonrpc":"2.0","id":7,"method":"\\u006d"}',
  '{"jsonrpc":"2.0","id":7,"method":"m","params":1}',
  '{"jsonrpc":"2.0","id":7,"method":"m","params":{},"params":[]}',
  '{"jsonrpc":"2.0","method":"m","id":7}',
  '{"jsonrpc":"2.0","method":"m","params":{}} ',
  '{"jsonrpc":"2.0","method":"m}',
  '{"jsonrpc":"2.0","method":"m',
  '\uFEFF{"jsonrpc":"2.0","method":"m"}',
  '[{"jsonrpc":"2.0","method":"m"}]',
  '',
])('leaves %s to the full decoder', (text) => {
  expect(decodeFast(text, 0, text.length)).toBeUndefined();
});
