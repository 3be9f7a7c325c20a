// A JSON Schema, read as what a form shows for it. Only one level at a time: what is not opened is not read, so that neither a
// schema that refers to itself nor one of a million lines can stop the page.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../../../../base/json.ts';
import { resolved } from './resolve.ts';

export type Field = FieldWords &
  (
    | { readonly kind: 'text'; readonly format: string; readonly isLong: boolean }
    | { readonly kind: 'number'; readonly isInteger: boolean }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'choice'; readonly options: readonly Json[]; readonly omitted: number }
    | { readonly kind: 'list'; readonly item: Json; readonly min: number; readonly max: number }
    | {
        readonly kind: 'object';
        readonly properties: readonly Property[];
        readonly omitted: number;
        readonly isOpen: boolean;
      }
    | { readonly kind: 'variants'; readonly variants: readonly Variant[]; readonly omitted: number }
    /** Whatever else: typed as JSON. */
    | { readonly kind: 'json' }
  );

interface FieldWords {
  readonly title?: string;
  readonly description?: string;
  readonly fallback?: Json;
  /** What has to hold, in words: `3 to 20 characters`, `at least 1`. */
  readonly rules: readonly string[];
  readonly isNullable: boolean;
  readonly limits: Limits;
}

interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface Property {
  readonly name: string;
  readonly schema: Json;
  readonly isRequired: boolean;
}

interface Variant {
  readonly title: string;
  readonly schema: Json;
}

const PROPERTIES_MAX = 200;
const OPTIONS_MAX = 500;
const VARIANTS_MAX = 50;
const WORDS_MAX = 2000;
/** Deeper down, JSON is easier to type than to click. */
export const DEPTH_MAX = 8;

/** What a form shows for a schema; `root` is where its references lead to. */
export function fieldOf(schema: Json | undefined, root: Json, depth = 0): Field {
  const read = resolved(schema ?? true, root);
  if (!isJsonObject(read)) return { kind: 'json', rules: [], isNullable: false, limits: {} };
  const words = wordsOf(read);
  if (read['const'] !== undefined) return { ...words, kind: 'choice', options: [read['const']], omitted: 0 };
  const options = read['enum'];
  if (isJsonArray(options))
    return {
      ...words,
      kind: 'choice',
      options: options.slice(0, OPTIONS_MAX),
      omitted: Math.max(0, options.length - OPTIONS_MAX),
    };
  const variants = variantsOf(read, root);
  if (variants !== undefined) return { ...words, ...variants };
  return { ...words, ...typedField(read, depth) };
}

/** The same for one form, where each schema is read once and not with every letter that is typed. */
export function fieldReader(root: Json): (schema: Json, depth: number) => Field {
  const near = new WeakMap<object, Field>();
  const deep = new WeakMap<object, Field>();
  return (schema, depth) => {
    if (!isJsonObject(schema)) return fieldOf(schema, root, depth);
    const known = depth < DEPTH_MAX ? near : deep;
    const field = known.get(schema) ?? fieldOf(schema, root, depth);
    known.set(schema, field);
    return field;
  };
}

type Part = Field extends infer One ? (One extends Field ? Omit<One, keyof FieldWords> : never) : never;

function typedField(schema: JsonObject, depth: number): Part {
  switch (typeOf(schema)) {
    case 'string': {
      const format = textOf(schema['format']);
      const isLong =
        format === 'textarea' || numberOf(schema['maxLength'], 0) > 200 || /markdown|multiline/.test(format);
      return { kind: 'text', format, isLong };
    }
    case 'number':
      return { kind: 'number', isInteger: false };
    case 'integer':
      return { kind: 'number', isInteger: true };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      if (depth >= DEPTH_MAX || isJsonArray(schema['items']) || schema['prefixItems'] !== undefined)
        return { kind: 'json' };
      return {
        kind: 'list',
        item: schema['items'] ?? true,
        min: numberOf(schema['minItems'], 0),
        max: numberOf(schema['maxItems'], Number.POSITIVE_INFINITY),
      };
    case 'object':
      return depth >= DEPTH_MAX ? { kind: 'json' } : objectField(schema);
    default:
      return { kind: 'json' };
  }
}

