// Results of calls and extractions, both ways.
import { defined, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown, textOf } from '../../base/text.ts';
import type { ErrorObject, Response } from '../../channel/message/message.ts';
import type { Answer, AnswerContent, CallFailure } from '../../definition/outcome.ts';
import { reasonGiven } from '../failure.ts';
import { howToGoOn } from '../talk-tool.ts';
import { callFailureOf } from './codes.ts';
import { messageIn, methods } from './schema.ts';

export function answerOf(plugin: string, method: string, response: Response): Answer {
  if (response.kind === 'failure') return failedAnswer(response.error);
  // It was parsed from JSON; a missing result is undefined.
  const result = response.result as Json | undefined;
  return method === methods.extract ? extraction(plugin, result) : anyResult(result);
}

/** With the partial result, where the plugin sends one. */
function failedAnswer(error: ErrorObject): Answer {
  const data = isJsonObject(error.data) ? error.data : {};
  const keepSession = data['keep_session'] === true ? true : undefined;
  return { ok: false, ...defined({ text: textIn(data), keepSession }), error: callFailureOf(error) };
}

function anyResult(result: Json | undefined): Answer {
  if (result === undefined) return { ok: true };
  if (typeof result === 'string') return { ok: true, text: result };
  if (!isJsonObject(result)) return { ok: true, data: result };
  const parts = readToolParts(result);
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
  const content = defined({ text, data: Object.keys(rest).length === 0 ? undefined : rest });
  const isFailure = success === false || (error !== undefined && error !== null);
  if (isFailure) return { ok: false, ...content, error: failureIn(result) };
  if (text === undefined && (success === true || hasOtherText(result))) return violation(plugin, result);
  return { ok: true, ...content };
}

/** The real host reads `text` first. */
function textIn(result: JsonObject): string | undefined {
  const { text, content } = result;
  if (typeof text === 'string') return text;
  return typeof content === 'string' ? content : undefined;
}

/** A file may have metadata and no text: then the text is null or left out. */
function hasOtherText({ text, content }: JsonObject): boolean {
  return (text ?? content ?? undefined) !== undefined;
}

/** The `error` of a result: in real plugins a text, in some an error object. */
function failureIn(result: JsonObject): CallFailure {
  const { error } = result;
  if (isJsonObject(error) && Number.isInteger(error['code'])) {
    const { code, message, data } = error;
    return callFailureOf(
      defined({ code: Number(code), message: typeof message === 'string' ? message : '', data }),
    );
  }
  const message =
    typeof error === 'string' && error !== '' ? error : (messageIn(result) ?? shownError(error));
  const { recoverable } = result;
  return defined({
    code: 'TOOL_FAILED',
    message: reasonGiven(message),
    recoverable: typeof recoverable === 'boolean' ? recoverable : undefined,
  });
}

function shownError(error: Json | undefined): string | undefined {
  if (error === undefined || error === null || error === '') return undefined;
  return `The plugin failed: ${shown(error, 200)}`;
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

/**
 * YAMS does not specify results of tools: text alone is a string, data alone is itself, and anything that has more parts or could be
 * misread is `{ text, data, outputs, keep_session, next }`.
 * @param say the tool that takes the user's next input
 */
export function writeToolResult({ text, data, outputs, keepSession }: AnswerContent, say?: string): Json {
  const isKept = keepSession === true && say !== undefined;
  if (outputs === undefined && !isKept) {
    if (data === undefined) return text ?? null;
    if ((text === undefined || text === '') && !isMisread(data)) return data;
  }
  return {
    text: text ?? '',
    ...defined({ data, outputs }),
    ...(isKept && { keep_session: true, next: howToGoOn(say) }),
  };
}

/** Undefined when the result is not of the form with parts. */
function readToolParts(result: JsonObject): AnswerContent | undefined {
  const { text, data, outputs, ...more } = result;
  const isKept = more['keep_session'] === true;
  const hasParts = data !== undefined || outputs !== undefined || isKept;
  const isOurs = hasParts && Object.keys(more).every((key) => isKept && sessionKeys.has(key));
  if (typeof text !== 'string' || !isOurs || !(outputs === undefined || isTexts(outputs))) return undefined;
  return defined({ text: text || undefined, data, outputs, keepSession: isKept ? true : undefined });
}

const sessionKeys: ReadonlySet<string> = new Set(['keep_session', 'next']);

/** Hosts take `success: false` for a failure, and a string for text. */
function isMisread(data: Json): boolean {
  if (!isJsonObject(data)) return typeof data === 'string';
  return data['success'] === false || readToolParts(data) !== undefined;
}

function isTexts(value: Json): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string');
}

/** Has the fields of the specification, and those of the real host and real plugins. */
export function writeExtraction({ text = '', data }: AnswerContent, durationMs: number): JsonObject {
  const { metadata, stats, ...more } = partsOf(data);
  return {
    ...more,
    success: true,
    content: text,
    text,
    metadata: textsOf(metadata),
    stats: { extraction_time_ms: Math.round(durationMs), ...(isJsonObject(stats) ? stats : {}) },
    error: null,
  };
}

function partsOf(data: Json | undefined): JsonObject {
  if (data === undefined) return {};
  return isJsonObject(data) ? data : { data };
}

/** Metadata are texts, as in the example of the specification; numbers belong to the stats. */
function textsOf(metadata: Json | undefined): JsonObject {
  if (!isJsonObject(metadata)) return {};
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, textOf(value)]));
}
