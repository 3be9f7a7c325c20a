// Values that JSON can carry, and the questions everybody asks of them.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** An object that is no array: what `params`, `args` and most results have to be. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Array.isArray knows nothing of what is in it, and nothing of read-only ones. */
export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The texts of a list; none where it is no list. */
export function textsIn(value: unknown): string[] {
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
