// What a form shows for a JSON Schema. It is read one level at a time, when a field opens, so that neither a recursive schema
// nor a huge one can block the page.
import { isJsonArray, isJsonObject, type Json, type JsonObject, textsIn } from '../../../../base/json.ts';
import { resolved } from './resolve.ts';

export type Field = FieldInfo &
  (
    | { readonly kind: 'text'; readonly format: string; readonly isLong: boolean }
    | { readonly kind: 'number'; readonly isInteger: boolean }
    | { readonly kind: 'boolean' }
    | {
        readonly kind: 'choice';
        readonly options: readonly Json[];
        /** Where the schema has titles for them. */
        readonly labels?: readonly string[];
        readonly omitted: number;
      }
    | { readonly kind: 'list'; readonly item: Json; readonly min: number; readonly max: number }
    | {
        readonly kind: 'object';
        readonly properties: readonly Property[];
        readonly omitted: number;
        /** The schema of properties with any other name. */
        readonly rest?: Json;
      }
    /** Any names, with one schema for the values. */
    | { readonly kind: 'map'; readonly value: Json }
    | { readonly kind: 'variants'; readonly variants: readonly Variant[]; readonly omitted: number }
    /** Anything else, typed as JSON. */
    | { readonly kind: 'json' }
  );

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
/** Deeper values are typed as JSON. */
export const DEPTH_MAX = 8;

/** @param root the schema that references point into */
export function fieldOf(schema: Json | undefined, root: Json, depth = 0): Field {
  const read = resolved(schema ?? true, root);
  if (!isJsonObject(read)) return { kind: 'json', rules: [], isNullable: false, limits: {} };
  const info = infoOf(read);
  if (read['const'] !== undefined) return { ...info, kind: 'choice', options: [read['const']], omitted: 0 };
  const options = read['enum'];
  if (isJsonArray(options))
    return {
      ...info,
      kind: 'choice',
      options: options.slice(0, OPTIONS_MAX),
      omitted: Math.max(0, options.length - OPTIONS_MAX),
    };
  const variants = variantsOf(read, root);
  if (variants !== undefined) return { ...info, ...variants };
  return { ...info, ...typedField(read, depth) };
}

/** `fieldOf` with a cache, so that a schema is not read again with every key press. */
export function fieldReader(root: Json): (schema: Json, depth: number) => Field {
  const [top, near, deep] = [
    new WeakMap<object, Field>(),
    new WeakMap<object, Field>(),
    new WeakMap<object, Field>(),
  ];
  return (schema, depth) => {
    if (!isJsonObject(schema)) return fieldOf(schema, root, depth);
    const known = depth === 0 ? top : depth < DEPTH_MAX ? near : deep;
    const field = known.get(schema) ?? fieldOf(schema, root, depth);
    known.set(schema, field);
    return field;
  };
}

type Part = Field extends infer One ? (One extends Field ? Omit<One, keyof FieldInfo> : never) : never;

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
      return depth >= DEPTH_MAX ? { kind: 'json' } : objectField(schema, depth);
    case 'null':
      return { kind: 'choice', options: [null], omitted: 0 };
    default:
      return { kind: 'json' };
  }
}

function objectField(schema: JsonObject, depth: number): Part {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(textsIn(schema['required']));
  const names = Object.keys(properties);
  const rest = restOf(schema);
  if (names.length === 0 && isJsonObject(rest)) return { kind: 'map', value: rest };
  // A tool without properties takes no arguments, unless it allows any.
  const isAny = depth > 0 ? schema['additionalProperties'] !== false : rest === true;
  if (names.length === 0 && isAny) return { kind: 'json' };
  // Required ones come first.
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
    ...(isJsonObject(rest) && { rest }),
  };
}

/** Of several name patterns, the first one's schema is used. */
function restOf(schema: JsonObject): Json | undefined {
  const { additionalProperties: rest, patternProperties: patterns } = schema;
  if (rest !== undefined && rest !== false) return rest;
  return isJsonObject(patterns) ? Object.values(patterns)[0] : undefined;
}

