import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../test/support/runs.ts';
import { safeName, toolNameRule, type NameRule } from './names.ts';

const gemini: NameRule = { ...toolNameRule, pattern: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, start: /^[A-Za-z_]/ };

test('what is taken keeps its name, another one gets a hash and stays readable', () => {
  expect(safeName('gh__list-issues')).toBe('gh__list-issues');
  expect(safeName('a'.repeat(64))).toBe('a'.repeat(64));
  expect(safeName('fs__files.read')).toMatch(/^fs_files_read_[0-9a-f]{20}$/);
  expect(safeName('a'.repeat(65))).toMatch(/^a{43}_[0-9a-f]{20}$/);
  expect(safeName('')).toMatch(/^_[0-9a-f]{20}$/);
  expect(safeName('7zip__list', gemini)).toMatch(/^_7zip_list_[0-9a-f]{20}$/);
});

test('it is the same in every run', () => {
  expect(safeName('fs__files.read')).toBe('fs_files_read_81afb5b321ff36ee64a2');
});

/** Near each other in every way that a replacement could join: by case, a replaced sign, a length, a hash that was made before. */
const piece = fc.constantFrom(
  'a',
  'A',
  '.',
  '/',
  ' ',
  '_',
  '-',
  'é',
  'e\u0301',
  '漢',
  '😀',
  '\uD83D',
  '\uDE00',
  '\u0000',
  '__',
);
const name = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.tuple(piece, fc.integer({ min: 60, max: 300 })).map(([one, count]) => one.repeat(count)),
);

test.each([
  ['of clients', toolNameRule],
  ['of Gemini', gemini],
])('any set of names gives distinct names that are taken, each by itself: %s', (_, rule) => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 30 }), (names) => {
      // Also what was made of another name is a name.
      const all = [...new Set([...names, ...names.map((one) => safeName(one, rule))])];
      const made = all.map((one) => safeName(one, rule));
      for (const one of made) expect(one).toMatch(rule.pattern);
      // No plugin can have a tool whose full name that is.
      const mapped = made.filter((one, index) => one !== all[index]);
      expect(mapped.filter((one) => one.includes('__'))).toEqual([]);
      expect(new Set(made).size).toBe(all.length);
    }),
    { numRuns: runs(300) },
  );
});
