// Any schema an author may give, as one that checks and can be shown to a host.
import { toError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import type { Checked, CheckedSchema } from '../definition.ts';
import { problemOfSchema } from './problem-of-schema.ts';
import {
  isStandardSchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from './standard-schema.ts';
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
  return { jsonSchema, check: validator(jsonSchema, { defaults: true }) };
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
    const told: unknown = jsonSchema[direction]({ target: 'draft-2020-12' });
    return isJsonObject(told) ? told : {};
  } catch (thrown) {
    throw new Error(`it has no form as JSON Schema: ${toError(thrown).message}`, { cause: thrown });
  }
}

function checkedOf(result: StandardResult<unknown>): Checked {
  return result.issues === undefined ? { value: result.value } : { problems: result.issues.map(sentenceOf) };
}

function sentenceOf({ path = [], message }: StandardIssue): string {
  const at = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return at === '' ? message : `${at}: ${message}`;
}
