// docs/errors.md and the codes say the same.
import { expect, test } from 'vitest';
import { errorCodes } from '../src/base/error.ts';
import { read } from './support/markdown.ts';

const documented = [...read('docs/errors.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);

test('every error code has a line in docs/errors.md, and every line a code', () => {
  expect(documented).toEqual(Object.keys(errorCodes).toSorted());
});
