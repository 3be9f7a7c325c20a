import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import type { JsonObject } from '../../../base/json.ts';
import { isQuick, screen } from './screening.ts';

test.each([
  '^[a-z]+$',
  '^abc$',
  '^\\d{4}-\\d\\d$',
  'x',
  '^[A-Za-z0-9_.-]{1,64}$',
  '^https?:',
  '^\\(.*\\)$',
  '',
])('the pattern %s is quick', (pattern) => expect(isQuick(pattern)).toBe(true));

test.each([
  '^(a+)+$',
  '(a|a)*$',
  '^(a|b)?$',
  'a*a*a*$',
  '(.*)\\1',
  '^(?<x>a)\\k<x>$',
  '^a?a?a?a?a?a?a?a?a?aaaaaaaaa$',
  '(?=a)b',
  'a+$',
  '^a+|a+$',
  '^[a-z]+@[a-z]+$',
])('of the pattern %s nobody knows', (pattern) => expect(isQuick(pattern)).toBe(false));

test('what is called quick is quick on any text', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '[ab]',
    '\\d',
    '.',
    '(',
    ')',
    '|',
    '*',
    '+',
    '?',
    '{2,}',
    '^',
    '$',
    '\\1',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const pattern = pieces.join('');
      fc.pre(isQuick(pattern) && isValid(pattern));
      const before = performance.now();
      new RegExp(pattern, 'u').test(`${'a'.repeat(5000)}!`);
      expect(performance.now() - before).toBeLessThan(1000);
    }),
    { numRuns: runs(300) },
  );
});

test('defaults and what may be slow are seen wherever they stand', () => {
  expect(screen({ items: { anyOf: [{ default: 1 }] } })).toEqual({ hasDefaults: true, isSlow: false });
  expect(screen({ items: [{ not: { pattern: '(a+)+' } }] })).toEqual({ hasDefaults: false, isSlow: true });
  expect(screen(true)).toEqual({ hasDefaults: false, isSlow: false });
});

test.each<[string, JsonObject, boolean]>([
  ['one that goes round', { properties: { next: { $ref: '#' } } }, false],
  ['some to plain parts', { $defs: { a: {} }, items: [ref('#/$defs/a'), ref('#/$defs/a')] }, false],
  ['two that go round', { anyOf: [{ items: ref('#') }, { items: ref('#') }] }, true],
  [
    'two in a part',
    { definitions: { a: { anyOf: [{ items: ref('#/definitions/a') }] } }, ...ref('#/definitions/a') },
    true,
  ],
  ['two into the middle', { items: { not: { items: ref('#/items') } }, not: ref('#/items/not') }, true],
])('of references, %s', (_, schema, isSlow) => {
  expect(screen(schema).isSlow).toBe(isSlow);
});

function ref($ref: string): JsonObject {
  return { $ref };
}

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
