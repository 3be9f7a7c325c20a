// Keywords about values as such, numbers and texts.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { canonical } from './canonical.ts';
import type { Check, Keyword } from './keyword.ts';

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

  minimum: (least, schema) =>
    schema['exclusiveMinimum'] === true
      ? numbers(least, (value, limit) => value > limit, 'more than')
      : numbers(least, (value, limit) => value >= limit, 'at least'),
  maximum: (most, schema) =>
    schema['exclusiveMaximum'] === true
      ? numbers(most, (value, limit) => value < limit, 'less than')
      : numbers(most, (value, limit) => value <= limit, 'at most'),
  // As a boolean, in draft 4, it is part of `minimum`.
  exclusiveMinimum: (least) => numbers(least, (value, limit) => value > limit, 'more than'),
  exclusiveMaximum: (most) => numbers(most, (value, limit) => value < limit, 'less than'),
  multipleOf: (step) => numbers(step, (value, unit) => Number.isInteger(value / unit), 'a multiple of'),

  minLength: (least) => lengths(least, (length, limit) => length >= limit, 'at least'),
  maxLength: (most) => lengths(most, (length, limit) => length <= limit, 'at most'),
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

function numbers(
  limit: Json,
  fits: (value: number, limit: number) => boolean,
  words: string,
): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  return (value, place, run) =>
    typeof value !== 'number' ||
    fits(value, limit) ||
    run.wrong(place, () => `must be ${words} ${limit}; got ${value}`);
}

function lengths(
  limit: Json,
  fits: (length: number, limit: number) => boolean,
  words: string,
): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  return (value, place, run) =>
    typeof value !== 'string' ||
    fits(charactersIn(value), limit) ||
    run.wrong(place, () => `must have ${words} ${limit} characters; got ${shown(value)}`);
}

/** Code points, as the specification counts. */
function charactersIn(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; index++) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) {
      pairs += 1;
      index += 1;
    }
  }
  return text.length - pairs;
}
