// The error codes of G-Assist V2 and the neutral ones, in both directions. docs/dialects/gassist.md has the same table.
import type { ErrorCode } from '../../base/error.ts';
import { codeIn, standardCodes, wireCodeIn, type WireCode } from '../wire-codes.ts';

export const wireCodes: readonly WireCode[] = [
  ...standardCodes,
  { wireCode: -1, name: 'Plugin error', code: 'TOOL_FAILED' },
  { wireCode: -2, name: 'Timeout', code: 'TIMEOUT' },
  { wireCode: -3, name: 'Rate limited', code: 'RATE_LIMITED' },
];

/** A number that the protocol does not know is the plugin's own way to say that it failed. */
export function codeOf(wireCode: number | undefined): ErrorCode {
  return codeIn(wireCodes, wireCode) ?? 'TOOL_FAILED';
}

/** What has no number of its own here is an error of the plugin. */
export function wireCodeOf(code: ErrorCode): number {
  return wireCodeIn(wireCodes, alike[code] ?? code) ?? -1;
}

/** What becomes of a call that is passed on to a plugin of another host is the same to whoever asked. */
const alike: Partial<Record<ErrorCode, ErrorCode>> = {
  CALL_TIMEOUT: 'TIMEOUT',
  TOO_MANY_CALLS: 'RATE_LIMITED',
};
