// Any schema an author may give, as one that checks and can be shown to a host.
import { toError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import type { Checked, CheckedSchema } from '../definition.ts';
import { validator } from './validator.ts';

/** A JSON Schema, or a schema of any library that implements Standard Schema. */
export type Schema = JsonObject | StandardSchema;

/**
 * For what goes into author code: an object, with defaults filled in.
 * @throws Error with what is wrong with the schema
 */
export function inputSchema(schema: Schema): CheckedSchema {
  if (isStandardSchema(schema)) {
    const standard = standardCheck(schema, 'input');
    return { ...standard, jsonSchema: ofObjects(standard.jsonSchema) };
  }
  const jsonSchema = ofObjects(readable(schema));
  return { jsonSchema, isJsonSchema: true, check: validator(jsonSchema, { defaults: true }) };
}

/**
 * For what comes out of author code.
 * @throws Error with what is wrong with the schema
 */
export function outputSchema(schema: Schema): CheckedSchema {
  if (isStandardSchema(schema)) return standardCheck(schema, 'output');
  return { jsonSchema: readable(schema), check: validator(schema) };
}

function readable(schema: JsonObject): JsonObject {
  const problem = problemOfSchema(schema, '');
  if (problem !== undefined) throw new Error(problem);
  return schema;
}

/** Some hosts want to see in the schema itself that arguments are an object. */
function ofObjects(schema: JsonObject): JsonObject {
  const { type } = schema;
  if (type === undefined) return { type: 'object', ...schema };
  const types: readonly Json[] = isJsonArray(type) ? type : [type];
  if (!types.includes('object'))
    throw new Error(`"type" is ${shown(type)}; expected "object", since arguments and settings have names`);
  return schema;
}

function standardCheck(schema: StandardSchema, direction: 'input' | 'output'): CheckedSchema {
  const standard = schema['~standard'];
  return {
    jsonSchema: shownSchema(schema, direction),
    check: (value) => {
      const result = standard.validate(value);
      return result instanceof Promise ? result.then(checkedOf) : checkedOf(result);
    },
  };
}

/** Libraries that cannot show theirs leave hosts in the dark, but not the check. */
function shownSchema(
  { '~standard': { jsonSchema } }: StandardSchema,
  direction: 'input' | 'output',
): JsonObject {
  if (jsonSchema === undefined) return {};
  try {
    const shownSchema: unknown = jsonSchema[direction]({ target: 'draft-2020-12' });
    return isJsonObject(shownSchema) ? shownSchema : {};
  } catch (thrown) {
    throw new Error(`it cannot be written as JSON Schema: ${toError(thrown).message}`, { cause: thrown });
  }
}

function checkedOf(result: StandardResult<unknown>): Checked {
  return result.issues === undefined ? { value: result.value } : { problems: result.issues.map(sentenceOf) };
}

function sentenceOf({ path = [], message }: StandardIssue): string {
  const at = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return at === '' ? message : `${at}: ${message}`;
}

/** What a keyword has to be, and the schemas in it by their names. */
interface Rule {
  readonly expected: string;
  fits(value: Json): boolean;
  schemas?(value: Json): Iterable<readonly [name: string, schema: Json]>;
}

/** A place in a schema. Its full name is put together when it is needed: one for each would cost too much in a deep schema. */
interface Place {
  readonly value: Json;
  readonly name: string;
  readonly parent?: Place;
}

/** What is wrong with a schema, naming the place; undefined when nothing is. */
export function problemOfSchema(schema: Json, where: string): string | undefined {
  // A list and no recursion, for which a schema can be too deep.
  const left: Place[] = [{ value: schema, name: where }];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    if (typeof place.value === 'boolean') continue;
    if (!isJsonObject(place.value)) return problemAt(place, 'a JSON Schema: an object or a boolean');
    for (const [keyword, value] of Object.entries(place.value)) {
      const rule = rules.get(keyword);
      if (rule === undefined) continue;
      const inside: Place = { value, name: keyword, parent: place };
      if (!rule.fits(value)) return problemAt(inside, rule.expected);
      for (const [name, inner] of rule.schemas?.(value) ?? [])
        left.push({ value: inner, name, parent: inside });
    }
  }
  return undefined;
}

const typeNames: readonly Json[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** The keywords of draft 4 to 2020-12 that have one form; others may be anything. */
const rules: ReadonlyMap<string, Rule> = new Map([
  ...keywords('type', {
    expected: 'the name of a JSON type, or several',
    fits: (value) => (Array.isArray(value) ? value : [value]).every((name: Json) => typeNames.includes(name)),
  }),
  ...keywords('properties patternProperties $defs definitions dependentSchemas', {
    expected: 'an object of schemas',
    fits: isJsonObject,
    schemas: entriesOf,
  }),
  ...keywords('allOf anyOf oneOf prefixItems', {
    expected: 'an array of schemas',
    fits: Array.isArray,
    schemas: entriesOf,
  }),
  ...keywords('items', {
    expected: 'a schema, or an array of schemas',
    fits: (value) => typeof value === 'boolean' || (typeof value === 'object' && value !== null),
    schemas: (value) => (Array.isArray(value) ? entriesOf(value) : [['', value]]),
  }),
  ...keywords('additionalProperties additionalItems contains not if then else propertyNames', {
    expected: 'a schema',
    fits: (value) => typeof value === 'boolean' || isJsonObject(value),
    schemas: (value) => [['', value]],
  }),
  ...keywords('required', {
    expected: 'an array of strings',
    fits: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  }),
  ...keywords('enum', { expected: 'an array', fits: Array.isArray }),
  ...keywords('minimum maximum multipleOf', {
    expected: 'a number',
    fits: (value) => typeof value === 'number',
  }),
  ...keywords('minLength maxLength minItems maxItems minProperties maxProperties', {
    expected: 'a whole number, not below zero',
    fits: (value) => Number.isInteger(value) && Number(value) >= 0,
  }),
  ...keywords('$ref $id $schema title description format pattern', {
    expected: 'a string',
    fits: (value) => typeof value === 'string',
  }),
]);

function keywords(names: string, rule: Rule): [string, Rule][] {
  return names.split(' ').map((name) => [name, rule]);
}

function entriesOf(value: Json): [string, Json][] {
  return typeof value === 'object' && value !== null ? Object.entries<Json>(value) : [];
}

function problemAt(place: Place, expected: string): string {
  const names: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent)
    if (at.name !== '') names.push(at.name);
  const name = names.toReversed().join('.');
  const short = name.length > 200 ? `${name.slice(0, 100)}…${name.slice(-100)}` : name;
  return `"${short}" is ${shown(place.value)}; expected ${expected}`;
}

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?:
      | {
          readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
          readonly output: (options: JsonSchemaOptions) => Record<string, unknown>;
        }
      | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

interface JsonSchemaOptions {
  readonly target: 'draft-07' | 'draft-2020-12';
}

/** Some are functions with properties. */
function isStandardSchema(value: unknown): value is StandardSchema {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && '~standard' in value && typeof value['~standard'] === 'object';
}
