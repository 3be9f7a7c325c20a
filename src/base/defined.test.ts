import { expect, expectTypeOf, test } from 'vitest';
import { defined } from './json.ts';

test('fields that are undefined are left out, all others stay', () => {
  expect(Object.keys(defined({ a: 1, b: undefined, c: null, d: false, e: '' }))).toEqual([
    'a',
    'c',
    'd',
    'e',
  ]);
});

test('a field that may be undefined is optional in the type', () => {
  const name = 'x' as string | undefined;
  const fields: { readonly id: number; readonly name?: string } = defined({ id: 1, name });
  expect(fields).toEqual({ id: 1, name: 'x' });
  expectTypeOf(defined({ id: 1, name })).toMatchTypeOf<typeof fields>();
  expectTypeOf(defined({ name })).not.toMatchTypeOf<{ readonly name: string }>();
});
