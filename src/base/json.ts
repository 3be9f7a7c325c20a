// JSON values: types, comparison, canonical text, size and depth; and objects without undefined fields.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** An object that is not an array: what `params`, `args` and most results have to be. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Array.isArray gives `any[]` and does not narrow read-only arrays. */
export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The strings of a list; empty for anything else. */
export function textsIn(value: unknown): string[] {
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** In any order of keys. Stops at the first difference, so that a large value costs no more than the one it is compared with. */
export function isSameJson(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null)
    return one === other;
  if (isJsonArray(one) || isJsonArray(other))
    return (
      isJsonArray(one) &&
      isJsonArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSameJson(item, other[index] ?? null))
    );
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key] ?? null, other[key] ?? null))
  );
}

/** The one text that RFC 8785 gives a JSON value, so that programs in other languages sign the same bytes. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value); // numbers and escapes as in the RFC
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => byCodeUnits(one, other))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
  return `{${members.join(',')}}`;
}

/** The order of RFC 8785, which is that of JavaScript strings. */
function byCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

type Optional<Fields, Key extends keyof Fields> = undefined extends Fields[Key] ? Key : never;

/** Fields that may be undefined become optional, as `exactOptionalPropertyTypes` requires. */
export type Defined<Fields extends object> = {
  [Key in keyof Fields as Exclude<Key, Optional<Fields, Key>>]: Fields[Key];
} & {
  [Key in keyof Fields as Optional<Fields, Key>]?: Exclude<Fields[Key], undefined>;
};

/** A copy without the fields that are undefined. Field names come from our code, never from the wire. */
export function defined<const Fields extends object>(fields: Fields): Defined<Fields> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) kept[key] = value;
  // Only undefined values are left out, as in the type.
  return kept as Defined<Fields>;
}

// An estimate of the memory that a value from the wire occupies, at any depth.

/** The cost of a value beside its characters. */
const NODE_COST = 8;

/** In characters. Not recursive: JSON.stringify fails at a depth that JSON.parse accepts. */
export function jsonSize(value: Json): number {
  let size = 0;
  const left: Json[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    size += NODE_COST;
    if (typeof next === 'string') size += next.length;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next)) {
      size += Array.isArray(next) ? 0 : key.length;
      left.push(inner);
    }
  }
  return size;
}

/** The depth limit for values of plugins: far more than is written by hand, far less than what makes recursion fail. */
export const JSON_DEPTH_MAX = 500;

/** Whether objects and arrays nest deeper than `limit` levels. */
export function isDeeperThan(value: Json | undefined, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  if (isJsonArray(value)) return value.some((inner) => isDeeperThan(inner, limit - 1));
  for (const key in value) if (isDeeperThan(value[key], limit - 1)) return true;
  return false;
}

/** Whether a value can be written in `most` characters. Stops as soon as it cannot. */
export function isJsonWithin(value: Json, most: number): boolean {
  let left = most;
  const count = (one: Json): void => {
    left -= typeof one === 'string' ? one.length : 1;
    if (left < 0 || typeof one !== 'object' || one === null) return;
    for (const [key, inner] of Object.entries(one)) {
      left -= Array.isArray(one) ? 0 : key.length;
      if (left < 0) return;
      count(inner);
    }
  };
  count(value);
  return left >= 0;
}
