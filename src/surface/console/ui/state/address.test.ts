import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeIn, entryOf, linkTo, parsedRoute } from './address.ts';

test('an address has a page, names and questions', () => {
  expect(parsedRoute('#/tools/a%2Fb?plugin=x')).toEqual({
    page: 'tools',
    rest: ['a/b'],
    query: new Map([['plugin', 'x']]),
  });
  expect(parsedRoute('')).toEqual({ page: '', rest: [], query: new Map() });
  expect(parsedRoute('#/tools/%E0')).toMatchObject({ rest: ['%E0'] });
});

test('whatever a name is, its link leads to it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      expect(parsedRoute(linkTo('tools', name)).rest).toEqual([name]);
    }),
  );
});

test.each([
  ['', '#/enter/abc-1_2', { kind: 'code', code: 'abc-1_2' }],
  ['', '#/enter/abc/more', { kind: 'code', code: 'abc' }],
  ['?token=abc', '', { kind: 'old' }],
  ['?x=1&token=', '#/tools', { kind: 'old' }],
  ['', '#token=abc', { kind: 'old' }],
  ['', '#/token=abc', { kind: 'old' }],
  ['', '', { kind: 'plain' }],
  ['', '#/tools/token=x', { kind: 'plain' }],
  ['?tokens=1', '#/enter/', { kind: 'plain' }],
])('%s%s', (search, hash, entry) => {
  expect(entryOf({ search, hash })).toEqual(entry);
});

test('the code is found in what is pasted', () => {
  expect(codeIn(' abc-1_2\n')).toBe('abc-1_2');
  expect(codeIn('http://127.0.0.1:7717/#/enter/abc')).toBe('abc');
  expect(codeIn('')).toBe('');
});
