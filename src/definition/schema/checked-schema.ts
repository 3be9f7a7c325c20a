// Any schema an author may give, as one that checks and can be shown to a host.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Checked, CheckedSchema } from '../definition.ts';
import { isStandardSchema, type StandardIssue, type StandardSchema } from './standard-schema.ts';
import { validator } from './validator.ts';

/** A JSON Schema, or a schema of any library that implements Standard Schema. */
export type Schema = JsonObject | StandardSchema;

export function checkedSchema(schema: Schema, direction: 'input' | 'output'): CheckedSchema {
  return isStandardSchema(schema) ? standardCheck(schema, direction) : jsonCheck(schema, direction);
}

function jsonCheck(jsonSchema: JsonObject, direction: 'input' | 'output'): CheckedSchema {
  const validate = validator(jsonSchema, { defaults: direction === 'input' });
  return {
    jsonSchema,
    check: validate,
  };
}

function standardCheck(schema: StandardSchema, direction: 'input' | 'output'): CheckedSchema {
  const standard = schema['~standard'];
  const shown: unknown = standard.jsonSchema?.[direction]({ target: 'draft-2020-12' });
  return {
    // Without it a host learns only that an object is wanted; the check itself is as strict as ever.
    jsonSchema: isJsonObject(shown) ? shown : { type: 'object' },
    check: (value) => {
      const result = standard.validate(value);
      return result instanceof Promise ? result.then(checkedOf) : checkedOf(result);
    },
  };
}

function checkedOf(result: Awaited<ReturnType<StandardSchema['~standard']['validate']>>): Checked {
  return result.issues === undefined ? { value: result.value } : { problems: result.issues.map(sentenceOf) };
}

function sentenceOf({ path = [], message }: StandardIssue): string {
  const at = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return at === '' ? message : `${at}: ${message}`;
}
