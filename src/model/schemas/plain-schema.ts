// A schema as all that follows sees it: well-formed, of one draft, and without references.
import type { Json } from '../../base/json.ts';

/** `true` takes everything, `false` nothing. */
export type PlainSchema = boolean | Plain;

/** The keywords of JSON Schema 2020-12, each of the type it has to have. What is by name is a Map, so that no name is a special one. */
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

export const typeNames = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
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

/** Says nothing about values. */
export const annotations: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples']);

export function typeOf(value: Json): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
}

/** Equal for equal values: with keys in order. */
export function valueText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => valueText(item)).join(',')}]`;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${valueText(inner)}`).join(',')}}`;
}