/** Variants; a choice where each variant is a constant. */
function variantsOf(
  schema: JsonObject,
  root: Json,
): Extract<Part, { kind: 'variants' | 'choice' }> | undefined {
  const list = schema['oneOf'] ?? schema['anyOf'];
  if (!isJsonArray(list) || list.length === 0) return undefined;
  const some = list.slice(0, VARIANTS_MAX);
  const omitted = list.length - some.length;
  const read = some.map((variant) => resolved(variant, root));
  const titles = read.map((variant, index) =>
    variantTitle(variant, isJsonObject(variant) ? typeOf(variant) : undefined, index),
  );
  const options = read.flatMap((one) =>
    isJsonObject(one) && one['const'] !== undefined ? [one['const']] : [],
  );
  if (options.length === some.length) return { kind: 'choice', options, labels: titles, omitted };
  return {
    kind: 'variants',
    variants: some.map((variant, index) => ({ title: titles[index] ?? '', schema: variant })),
    omitted,
  };
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

function numberOf(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

interface FieldInfo {
  readonly title?: string;
  readonly description?: string;
  readonly defaultValue?: Json;
  /** Constraints as text: `3 to 20 characters`, `at least 1`. */
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

const TEXT_MAX = 2000;

function infoOf(schema: JsonObject): FieldInfo {
  const title = textOf(schema['title']).slice(0, TEXT_MAX);
  const description = textOf(schema['description']).slice(0, TEXT_MAX);
  const type = schema['type'];
  return {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
    ...(schema['default'] !== undefined && { defaultValue: schema['default'] }),
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

/** A pattern is shown but never run: a plugin's expression could take for ever. */
function rulesOf(schema: JsonObject): string[] {
  const { minimum, maximum, minLength, maxLength } = limitsOf(schema);
  const between = (low: number | undefined, high: number | undefined, unit: string) => {
    if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
    if (low !== undefined) return [`at least ${low}${unit}`];
    return high === undefined ? [] : [`at most ${high}${unit}`];
  };
  const one = (key: string, text: (value: string) => string) => {
    const value = schema[key];
    return typeof value === 'string' || typeof value === 'number' ? [text(String(value).slice(0, 100))] : [];
  };
  return [
    ...between(minimum, maximum, ''),
    ...one('exclusiveMinimum', (value) => `more than ${value}`),
    ...one('exclusiveMaximum', (value) => `less than ${value}`),
    ...one('multipleOf', (value) => `a multiple of ${value}`),
    ...between(minLength, maxLength, ' characters'),
    ...one('pattern', (value) => `pattern ${value}`),
    ...one('format', (value) => value),
    ...between(optional(schema['minItems']), optional(schema['maxItems']), ' items'),
    ...(schema['uniqueItems'] === true ? ['unique'] : []),
    ...(schema['deprecated'] === true ? ['deprecated'] : []),
  ];
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function optional(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

const TITLE_MAX = 60;

function variantTitle(variant: Json, type: string | undefined, index: number): string {
  const unnamed = `Variant ${index + 1}`;
  if (!isJsonObject(variant)) return unnamed;
  const title = textOf(variant['title']).trim();
  if (title !== '') return short(title);
  const description = textOf(variant['description']).trim();
  const own = constantOf(variant);
  // A constant is its own best title.
  if (own !== undefined) return short(shown(own));
  if (description !== '' && description.length <= TITLE_MAX) return description;
  const [constant] = discriminators(variant);
  if (constant !== undefined) return short(shown(constant));
  if (description !== '') return short(description);
  return type === undefined ? unnamed : typeName(type);
}

/** Variants of an object often differ in one constant. */
function discriminators({ properties }: JsonObject): Json[] {
  if (!isJsonObject(properties)) return [];
  return Object.values(properties)
    .slice(0, 20)
    .flatMap((property) => {
      const constant = isJsonObject(property) ? constantOf(property) : undefined;
      return constant === undefined ? [] : [constant];
    });
}

function constantOf(schema: JsonObject): Json | undefined {
  const { const: constant, enum: options } = schema;
  return constant ?? (isJsonArray(options) && options.length === 1 ? options[0] : undefined);
}

function shown(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function short(text: string): string {
  return text.length > TITLE_MAX ? `${text.slice(0, TITLE_MAX - 1)}…` : text;
}

function typeName(type: string): string {
  return type === 'string' ? 'text' : type === 'array' ? 'list' : type;
}
