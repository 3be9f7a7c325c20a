import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinedScope, readChallenge } from './challenge.ts';

test.each([
  [null, {}],
  ['', {}],
  ['Basic realm="x"', {}],
  ['Bearer', {}],
  [
    'Bearer realm="a, b=\\"c\\"", resource_metadata="https://a.example/x", scope="a b"',
    { resourceMetadata: 'https://a.example/x', scope: 'a b' },
  ],
  ['bearer error=insufficient_scope,scope=admin', { error: 'insufficient_scope', scope: 'admin' }],
  ['Basic realm="scope=no", Bearer scope="yes"', { scope: 'yes' }],
  ['Bearer scope="first", scope="second"', { scope: 'first' }],
  ['Bearer scope="mine", DPoP scope="other"', { scope: 'mine' }],
  ['Bearer x_scope="no"', {}],
  ['Bearer scope="two  spaces"', {}],
  ['Bearer scope="a\tb"', {}],
  ['Bearer scope="never closed', {}],
])('%s', (header, challenge) => {
  expect(readChallenge(header)).toEqual(challenge);
});

test('any header is read, and in no time', () => {
  fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => void readChallenge(text)));
  for (const piece of ['"', '\\', 'a', 'a=', 'a="', ', ', 'Bearer ', ' = ']) {
    const started = performance.now();
    readChallenge(`Bearer ${piece.repeat(16_000 / piece.length)}`);
    expect(performance.now() - started).toBeLessThan(10_000);
  }
});

test('what is quoted comes back', () => {
  const words = fc.string({ minLength: 1, maxLength: 50 }).filter((text) => !/[\r\n]/.test(text));
  fc.assert(
    fc.property(words, (text) => {
      const quoted = text.replaceAll(/["\\]/g, '\\$&');
      expect(readChallenge(`Bearer error="${quoted}", scope=x`)).toMatchObject({ error: text, scope: 'x' });
    }),
  );
});

test('scopes are joined, each word once', () => {
  expect(joinedScope('a b', undefined, 'b c', '')).toBe('a b c');
  expect(joinedScope(undefined, '')).toBeUndefined();
});
