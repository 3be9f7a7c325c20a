// The values of strict schemas that have no parts, and how null is let in.
import type { Json, JsonObject } from '../../base/json.ts';
import { besideEnum, type Conversion, described, isCommonPattern } from './conversion.ts';
import { type Plain, typeOf } from './plain-schema.ts';
import type { Site } from './repair.ts';

const formats: ReadonlySet<string> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

export function strictString(schema: Plain, site: Site, hints: string[], conversion: Conversion): JsonObject {
  const { format, pattern } = schema;
  const isKnown = format !== undefined && formats.has(format);
  const isCommon = pattern !== undefined && isCommonPattern(pattern);
  hints.push(...conversion.drop(schema, ['minLength', 'maxLength'], site));
  if (!isKnown) hints.push(...conversion.drop(schema, ['format'], site));
  if (!isCommon) hints.push(...conversion.drop(schema, ['pattern'], site));
  return {
    type: 'string',
    ...(isKnown && { format }),
    ...(isCommon && { pattern }),
    ...described(schema, hints),
  };
}

export function strictNumber(
  schema: Plain,
  type: 'number' | 'integer',
  site: Site,
  hints: string[],
  conversion: Conversion,
): JsonObject {
  hints.push(...conversion.drop(schema, ['format'], site));
  return {
    type,
    ...kept(schema, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']),
    ...described(schema, hints),
  };
}

export function strictValues(
  schema: Plain,
  values: readonly Json[],
  site: Site,
  conversion: Conversion,
): JsonObject {
  const hints = conversion.drop(schema, besideEnum(schema), site, 'strict takes nothing beside an enum');
  if (schema.isConst)
    conversion.notes.add(site, '"const" became "enum"', 'not every version takes it', 'none');
  const types = [...new Set(values.map(typeOf))];
  const type = types.includes('number') ? types.filter((one) => one !== 'integer') : types;
  return { type: type.length === 1 ? (type[0] ?? '') : type, enum: values, ...described(schema, hints) };
}

export function takesNull(json: JsonObject): boolean {
  const { type, enum: values, anyOf } = json;
  if (Array.isArray(anyOf)) return anyOf.some((one: Json) => takesNull(one as JsonObject));
  const isType = type === 'null' || (Array.isArray(type) && type.includes('null'));
  return isType && (!Array.isArray(values) || values.includes(null));
}

export function withNull(json: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = json;
  if (takesNull(json)) return json;
  if (Array.isArray(anyOf)) return { ...json, anyOf: [...(anyOf as readonly Json[]), { type: 'null' }] };
  const types = [...(Array.isArray(type) ? (type as readonly Json[]) : [type ?? 'null']), 'null'];
  return {
    ...json,
    type: types,
    ...(Array.isArray(values) && { enum: [...(values as readonly Json[]), null] }),
  };
}

export function kept(
  schema: Plain,
  keys: readonly (
    | 'minimum'
    | 'maximum'
    | 'exclusiveMinimum'
    | 'exclusiveMaximum'
    | 'multipleOf'
    | 'minItems'
    | 'maxItems'
  )[],
): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])));
}
