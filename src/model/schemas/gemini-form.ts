// For Gemini: `parameters` in its own subset of OpenAPI 3.0, which every version of its API takes (Developer API, Vertex, Firebase).
// Fields: https://ai.google.dev/api/caching#Schema; fields that are refused in practice have a comment where they are handled.
import type { Json, JsonObject } from '../../base/json.ts';
import { convertTo, type Conversion, type Converted, described, type ProviderForm } from './conversion.ts';
import { counts, geminiNumber, geminiString, geminiValues, nullable, onlyNull } from './gemini-scalars.ts';
import type { Plain, PlainSchema, TypeName } from './plain-schema.ts';
import { inside, type Site, Unrepairable } from './repair.ts';
import type { Branch, Restore } from './restore.ts';
import type { RootObject } from './merge.ts';

/** Its limit is not documented ("exceeds the maximum allowed nesting depth"); deeper objects go as JSON text. */
const GEMINI_DEPTH_MAX = 8;
/** A tool whose `maxItems` add up to about 960 is refused without a reason: googleapis/python-genai#2170. */
const ITEMS_SUM_MAX = 900;

/** Undefined where a tool takes no arguments: an object without properties is refused ("should be non-empty for OBJECT type"). */
export function geminiForm(
  root: RootObject,
  propertyName: (name: string) => string,
  conversion: Conversion,
  site: Site,
): Converted | undefined {
  const form = new GeminiForm(propertyName, conversion);
  const hints = conversion.drop(root, ['enum', ...unsupported], site);
  const converted = form.object(root, site, 1, hints);
  if (converted !== undefined) return converted;
  if ((root.minProperties ?? 0) > 0)
    throw new Unrepairable('it needs properties, and their names are not known');
  if (root.additionalProperties !== false)
    conversion.notes.add(
      site,
      'declared without parameters',
      'Gemini takes no object whose properties have no names',
      'narrower',
    );
  return undefined;
}

/** Constraints that Gemini cannot express. */
const unsupported = [
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'propertyNames',
  'patternProperties',
] as const;

class GeminiForm implements ProviderForm {
  readonly #name: (name: string) => string;
  readonly conversion: Conversion;
  readonly title = 'Gemini';
  readonly nullable = nullable;
  #itemsLeft = ITEMS_SUM_MAX;

  constructor(name: (name: string) => string, conversion: Conversion) {
    this.#name = name;
    this.conversion = conversion;
  }

  anything(schema: Plain, site: Site): Converted {
    const hints = this.conversion.drop(schema, [...unsupported, 'format'], site);
    return this.#text(schema, site, ['any JSON value', ...hints].join(', '), 'none');
  }

  enumeration(schema: Plain, site: Site): Converted | undefined {
    return geminiValues(schema, site, this.conversion);
  }

  typed(schema: Plain, type: TypeName, site: Site, depth: number): Converted | undefined {
    const { notes } = this.conversion;
    const hints = this.conversion.drop(schema, unsupported, site);
    switch (type) {
      case 'string':
        return { json: geminiString(schema, site, hints, this.conversion) };
      case 'number':
      case 'integer':
        return { json: geminiNumber(schema, type, site, hints, this.conversion) };
      case 'boolean':
        return { json: { type: 'BOOLEAN', ...described(schema, hints) } };
      case 'null':
        return onlyNull(schema, site, this.conversion);
      case 'array':
        if (depth > GEMINI_DEPTH_MAX) return this.#text(schema, site, 'a JSON array', 'wider');
        return this.#array(schema, site, depth, hints);
      case 'object': {
        if (depth <= GEMINI_DEPTH_MAX) {
          const converted = this.object(schema, site, depth + 1, hints);
          if (converted !== undefined) return converted;
        } else
          notes.add(
            site,
            'declared as JSON text',
            `it is more than ${GEMINI_DEPTH_MAX} levels deep`,
            'wider',
          );
        return this.#text(schema, site, ['a JSON object', ...hints].join(', '), 'wider');
      }
    }
  }

