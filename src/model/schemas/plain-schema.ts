// A schema in one form: valid, of one draft, and without references.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

/** `true` takes everything, `false` nothing. */
export type PlainSchema = boolean | Plain;

/** The keywords of JSON Schema 2020-12, each of the type it has to have. Maps by name, so that names such as `__proto__` are not special. */
export interface Plain extends Partial<Readonly<Record<NumberKeyword, number>>> {
  readonly type?: readonly TypeName[];
  readonly enum?: readonly Json[];
  /** The enum was a `const`. */
  readonly isConst?: true;
  readonly properties?: ReadonlyMap<string, PlainSchema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: PlainSchema;
  readonly patternProperties?: ReadonlyMap<string, PlainSchema>;
  readonly propertyNames?: PlainSchema;
  readonly dependentRequired?: ReadonlyMap<string, readonly string[]>;
  readonly dependentSchemas?: ReadonlyMap<string, PlainSchema>;
  readonly items?: PlainSchema;
  readonly prefixItems?: readonly PlainSchema[];
  readonly contains?: PlainSchema;
  readonly uniqueItems?: true;
  readonly anyOf?: readonly PlainSchema[];
  readonly oneOf?: readonly PlainSchema[];
  readonly allOf?: readonly PlainSchema[];
  readonly not?: PlainSchema;
  readonly if?: PlainSchema;
  readonly then?: PlainSchema;
  readonly else?: PlainSchema;
  readonly pattern?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly examples?: readonly Json[];
}

const typeNames = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
export type TypeName = (typeof typeNames)[number];

/** What a number of this keyword has to be: a count, any number, or one over zero. */
export const numberKeywords = {
  minLength: 'count',
  maxLength: 'count',
  minItems: 'count',
  maxItems: 'count',
  minContains: 'count',
  maxContains: 'count',
  minProperties: 'count',
  maxProperties: 'count',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive',
} as const;
export type NumberKeyword = keyof typeof numberKeywords;

// Each is a NumberKeyword: the object above.
export const numberNames = Object.keys(numberKeywords) as NumberKeyword[];

/** Keywords that do not constrain values. */
export const annotations: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples']);

export function typeOf(value: Json): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
}

/** The same text for equal values: keys are sorted. */
export function valueText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => valueText(item)).join(',')}]`;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${valueText(inner)}`).join(',')}}`;
}

export function typesIn(value: Json): readonly TypeName[] | undefined {
  const names = isJsonArray(value) ? value : [value];
  const types = typeNames.filter((name) => names.includes(name));
  if (types.length === 0 || names.some((name) => !types.includes(name as TypeName))) return undefined;
  return types.includes('number') ? types.filter((name) => name !== 'integer') : types;
}

export function isNumberFor(key: NumberKeyword, value: Json): value is number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  const kind = numberKeywords[key];
  if (kind === 'number') return true;
  return kind === 'count' ? Number.isSafeInteger(value) && value >= 0 : value > 0;
}

/** Longer patterns are expensive to compile. */
const PATTERN_MAX = 1000;

export function isPattern(text: string): boolean {
  if (text.length > PATTERN_MAX) return false;
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** No keyword beside it evaluates properties. */
export function isAlone(schema: JsonObject): boolean {
  return ['allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies', '$ref', 'not'].every(
    (key) => schema[key] === undefined,
  );
}

/** Keywords without a meaning for arguments, and those that are read with another keyword. */
export const ignored: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  '$comment',
  '$defs',
  'definitions',
  '$anchor',
  '$dynamicAnchor',
  '$vocabulary',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'nullable',
  'additionalItems',
]);

const DEPTH_MAX = 16;
const SIZE_MAX = 20_000;

/** Undefined when it is too deep, too large, or not JSON. */
export function boundedCopy(value: Json): Json | undefined {
  let left = SIZE_MAX;
  const copy = (one: Json, depth: number): Json => {
    left -= typeof one === 'string' ? one.length + 4 : 4;
    if (left < 0 || depth > DEPTH_MAX) throw new TooLarge();
    if (one === null || typeof one === 'string' || typeof one === 'boolean') return one;
    if (typeof one === 'number' && Number.isFinite(one)) return one;
    if (isJsonArray(one)) return one.map((item) => copy(item, depth + 1));
    if (!isJsonObject(one)) throw new TooLarge();
    return Object.fromEntries(
      Object.entries(one).map(([key, inner]) => {
        left -= key.length;
        return [key, copy(inner, depth + 1)];
      }),
    );
  };
  try {
    return copy(value, 0);
  } catch (thrown) {
    if (thrown instanceof TooLarge) return undefined;
    throw thrown;
  }
}

class TooLarge extends Error {}
