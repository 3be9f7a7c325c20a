// Answers in JSON, of which nothing is believed.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

export function jsonObjectIn(text: string): JsonObject | undefined {
  try {
    // JSON.parse gives JSON.
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Empty where there is none. */
export function textIn(object: JsonObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}
