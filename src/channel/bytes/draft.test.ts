import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Draft } from './draft.ts';

const addition = fc.oneof(
  fc.record({
    bytes: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  }),
  fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 20 }) }),
);

test('gives the bytes of all that was added, in its order, however bytes and text follow each other', () => {
  fc.assert(
    fc.property(fc.array(fc.array(addition)), (bursts) => {
      const draft = new Draft();
      for (const burst of bursts) {
        for (const each of burst) {
          if ('text' in each) draft.addText(each.text);
          else draft.addBytes(each.bytes);
        }
        const expected = burst.map((each) =>
          'text' in each ? Buffer.from(each.text) : Buffer.from(each.bytes, 'latin1'),
        );
        expect(Buffer.from(draft.take(), 'latin1')).toEqual(Buffer.concat(expected));
        expect(draft.length).toBe(0);
      }
    }),
  );
});
