// For OpenAI with `strict: true`: a subset in which every property is required and nothing else may come. Optional ones become nullable.
// https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
import type { Json, JsonObject } from '../../base/json.ts';
import {
  besideEnum,
  type Conversion,
  type Converted,
  convertTo,
  described,
  isCommonPattern,
  type ProviderForm,
  valuesOfType,
} from './conversion.ts';
import { type Plain, type PlainSchema, type TypeName, typeOf } from './plain-schema.ts';
import { inside, type Site } from './repair.ts';
import type { Branch, Restore } from './restore.ts';
import type { RootObject } from './merge.ts';

/** The limits of the first version, which Azure and older models still have; today's are 10 levels and 5,000 properties. */
const STRICT_LIMITS = { depth: 5, properties: 100, enumValues: 500, characters: 15_000 } as const;

/** Why a tool cannot be declared as strict. */
export class NotStrict extends Error {}

/** @throws NotStrict */
export function strictForm(root: RootObject, conversion: Conversion, site: Site): Converted {
  const form = new StrictForm(conversion);
  conversion.drop(root, ['enum'], site);
  return form.object(root, site, 1, conversion.drop(root, unsupported, site));
}

const unsupported = [
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'propertyNames',
  'minProperties',
  'maxProperties',
] as const;

class StrictForm implements ProviderForm {
  readonly conversion: Conversion;
  readonly title = 'strict';
  readonly nullable = withNull;
  #properties = 0;
  #values = 0;
  #characters = 0;

  constructor(conversion: Conversion) {
    this.conversion = conversion;
  }

  anything(_: Plain, site: Site): never {
    throw new NotStrict(`${site.path} takes anything`);
  }

  typed(schema: Plain, type: TypeName, site: Site, depth: number): Converted | undefined {
    const hints = this.conversion.drop(schema, unsupported, site);
    switch (type) {
      case 'string':
        return { json: strictString(schema, site, hints, this.conversion) };
      case 'number':
      case 'integer':
        return { json: strictNumber(schema, type, site, hints, this.conversion) };
      case 'boolean':
      case 'null':
        return { json: { type, ...described(schema, hints) } };
      case 'array':
        return this.#array(schema, site, depth, hints);
      case 'object':
        return this.object(schema, site, depth + 1, hints);
    }
  }

