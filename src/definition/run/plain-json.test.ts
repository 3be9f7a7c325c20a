import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { plainJson } from './plain-json.ts';

test('any JSON is copied as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copied = plainJson(value, 'it');
      // As JSON knows it: there is one zero.
      expect(copied).toEqual({ json: JSON.parse(JSON.stringify(value)) as unknown });
    }),
    { numRuns: runs(1000) },
  );
});

test('whatever else there is, it is copied or named, and nothing is thrown', () => {
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withTypedArray: true,
        withNullPrototype: true,
        withObjectString: true,
      }),
      (value) => {
        const copied = plainJson(value, 'it');
        const isGood =
          'json' in copied
            ? isDeepStrictEqual(JSON.parse(JSON.stringify(copied.json)), copied.json)
            : copied.problem.startsWith('it');
        expect(isGood).toBe(true);
      },
    ),
    { numRuns: runs(1000) },
  );
});

test('a copy is not changed by whoever goes on with the value', () => {
  const value = { list: [1] };
  const copied = plainJson(value, 'it');
  value.list.push(2);
  expect(copied).toEqual({ json: { list: [1] } });
});

test('undefined properties are left out, dates and others say themselves what they are', () => {
  const value = { a: undefined, on: new Date(0), own: { toJSON: (key: string) => `I am ${key}` } };
  expect(plainJson(value, 'it')).toEqual({ json: { on: '1970-01-01T00:00:00.000Z', own: 'I am own' } });
});

const round: Record<string, unknown> = { a: {} };
round['a'] = [round];

const deep = (levels: number) => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { next: value };
  return value;
};

test.each<[string, unknown, string]>([
  ['a cycle', round, 'it.a[0] contains itself'],
  ['a BigInt', { sums: [1n] }, 'it.sums[0] is a bigint, which JSON has no form for'],
  ['a function', { on: { call: () => {} } }, 'it.on.call is a function, which JSON has no form for'],
  ['a symbol', Symbol('a'), 'it is a symbol, which JSON has no form for'],
  ['a hole', [1, undefined, 2], 'it[1] is undefined, which JSON has no form for'],
  ['a huge hole', new Array(4_000_000_000), 'it[0] is undefined, which JSON has no form for'],
  ['not a number', { rate: Number.NaN }, 'it.rate is NaN, which JSON has no form for'],
  [
    'a Map',
    { by: new Map() },
    'it.by is a Map, which JSON has no form for; give an object, an array or a text',
  ],
  [
    'bytes',
    { body: Buffer.from('a') },
    'it.body is a Buffer, which JSON has no form for; give an object, an array or a text',
  ],
  [
    'a promise',
    { later: Promise.resolve(1) },
    'it.later is a Promise, which JSON has no form for; give an object, an array or a text',
  ],
  [
    'an error',
    [new TypeError('a')],
    'it[0] is a TypeError, which JSON has no form for; give an object, an array or a text',
  ],
  ['depth', deep(100_000), 'it.next.next.next.next.next.next.next.next.next.next… is nested too deeply'],
  [
    'a getter that throws',
    {
      get broken() {
        throw new Error('no');
      },
    },
    'it cannot be read',
  ],
  [
    'a proxy that throws',
    {
      inner: new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
    },
    'it.inner cannot be read',
  ],
  [
    'a toJSON that throws',
    {
      own: {
        toJSON: () => {
          throw new Error('no');
        },
      },
    },
    'it.own cannot be read',
  ],
])('%s is named with its place', (_, value, problem) => {
  expect(plainJson(value, 'it')).toEqual({ problem });
});
