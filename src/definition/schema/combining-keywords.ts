// Keywords that put schemas together.
import { isJsonArray, type Json } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import type { Check, Compile, Keyword } from './keyword.ts';
import type { Place } from './place.ts';
import type { Run } from './run.ts';

export const combiningKeywords: Readonly<Record<string, Keyword>> = {
  $ref: (reference, _, compile) => (typeof reference === 'string' ? compile.reference(reference) : undefined),
  allOf: (schemas, _, compile) => {
    if (!isJsonArray(schemas)) return undefined;
    const checks = schemas.map((schema) => compile(schema));
    return (value, place, run) =>
      run.isQuiet
        ? checks.every((check) => check(value, place, run))
        : checks.filter((check) => !check(value, place, run)).length === 0;
  },
  anyOf: (schemas, _, compile) =>
    alternatives(schemas, compile, (checks, value, place, run) =>
      checks.some((check) => run.quietly(() => check(value, place, run)))
        ? undefined
        : fitsNone(checks, value, place, run),
    ),
  oneOf: (schemas, _, compile) =>
    alternatives(schemas, compile, (checks, value, place, run) => {
      const count = checks.filter((check) => run.quietly(() => check(value, place, run))).length;
      if (count === 1) return undefined;
      return count === 0
        ? fitsNone(checks, value, place, run)
        : `fits ${count} of the forms that it may have, and must fit one only`;
    }),
  not: (schema, _, compile) => {
    const check = compile(schema);
    return (value, place, run) =>
      !run.quietly(() => check(value, place, run)) ||
      run.wrong(place, () => `has a form that is not allowed; got ${shown(value)}`);
  },
  if: (condition, schema, compile) => {
    const holds = compile(condition);
    const { then: thenSchema = true, else: elseSchema = true } = schema;
    const [then, otherwise] = [compile(thenSchema), compile(elseSchema)];
    return (value, place, run) =>
      (run.quietly(() => holds(value, place, run)) ? then : otherwise)(value, place, run);
  },
};

type Complaint = (
  checks: readonly Check[],
  value: Json,
  place: Place | undefined,
  run: Run,
) => string | undefined;

function alternatives(schemas: Json, compile: Compile, complaintOf: Complaint): Check | undefined {
  if (!isJsonArray(schemas)) return undefined;
  const checks = schemas.map((schema) => compile(schema));
  return (value, place, run) => {
    const complaint = complaintOf(checks, value, place, run);
    return complaint === undefined || run.wrong(place, () => complaint);
  };
}

/** As many alternatives as a reader can weigh. */
const TOLD_MAX = 4;

function fitsNone(checks: readonly Check[], value: Json, place: Place | undefined, run: Run): string {
  if (run.isQuiet) return '';
  const reasons = checks
    .slice(0, TOLD_MAX)
    .map((check) => run.apart(() => check(value, place, run))[0] ?? 'it does not fit');
  return `fits none of the forms that it may have (${[...new Set(reasons)].join(' | ')})`;
}
