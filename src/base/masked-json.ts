// A value as it may be kept: without what stands under names of secrets, and with every text masked.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';
import { isHarmless, isSecretName, isSecretNumber, MASK } from './secret-shapes.ts';

export interface JsonMasks {
  /** For every text, and every name of a member. */
  text(text: string): string;
  /** What is put in the place of a text under a name of secrets. @default `***` */
  stand?(value: string): string;
}

/** @throws RangeError when it is nested too deeply */
export function maskedJson(value: Json, masks: JsonMasks): Json {
  return maskIn(value, '', false, masks);
}

/** The value with all its texts changed, but for the names of members. @throws RangeError when it is nested too deeply */
export function withTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (isJsonArray(value)) return value.map((item) => withTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTexts(inner, change)]));
}

function maskIn(value: Json, name: string, isSecret: boolean, masks: JsonMasks): Json {
  if (typeof value === 'string') {
    if ((isSecret || isSecretKey(name)) && !isHarmless(value)) return masks.stand?.(value) ?? MASK;
    return masks.text(value);
  }
  if (typeof value === 'number') return maskedNumber(value, name, isSecret, masks);
  // A list under a name is a list of such things.
  if (isJsonArray(value)) return value.map((item) => maskIn(item, name, isSecret, masks));
  if (!isJsonObject(value)) return value;
  const isInside = isSecret || (isSecretKey(name) && !isSchema(value));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [masks.text(key), maskIn(inner, key, isInside, masks)]),
  );
}

function maskedNumber(value: number, name: string, isWithin: boolean, masks: JsonMasks): Json {
  const text = String(value);
  if (isSecretNumber(name, value, isWithin || isSecretKey(name))) return masks.stand?.(text) ?? MASK;
  // It may be known as a text.
  return masks.text(text) === text ? value : MASK;
}

/** Things that are looked up have a key too, and are asked for by it. */
function isSecretKey(name: string): boolean {
  return isSecretName(name) && name !== 'key';
}

/** That a tool takes a password says nothing of the password. */
function isSchema(value: JsonObject): boolean {
  return ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'description'].some((key) =>
    Object.hasOwn(value, key),
  );
}
