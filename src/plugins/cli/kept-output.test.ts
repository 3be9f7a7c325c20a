import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keptOutput } from './run.ts';

describe('what fits', () => {
  test('is kept as it is, however it is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat({ max: 20 })), (text, cuts) => {
        const output = keptOutput(10_000);
        const bytes = Buffer.from(text);
        let told = '';
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          told += output.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        told += output.push(bytes.subarray(at)) + output.end();
        // A lone surrogate is no text that bytes could say.
        const expected = bytes.toString();
        expect(told).toBe(expected);
        expect(output.text()).toBe(expected);
        expect(output.shortage).toBeUndefined();
      }),
    );
  });

  test('may be just as long as the limit', () => {
    const output = keptOutput(10);
    output.push(Buffer.from('0123456789'));
    expect(output.text()).toBe('0123456789');
    expect(output.shortage).toBeUndefined();
  });
});

describe('what is too long', () => {
  test('loses its middle, and says how much', () => {
    const output = keptOutput(10);
    for (const letter of 'abcdefghijklmnopqrstuvwxyz') output.push(Buffer.from(letter));
    expect(output.text()).toBe('abcde\n[… 16 characters left out …]\nvwxyz');
    expect(output.shortage).toMatch(/^had 26 characters; the first 5 and the last 5 are given\./);
  });

  test('has the right beginning and end for any pieces and any limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 60 }),
        (pieces, limit) => {
          const output = keptOutput(limit);
          const text = pieces.map((piece) => output.push(Buffer.from(piece))).join('');
          fc.pre(text.length > limit);
          const [, start = '', omitted = '', end = ''] =
            /^(.*)\n\[… (\d+) characters left out …\]\n(.*)$/s.exec(output.text()) ?? [];
          expect(text.startsWith(start)).toBe(true);
          expect(text.endsWith(end)).toBe(true);
          expect(start.length + end.length).toBeLessThanOrEqual(limit);
          expect(start.length + end.length + Number(omitted)).toBe(text.length);
          // Nothing is cut inside of a character.
          expect(Buffer.from(output.text()).toString()).toBe(output.text());
        },
      ),
    );
  });
});

test('binary data is counted instead', () => {
  const output = keptOutput(100);
  output.push(Buffer.alloc(5000, 0xfe));
  expect(output.text()).toBe('[5000 bytes of binary data]');
  expect(output.shortage).toMatch(/^had 5000 bytes of binary data\. Write them to a file/);
});

test('a letter of an old encoding is no reason to hide the text around it', () => {
  const output = keptOutput(100);
  output.push(Buffer.from('caf\xe9 au lait', 'latin1'));
  expect(output.text()).toBe('caf\uFFFD au lait');
  expect(output.shortage).toBeUndefined();
});

test('a character that never came whole is marked at the end', () => {
  const output = keptOutput(100);
  expect(output.push(Buffer.from([0x61, 0xe2, 0x82]))).toBe('a');
  expect(output.end()).toBe('\uFFFD');
  expect(output.text()).toBe('a\uFFFD');
});
