import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalPath } from './forbidden-text.ts';

test('a path is made normal as the system does it', () => {
  const step = fc.constantFrom('..', '.', 'a', '', '...', 'b c');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
      const text = steps.join('/');
      expect(normalPath(text)).toBe(path.posix.normalize(text).replace(/(?<=.)\/$/, ''));
    }),
  );
});
