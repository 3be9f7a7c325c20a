// The error numbers of YAMS and the neutral codes, both ways. docs/dialects/yams.md has the same table, held by a test.
import type { ErrorCode } from '../../base/error.ts';
import { codeIn, standardCodes, wireCodeIn, type WireCode } from '../wire-codes.ts';

export const wireErrors: readonly WireCode[] = [
  ...standardCodes,
  { wireCode: -32000, name: 'Extraction failed', code: 'TOOL_FAILED' },
  { wireCode: -32001, name: 'Unsupported format', code: 'UNSUPPORTED' },
  { wireCode: -32002, name: 'Timeout', code: 'TIMEOUT' },
  { wireCode: -32003, name: 'Not initialized', code: 'NOT_INITIALIZED' },
];

export const METHOD_NOT_FOUND = -32601;
export const UNSUPPORTED_FORMAT = -32001;
export const INVALID_PARAMS = -32602;
export const NOT_INITIALIZED = -32003;
const INTERNAL_ERROR = -32603;
const EXTRACTION_FAILED = -32000;

/** What `data.reason` says where the number says no more than that something failed. */
export const reasons: Readonly<Record<string, ErrorCode>> = {
  DependencyMissing: 'REQUIREMENT_MISSING',
  NotInitialized: 'NOT_INITIALIZED',
  NotTalking: 'NOT_TALKING',
  RateLimited: 'RATE_LIMITED',
  Timeout: 'TIMEOUT',
  Unauthenticated: 'UNAUTHENTICATED',
  Unavailable: 'UNAVAILABLE',
  UnsupportedFormat: 'UNSUPPORTED',
};

/** The number says no more than that something failed. */
export function isVague(wireCode: number): boolean {
  return wireCode === INTERNAL_ERROR || wireCode === EXTRACTION_FAILED;
}

export function codeOf(wireCode: number, reason?: unknown): ErrorCode {
  if (isVague(wireCode) && typeof reason === 'string' && Object.hasOwn(reasons, reason)) {
    const code = reasons[reason];
    if (code !== undefined) return code;
  }
  return codeIn(wireErrors, wireCode) ?? 'TOOL_FAILED';
}

/** Codes that tell more than YAMS can say. */
const broader: Partial<Record<ErrorCode, ErrorCode>> = { CALL_TIMEOUT: 'TIMEOUT', START_FAILED: 'INTERNAL' };

/** How a neutral code is said in YAMS; what YAMS has no number for is a failed extraction. */
export function wireErrorOf(exact: ErrorCode): { readonly wireCode: number; readonly reason?: string } {
  const code = broader[exact] ?? exact;
  if (code === 'REQUIREMENT_MISSING') return { wireCode: INTERNAL_ERROR, reason: 'DependencyMissing' };
  const [reason] = Object.entries(reasons).find(([, meant]) => meant === code) ?? [];
  return {
    wireCode: wireCodeIn(wireErrors, code) ?? EXTRACTION_FAILED,
    ...(reason === undefined ? {} : { reason }),
  };
}