  #array(schema: Plain, site: Site, depth: number, hints: string[]): Converted {
    hints.push(
      ...this.conversion.drop(schema, ['contains', 'minContains', 'maxContains', 'uniqueItems'], site),
    );
    const { prefixItems, items } = schema;
    let inner: PlainSchema = items ?? true;
    let { maxItems } = schema;
    if (prefixItems !== undefined) {
      this.#note(
        inside(site, 'prefixItems'),
        'became one schema for all items',
        'Gemini has no tuples',
        'wider',
      );
      const all = [...prefixItems, ...(items === false ? [] : [items ?? true])];
      inner = all.includes(true) ? true : { anyOf: all };
      if (items === false) maxItems = Math.min(maxItems ?? Infinity, prefixItems.length);
    } else if (items === false) maxItems = 0;
    const converted =
      convertTo(this, inner, inside(site, 'items'), depth + 1) ??
      this.#text({}, inside(site, 'items'), 'no value fits', 'none');
    if (maxItems !== undefined && maxItems > this.#itemsLeft) {
      this.#note(
        inside(site, 'maxItems'),
        'left out',
        `those of a tool may add up to ${ITEMS_SUM_MAX}`,
        'wider',
      );
      hints.push(`maxItems: ${maxItems}`);
      maxItems = undefined;
    }
    this.#itemsLeft -= maxItems ?? 0;
    return {
      json: {
        type: 'ARRAY',
        items: converted.json,
        ...counts(
          { ...schema, ...(maxItems !== undefined && { maxItems }) },
          maxItems === undefined ? ['minItems'] : ['minItems', 'maxItems'],
        ),
        ...described(schema, hints),
      },
      restore: converted.restore && { items: converted.restore },
    };
  }

  /** Undefined when it names no property. */
  object(schema: Plain, site: Site, depth: number, hints: string[]): Converted | undefined {
    const { properties = new Map<string, PlainSchema>(), required = [], additionalProperties } = schema;
    const all = new Map(properties);
    for (const name of required) if (!all.has(name)) all.set(name, additionalProperties ?? true);
    const json: [string, JsonObject][] = [];
    const names = new Map<string, string>();
    const restores = new Map<string, Restore>();
    for (const [name, part] of all) {
      const at = inside(site, 'properties', name);
      const converted = convertTo(this, part, at, depth);
      if (converted === undefined) {
        if (required.includes(name))
          throw new Unrepairable(`the property ${at.path} is required, and no value fits it`);
        this.#note(at, 'left out', 'no value fits it', 'wider');
        continue;
      }
      const own = this.#name(name);
      if (own !== name) {
        this.#note(at, `declared as "${own}"`, 'Gemini takes letters, digits and underscores', 'both');
        names.set(own, name);
      }
      json.push([own, converted.json]);
      if (converted.restore !== undefined) restores.set(own, converted.restore);
    }
    if (json.length === 0) return undefined;
    if (new Set(json.map(([name]) => name)).size < json.length)
      throw new Unrepairable('two of its properties would get the same name');
    if (additionalProperties !== undefined && additionalProperties !== true)
      this.#note(inside(site, 'additionalProperties'), 'left out', 'Gemini does not take it', 'wider');
    return {
      json: {
        type: 'OBJECT',
        properties: Object.fromEntries(json),
        ...(required.length > 0 && { required: required.map((name) => this.#name(name)) }),
        ...counts(schema, ['minProperties', 'maxProperties']),
        ...described(schema, hints),
      },
      restore: names.size > 0 || restores.size > 0 ? { names, properties: restores } : undefined,
    };
  }

  /** "when using any_of, it must be the only field set": so the description and null go into the branches. */
  choice(branches: readonly PlainSchema[], outer: Plain, site: Site, depth: number): Converted | undefined {
    const types = branches.flatMap((one) => (typeof one === 'object' && isOnlyNull(one) ? [] : [one]));
    const hasNull = types.length < branches.length;
    const all: Branch[] = [];
    types.forEach((branch, index) => {
      const converted = convertTo(
        this,
        branch,
        branches.length === 1 ? site : inside(site, 'anyOf', index),
        depth,
      );
      if (converted !== undefined) all.push(...spread(converted));
    });
    const text = described(outer, []);
    const worded = all.map(({ declared, restore }): Branch => {
      const own = { ...text, ...declared };
      return { declared: hasNull ? nullable(own) : own, restore };
    });
    const unique = [...new Map(worded.map((one) => [JSON.stringify(one.declared), one])).values()];
    const [first, ...others] = unique;
    if (first === undefined)
      return hasNull ? convertTo(this, { ...outer, type: ['null'] }, site, depth) : undefined;
    if (others.length === 0) return { json: first.declared, restore: first.restore };
    return {
      json: { anyOf: unique.map(({ declared }) => declared) },
      restore: unique.some(({ restore }) => restore !== undefined) ? { choices: [unique] } : undefined,
    };
  }

  /** Where Gemini has no schema, the value is JSON in a string, which is parsed in the arguments. */
  #text(schema: Plain, site: Site, what: string, effect: 'none' | 'wider'): Converted {
    this.#note(site, 'declared as JSON text', 'Gemini has no schema for it', effect);
    return {
      json: { type: 'STRING', ...described(schema, [`${what}, written as JSON`]) },
      restore: { isJson: true },
    };
  }

  #note(site: Site, what: string, why: string, effect: 'none' | 'wider' | 'narrower' | 'both'): void {
    this.conversion.notes.add(site, what, why, effect);
  }
}

function isOnlyNull(schema: Plain): boolean {
  if (schema.enum !== undefined) return schema.enum.length === 1 && schema.enum[0] === null;
  return schema.type?.length === 1 && schema.type[0] === 'null';
}

/** A choice in a choice is part of the outer one. */
function spread({ json, restore }: Converted): Branch[] {
  const { anyOf } = json;
  if (!Array.isArray(anyOf)) return [{ declared: json, restore }];
  const [branches] = restore?.choices ?? [];
  return anyOf.map((one: Json, index) => ({
    declared: one as JsonObject,
    restore: branches?.[index]?.restore,
  }));
}
