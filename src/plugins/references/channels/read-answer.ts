// What a program chose: `{ "selected_ids": ["…"] }`.
import { isJsonArray, isJsonObject, textsIn } from '../../../base/json.ts';
import { readJson } from '../../../fleet/discovery/json-reader.ts';

/** Undefined when it is no such answer, or one to another request. */
export function readAnswer(text: string, requestId: string): readonly string[] | undefined {
  const reading = readJson(text, { syntax: 'json' });
  if (!reading.ok || !isJsonObject(reading.root.value)) return undefined;
  const { request_id, selected_ids } = reading.root.value;
  if (request_id !== undefined && request_id !== requestId) return undefined;
  return isJsonArray(selected_ids) ? textsIn(selected_ids) : undefined;
}
