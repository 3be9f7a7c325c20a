import { expect, test } from 'vitest';
import { patientLimits, usualCheckLimits } from './limits.ts';

test.each([
  [50, 5000],
  [500, 5000],
  [1000, 10_000],
  [60_000, 20_000],
])('after a hello of %d ms an answer may take %d ms', (helloMs, answerMs) => {
  const limits = patientLimits(usualCheckLimits, helloMs);
  expect(limits).toMatchObject({ answerMs, exitMs: answerMs, callMs: answerMs * 6 });
});
