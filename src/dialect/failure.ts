// Failures of calls and their codes on the wire, as far as they are the same in every dialect.
import { PluglotError, toError, type ErrorCode } from '../base/error.ts';
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../base/json.ts';
import { sentences, shortened } from '../base/text.ts';
import type { RunningCall } from '../definition/plugin-port.ts';
import type { AnswerContent, CallFailure, CallSink } from '../definition/outcome.ts';

/** The fix for a message over the limit. */
export const RAISE_MESSAGE_BYTES = 'Raise limits.messageBytes.';

/** The call did not reach the plugin, or its answer did not reach us. */
export function unanswered(thrown: unknown): CallFailure {
  const error = toError(thrown);
  if (!(error instanceof PluglotError)) return { code: 'INTERNAL', message: error.message };
  const { code, message } = error;
  return { code, message: code === 'FRAME_TOO_LARGE' ? sentences(message, RAISE_MESSAGE_BYTES) : message };
}

/** A call that ends before it begins. */
export function refusedCall(error: CallFailure, sink: CallSink): RunningCall {
  sink.end({ ok: false, error });
  return { cancel: () => 'free' };
}

/** Long enough for the stack of an error, whose last line tells most. */
const REASON_LENGTH = 4000;

/** The plugin's own reason for a failure. */
export function reasonGiven(text: string | undefined): string {
  return text === undefined || text === ''
    ? 'The plugin failed without giving a reason.'
    : shortened(text, REASON_LENGTH);
}

/** The content of a failed answer without the text that is its reason: that is in the error. */
export function withoutReason(content: AnswerContent, { message }: CallFailure): AnswerContent {
  const { text = '', ...rest } = content;
  const said = text.trimEnd();
  const reason = message.trim();
  if (said === '' || !said.endsWith(reason)) return content;
  const before = said.slice(0, said.length - reason.length);
  // A word at the end of a longer sentence is not the reason.
  if (before !== '' && !before.endsWith('\n')) return content;
  return before.trim() === '' ? rest : { ...rest, text: before.trimEnd() };
}

/** For hosts whose dialect has no place for suggestions but the text. */
export function withSuggestions({ message, suggestions = [] }: CallFailure): string {
  const others = suggestions.filter((suggestion) => !message.includes(suggestion));
  return others.length === 0 ? message : `${message} (${others.join('; ')})`;
}

/** The inverse, for author ends of pluglot, which send suggestions both in the text and as data. */
export function withoutSuggestions(message: string, suggestions: readonly string[] = []): string {
  const added = ` (${suggestions.join('; ')})`;
  return message.endsWith(added) ? message.slice(0, -added.length) : message;
}

/** What is known of a failure beside its message and code; undefined when nothing is. */
export function detailsOf(failure: CallFailure): JsonObject | undefined {
  const { reason, details, recoverable, suggestions, data } = failure;
  const known = Object.entries({ reason, details, recoverable, suggestions, data }).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined,
  );
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** Reads what `detailsOf` wrote. Any plugin may have written it: fields of another type are left out. */
export function detailsIn(object: JsonObject): Omit<CallFailure, 'code' | 'message'> {
  const { reason, details, recoverable, suggestions, data } = object;
  return {
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    ...(details === undefined || details === null ? {} : { details }),
    ...(typeof recoverable === 'boolean' ? { recoverable } : {}),
    ...(isJsonArray(suggestions) ? { suggestions: textsIn(suggestions) } : {}),
    ...(data === undefined ? {} : { data }),
  };
}

/** A whole failure as JSON, for a host of pluglot whose dialect has fewer fields. */
export function failureToJson(failure: CallFailure): JsonObject {
  const { code, message } = failure;
  return { code, message, ...detailsOf(failure) };
}

/**
 * Reads what `failureToJson` wrote; undefined when it is missing or malformed.
 * @param otherMessage the message, where that was left out
 */
export function failureFromJson(value: unknown, otherMessage?: string): CallFailure | undefined {
  if (!isJsonObject(value)) return undefined;
  const { message = otherMessage } = value;
  const code = codesOfTools.find((known) => known === value['code']);
  if (code === undefined || typeof message !== 'string') return undefined;
  return { code, message, ...detailsIn(value) };
}

/** The codes a tool may use. Those about processes and pipes are for the host alone. */
const codesOfTools: readonly ErrorCode[] = [
  'INTERNAL',
  'INVALID_ARGUMENTS',
  'NOT_INITIALIZED',
  'NOT_TALKING',
  'RATE_LIMITED',
  'REQUIREMENT_MISSING',
  'TIMEOUT',
  'TOOL_FAILED',
  'UNAUTHENTICATED',
  'UNAVAILABLE',
  'UNSUPPORTED',
];

export interface WireCode {
  readonly wireCode: number;
  /** As the specification calls it. */
  readonly name: string;
  readonly code: ErrorCode;
}

/** The numbers of JSON-RPC itself. */
export const standardCodes: readonly WireCode[] = [
  { wireCode: -32700, name: 'Parse error', code: 'MESSAGE_REFUSED' },
  { wireCode: -32600, name: 'Invalid Request', code: 'MESSAGE_REFUSED' },
  { wireCode: -32601, name: 'Method not found', code: 'UNKNOWN_TOOL' },
  { wireCode: -32602, name: 'Invalid params', code: 'INVALID_ARGUMENTS' },
  { wireCode: -32603, name: 'Internal error', code: 'INTERNAL' },
];

export function codeIn(table: readonly WireCode[], wireCode: number | undefined): ErrorCode | undefined {
  return table.find((known) => known.wireCode === wireCode)?.code;
}

/** Of two numbers for one code the later one is used: of the two refusals, a plugin can only mean that of a request. */
export function wireCodeIn(table: readonly WireCode[], code: ErrorCode): number | undefined {
  return table.findLast((known) => known.code === code)?.wireCode;
}
