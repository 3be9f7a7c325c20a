// The error numbers of YAMS and the neutral codes, both ways. docs/dialects/yams.md has the same table.
import type { ErrorCode } from '../../base/error.ts';
import { defined, isJsonObject, type Json, type JsonObject, textsIn } from '../../base/json.ts';
import { shortened } from '../../base/text.ts';
import type { ErrorObject } from '../../channel/message/message.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { FileType } from '../../definition/plan.ts';
import type { AnswerContent, CallFailure } from '../../definition/outcome.ts';
import { codeIn, reasonGiven, standardCodes, wireCodeIn, type WireCode } from '../failure.ts';
import { supportsParams } from './schema.ts';

export const wireErrors: readonly WireCode[] = [
  ...standardCodes,
  { wireCode: -32000, name: 'Extraction failed', code: 'TOOL_FAILED' },
  { wireCode: -32001, name: 'Unsupported format', code: 'UNSUPPORTED' },
  { wireCode: -32002, name: 'Timeout', code: 'TIMEOUT' },
  { wireCode: -32003, name: 'Not initialized', code: 'NOT_INITIALIZED' },
];

export const METHOD_NOT_FOUND = -32601;
export const UNSUPPORTED_FORMAT = -32001;
export const NOT_INITIALIZED = -32003;
const INTERNAL_ERROR = -32603;
const EXTRACTION_FAILED = -32000;

/** `data.reason`, for numbers that mean any failure. */
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

/** The number means any failure. */
function isVague(wireCode: number): boolean {
  return wireCode === INTERNAL_ERROR || wireCode === EXTRACTION_FAILED;
}

export function codeOf(wireCode: number, reason?: unknown): ErrorCode {
  if (isVague(wireCode) && typeof reason === 'string' && Object.hasOwn(reasons, reason)) {
    const code = reasons[reason];
    if (code !== undefined) return code;
  }
  return codeIn(wireErrors, wireCode) ?? 'TOOL_FAILED';
}

/** Codes that YAMS does not distinguish from others. */
const broader: Partial<Record<ErrorCode, ErrorCode>> = { CALL_TIMEOUT: 'TIMEOUT', START_FAILED: 'INTERNAL' };

/** Codes without a number are a failed extraction. */
export function wireErrorOf(exact: ErrorCode): { readonly wireCode: number; readonly reason?: string } {
  const code = broader[exact] ?? exact;
  if (code === 'REQUIREMENT_MISSING') return { wireCode: INTERNAL_ERROR, reason: 'DependencyMissing' };
  const [reason] = Object.entries(reasons).find(([, meant]) => meant === code) ?? [];
  return defined({ wireCode: wireCodeIn(wireErrors, code) ?? EXTRACTION_FAILED, reason });
}

/** An error of the plugin, with everything that was sent with it. */
export function callFailureOf(error: ErrorObject): CallFailure {
  const { code: wireCode, message } = error;
  // It was parsed from JSON.
  const data = error.data as Json | undefined;
  const known = isJsonObject(data) ? data : {};
  const { reason, details, recoverable } = known;
  const suggestions = suggestionsIn(known);
  return defined({
    code: codeOf(wireCode, reason),
    message: reasonGiven(message === '' ? nameOf(wireCode) : message),
    wireCode,
    data,
    reason: typeof reason === 'string' && reason !== '' ? reason : undefined,
    details: details ?? undefined,
    recoverable: typeof recoverable === 'boolean' ? recoverable : undefined,
    suggestions: suggestions.length === 0 ? undefined : suggestions,
  });
}

function nameOf(wireCode: number): string {
  const known = wireErrors.find((error) => error.wireCode === wireCode);
  return known?.name ?? `The plugin answered with error ${wireCode} and no message.`;
}

function suggestionsIn(data: JsonObject): string[] {
  const { suggestions, env_var: variable, config_key: key } = data;
  const all = textsIn(suggestions);
  if (typeof variable === 'string')
    all.push(`Set ${shortened(variable, 100)} in the environment of the plugin.`);
  if (typeof key === 'string') all.push(`Set "${shortened(key, 100)}" in the config of the plugin.`);
  // An error that is passed on may have both the field and the sentence.
  return [...new Set(all)];
}

/** The request that failed. */
export interface FailedRequest {
  readonly method: string;
  readonly timeoutMs?: number;
  /** For extractions: the type of the file, and the formats of the extractor. */
  readonly type?: FileType;
  readonly formats?: readonly string[];
}

/** With the fields that the specification has for common failures. A partial result is sent too: its text as `content`, its data field by field. */
export function rpcErrorOf(
  failure: CallFailure,
  request: FailedRequest,
  partial: AnswerContent = {},
): RpcError {
  const { code, message } = failure;
  if (code === 'UNKNOWN_TOOL') {
    const { methodNotFound } = standardErrors;
    const { suggestions } = failure;
    const data = defined({ method: request.method, suggestions });
    return new RpcError(methodNotFound.code, methodNotFound.message, data);
  }
  return new RpcError(wireErrorOf(code).wireCode, message, {
    ...(isJsonObject(partial.data) ? partial.data : {}),
    ...specifiedFields(failure, request, partial),
    ...fieldsOf(failure.data),
    ...categoryOf(failure),
    ...defined({
      recoverable: failure.recoverable,
      suggestions: failure.suggestions,
      content: partial.text || undefined,
      keep_session: partial.keepSession === true ? true : undefined,
    }),
  });
}

function specifiedFields(
  { code }: CallFailure,
  { type = {}, formats, timeoutMs }: FailedRequest,
  partial: AnswerContent,
): JsonObject {
  switch (code) {
    case 'UNSUPPORTED':
      return { ...supportsParams(type), ...defined({ supported_formats: formats }) };
    case 'TIMEOUT':
    case 'CALL_TIMEOUT':
      return defined({
        timeout_sec: timeoutMs === undefined ? undefined : timeoutMs / 1000,
        partial_extraction: partial.data !== undefined || (partial.text ?? '') !== '',
      });
    default:
      return {};
  }
}

function fieldsOf(data: Json | undefined): JsonObject {
  if (data === undefined) return {};
  return isJsonObject(data) ? data : { value: data };
}

/** For a number that means any failure, the reason has to be that of the specification, and the author's own becomes a detail. */
function categoryOf({ code, reason, details }: CallFailure): JsonObject {
  const known = wireErrorOf(code);
  const isKnown = known.reason !== undefined && isVague(known.wireCode);
  const category = isKnown ? known.reason : (reason ?? known.reason ?? pascalCase(code));
  return defined({ reason: category ?? '', details: details ?? (reason === category ? undefined : reason) });
}

/** `TOOL_FAILED` is `ToolFailed`, like the reasons of the specification. */
function pascalCase(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
