import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromWireName, toWireName } from './wire-name.ts';

test.each([
  ['yams_ghidra', 'yams_ghidra'],
  ['Plugin2', 'Plugin2'],
  ['my-plugin', 'my__plugin'],
  ['a.b', 'a_x2e_b'],
  ['größe', 'gr_xf6__xdf_e'],
  ['a😀', 'a_x1f600_'],
  ['a__b', 'a_x5f__b'],
  ['a_x2d_b', 'a_x5f_x2d_b'],
  ['a_-b', 'a_x5f___b'],
])('%s is %s on the wire', (name, wireName) => {
  expect(toWireName(name)).toBe(wireName);
  expect(fromWireName(wireName)).toBe(name);
});

test.each(['_xffffffff_', '_x110000_', '_x_', '_xg_'])(
  '%s, which no name has, stays as it is',
  (wireName) => {
    expect(fromWireName(wireName)).toBe(wireName);
  },
);

const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('_', '-', 'x', '2', 'd', '.', 'a', 'Z') }),
);

test('any name has a wire name of letters, digits and underscores that leads back to it', () => {
  fc.assert(
    fc.property(name, (name) => {
      expect(toWireName(name)).toMatch(/^[A-Za-z0-9_]*$/);
      expect(fromWireName(toWireName(name))).toBe(name);
    }),
  );
});
