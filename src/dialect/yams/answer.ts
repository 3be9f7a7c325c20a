// From what a plugin answered to a call, to what the caller is told.
import { isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import { shortened, shown } from '../../base/shown.ts';
import type { ErrorObject, Response } from '../../channel/message/message.ts';
import type { Answer, CallFailure } from '../../definition/outcome.ts';
import { reasonGiven } from '../failure.ts';
import { codeOf, wireErrors } from './codes.ts';
import { messageIn, methods } from './schema.ts';
import { fromToolResult } from './tool-result.ts';

export function answerOf(plugin: string, method: string, response: Response): Answer {
  if (response.kind === 'failure') return failedAnswer(response.error);
  // It was parsed from JSON; one that was left out is undefined.
  const result = response.result as Json | undefined;
  return method === methods.extract ? extraction(plugin, result) : anyResult(result);
}

/** A failure as it is told to callers; all that came with it is kept. */
export function failureOf(error: ErrorObject): CallFailure {
  const { code: wireCode, message } = error;
  // It was parsed from JSON.
  const data = error.data as Json | undefined;
  const known = isJsonObject(data) ? data : {};
  const { reason, details, recoverable } = known;
  const suggestions = suggestionsIn(known);
  return {
    code: codeOf(wireCode, reason),
    message: reasonGiven(message === '' ? nameOf(wireCode) : message),
    wireCode,
    ...(data === undefined ? {} : { data }),
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    ...(details === undefined || details === null ? {} : { details }),
    ...(typeof recoverable === 'boolean' ? { recoverable } : {}),
    ...(suggestions.length === 0 ? {} : { suggestions }),
  };
}

function nameOf(wireCode: number): string {
  const known = wireErrors.find((error) => error.wireCode === wireCode);
  return known?.name ?? `The plugin answered with error ${wireCode} and no message.`;
}

function suggestionsIn(data: JsonObject): string[] {
  const { suggestions, env_var: variable, config_key: key } = data;
  const said = [
    ...textsIn(suggestions),
    ...(typeof variable === 'string'
      ? [`Set ${shortened(variable, 100)} in the environment of the plugin.`]
      : []),
    ...(typeof key === 'string' ? [`Give "${shortened(key, 100)}" in the config of the plugin.`] : []),
  ];
  // One that is passed on may bring both the field and the sentence about it.
  return [...new Set(said)];
}

/** What was extracted before the failure is kept, where a plugin sends it along. */
function failedAnswer(error: ErrorObject): Answer {
  const data = isJsonObject(error.data) ? error.data : {};
  const text = textIn(data);
  return {
    ok: false,
    ...(text === undefined ? {} : { text }),
    ...(data['keep_session'] === true ? { keepSession: true } : {}),
    error: failureOf(error),
  };
}

function anyResult(result: Json | undefined): Answer {
  if (result === undefined) return { ok: true };
  if (typeof result === 'string') return { ok: true, text: result };
  if (!isJsonObject(result)) return { ok: true, data: result };
  const parts = fromToolResult(result);
  if (parts !== undefined) return { ok: true, ...parts };
  const text = textIn(result);
  const content = text === undefined ? { data: result } : { text, data: result };
  return result['success'] === false
    ? { ok: false, ...content, error: failureIn(result) }
    : { ok: true, ...content };
}

const EXTRACTION_FORM = '{ success, content, metadata?, stats? } or { text, metadata?, error? }';

function extraction(plugin: string, result: Json | undefined): Answer {
  if (typeof result === 'string') return { ok: true, text: result };
  if (!isJsonObject(result)) return violation(plugin, result);
  const { success, content: _content, text: _text, error, ...rest } = result;
  const text = textIn(result);
  const content = {
    ...(text === undefined ? {} : { text }),
    ...(Object.keys(rest).length === 0 ? {} : { data: rest }),
  };
  const isFailure = success === false || (error !== undefined && error !== null);
  if (isFailure) return { ok: false, ...content, error: failureIn(result) };
  if (text === undefined && (success === true || hasOtherText(result))) return violation(plugin, result);
  return { ok: true, ...content };
}

/** The real host looks for `text` first. */
function textIn(result: JsonObject): string | undefined {
  const { text, content } = result;
  if (typeof text === 'string') return text;
  return typeof content === 'string' ? content : undefined;
}

/** A file may have metadata and no text: then it is null or left out. */
function hasOtherText({ text, content }: JsonObject): boolean {
  return (text ?? content ?? undefined) !== undefined;
}

/** The failure that stands in a result: real plugins put a word there, some a whole error object. */
function failureIn(result: JsonObject): CallFailure {
  const { error } = result;
  if (isJsonObject(error) && Number.isInteger(error['code'])) {
    const { code, message, data } = error;
    return failureOf({
      code: Number(code),
      message: typeof message === 'string' ? message : '',
      ...(data === undefined ? {} : { data }),
    });
  }
  const said = typeof error === 'string' && error !== '' ? error : (messageIn(result) ?? wordsFor(error));
  const { recoverable } = result;
  return {
    code: 'TOOL_FAILED',
    message: reasonGiven(said),
    ...(typeof recoverable === 'boolean' ? { recoverable } : {}),
  };
}

function wordsFor(error: Json | undefined): string | undefined {
  if (error === undefined || error === null || error === '') return undefined;
  return `The plugin says that it failed: ${shown(error, 200)}`;
}

function violation(plugin: string, result: Json | undefined): Answer {
  return {
    ok: false,
    error: {
      code: 'PROTOCOL_VIOLATION',
      message: `Plugin "${plugin}" answered ${methods.extract} with ${shown(result, 200)}; expected ${EXTRACTION_FORM}.`,
    },
  };
}
