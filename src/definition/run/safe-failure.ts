// A failure that any wire can carry, whatever author code put into it.
import { errorCodes } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { shown, textOf } from '../../base/shown.ts';
import { failureOf } from '../failure.ts';
import type { CallFailure } from '../outcome.ts';
import { plainJson } from './plain-json.ts';

export function safeFailure(thrown: unknown, debug = false): CallFailure {
  const { code, message, reason, data, details, recoverable, suggestions } = failureOf(thrown, { debug });
  return {
    code: Object.hasOwn(errorCodes, code) ? code : 'TOOL_FAILED',
    message: textOf(message),
    ...(reason === undefined ? {} : { reason: textOf(reason) }),
    ...(data === undefined ? {} : { data: safe(data) }),
    ...(details === undefined ? {} : { details: safe(details) }),
    ...(recoverable === undefined ? {} : { recoverable }),
    ...(Array.isArray(suggestions) ? { suggestions: suggestions.map(textOf) } : {}),
  };
}

function safe(value: unknown): Json {
  const plain = plainJson(value, 'it');
  return 'json' in plain ? plain.json : shown(value);
}
