// Whether a value has the form that a schema of the API describes.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../base/json.ts';
import { callValues } from './api-call-values.ts';
import { pluginValues } from './api-plugin-values.ts';
import type { Schema } from './api-schema.ts';

export interface Mismatch {
  /** The field, such as `context.env`; empty for the value itself. */
  readonly at: string;
  /** Such as "a text". */
  readonly expected: string;
}

/**
 * The first difference. Fields that are not in the schema may be those of a newer version. `exact` also looks at enumerations and bounds, which a
 * newer host may extend.
 */
export function mismatch(
  { json }: Schema<unknown>,
  value: Json,
  how: 'exact' | 'lenient',
): Mismatch | undefined {
  return difference(json, value, '', how === 'exact');
}

/** Without the fields that the schema does not have. Objects of any fields stay as they are. */
export function knownFields({ json }: Schema<unknown>, value: Json): Json {
  return known(json, value);
}

function difference(given: JsonObject, value: Json, at: string, isExact: boolean): Mismatch | undefined {
  const schema = resolved(given);
  const { type, oneOf, const: constant, enum: values } = schema;
  const wrong = () => ({ at: at.slice(1), expected: expectation(schema) });
  if (isJsonArray(oneOf)) {
    const found = oneOf.filter(isJsonObject).map((one) => difference(one, value, at, isExact));
    return found.includes(undefined) ? undefined : (closest(found.flatMap((one) => one ?? [])) ?? wrong());
  }
  if (constant !== undefined && constant !== value) return wrong();
  if (type !== undefined && !isOfType(value, type)) return wrong();
  if (isExact && isJsonArray(values) && !values.includes(value)) return wrong();
  if (isExact && typeof value === 'number' && !isWithin(schema, value)) return wrong();
  if (isJsonArray(value)) return inItems(schema, value, at, isExact);
  return isJsonObject(value) ? inFields(schema, value, at, isExact) : undefined;
}

/** The difference inside of the alternative that was meant, or what would have chosen one. */
function closest(found: readonly Mismatch[]): Mismatch | undefined {
  const isChoice = ({ expected }: Mismatch) => expected.startsWith('"');
  const [first] = found;
  if (first === undefined || !found.every(isChoice)) return found.find((one) => !isChoice(one));
  return { at: first.at, expected: found.map(({ expected }) => expected).join(' or ') };
}

function inItems(
  { items }: JsonObject,
  value: readonly Json[],
  at: string,
  isExact: boolean,
): Mismatch | undefined {
  if (!isJsonObject(items)) return undefined;
  for (const [index, item] of value.entries()) {
    const wrong = difference(items, item, `${at}.${index}`, isExact);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function inFields(schema: JsonObject, value: JsonObject, at: string, isExact: boolean): Mismatch | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = isJsonObject(properties) ? properties : {};
  for (const [name, field] of Object.entries(value)) {
    const expected = Object.hasOwn(fields, name) ? fields[name] : additionalProperties;
    const wrong = isJsonObject(expected) ? difference(expected, field, `${at}.${name}`, isExact) : undefined;
    if (wrong !== undefined) return wrong;
  }
  for (const name of textsIn(required))
    if (!Object.hasOwn(value, name)) {
      const missing = fields[name];
      return {
        at: `${at}.${name}`.slice(1),
        expected: expectation(isJsonObject(missing) ? resolved(missing) : {}),
      };
    }
  return undefined;
}

function known(given: JsonObject, value: Json): Json {
  const { properties } = resolved(given);
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) => {
      if (!Object.hasOwn(value, name)) return [];
      const kept = value[name] ?? null;
      return [[name, isJsonObject(field) ? known(field, kept) : kept]];
    }),
  );
}

function isOfType(value: Json, type: Json): boolean {
  if (isJsonArray(type)) return type.some((one) => isOfType(value, one));
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return isJsonArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return typeof value === 'number';
    default:
      return typeof value === type;
  }
}

function isWithin(schema: JsonObject, value: number): boolean {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity } = schema;
  return value >= Number(minimum) && value > Number(exclusiveMinimum) && value <= Number(maximum);
}

/** As the end of a sentence. */
function expectation({ type, enum: values, const: constant, exclusiveMinimum, maximum }: JsonObject): string {
  if (constant !== undefined) return JSON.stringify(constant);
  if (isJsonArray(values)) return `one of ${textsIn(values).join(', ')}`;
  const above = typeof exclusiveMinimum === 'number' ? ` above ${exclusiveMinimum}` : '';
  const most = typeof maximum === 'number' ? `, at most ${maximum}` : '';
  return `${types.get(type) ?? 'of another form'}${above}${most}`;
}

const types: ReadonlyMap<Json | undefined, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['integer', 'a number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['array', 'a list'],
]);

function resolved(schema: JsonObject): JsonObject {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (definitions.get($ref) ?? {}) : schema;
}

/** By what refers to them. */
const definitions: ReadonlyMap<string, JsonObject> = new Map(
  Object.values({ ...pluginValues, ...callValues }).flatMap((value): [string, JsonObject][] =>
    'definition' in value ? [[`#/components/schemas/${value.name}`, value.definition]] : [],
  ),
);
