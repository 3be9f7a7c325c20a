// A JSON Schema, read as what a form shows for it. Only one level at a time: what is not opened is not read, so that neither a
// schema that refers to itself nor one of a million lines can stop the page.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../../../../base/json.ts';
import { textOf, wordsOf, type FieldWords } from './field-words.ts';
import { resolved } from './resolve.ts';
import { variantTitle } from './variant-title.ts';

export type Field = FieldWords &
  (
    | { readonly kind: 'text'; readonly format: string; readonly isLong: boolean }
    | { readonly kind: 'number'; readonly isInteger: boolean }
    | { readonly kind: 'boolean' }
    | {
        readonly kind: 'choice';
        readonly options: readonly Json[];
        /** What they are called, where that is told. */
        readonly labels?: readonly string[];
        readonly omitted: number;
      }
    | { readonly kind: 'list'; readonly item: Json; readonly min: number; readonly max: number }
    | {
        readonly kind: 'object';
        readonly properties: readonly Property[];
        readonly omitted: number;
        /** What may stand there under any other name. */
        readonly rest?: Json;
      }
    /** Any names, with one kind of value. */
    | { readonly kind: 'map'; readonly value: Json }
    | { readonly kind: 'variants'; readonly variants: readonly Variant[]; readonly omitted: number }
    /** Whatever else: typed as JSON. */
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
  // A tool that names no arguments takes none, unless it says that it takes any.
  const isAny = depth > 0 ? schema['additionalProperties'] !== false : rest === true;
  if (names.length === 0 && isAny) return { kind: 'json' };
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
    ...(isJsonObject(rest) && { rest }),
  };
}

/** Where names are described by patterns alone, the first of them stands for all. */
function restOf(schema: JsonObject): Json | undefined {
  const { additionalProperties: rest, patternProperties: patterns } = schema;
  if (rest !== undefined && rest !== false) return rest;
  return isJsonObject(patterns) ? Object.values(patterns)[0] : undefined;
}

/** One of several forms; where each is a constant, one of several values. */
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
