// Keywords about values as such, numbers and texts.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import type { Check, Keyword, Run } from './run.ts';

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

interface Comparison {
  readonly words: string;
  readonly fits: (size: number, limit: number) => boolean;
}

export const atLeast: Comparison = { words: 'at least', fits: (size, limit) => size >= limit };
export const atMost: Comparison = { words: 'at most', fits: (size, limit) => size <= limit };
const moreThan: Comparison = { words: 'more than', fits: (size, limit) => size > limit };
const lessThan: Comparison = { words: 'less than', fits: (size, limit) => size < limit };
const multipleOf: Comparison = { words: 'a multiple of', fits: isMultipleOf };

/** How large a value is; undefined when the keyword does not apply to it. */
interface Measure {
  readonly unit?: string;
  readonly of: (value: Json) => number | undefined;
}

const numbers: Measure = { of: (value) => (typeof value === 'number' ? value : undefined) };
const characters: Measure = {
  unit: 'characters',
  of: (value) => (typeof value === 'string' ? codePointsIn(value) : undefined),
};
export const itemCount: Measure = {
  unit: 'items',
  of: (value) => (isJsonArray(value) ? value.length : undefined),
};
export const propertyCount: Measure = {
  unit: 'properties',
  of: (value) => (isJsonObject(value) ? Object.keys(value).length : undefined),
};

export function limitKeyword(limit: Json, { words, fits }: Comparison, measure: Measure): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  const { unit } = measure;
  const demand = unit === undefined ? `must be ${words} ${limit}` : `must have ${words} ${limit} ${unit}`;
  return (value, place, run) => {
    const size = measure.of(value);
    if (size === undefined || fits(size, limit)) return true;
    return run.wrong(place, () => `${demand}; got ${typeof value === 'string' ? shown(value) : size}`);
  };
}

/** By the decimal numbers as they are written: 19.99 is a multiple of 0.01, though its quotient as a double is not a whole number. */
export function isMultipleOf(value: number, unit: number): boolean {
  if (unit === 0) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(unit)) return value % unit === 0;
  if (!Number.isFinite(value) || !Number.isFinite(unit)) return false;
  const one = decimal(value);
  const other = decimal(unit);
  const exponent = Math.min(one.exponent, other.exponent);
  return scaled(one, exponent) % scaled(other, exponent) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimal(number: number): Decimal {
  const [mantissa = '', exponent = ''] = Math.abs(number).toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}

/** As the specification counts. */
function codePointsIn(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; index++) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) {
      pairs += 1;
      index += 1;
    }
  }
  return text.length - pairs;
}

/** @throws GivenUp when it is too deep or too large */
export function canonical(value: Json, run: Run): string {
  if (typeof value !== 'object' || value === null) {
    run.work(1);
    // There is one zero in JSON.
    return value === 0 ? '0' : JSON.stringify(value);
  }
  run.enter();
  const text = isJsonArray(value)
    ? `[${value.map((item) => canonical(item, run)).join(',')}]`
    : `{${Object.keys(value)
        .toSorted()
        .map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null, run)}`)
        .join(',')}}`;
  run.leave();
  return text;
}