function objectField(schema: JsonObject): Part {
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return { kind: 'json' };
  const required = new Set(textsIn(schema['required']));
  const names = Object.keys(properties);
  // What has to be filled in comes first, in its own order.
  const ordered = [
    ...names.filter((name) => required.has(name)),
    ...names.filter((name) => !required.has(name)),
  ];
  return {
    kind: 'object',
    properties: ordered.slice(0, PROPERTIES_MAX).map((name) => ({
      name,
      schema: properties[name] ?? true,
      isRequired: required.has(name),
    })),
    omitted: Math.max(0, names.length - PROPERTIES_MAX),
    isOpen: schema['additionalProperties'] !== false,
  };
}

/** One of several; what may also be null is what it is otherwise. */
function variantsOf(schema: JsonObject, root: Json): Extract<Part, { kind: 'variants' }> | undefined {
  const list = schema['oneOf'] ?? schema['anyOf'];
  if (!isJsonArray(list) || list.length === 0) return undefined;
  const some = list.slice(0, VARIANTS_MAX);
  return {
    kind: 'variants',
    variants: some.map((variant, index) => ({
      title: variantTitle(resolved(variant, root), index),
      schema: variant,
    })),
    omitted: list.length - some.length,
  };
}

function variantTitle(variant: Json, index: number): string {
  if (!isJsonObject(variant)) return `Form ${index + 1}`;
  const title = textOf(variant['title']);
  if (title !== '') return title.slice(0, 60);
  if (variant['const'] !== undefined) return JSON.stringify(variant['const']).slice(0, 60);
  const properties = variant['properties'];
  // What tells the variants of an object apart is often one constant.
  if (isJsonObject(properties))
    for (const [name, property] of Object.entries(properties).slice(0, 20))
      if (isJsonObject(property) && property['const'] !== undefined)
        return `${name}: ${JSON.stringify(property['const'])}`.slice(0, 60);
  return typeOf(variant) ?? `Form ${index + 1}`;
}

function wordsOf(schema: JsonObject): FieldWords {
  const title = textOf(schema['title']).slice(0, WORDS_MAX);
  const description = textOf(schema['description']).slice(0, WORDS_MAX);
  const fallback = schema['default'];
  const type = schema['type'];
  return {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
    ...(fallback !== undefined && { fallback }),
    rules: rulesOf(schema),
    isNullable:
      type === 'null' || (isJsonArray(type) && type.includes('null')) || schema['nullable'] === true,
    limits: limitsOf(schema),
  };
}

function limitsOf(schema: JsonObject): Limits {
  const limits: Record<string, number> = {};
  for (const name of ['minimum', 'maximum', 'minLength', 'maxLength']) {
    const value = schema[name];
    if (typeof value === 'number') limits[name] = value;
  }
  return limits;
}

/** A pattern is told and never run: it is an expression of somebody else. */
function rulesOf(schema: JsonObject): string[] {
  const { minimum, maximum, minLength, maxLength } = limitsOf(schema);
  const between = (low: number | undefined, high: number | undefined, unit: string) => {
    if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
    if (low !== undefined) return [`at least ${low}${unit}`];
    return high === undefined ? [] : [`at most ${high}${unit}`];
  };
  const one = (key: string, words: (value: string) => string) => {
    const value = schema[key];
    return typeof value === 'string' || typeof value === 'number' ? [words(String(value).slice(0, 100))] : [];
  };
  return [
    ...between(minimum, maximum, ''),
    ...one('exclusiveMinimum', (value) => `more than ${value}`),
    ...one('exclusiveMaximum', (value) => `less than ${value}`),
    ...one('multipleOf', (value) => `a multiple of ${value}`),
    ...between(minLength, maxLength, ' characters'),
    ...one('pattern', (value) => `like ${value}`),
    ...one('format', (value) => value),
    ...between(optional(schema['minItems']), optional(schema['maxItems']), ' items'),
    ...(schema['uniqueItems'] === true ? ['no two the same'] : []),
    ...(schema['deprecated'] === true ? ['deprecated'] : []),
  ];
}

function typeOf(schema: JsonObject): string | undefined {
  const type = schema['type'];
  if (typeof type === 'string') return type;
  if (isJsonArray(type)) {
    const others = type.filter((one) => one !== 'null');
    return others.length === 1 && typeof others[0] === 'string' ? others[0] : undefined;
  }
  if (isJsonObject(schema['properties'])) return 'object';
  return schema['items'] === undefined ? undefined : 'array';
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

function optional(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
