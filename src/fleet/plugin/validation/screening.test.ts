import { expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { screen } from './schema-checks.ts';

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
