// Keywords that hold the size of something to a number: of numbers themselves, of texts, arrays and objects.
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import type { Check } from './keyword.ts';

interface Comparison {
  readonly words: string;
  readonly fits: (size: number, limit: number) => boolean;
}

export const atLeast: Comparison = { words: 'at least', fits: (size, limit) => size >= limit };
export const atMost: Comparison = { words: 'at most', fits: (size, limit) => size <= limit };
export const moreThan: Comparison = { words: 'more than', fits: (size, limit) => size > limit };
export const lessThan: Comparison = { words: 'less than', fits: (size, limit) => size < limit };
export const multipleOf: Comparison = { words: 'a multiple of', fits: isMultipleOf };

/** How large a value is; undefined when it is none of the kind that the keyword is about. */
interface Measure {
  readonly unit?: string;
  readonly of: (value: Json) => number | undefined;
}

export const numbers: Measure = { of: (value) => (typeof value === 'number' ? value : undefined) };
export const characters: Measure = {
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

/** By the decimal numbers as they are written: 19.99 is a multiple of 0.01, though its quotient as a double is no whole number. */
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
