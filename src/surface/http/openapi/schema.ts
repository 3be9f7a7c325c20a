// The words in which the document says what values look like: JSON Schema, as OpenAPI 3.1 takes it.
import type { JsonObject } from '../../../base/json.ts';

export const text: JsonObject = { type: 'string' };
export const whole: JsonObject = { type: 'integer', minimum: 0 };
export const amount: JsonObject = { type: 'number', minimum: 0 };
export const yesNo: JsonObject = { type: 'boolean' };
export const anything: JsonObject = {};
export const anyObject: JsonObject = { type: 'object' };

export function list(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

export function oneOf(...values: readonly string[]): JsonObject {
  return { type: 'string', enum: values };
}

/** Nothing but these; those whose names end with `?` may be left out. */
export function object(properties: Readonly<Record<string, JsonObject>>, description?: string): JsonObject {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

export function described(schema: JsonObject, description: string): JsonObject {
  return { ...schema, description };
}

export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
