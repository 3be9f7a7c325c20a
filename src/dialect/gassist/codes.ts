// The error codes of G-Assist V2 and the neutral ones, in both directions. docs/dialects/gassist.md has the same table.
import type { ErrorCode } from '../../base/error.ts';
import { codeIn, standardCodes, wireCodeIn, type WireCode } from '../failure.ts';

export const wireCodes: readonly WireCode[] = [
  ...standardCodes,
  { wireCode: -1, name: 'Plugin error', code: 'TOOL_FAILED' },
  { wireCode: -2, name: 'Timeout', code: 'TIMEOUT' },
  { wireCode: -3, name: 'Rate limited', code: 'RATE_LIMITED' },
];

/** A number that the protocol does not define is a failure of the tool. */
export function codeOf(wireCode: number | undefined): ErrorCode {
  return codeIn(wireCodes, wireCode) ?? 'TOOL_FAILED';
}

/** Codes without a number of their own become a plugin error. */
export function wireCodeOf(code: ErrorCode): number {
  return wireCodeIn(wireCodes, equivalents[code] ?? code) ?? -1;
}

/** For calls that are passed on to a plugin of another dialect. */
const equivalents: Partial<Record<ErrorCode, ErrorCode>> = {
  CALL_TIMEOUT: 'TIMEOUT',
  TOO_MANY_CALLS: 'RATE_LIMITED',
};
