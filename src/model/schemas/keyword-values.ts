// Which values a keyword of JSON Schema may have.
import { isJsonArray, type Json, type JsonObject } from '../../base/json.ts';
import { type NumberKeyword, numberKeywords, type TypeName, typeNames } from './plain-schema.ts';

export function typesIn(value: Json): readonly TypeName[] | undefined {
  const names = isJsonArray(value) ? value : [value];
  const types = typeNames.filter((name) => names.includes(name));
  if (types.length === 0 || names.some((name) => !types.includes(name as TypeName))) return undefined;
  return types.includes('number') ? types.filter((name) => name !== 'integer') : types;
}

export function isNumberFor(key: NumberKeyword, value: Json): value is number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  const kind = numberKeywords[key];
  if (kind === 'number') return true;
  return kind === 'count' ? Number.isSafeInteger(value) && value >= 0 : value > 0;
}

/** Longer ones are no patterns for people, and cost whoever compiles them. */
const PATTERN_MAX = 1000;

export function isPattern(text: string): boolean {
  if (text.length > PATTERN_MAX) return false;
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Nothing beside it could have seen a property. */
export function isAlone(schema: JsonObject): boolean {
  return ['allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies', '$ref', 'not'].every(
    (key) => schema[key] === undefined,
  );
}

/** They say nothing about arguments, or are dealt with beside another keyword. */
export const silent: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  '$comment',
  '$defs',
  'definitions',
  '$anchor',
  '$dynamicAnchor',
  '$vocabulary',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'nullable',
  'additionalItems',
]);
