// What the forms of all providers share.
import type { Json, JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
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

/** The notes and the size limit of one conversion. */
export class Conversion {
  readonly provider: string;
  readonly notes: Notes;
  #parts: number;

  constructor(provider: string, notes: Notes, parts = 20_000) {
    this.provider = provider;
    this.notes = notes;
    this.#parts = parts;
  }

  /** Choices multiply when they are expanded: a small schema may become huge. */
  spend(): void {
    this.#parts -= 1;
    if (this.#parts < 0)
      throw new Unrepairable(`its schema becomes too large in the form that ${this.provider} takes`);
  }

  /** Notes keywords that the provider does not take, and returns them as text for the description, so that the model knows them. */
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

/** How a provider declares each kind of schema. Undefined: no value fits the schema. */
export interface ProviderForm {
  readonly conversion: Conversion;
  /** Who requires a type, for notes. */
  readonly title: string;
  /** A schema without a type, and without keywords that imply one. */
  anything(schema: Plain, site: Site): Converted;
  enumeration(schema: Plain, site: Site): Converted | undefined;
  /** `outer` has the description of the choice. */
  choice(branches: readonly PlainSchema[], outer: Plain, site: Site, depth: number): Converted | undefined;
  typed(schema: Plain, type: TypeName, site: Site, depth: number): Converted | undefined;
  nullable(json: JsonObject): JsonObject;
}

export function convertTo(
  form: ProviderForm,
  given: PlainSchema,
  site: Site,
  depth: number,
): Converted | undefined {
  const { conversion } = form;
  conversion.spend();
  const schema = flat(given);
  if (schema === false) return undefined;
  const { allOf, ...rest }: Plain = schema === true ? {} : schema;
  if (allOf !== undefined)
    conversion.notes.add(
      inside(site, 'allOf'),
      'part of it left out',
      'it cannot be expressed without it',
      'wider',
    );
  if (rest.enum !== undefined) return form.enumeration(rest, site);
  if (rest.anyOf !== undefined || rest.oneOf !== undefined) {
    const { branches, outer } = branchesOf(rest, site, conversion);
    return form.choice(branches, outer, site, depth);
  }
  if (rest.type === undefined) {
    // It takes every type; authors mean the one whose keywords they use.
    const type = impliedTypes(rest);
    if (type.length === 0) return form.anything(rest, site);
    conversion.notes.add(site, `taken as ${type.join(' or ')}`, `${form.title} needs a type`, 'narrower');
    return convertTo(form, { ...rest, type }, site, depth);
  }
  const types = rest.type.filter((type) => type !== 'null');
  if (types.length > 1)
    return form.choice(
      rest.type.map((type) => ofType(rest, type)),
      rest,
      site,
      depth,
    );
  const [type = 'null'] = types;
  const converted = form.typed(ofType(rest, type), type, site, depth);
  const isNullable = type !== 'null' && rest.type.length > 1;
  return converted && isNullable ? { ...converted, json: form.nullable(converted.json) } : converted;
}

const hintable: ReadonlySet<string> = new Set([...numberNames, 'pattern', 'format', 'uniqueItems']);

/** The description, with constraints that the schema cannot express. */
export function described(schema: Plain, hints: readonly string[]): { readonly description?: string } {
  const text = schema.description ?? schema.title;
  const all = [...hints, ...(schema.default === undefined ? [] : [`default: ${shown(schema.default, 100)}`])];
  if (all.length === 0) return text === undefined || text === '' ? {} : { description: text };
  const more = `(${all.join(', ')})`;
  return { description: text === undefined || text === '' ? more : `${text} ${more}` };
}

/** The keywords of one type, and those of no type in particular. */
function ofType(schema: Plain, type: TypeName): Plain {
  const foreign = new Set(
    Object.entries(keywordsOf).flatMap(([one, keys]) => (one === kindOf(type) ? [] : keys)),
  );
  const kept = Object.entries(schema).filter(([key]) => !foreign.has(key));
  return { ...(Object.fromEntries(kept) as Plain), type: [type] };
}

/** The types that the keywords of a schema without a type apply to. */
function impliedTypes(schema: Plain): TypeName[] {
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

/** The values of an enum that its type allows. */
export function valuesOfType(schema: Plain): readonly Json[] {
  const { type, enum: values = [] } = schema;
  if (type === undefined) return values;
  return values.filter(
    (value) => type.includes(typeOf(value)) || (type.includes('number') && typeOf(value) === 'integer'),
  );
}

/** Whether no value fits two of them, so that `oneOf` and `anyOf` mean the same. */
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
 * The branches of a choice, each with the keywords beside the choice, since providers take none there; `outer` is the schema without the
 * choice. Of two choices, one is left out.
 */
function branchesOf(
  schema: Plain,
  site: Site,
  conversion: Conversion,
): { readonly branches: readonly PlainSchema[]; readonly outer: Plain } {
  const { anyOf, oneOf, ...outer } = schema;
  if (oneOf !== undefined) {
    const what = anyOf === undefined ? 'became "anyOf"' : 'left out';
    const effect = anyOf === undefined && areApart(oneOf) ? 'none' : 'wider';
    conversion.notes.add(inside(site, 'oneOf'), what, `${conversion.provider} does not take it`, effect);
  }
  const constraints = Object.fromEntries(
    Object.entries(outer).filter(([key]) => !annotations.has(key)),
  ) as Plain;
  if (Object.keys(constraints).length > 0) {
    const why = `${conversion.provider} takes no keywords beside "anyOf"`;
    conversion.notes.add(site, 'the keywords beside the choice were moved into it', why, 'none');
  }
  return { branches: (anyOf ?? oneOf ?? []).map((one) => both(constraints, flat(one))), outer };
}

/** The keywords beside an enum, which are redundant or not taken by a provider. */
export function besideEnum(schema: Plain): (keyof Plain)[] {
  const known = new Set(['enum', 'isConst', 'type', ...annotations]);
  // Each is a keyword: it was one of the schema.
  return (Object.keys(schema) as (keyof Plain)[]).filter((key) => !known.has(key));
}

/** Without lookaround, back references and named groups, which not every engine has. */
export function isCommonPattern(pattern: string): boolean {
  return !/\(\?(?!:)|\\[1-9k]|\\[pP]\{|\\u\{/.test(pattern);
}