  #array(schema: Plain, site: Site, depth: number, hints: string[]): Converted {
    this.#checkDepth(depth + 1, site);
    if (schema.prefixItems !== undefined) throw new NotStrict(`${site.path} is a list of fixed places`);
    hints.push(
      ...this.conversion.drop(schema, ['contains', 'minContains', 'maxContains', 'uniqueItems'], site),
    );
    const items = convertTo(this, schema.items ?? true, inside(site, 'items'), depth + 1);
    if (items === undefined) throw new NotStrict(`${site.path} can have no items`);
    return {
      json: {
        type: 'array',
        items: items.json,
        ...kept(schema, ['minItems', 'maxItems']),
        ...described(schema, hints),
      },
      restore: items.restore && { items: items.restore },
    };
  }

  object(schema: Plain, site: Site, depth: number, hints: string[]): Converted {
    this.#checkDepth(depth, site);
    const {
      properties = new Map<string, PlainSchema>(),
      required = [],
      additionalProperties,
      patternProperties,
    } = schema;
    if (patternProperties !== undefined) throw new NotStrict(`${site.path} has names by a pattern`);
    if (typeof additionalProperties === 'object')
      throw new NotStrict(`${site.path} takes properties of any name`);
    if (additionalProperties !== false) {
      if (properties.size === 0) throw new NotStrict(`${site.path} takes properties of any name`);
      this.#note(site, '"additionalProperties": false', 'strict takes no other properties', 'narrower');
    }
    const json: [string, JsonObject][] = [];
    const restores = new Map<string, Restore>();
    const absent = new Set<string>();
    const all = new Map(properties);
    for (const name of required)
      if (!all.has(name)) throw new NotStrict(`${inside(site, name).path} is required, and has no schema`);
    for (const [name, part] of all) {
      const at = inside(site, 'properties', name);
      const converted = convertTo(this, part, at, depth);
      const isRequired = required.includes(name);
      if (converted === undefined) {
        if (isRequired) throw new NotStrict(`${at.path} is required, and no value fits it`);
        this.#note(at, 'left out', 'no value fits it', 'none');
        continue;
      }
      this.#count(1, 0, name.length);
      json.push([name, isRequired ? converted.json : this.#optional(name, converted.json, absent, at)]);
      if (converted.restore !== undefined) restores.set(name, converted.restore);
    }
    return {
      json: {
        type: 'object',
        properties: Object.fromEntries(json),
        required: json.map(([name]) => name),
        additionalProperties: false,
        ...described(schema, hints),
      },
      restore: restores.size > 0 || absent.size > 0 ? { properties: restores, absent } : undefined,
    };
  }

  #optional(name: string, json: JsonObject, absent: Set<string>, site: Site): JsonObject {
    if (takesNull(json)) {
      this.#note(
        site,
        'required',
        'strict has no optional properties, and null is already a value of it',
        'narrower',
      );
      return json;
    }
    this.#note(
      site,
      'required, and may be null',
      'strict has no optional properties; null is removed from the arguments',
      'none',
    );
    absent.add(name);
    return withNull(json);
  }

  enumeration(schema: Plain, site: Site): Converted | undefined {
    const values = valuesOfType(schema);
    if (values.length === 0) return undefined;
    if (values.some((value) => typeof value === 'object' && value !== null))
      throw new NotStrict(`${site.path} lists objects or arrays`);
    this.#count(0, values.length, JSON.stringify(values).length);
    return { json: strictValues(schema, values, site, this.conversion) };
  }

  choice(branches: readonly PlainSchema[], outer: Plain, site: Site, depth: number): Converted | undefined {
    const all: Branch[] = [];
    branches.forEach((branch, index) => {
      const converted = convertTo(this, branch, inside(site, 'anyOf', index), depth);
      if (converted !== undefined) all.push({ declared: converted.json, restore: converted.restore });
    });
    const [first, ...others] = all;
    if (first === undefined) return undefined;
    if (others.length === 0)
      return { json: { ...described(outer, []), ...first.declared }, restore: first.restore };
    return {
      json: { anyOf: all.map(({ declared }) => declared), ...described(outer, []) },
      restore: all.some(({ restore }) => restore !== undefined) ? { choices: [all] } : undefined,
    };
  }

  #checkDepth(depth: number, site: Site): void {
    if (depth > STRICT_LIMITS.depth)
      throw new NotStrict(`${site.path} is more than ${STRICT_LIMITS.depth} levels deep`);
  }

  #count(properties: number, values: number, characters: number): void {
    this.#properties += properties;
    this.#values += values;
    this.#characters += characters;
    if (this.#properties > STRICT_LIMITS.properties)
      throw new NotStrict(`it has more than ${STRICT_LIMITS.properties} properties`);
    if (this.#values > STRICT_LIMITS.enumValues)
      throw new NotStrict(`its enums have more than ${STRICT_LIMITS.enumValues} values`);
    if (this.#characters > STRICT_LIMITS.characters)
      throw new NotStrict(`its names and enums have more than ${STRICT_LIMITS.characters} characters`);
  }

  #note(site: Site, what: string, why: string, effect: 'none' | 'wider' | 'narrower'): void {
    this.conversion.notes.add(site, what, why, effect);
  }
}

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

function strictString(schema: Plain, site: Site, hints: string[], conversion: Conversion): JsonObject {
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

function strictNumber(
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

function strictValues(
  schema: Plain,
  values: readonly Json[],
  site: Site,
  conversion: Conversion,
): JsonObject {
  const hints = conversion.drop(schema, besideEnum(schema), site, 'strict takes no keywords beside an enum');
  if (schema.isConst)
    conversion.notes.add(site, '"const" became "enum"', 'not every version takes it', 'none');
  const types = [...new Set(values.map(typeOf))];
  const type = types.includes('number') ? types.filter((one) => one !== 'integer') : types;
  return { type: type.length === 1 ? (type[0] ?? '') : type, enum: values, ...described(schema, hints) };
}

function takesNull(json: JsonObject): boolean {
  const { type, enum: values, anyOf } = json;
  if (Array.isArray(anyOf)) return anyOf.some((one: Json) => takesNull(one as JsonObject));
  const isType = type === 'null' || (Array.isArray(type) && type.includes('null'));
  return isType && (!Array.isArray(values) || values.includes(null));
}

function withNull(json: JsonObject): JsonObject {
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

function kept(
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
