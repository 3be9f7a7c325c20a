import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { canBeJson } from './json.ts';

const blank = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

test('all that parses can be JSON, however it is laid out', () => {
  const json = fc.tuple(fc.constantFrom('', '\uFEFF'), blank, fc.jsonValue(), fc.nat(3), blank);
  fc.assert(
    fc.property(json, ([mark, before, value, indent, after]) => {
      expect(canBeJson(mark + before + JSON.stringify(value, null, indent) + after)).toBe(true);
    }),
    { numRuns: runs(1000) },
  );
});

test('whatever the parser takes can be JSON', () => {
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-1.5e+3',
    '0',
    'true',
    'false',
    'null',
    ' ',
    '\n',
  );
  const texts = fc.array(token, { maxLength: 8 }).map((tokens) => tokens.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      expect(canBeJson(text) || !parses(text)).toBe(true);
    }),
    { numRuns: runs(5000) },
  );
});

test.each(['NaN', ' Infinity', '-Infinity', '[NaN]', '[-Infinity, 1]', '[ Infinity]', '{"a": NaN}'])(
  'what Python writes can be JSON: %s',
  (text) => {
    expect(canBeJson(text)).toBe(true);
  },
);

test.each([
  'Loading the model: 42 %',
  '[INFO] ready',
  '[2026-01-31 12:00:00] ready',
  '[1/5] installing',
  '2026-01-31T12:00:00Z ready',
  'true story',
  '{ not json }',
  '',
  '   ',
  'Content-Length: 17',
  '-- ready --',
])('what programs print is told without parsing: %s', (text) => {
  expect(canBeJson(text)).toBe(false);
});

test('long texts are told quickly', () => {
  for (const text of [' ', '1', '1 ', 'a', '{ ', '-', '[1', '[a', 'true ']) {
    expect(canBeJson(`${text.repeat(1_000_000)}!`)).toBe(false);
    expect(canBeJson(`[${' '.repeat(1_000_000)}${text}!`)).toBe(
      text.startsWith('{ ') || text.startsWith('['),
    );
  }
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
