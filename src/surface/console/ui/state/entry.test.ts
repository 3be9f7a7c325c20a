import { expect, test } from 'vitest';
import { codeIn, entryOf } from './entry.ts';

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
