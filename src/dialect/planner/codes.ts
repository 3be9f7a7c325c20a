// The error numbers of the planner protocol and the neutral codes, both ways. docs/dialects/planner.md has the same table.
import { errorCodes, type ErrorCode } from '../../base/error.ts';
import { defined, isJsonObject, type Json, type JsonObject, textsIn } from '../../base/json.ts';
import { textOf } from '../../base/text.ts';
import type { ErrorObject } from '../../channel/message/message.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { Answer, CallFailure } from '../../definition/outcome.ts';
import { codeIn, reasonGiven, standardCodes, wireCodeIn, type WireCode } from '../failure.ts';

/** `data.type` of an error. */
export type ErrorType = 'TIMEOUT' | 'PARSE_ERROR' | 'EXECUTION_ERROR';

/** One number with three meanings, which `data.type` distinguishes. */
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

/** Codes without a number of their own; `data.code` has the exact one. */
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
  /** Present where the number alone means another code. */
  readonly code?: ErrorCode;
}

/** Without a type, -32000 is a timeout in the specification's table and any failure in its example: the message decides. */
function errorCodeOf(
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

/** An error of the plugin, with everything that was sent with it. */
export function callFailureOf(error: ErrorObject): CallFailure {
  const { code: wireCode, message } = error;
  // It was parsed from JSON.
  const data = error.data as Json | undefined;
  const known = isJsonObject(data) ? data : {};
  const { type, reason = type, details, recoverable } = known;
  const suggestions = textsIn(known['recovery_suggestions']);
  return defined({
    code: errorCodeOf(wireCode, message, known),
    message: reasonGiven(withDetails(message === '' ? nameOf(wireCode) : message, details)),
    wireCode,
    data,
    reason: typeof reason === 'string' ? reason : undefined,
    details: details ?? undefined,
    recoverable: typeof recoverable === 'boolean' ? recoverable : undefined,
    suggestions: suggestions.length === 0 ? undefined : suggestions,
  });
}

/** A failed answer as an error. The stack of what was thrown is sent only with `debug`. */
export function rpcErrorOf(answer: Answer & { readonly ok: false }, debug: boolean): RpcError {
  const { error } = answer;
  const { wireCode, name, type, code } = wireErrorOf(error.code);
  const sent: JsonObject = isJsonObject(error.data) ? error.data : {};
  const { stack_trace: passedOn, ...data } = sent;
  const { stack = passedOn, ...details } = isJsonObject(error.details) ? error.details : {};
  return new RpcError(wireCode, error.message === '' ? name : error.message, {
    ...data,
    ...defined({
      data: isJsonObject(error.data) ? undefined : error.data,
      type,
      details: isJsonObject(error.details)
        ? (nonEmpty(details) ?? error.message)
        : (error.details ?? error.message),
      stack_trace: debug && stack !== undefined ? textOf(stack) : undefined,
      recovery_suggestions: error.suggestions ?? [],
      code,
      recoverable: error.recoverable,
      reason: error.reason === type ? undefined : error.reason,
      // A failed task may have produced something.
      output: nonEmpty(defined({ code: answer.text, data: answer.data, outputs: answer.outputs })),
      keep_session: answer.keepSession === true ? true : undefined,
    }),
  });
}

/** Many plugins send only the name of the number as message, and the reason in the details. */
function withDetails(message: string, details: Json | undefined): string {
  const isName = wireErrors.some(({ name }) => name.toLowerCase() === message.toLowerCase());
  return isName && typeof details === 'string' && details !== message ? `${message}: ${details}` : message;
}

function nonEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
}

function nameOf(wireCode: number): string {
  const known = wireErrors.find((error) => error.wireCode === wireCode);
  return known?.name ?? `The plugin answered with error ${wireCode} and no message.`;
}
