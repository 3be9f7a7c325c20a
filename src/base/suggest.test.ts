import fc from 'fast-check';
import { expect, test } from 'vitest';
import { didYouMean, nearest } from './names.ts';

test.each([
  ['appply', ['apply', 'delete', 'wait'], ['apply']],
  ['aplpy', ['apply', 'delete'], ['apply']],
  ['APPLY', ['apply'], ['apply']],
  ['ls', ['rm', 'lsx', 'lt'], ['lsx', 'lt']],
  ['delete', ['apply', 'wait'], []],
  ['idleStop', ['lazy', 'idleStopMs'], ['idleStopMs']],
  ['idleStopMilliseconds', ['lazy', 'idleStop'], ['idleStop']],
  ['id', ['idleStopMs'], []],
  ['abcd', ['abce', 'abcf', 'abcg', 'abch', 'abcd'], ['abcd', 'abce', 'abcf']],
  ['', ['a', 'bc'], ['a']],
  ['x'.repeat(65), ['x'.repeat(65)], []],
])('near to %j among %j: %j', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toEqual(expected);
});

test.each([
  [[], ''],
  [['apply'], ' Did you mean "apply"?'],
  [['apply', 'apple'], ' Did you mean "apply" or "apple"?'],
  [['apply', 'apple', 'appla'], ' Did you mean "apply", "apple" or "appla"?'],
])('%j are told as %j', (candidates, expected) => {
  expect(didYouMean('appl', candidates)).toBe(expected);
});

test('at most three, only candidates, and a candidate itself first', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 64 }), fc.array(fc.string()), (word, others) => {
      const found = nearest(word, [...others, word]);
      expect(found.length).toBeLessThanOrEqual(3);
      expect(found[0]?.toLowerCase()).toBe(word.toLowerCase());
      for (const name of found) expect([...others, word]).toContain(name);
    }),
  );
});
