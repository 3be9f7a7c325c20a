// Failures on the wire and inside: `data` of an error has a type, details, a stack where wanted, and suggestions.
import { isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import { textOf } from '../../base/shown.ts';
import type { ErrorObject } from '../../channel/message/message.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { Answer, CallFailure } from '../../definition/outcome.ts';
import { reasonGiven } from '../failure.ts';
import { codeOf, wireErrorOf, wireErrors } from './codes.ts';
import { outputOf } from './task-result.ts';

/** An error as it is told to callers; all that came with it is kept. */
export function failureOf(error: ErrorObject): CallFailure {
  const { code: wireCode, message } = error;
  // It was parsed from JSON.
  const data = error.data as Json | undefined;
  const known = isJsonObject(data) ? data : {};
  const { type, reason = type, details, recoverable } = known;
  const suggestions = textsIn(known['recovery_suggestions']);
  return {
    code: codeOf(wireCode, message, known),
    message: reasonGiven(inWords(message === '' ? nameOf(wireCode) : message, details)),
    wireCode,
    ...(data === undefined ? {} : { data }),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(details === undefined || details === null ? {} : { details }),
    ...(typeof recoverable === 'boolean' ? { recoverable } : {}),
    ...(suggestions.length === 0 ? {} : { suggestions }),
  };
}

/** What a failed answer is on the wire. The stack of what was thrown is for those who debug the plugin. */
export function errorOf(answer: Answer & { readonly ok: false }, debug: boolean): RpcError {
  const { error } = answer;
  const { wireCode, name, type, code } = wireErrorOf(error.code);
  const said: JsonObject = isJsonObject(error.data) ? error.data : {};
  const { stack_trace: passedOn, ...data } = said;
  const { stack = passedOn, ...details } = isJsonObject(error.details) ? error.details : {};
  const output = outputOf(answer);
  return new RpcError(wireCode, error.message === '' ? name : error.message, {
    ...data,
    ...(error.data === undefined || isJsonObject(error.data) ? {} : { data: error.data }),
    type,
    details: isJsonObject(error.details)
      ? (nonEmpty(details) ?? error.message)
      : (error.details ?? error.message),
    ...(debug && stack !== undefined ? { stack_trace: textOf(stack) } : {}),
    recovery_suggestions: error.suggestions ?? [],
    ...(code === undefined ? {} : { code }),
    ...(error.recoverable === undefined ? {} : { recoverable: error.recoverable }),
    ...(error.reason === undefined || error.reason === type ? {} : { reason: error.reason }),
    ...(output === undefined ? {} : { output }),
    ...(answer.keepSession === true ? { keep_session: true } : {}),
  });
}

/** Many say no more than the name of the number; then the details are what a person wants to read. */
function inWords(message: string, details: Json | undefined): string {
  const isName = wireErrors.some(({ name }) => name.toLowerCase() === message.toLowerCase());
  return isName && typeof details === 'string' && details !== message ? `${message}: ${details}` : message;
}

function nonEmpty(details: JsonObject): JsonObject | undefined {
  return Object.keys(details).length === 0 ? undefined : details;
}

function nameOf(wireCode: number): string {
  const known = wireErrors.find((error) => error.wireCode === wireCode);
  return known?.name ?? `The plugin answered with error ${wireCode} and no message.`;
}
