import { expect, test } from 'vitest';
import { patientLimits, defaultCheckLimits } from './limits.ts';

test.each([
  [50, 5000],
  [500, 5000],
  [1000, 10_000],
  [60_000, 20_000],
])('after a hello of %d ms an answer may take %d ms', (handshakeMs, answerMs) => {
  const limits = patientLimits(defaultCheckLimits, handshakeMs);
  expect(limits).toMatchObject({ answerMs, exitMs: answerMs, callMs: answerMs * 6 });
});
