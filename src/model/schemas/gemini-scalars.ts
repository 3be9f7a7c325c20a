// Gemini's schemas without parts: strings, numbers and enums.
import type { Json, JsonObject } from '../../base/json.ts';
import {
  besideEnum,
  type Conversion,
  type Converted,
  described,
  isCommonPattern,
  valuesOfType,
} from './conversion.ts';
import type { Plain } from './plain-schema.ts';
import { inside, type Site } from './repair.ts';

export function geminiString(schema: Plain, site: Site, hints: string[], conversion: Conversion): JsonObject {
  const unknown = schema.format !== undefined && schema.format !== 'date-time';
  // "only 'enum' and 'date-time' are supported for STRING type": google-gemini/gemini-cli#3178.
  if (unknown)
    hints.push(...conversion.drop(schema, ['format'], site, 'Gemini only takes the format date-time'));
  const isUncommon = schema.pattern !== undefined && !isCommonPattern(schema.pattern);
  if (isUncommon)
    hints.push(...conversion.drop(schema, ['pattern'], site, 'Gemini only takes simple patterns'));
  return {
    type: 'STRING',
    ...(schema.format === 'date-time' && { format: 'date-time' }),
    ...(schema.pattern !== undefined && !isUncommon && { pattern: schema.pattern }),
    ...counts(schema, ['minLength', 'maxLength']),
    ...described(schema, hints),
  };
}

export function geminiNumber(
  schema: Plain,
  type: 'number' | 'integer',
  site: Site,
  hints: string[],
  conversion: Conversion,
): JsonObject {
  const known = type === 'integer' ? ['int32', 'int64'] : ['float', 'double'];
  const hasFormat = schema.format !== undefined && known.includes(schema.format);
  if (schema.format !== undefined && !hasFormat) hints.push(...conversion.drop(schema, ['format'], site));
  hints.push(...conversion.drop(schema, ['multipleOf'], site));
  const minimum = limit(schema, 'minimum', 'exclusiveMinimum', type, site, hints, conversion);
  const maximum = limit(schema, 'maximum', 'exclusiveMaximum', type, site, hints, conversion);
  return {
    type: type === 'integer' ? 'INTEGER' : 'NUMBER',
    ...(hasFormat && { format: schema.format }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...described(schema, hints),
  };
}

/** Gemini only has inclusive limits; for integers that is the next one. */
function limit(
  schema: Plain,
  key: 'minimum' | 'maximum',
  exclusive: 'exclusiveMinimum' | 'exclusiveMaximum',
  type: 'number' | 'integer',
  site: Site,
  hints: string[],
  conversion: Conversion,
): number | undefined {
  const inclusive = schema[key];
  const bound = schema[exclusive];
  if (bound === undefined) return inclusive;
  const isMinimum = key === 'minimum';
  const next = isMinimum ? Math.floor(bound) + 1 : Math.ceil(bound) - 1;
  const own = type === 'integer' && Number.isSafeInteger(next) ? next : bound;
  const isExact = own === next && type === 'integer';
  const why = 'Gemini only takes inclusive limits';
  conversion.notes.add(inside(site, exclusive), `became "${key}"`, why, isExact ? 'none' : 'wider');
  if (!isExact) hints.push(`${exclusive}: ${bound}`);
  if (inclusive === undefined) return own;
  return isMinimum ? Math.max(inclusive, own) : Math.min(inclusive, own);
}

/** Gemini takes non-empty strings; other values are declared as JSON and restored. */
export function geminiValues(schema: Plain, site: Site, conversion: Conversion): Converted | undefined {
  const hints = conversion.drop(schema, besideEnum(schema), site, 'Gemini takes no keywords beside an enum');
  const values = valuesOfType(schema);
  const isNullable = values.includes(null);
  const texts = new Map<string, Json>();
  for (const value of values) if (typeof value === 'string' && value !== '') texts.set(value, value);
  const isText = texts.size > 0;
  for (const value of values) {
    if (value === null || (typeof value === 'string' && value !== '')) continue;
    const text = value === '' ? '""' : JSON.stringify(value);
    if (texts.has(text))
      conversion.notes.add(
        inside(site, 'enum'),
        `${text} left out`,
        'there is a text that looks the same',
        'narrower',
      );
    else texts.set(text, value);
  }
  if (texts.size === 0) {
    if (values.length === 0) return undefined;
    return onlyNull(schema, site, conversion);
  }
  if (texts.size === 2 && texts.has('true') && texts.has('false') && !isText) {
    const json: JsonObject = { type: 'BOOLEAN', ...described(schema, hints) };
    return { json: isNullable ? nullable(json) : json };
  }
  if (schema.isConst) conversion.notes.add(site, '"const" became "enum"', 'Gemini does not take it', 'none');
  const isOther = [...texts].some(([text, value]) => text !== value);
  if (isOther)
    conversion.notes.add(
      inside(site, 'enum'),
      'became texts',
      'Gemini only takes non-empty strings there',
      'none',
    );
  const json: JsonObject = { type: 'STRING', enum: [...texts.keys()], ...described(schema, hints) };
  return { json: isNullable ? nullable(json) : json, restore: isOther ? { values: texts } : undefined };
}

export function onlyNull(schema: Plain, site: Site, conversion: Conversion): Converted {
  const why = 'Gemini has no type for null alone';
  conversion.notes.add(site, 'declared as a text that may be null', why, 'wider');
  return { json: { type: 'STRING', nullable: true, ...described(schema, ['always null']) } };
}

export function nullable(json: JsonObject): JsonObject {
  const { anyOf } = json;
  if (Array.isArray(anyOf)) return { anyOf: anyOf.map((one: Json) => nullable(one as JsonObject)) };
  return { ...json, nullable: true };
}

/** An int64 of protocol buffers is a text in JSON. */
export function counts(
  schema: Plain,
  keys: readonly ('minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties')[],
): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => (schema[key] === undefined ? [] : [[key, String(schema[key])]])),
  );
}
