// The error numbers of the planner protocol and the neutral codes, both ways. docs/dialects/planner.md has the same table, held by a test.
import { errorCodes, type ErrorCode } from '../../base/error.ts';
import { codeIn, standardCodes, wireCodeIn, type WireCode } from '../wire-codes.ts';

/** What `data.type` of an error says. */
export type ErrorType = 'TIMEOUT' | 'PARSE_ERROR' | 'EXECUTION_ERROR';

/** One number with three meanings, which `data.type` tells apart. */
const EXECUTION = -32000;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INVALID_REQUEST = -32600;
export const AUTHENTICATION_FAILED = -32003;

export const wireErrors: readonly (WireCode & { readonly type?: ErrorType })[] = [
  ...standardCodes,
  { wireCode: EXECUTION, name: 'Execution timeout', type: 'TIMEOUT', code: 'TIMEOUT' },
  { wireCode: EXECUTION, name: 'Execution failed', type: 'PARSE_ERROR', code: 'MESSAGE_REFUSED' },
  { wireCode: EXECUTION, name: 'Execution failed', type: 'EXECUTION_ERROR', code: 'TOOL_FAILED' },
  { wireCode: -32001, name: 'Resource unavailable', code: 'UNAVAILABLE' },
  { wireCode: -32002, name: 'Rate limit exceeded', code: 'RATE_LIMITED' },
  { wireCode: AUTHENTICATION_FAILED, name: 'Authentication failed', code: 'UNAUTHENTICATED' },
];

/** What has no number of its own but is near enough to one; `data.code` tells it exactly. */
const nearest: Readonly<Partial<Record<ErrorCode, number>>> = {
  REQUIREMENT_MISSING: -32001,
  NOT_INITIALIZED: -32001,
  TOO_MANY_CALLS: -32002,
  CALL_TIMEOUT: EXECUTION,
};

export interface WireError {
  readonly wireCode: number;
  readonly name: string;
  readonly type: ErrorType;
  /** Present where the number alone would be read as another code. */
  readonly code?: ErrorCode;
}

/** Plain ends say -32000 without a type: by the table of the specification a timeout, by its example any failure. The message tells. */
export function codeOf(
  wireCode: number,
  message: string,
  data: { readonly [key: string]: unknown },
): ErrorCode {
  const { code, type } = data;
  if (typeof code === 'string' && isErrorCode(code)) return code;
  if (wireCode !== EXECUTION) return codeIn(wireErrors, wireCode) ?? 'TOOL_FAILED';
  const typed = wireErrors.find((known) => known.wireCode === EXECUTION && known.type === type);
  return typed?.code ?? (/time.{0,2}out|timed out/i.test(message) ? 'TIMEOUT' : 'TOOL_FAILED');
}

export function wireErrorOf(code: ErrorCode): WireError {
  const wireCode =
    (code === 'MESSAGE_REFUSED' ? EXECUTION : wireCodeIn(wireErrors, code)) ?? nearest[code] ?? EXECUTION;
  const type = typeOf(code);
  const row =
    wireErrors.find((known) => known.wireCode === wireCode && known.type === type) ??
    wireErrors.find((known) => known.wireCode === wireCode);
  return {
    wireCode,
    name: row?.name ?? 'Execution failed',
    type,
    ...(row?.code === code ? {} : { code }),
  };
}

function typeOf(code: ErrorCode): ErrorType {
  if (code === 'TIMEOUT' || code === 'CALL_TIMEOUT') return 'TIMEOUT';
  return code === 'MESSAGE_REFUSED' || code === 'INVALID_ARGUMENTS' ? 'PARSE_ERROR' : 'EXECUTION_ERROR';
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
