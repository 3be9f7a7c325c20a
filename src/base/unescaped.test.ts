import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { placeIn, unescaped } from './unescaped.ts';

test.each<[string, string]>([
  ['a%2Fb', 'a/b'],
  ['%c3%A4%E2%82%AC%F0%9F%98%80', 'ä€😀'],
  ['50%25', '50%'],
  ['%252F', '%2F'],
  ['&lt;a href=&quot;x&quot;&gt;R&amp;D&apos;s', `<a href="x">R&D's`],
  ['&#39;&#x27;&#X27;&#0039;&#128512;', `''''😀`],
  ['&auml;&szlig;&nbsp;&yuml;&sol;&bsol;', 'äß\u00a0ÿ/\\'],
  ['%ff%2F', '%ff/'],
  ['%c3%28', '%c3('],
])('%s is %s', (escaped, plain) => {
  expect(unescaped(escaped)).toBe(plain);
});

const plainTexts = '|plain|100% & more|%|%2|%zz|&|&;|&#;|&#x110000;|&unknown;|%c3|%c3x|%80|%f8%80';

test.each(plainTexts.split('|'))('%j has no escape', (text) => {
  expect(unescaped(text)).toBeUndefined();
});

test.each<[string, string]>([
  [String.raw`a\/b\"c\\d`, 'a/b"c\\d'],
  [String.raw`\b\f\n\r\t`, '\b\f\n\r\t'],
  [String.raw`\u0041\u00E4\ud83d\uDE00\u0000`, 'A\u00e4\u{1f600}\0'],
  [String.raw`\\/ \\u0041`, String.raw`\/ \u0041`],
  [String.raw`\x41\'\/%2F&quot;`, String.raw`\x41\'/%2F&quot;`],
])('%s is %s in JSON', (escaped, plain) => {
  expect(unescaped(escaped, '\\')).toBe(plain);
});

test.each(['plain', '\\', '\\x41', '\\u', '\\u004', '\\u00g1', '\\U0041'])(
  '%j has no escape of JSON',
  (text) => {
    expect(unescaped(text, '\\')).toBeUndefined();
  },
);

it('can be asked for one kind alone', () => {
  expect(unescaped('%2F&quot;', '%')).toBe('/&quot;');
  expect(unescaped('%2F&quot;', '&')).toBe('%2F"');
  expect(unescaped('&quot;', '%')).toBeUndefined();
});

it('knows where each character stands', () => {
  const plainOf: Readonly<Record<string, string>> = {
    '%2F': '/',
    '%C3%A4': 'ä',
    '&quot;': '"',
    '&#128512;': '😀',
    x: 'x',
    ab: 'ab',
  };
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Object.keys(plainOf))), (parts) => {
      const text = parts.join('');
      const places: number[] = [];
      const plain = unescaped(text, '%&', places) ?? text;
      let [at, place] = [0, 0];
      for (const part of parts) {
        expect(placeIn(places, at)).toBe(place);
        at += plainOf[part]?.length ?? 0;
        place += part.length;
      }
      expect([at, placeIn(places, at)]).toEqual([plain.length, text.length]);
    }),
  );
});

it('takes linear time', () => {
  const begun = performance.now();
  for (const part of ['%', '&', '&#', '%2', '&amp;', '%25', '%c3', '&quot', '%&'])
    unescaped(part.repeat(50_000));
  for (const part of ['\\', '\\u', '\\u0041', 'a\\/']) unescaped(part.repeat(50_000), '\\');
  expect(performance.now() - begun).toBeLessThan(10_000);
});
