// Which of several forms a value has: what was filled in before is shown in its own again.
import { isJsonArray, isJsonObject, type Json } from '../../../../base/json.ts';
import type { Field } from './field.ts';
import type { Value } from './value.ts';

/** The first that fits, else the first. */
export function fittingVariant(fields: readonly Field[], value: Value): number {
  if (value === undefined) return 0;
  const best = fields.findIndex((field) => fits(field, value));
  return Math.max(0, best);
}

function fits(field: Field, value: Json): boolean {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && (!field.isInteger || Number.isInteger(value));
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return field.options.some((option) => JSON.stringify(option) === JSON.stringify(value));
    case 'list':
      return isJsonArray(value);
    case 'map':
      return isJsonObject(value);
    case 'object': {
      if (!isJsonObject(value)) return false;
      const names = new Set(field.properties.map(({ name }) => name));
      const isKnown = field.rest !== undefined || Object.keys(value).every((name) => names.has(name));
      // A constant that differs tells the variants apart.
      return (
        isKnown &&
        field.properties.every(({ name, schema }) => {
          const constant = isJsonObject(schema) ? schema['const'] : undefined;
          return constant === undefined || value[name] === undefined || value[name] === constant;
        })
      );
    }
    case 'variants':
    case 'json':
      return false;
  }
}
