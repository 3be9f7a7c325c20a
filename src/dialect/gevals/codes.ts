// The error codes of gevals and the neutral ones, in both directions. docs/dialects/gevals.md has the same table.
import type { ErrorCode } from '../../base/error.ts';
import { codeIn, standardCodes, wireCodeIn, type WireCode } from '../failure.ts';

export const REQUIREMENT_NOT_MET = -32002;

export const wireErrors: readonly WireCode[] = [
  ...standardCodes,
  { wireCode: -32000, name: 'Operation failed', code: 'TOOL_FAILED' },
  { wireCode: -32001, name: 'Timeout', code: 'TIMEOUT' },
  { wireCode: REQUIREMENT_NOT_MET, name: 'Requirement not met', code: 'REQUIREMENT_MISSING' },
];

/** A number that the specification does not know is a failure of the operation like any other. */
export function codeOf(wireCode: number): ErrorCode {
  return codeIn(wireErrors, wireCode) ?? 'TOOL_FAILED';
}

/** What this dialect has no number for is a failed operation. */
export function wireCodeOf(code: ErrorCode): number {
  return wireCodeIn(wireErrors, code) ?? -32000;
}
