// Failures of calls, as far as they are the same in every dialect.
import { PluglotError, toError, type ErrorCode } from '../base/error.ts';
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../base/json.ts';
import { shortened } from '../base/shown.ts';
import type { CallFailure } from '../definition/outcome.ts';
import { MORE_ROOM } from './reply.ts';

/** The call did not reach the plugin, or its answer did not reach us. */
export function unanswered(thrown: unknown): CallFailure {
  const error = toError(thrown);
  if (!(error instanceof PluglotError)) return { code: 'INTERNAL', message: error.message };
  const { code, message } = error;
  return { code, message: code === 'FRAME_TOO_LARGE' ? `${message} ${MORE_ROOM}` : message };
}

/** Long enough for the stack of an error, whose last line tells most. */
const REASON_LENGTH = 4000;

/** Why a plugin says that it failed. */
export function reasonGiven(text: string | undefined): string {
  return text === undefined || text === ''
    ? 'The plugin says that it failed, and not why.'
    : shortened(text, REASON_LENGTH);
}

/** For hosts whose dialect has no place for suggestions but the text. */
export function withSuggestions({ message, suggestions = [] }: CallFailure): string {
  return suggestions.length === 0 ? message : `${message} (${suggestions.join('; ')})`;
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
