// Failures of calls, as far as they are the same in every dialect.
import { PluglotError, toError, type ErrorCode } from '../base/error.ts';
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../base/json.ts';
import { sentences } from '../base/sentence.ts';
import { shortened } from '../base/shown.ts';
import type { AnswerContent, CallFailure } from '../definition/outcome.ts';
import { MORE_ROOM } from './reply.ts';

/** The call did not reach the plugin, or its answer did not reach us. */
export function unanswered(thrown: unknown): CallFailure {
  const error = toError(thrown);
  if (!(error instanceof PluglotError)) return { code: 'INTERNAL', message: error.message };
  const { code, message } = error;
  return { code, message: code === 'FRAME_TOO_LARGE' ? sentences(message, MORE_ROOM) : message };
}

/** Long enough for the stack of an error, whose last line tells most. */
const REASON_LENGTH = 4000;

/** Why a plugin says that it failed. */
export function reasonGiven(text: string | undefined): string {
  return text === undefined || text === ''
    ? 'The plugin says that it failed, and not why.'
    : shortened(text, REASON_LENGTH);
}

/** What came with the end of a call that failed, without the text that is its reason: callers are told that in the error. */
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

/** The message of an end of ours that has told the suggestions twice: in the text, and where our host reads them. */
export function withoutSuggestions(message: string, suggestions: readonly string[] = []): string {
  const told = ` (${suggestions.join('; ')})`;
  return message.endsWith(told) ? message.slice(0, -told.length) : message;
}

/** What is known of a failure beside its message and code; undefined when nothing is. */
export function detailsOf(failure: CallFailure): JsonObject | undefined {
  const { reason, details, recoverable, suggestions, data } = failure;
  const told = Object.entries({ reason, details, recoverable, suggestions, data }).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined,
  );
  return told.length === 0 ? undefined : Object.fromEntries(told);
}

/** What `detailsOf` told, read again. Anybody may have written it: what is not as it should be is left out. */
export function detailsIn(told: JsonObject): Omit<CallFailure, 'code' | 'message'> {
  const { reason, details, recoverable, suggestions, data } = told;
  return {
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    ...(details === undefined || details === null ? {} : { details }),
    ...(typeof recoverable === 'boolean' ? { recoverable } : {}),
    ...(isJsonArray(suggestions) ? { suggestions: textsIn(suggestions) } : {}),
    ...(data === undefined ? {} : { data }),
  };
}

/** All that is known of a failure, for an end of ours whose dialect has words for less. */
export function failureWords(failure: CallFailure): JsonObject {
  const { code, message } = failure;
  return { code, message, ...detailsOf(failure) };
}

/**
 * What `failureWords` told, read again; undefined when it is not there, or not as it should be.
 * @param said the message, where that was left out
 */
export function readFailureWords(told: unknown, said?: string): CallFailure | undefined {
  if (!isJsonObject(told)) return undefined;
  const { message = said } = told;
  const code = codesOfTools.find((known) => known === told['code']);
  if (code === undefined || typeof message !== 'string') return undefined;
  return { code, message, ...detailsIn(told) };
}

/** What a tool can say of itself. What becomes of processes and pipes is known here, and nobody else's to tell. */
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
