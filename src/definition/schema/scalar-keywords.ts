// Keywords about values as such, numbers and texts.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { canonical } from './canonical.ts';
import type { Check, Keyword } from './keyword.ts';
import {
  atLeast,
  atMost,
  characters,
  lessThan,
  limitKeyword,
  moreThan,
  multipleOf,
  numbers,
} from './limit-keyword.ts';

const typeWords: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a text',
};

/** The first thing that is looked at. */
export function typeKeyword(type: Json | undefined): Check | undefined {
  const types = (isJsonArray(type) ? type : [type]).filter((name) => typeof name === 'string');
  if (types.length === 0) return undefined;
  const words = types.map((name) => typeWords[name] ?? name).join(' or ');
  return (value, place, run) =>
    types.some((name) => isOf(name, value)) ||
    run.wrong(place, () => `must be ${words}; got ${shown(value)}`);
}

export const scalarKeywords: Readonly<Record<string, Keyword>> = {
  enum: (allowed) => (isJsonArray(allowed) ? oneOfValues(allowed) : undefined),
  const: (value) => oneOfValues([value]),

  // As a boolean, in draft 4, `exclusiveMinimum` is part of `minimum`.
  minimum: (least, { exclusiveMinimum }) =>
    limitKeyword(least, exclusiveMinimum === true ? moreThan : atLeast, numbers),
  maximum: (most, { exclusiveMaximum }) =>
    limitKeyword(most, exclusiveMaximum === true ? lessThan : atMost, numbers),
  exclusiveMinimum: (least) => limitKeyword(least, moreThan, numbers),
  exclusiveMaximum: (most) => limitKeyword(most, lessThan, numbers),
  multipleOf: (unit) => limitKeyword(unit, multipleOf, numbers),

  minLength: (least) => limitKeyword(least, atLeast, characters),
  maxLength: (most) => limitKeyword(most, atMost, characters),
  pattern: (source, _, compile) => {
    if (typeof source !== 'string') return undefined;
    const test = compile.pattern(source);
    return (value, place, run) =>
      typeof value !== 'string' ||
      test(value) ||
      run.wrong(place, () => `must match the pattern ${source}; got ${shown(value)}`);
  },
};

function isOf(type: string, value: Json): boolean {
  switch (type) {
    case 'array':
      return isJsonArray(value);
    case 'object':
      return isJsonObject(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function oneOfValues(allowed: readonly Json[]): Check {
  const plain = new Set(allowed.filter((value) => !isCompound(value)));
  const compound = allowed.filter(isCompound);
  let canonicals: Set<string> | undefined;
  const words = `must be ${allowed.length === 1 ? '' : 'one of '}${allowed
    .slice(0, 20)
    .map((value) => shown(value))
    .join(', ')}`;
  return (value, place, run) => {
    if (!isCompound(value))
      return plain.has(value) || run.wrong(place, () => `${words}; got ${shown(value)}`);
    canonicals ??= new Set(compound.map((one) => canonical(one, run)));
    return (
      (canonicals.size > 0 && canonicals.has(canonical(value, run))) ||
      run.wrong(place, () => `${words}; got ${shown(value)}`)
    );
  };
}

function isCompound(value: Json): value is readonly Json[] | JsonObject {
  return typeof value === 'object' && value !== null;
}
