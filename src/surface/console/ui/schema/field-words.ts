// What a schema says in words of a value: its name, what it is for, and what has to hold.
import { isJsonArray, type Json, type JsonObject } from '../../../../base/json.ts';

export interface FieldWords {
  readonly title?: string;
  readonly description?: string;
  readonly fallback?: Json;
  /** What has to hold, in words: `3 to 20 characters`, `at least 1`. */
  readonly rules: readonly string[];
  readonly isNullable: boolean;
  readonly limits: Limits;
}

interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

const WORDS_MAX = 2000;

export function wordsOf(schema: JsonObject): FieldWords {
  const title = textOf(schema['title']).slice(0, WORDS_MAX);
  const description = textOf(schema['description']).slice(0, WORDS_MAX);
  const fallback = schema['default'];
  const type = schema['type'];
  return {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
    ...(fallback !== undefined && { fallback }),
    rules: rulesOf(schema),
    isNullable:
      type === 'null' || (isJsonArray(type) && type.includes('null')) || schema['nullable'] === true,
    limits: limitsOf(schema),
  };
}

function limitsOf(schema: JsonObject): Limits {
  const limits: Record<string, number> = {};
  for (const name of ['minimum', 'maximum', 'minLength', 'maxLength']) {
    const value = schema[name];
    if (typeof value === 'number') limits[name] = value;
  }
  return limits;
}

/** A pattern is told and never run: it is an expression of somebody else. */
function rulesOf(schema: JsonObject): string[] {
  const { minimum, maximum, minLength, maxLength } = limitsOf(schema);
  const between = (low: number | undefined, high: number | undefined, unit: string) => {
    if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
    if (low !== undefined) return [`at least ${low}${unit}`];
    return high === undefined ? [] : [`at most ${high}${unit}`];
  };
  const one = (key: string, words: (value: string) => string) => {
    const value = schema[key];
    return typeof value === 'string' || typeof value === 'number' ? [words(String(value).slice(0, 100))] : [];
  };
  return [
    ...between(minimum, maximum, ''),
    ...one('exclusiveMinimum', (value) => `more than ${value}`),
    ...one('exclusiveMaximum', (value) => `less than ${value}`),
    ...one('multipleOf', (value) => `a multiple of ${value}`),
    ...between(minLength, maxLength, ' characters'),
    ...one('pattern', (value) => `like ${value}`),
    ...one('format', (value) => value),
    ...between(optional(schema['minItems']), optional(schema['maxItems']), ' items'),
    ...(schema['uniqueItems'] === true ? ['no two the same'] : []),
    ...(schema['deprecated'] === true ? ['deprecated'] : []),
  ];
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function optional(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
