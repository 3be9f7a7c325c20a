// The result of a tool, both ways. YAMS says nothing of its form: text alone is a string, data alone is what it is, and where
// there is more to say, or it could be misread, it is `{ text, data, outputs, keep_session, next }`.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { AnswerContent } from '../../definition/outcome.ts';
import { howToGoOn } from '../say-tool.ts';

/** @param say the tool that takes what the user says next; without it nobody is told that a session is kept */
export function toToolResult({ text, data, outputs, keepSession }: AnswerContent, say?: string): Json {
  const isKept = keepSession === true && say !== undefined;
  if (outputs === undefined && !isKept) {
    if (data === undefined) return text ?? null;
    if ((text === undefined || text === '') && !isMisread(data)) return data;
  }
  return {
    text: text ?? '',
    ...(data === undefined ? {} : { data }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(isKept ? { keep_session: true, next: howToGoOn(say) } : {}),
  };
}

/** Undefined when it is in one of the plain forms. */
export function fromToolResult(result: JsonObject): AnswerContent | undefined {
  const { text, data, outputs, ...more } = result;
  const isKept = more['keep_session'] === true;
  const saysMore = data !== undefined || outputs !== undefined || isKept;
  const isOurs = saysMore && Object.keys(more).every((key) => isKept && sessionKeys.has(key));
  if (typeof text !== 'string' || !isOurs || !(outputs === undefined || isTexts(outputs))) return undefined;
  return {
    ...(text === '' ? {} : { text }),
    ...(data === undefined ? {} : { data }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(isKept ? { keepSession: true } : {}),
  };
}

const sessionKeys: ReadonlySet<string> = new Set(['keep_session', 'next']);

/** Hosts take `success: false` for a failure, and a string for text. */
function isMisread(data: Json): boolean {
  if (!isJsonObject(data)) return typeof data === 'string';
  return data['success'] === false || fromToolResult(data) !== undefined;
}

function isTexts(value: Json): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string');
}
