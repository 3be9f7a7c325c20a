// The result of a tool, both ways. YAMS says nothing of its form: text alone is a string, data alone is what it is, and where
// there is more to say, or it could be misread, it is `{ text, data, outputs }`.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { AnswerContent } from '../../definition/outcome.ts';

export function toToolResult({ text, data, outputs }: AnswerContent): Json {
  if (outputs === undefined) {
    if (data === undefined) return text ?? null;
    if ((text === undefined || text === '') && !isMisread(data)) return data;
  }
  return {
    text: text ?? '',
    ...(data === undefined ? {} : { data }),
    ...(outputs === undefined ? {} : { outputs }),
  };
}

/** Undefined when it is in one of the plain forms. */
export function fromToolResult(result: JsonObject): AnswerContent | undefined {
  const { text, data, outputs, ...more } = result;
  const isOurs = Object.keys(more).length === 0 && (data !== undefined || outputs !== undefined);
  if (typeof text !== 'string' || !isOurs || !(outputs === undefined || isTexts(outputs))) return undefined;
  return {
    ...(text === '' ? {} : { text }),
    ...(data === undefined ? {} : { data }),
    ...(outputs === undefined ? {} : { outputs }),
  };
}

/** Hosts take `success: false` for a failure, and a string for text. */
function isMisread(data: Json): boolean {
  if (!isJsonObject(data)) return typeof data === 'string';
  return data['success'] === false || fromToolResult(data) !== undefined;
}

function isTexts(value: Json): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string');
}
