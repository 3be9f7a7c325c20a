// What the forms of all providers share.
import type { Json, JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { both, flat } from './merge.ts';
import {
  annotations,
  numberNames,
  type Plain,
  type PlainSchema,
  type TypeName,
  typeOf,
} from './plain-schema.ts';
import { type Notes, type Site, inside, Unrepairable } from './repair.ts';
import type { Restore } from './restore.ts';

export interface Converted {
  readonly json: JsonObject;
  readonly restore?: Restore | undefined;
}

/** What one conversion may use and tell. */
export class Conversion {
  readonly provider: string;
  readonly notes: Notes;
  #parts: number;

  constructor(provider: string, notes: Notes, parts = 20_000) {
    this.provider = provider;
    this.notes = notes;
    this.#parts = parts;
  }

  /** Choices are multiplied when they are put in place: a small schema may be a huge one. */
  spend(): void {
    this.#parts -= 1;
    if (this.#parts < 0)
      throw new Unrepairable(`its schema becomes too large in the form that ${this.provider} takes`);
  }

  /** Notes keywords that the provider does not take; gives them in words for the description, so that the model knows of them. */
  drop(
    schema: Plain,
    keys: readonly (keyof Plain)[],
    site: Site,
    why = `${this.provider} does not take it`,
  ): string[] {
    return keys.flatMap((key) => {
      const value = schema[key];
      if (value === undefined) return [];
      this.notes.add(inside(site, key), 'left out', why, 'wider');
      return hintable.has(key) ? [`${key}: ${shown(value, 100)}`] : [];
    });
  }
}

const hintable: ReadonlySet<string> = new Set([...numberNames, 'pattern', 'format', 'uniqueItems']);

/** The description, with what could not be said otherwise. */
export function described(schema: Plain, hints: readonly string[]): { readonly description?: string } {
  const words = schema.description ?? schema.title;
  const all = [...hints, ...(schema.default === undefined ? [] : [`default: ${shown(schema.default, 100)}`])];
  if (all.length === 0) return words === undefined || words === '' ? {} : { description: words };
  const more = `(${all.join(', ')})`;
  return { description: words === undefined || words === '' ? more : `${words} ${more}` };
}

/** The keywords of one type, and those of no type in particular. */
export function ofType(schema: Plain, type: TypeName): Plain {
  const foreign = new Set(
    Object.entries(keywordsOf).flatMap(([one, keys]) => (one === kindOf(type) ? [] : keys)),
  );
  const kept = Object.entries(schema).filter(([key]) => !foreign.has(key));
  return { ...(Object.fromEntries(kept) as Plain), type: [type] };
}

/** What a schema without a type is about, by its keywords. */
export function impliedTypes(schema: Plain): TypeName[] {
  const keys = Object.keys(schema);
  return (['string', 'number', 'object', 'array'] as const).filter((type) =>
    keys.some((key) => keywordsOf[type].includes(key)),
  );
}

function kindOf(type: TypeName): string {
  return type === 'integer' ? 'number' : type;
}

const keywordsOf: Readonly<Record<'string' | 'number' | 'object' | 'array', readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
  ],
  array: [
    'items',
    'prefixItems',
    'contains',
    'minItems',
    'maxItems',
    'minContains',
    'maxContains',
    'uniqueItems',
  ],
};

/** The values of an enum that its type lets pass. */
export function valuesOfType(schema: Plain): readonly Json[] {
  const { type, enum: values = [] } = schema;
  if (type === undefined) return values;
  return values.filter(
    (value) => type.includes(typeOf(value)) || (type.includes('number') && typeOf(value) === 'integer'),
  );
}

/** Whether no value fits two of them, so that one of them and any of them are the same. */
function areApart(schemas: readonly PlainSchema[]): boolean {
  const types = new Set<string>();
  for (const schema of schemas) {
    if (typeof schema === 'boolean') return false;
    const own = new Set((schema.type ?? schema.enum?.map(typeOf) ?? []).map(kindOf));
    if (own.size === 0 || [...own].some((type) => types.has(type))) return false;
    for (const type of own) types.add(type);
  }
  return true;
}

/**
 * A choice with what stands beside it put into each of its branches, since a provider takes nothing there; `around` are the words of
 * the whole. One choice of two is left out.
 */
export function branchesOf(
  schema: Plain,
  site: Site,
  conversion: Conversion,
): { readonly branches: readonly PlainSchema[]; readonly around: Plain } {
  const { anyOf, oneOf, ...around } = schema;
  if (oneOf !== undefined) {
    const what = anyOf === undefined ? 'became "anyOf"' : 'left out';
    const effect = anyOf === undefined && areApart(oneOf) ? 'none' : 'wider';
    conversion.notes.add(inside(site, 'oneOf'), what, `${conversion.provider} does not take it`, effect);
  }
  const constraints = Object.fromEntries(
    Object.entries(around).filter(([key]) => !annotations.has(key)),
  ) as Plain;
  if (Object.keys(constraints).length > 0) {
    const why = `${conversion.provider} takes nothing beside "anyOf"`;
    conversion.notes.add(site, 'what stands beside the choice was put into it', why, 'none');
  }
  return { branches: (anyOf ?? oneOf ?? []).map((one) => both(constraints, flat(one))), around };
}

/** The keywords beside an enum, which it makes unnecessary or a provider does not take. */
export function besideEnum(schema: Plain): (keyof Plain)[] {
  const known = new Set(['enum', 'isConst', 'type', ...annotations]);
  // Each is a keyword: it was one of the schema.
  return (Object.keys(schema) as (keyof Plain)[]).filter((key) => !known.has(key));
}

/** What every engine of regular expressions knows: no looking around, no references back, no named groups. */
export function isCommonPattern(pattern: string): boolean {
  return !/\(\?(?!:)|\\[1-9k]|\\[pP]\{|\\u\{/.test(pattern);
}
