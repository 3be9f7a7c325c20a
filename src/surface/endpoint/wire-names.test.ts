import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wireNames } from './wire-names.ts';

it('what MCP allows keeps its name', () => {
  expect([...wireNames(['add', 'mcp__a__b', 'x.y-z']).values()]).toEqual(['add', 'mcp__a__b', 'x.y-z']);
});

it('any names get some that are allowed and that nothing else has, the same ones every time', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 300 }), { maxLength: 30 }), (names) => {
      const table = wireNames(names);
      expect(new Set(table.values()).size).toBe(names.length);
      for (const wire of table.values()) expect(wire).toMatch(/^[\w.-]{1,128}$/);
      expect(wireNames(names)).toEqual(table);
    }),
  );
});

it('a name that was made for another is not taken from who has it', () => {
  const made = wireNames(['a b']).get('a b') ?? '';
  const table = wireNames(['a b', made]);
  expect(table.get(made)).toBe(made);
  expect(table.get('a b')).not.toBe(made);
});
