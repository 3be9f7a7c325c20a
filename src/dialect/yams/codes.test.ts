import { expect, test } from 'vitest';
import { errorCodes, type ErrorCode } from '../../base/error.ts';
import { codeOf, reasons, wireErrorOf, wireErrors } from './codes.ts';

// requirement: yams:error-code:-32700, yams:error-code:-32600, yams:error-code:-32601, yams:error-code:-32602
// requirement: yams:error-code:-32603, yams:error-code:-32000, yams:error-code:-32001, yams:error-code:-32002
// requirement: yams:error-code:-32003
test.each<[number, ErrorCode]>([
  [-32700, 'MESSAGE_REFUSED'],
  [-32600, 'MESSAGE_REFUSED'],
  [-32601, 'UNKNOWN_TOOL'],
  [-32602, 'INVALID_ARGUMENTS'],
  [-32603, 'INTERNAL'],
  [-32000, 'TOOL_FAILED'],
  [-32001, 'UNSUPPORTED'],
  [-32002, 'TIMEOUT'],
  [-32003, 'NOT_INITIALIZED'],
])('%d is %s', (wireCode, code) => {
  expect(codeOf(wireCode)).toBe(code);
  expect(wireErrors.map((error) => error.wireCode)).toContain(wireCode);
});

test.each([-32004, -32099, 1, 0])('%d, of which YAMS says nothing, is a failure of the tool', (wireCode) => {
  expect(codeOf(wireCode)).toBe('TOOL_FAILED');
});

test.each(Object.entries(reasons))('the reason %s says more than a vague number: %s', (reason, code) => {
  expect(codeOf(-32603, reason)).toBe(code);
  expect(codeOf(-32000, reason)).toBe(code);
  expect(codeOf(-32602, reason)).toBe('INVALID_ARGUMENTS');
});

test.each([undefined, null, 7, {}, 'Other', 'toString', '__proto__'])(
  'the reason %j changes nothing',
  (reason) => {
    expect(codeOf(-32603, reason)).toBe('INTERNAL');
  },
);

// Our own object, whose keys are the codes.
const neutral = Object.keys(errorCodes) as ErrorCode[];

test('every neutral code that YAMS has a word for comes back as itself', () => {
  const meant = new Set([...wireErrors.map(({ code }) => code), ...Object.values(reasons)]);
  const broader: Partial<Record<ErrorCode, ErrorCode>> = {
    CALL_TIMEOUT: 'TIMEOUT',
    START_FAILED: 'INTERNAL',
  };
  for (const code of neutral) {
    const { wireCode, reason } = wireErrorOf(code);
    const expected = broader[code] ?? (meant.has(code) ? code : 'TOOL_FAILED');
    expect(codeOf(wireCode, reason), code).toBe(expected);
  }
});
