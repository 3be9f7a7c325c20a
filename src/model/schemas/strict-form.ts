// For OpenAI with `strict: true`: a subset in which every property is required and nothing else may come. Optional ones become nullable.
// https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
import type { JsonObject } from '../../base/json.ts';
import {
  branchesOf,
  type Conversion,
  type Converted,
  described,
  impliedTypes,
  ofType,
  valuesOfType,
} from './conversion.ts';
import { flat } from './merge.ts';
import type { Plain, PlainSchema, TypeName } from './plain-schema.ts';
import { inside, type Site } from './repair.ts';
import type { Branch, Restore } from './restore.ts';
import type { RootObject } from './root-object.ts';
import { kept, strictNumber, strictString, strictValues, takesNull, withNull } from './strict-scalars.ts';

/** The limits of the first version, which Azure and older models still have; today's are 10 levels and 5,000 properties. */
const STRICT_LIMITS = { depth: 5, properties: 100, enumValues: 500, characters: 15_000 } as const;

/** Why a tool cannot be declared as strict. */
export class NotStrict extends Error {}

/** @throws NotStrict */
export function strictForm(root: RootObject, conversion: Conversion, site: Site): Converted {
  const form = new Form(conversion);
  conversion.drop(root, ['enum'], site);
  return form.object(root, site, 1, conversion.drop(root, unsaid, site));
}

const unsaid = [
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

class Form {
  readonly #conversion: Conversion;
  #properties = 0;
  #values = 0;
  #characters = 0;

  constructor(conversion: Conversion) {
    this.#conversion = conversion;
  }

  /** Undefined when nothing fits it. */
  of(given: PlainSchema, site: Site, depth: number): Converted | undefined {
    this.#conversion.spend();
    const schema = flat(given);
    if (schema === false) return undefined;
    if (schema === true) throw new NotStrict(`${site.path} takes anything`);
    const { allOf, ...rest } = schema;
    if (allOf !== undefined)
      this.#note(inside(site, 'allOf'), 'part of it left out', 'it cannot be said without it', 'wider');
    if (rest.enum !== undefined) return this.#enum(rest, site);
    if (rest.anyOf !== undefined || rest.oneOf !== undefined) {
      const { branches, around } = branchesOf(rest, site, this.#conversion);
      return this.#branches(branches, around, site, depth);
    }
    if (rest.type === undefined) {
      const type = impliedTypes(rest);
      if (type.length === 0) throw new NotStrict(`${site.path} takes anything`);
      this.#note(site, `taken as ${type.join(' or ')}`, 'strict needs a type', 'narrower');
      return this.of({ ...rest, type }, site, depth);
    }
    const types = rest.type.filter((type) => type !== 'null');
    const isNullable = types.length < rest.type.length;
    const [type, ...others] = types;
    if (type === undefined) return this.#typed(ofType(rest, 'null'), 'null', site, depth);
    if (others.length > 0)
      return this.#branches(
        rest.type.map((one) => ofType(rest, one)),
        rest,
        site,
        depth,
      );
    const converted = this.#typed(ofType(rest, type), type, site, depth);
    return converted && isNullable ? { ...converted, json: withNull(converted.json) } : converted;
  }

  #typed(schema: Plain, type: TypeName, site: Site, depth: number): Converted | undefined {
    const hints = this.#conversion.drop(schema, unsaid, site);
    switch (type) {
      case 'string':
        return { json: strictString(schema, site, hints, this.#conversion) };
      case 'number':
      case 'integer':
        return { json: strictNumber(schema, type, site, hints, this.#conversion) };
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
      ...this.#conversion.drop(schema, ['contains', 'minContains', 'maxContains', 'uniqueItems'], site),
    );
    const items = this.of(schema.items ?? true, inside(site, 'items'), depth + 1);
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
      if (!all.has(name))
        throw new NotStrict(`${inside(site, name).path} is required, and nothing is said of it`);
    for (const [name, part] of all) {
      const at = inside(site, 'properties', name);
      const converted = this.of(part, at, depth);
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
        'strict knows no optional properties; null is what it took already',
        'narrower',
      );
      return json;
    }
    this.#note(
      site,
      'required, and may be null',
      'strict knows no optional properties; null is left out again',
      'none',
    );
    absent.add(name);
    return withNull(json);
  }

  #enum(schema: Plain, site: Site): Converted | undefined {
    const values = valuesOfType(schema);
    if (values.length === 0) return undefined;
    if (values.some((value) => typeof value === 'object' && value !== null))
      throw new NotStrict(`${site.path} lists objects or arrays`);
    this.#count(0, values.length, JSON.stringify(values).length);
    return { json: strictValues(schema, values, site, this.#conversion) };
  }

  #branches(
    branches: readonly PlainSchema[],
    around: Plain,
    site: Site,
    depth: number,
  ): Converted | undefined {
    const all: Branch[] = [];
    branches.forEach((branch, index) => {
      const converted = this.of(branch, inside(site, 'anyOf', index), depth);
      if (converted !== undefined) all.push({ declared: converted.json, restore: converted.restore });
    });
    const [first, ...others] = all;
    if (first === undefined) return undefined;
    if (others.length === 0)
      return { json: { ...described(around, []), ...first.declared }, restore: first.restore };
    return {
      json: { anyOf: all.map(({ declared }) => declared), ...described(around, []) },
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
    this.#conversion.notes.add(site, what, why, effect);
  }
}
