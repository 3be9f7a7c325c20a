// Keywords about arrays, of all drafts: `items` is one schema for all items, or, until 2019-09, a list with one for each.
import { isJsonArray, type Json, isJsonObject, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import { didYouMean, meantBy } from '../../base/names.ts';
import type { Check, Compile, Keyword, TestPattern, Place, Run } from './run.ts';
import { canonical, atLeast, atMost, itemCount, limitKeyword, propertyCount } from './value-keywords.ts';

export const arrayKeywords: Readonly<Record<string, Keyword>> = {
  prefixItems: (schemas, _, compile) => (isJsonArray(schemas) ? firstItems(schemas, compile) : undefined),
  items: (items, schema, compile) => {
    if (isJsonArray(items)) return firstItems(items, compile);
    const { prefixItems } = schema;
    return itemsFrom(isJsonArray(prefixItems) ? prefixItems.length : 0, compile(items));
  },
  additionalItems: (rest, { items }, compile) =>
    isJsonArray(items) ? itemsFrom(items.length, compile(rest)) : undefined,
  minItems: (least) => limitKeyword(least, atLeast, itemCount),
  maxItems: (most) => limitKeyword(most, atMost, itemCount),
  uniqueItems: (isUnique) => (isUnique === true ? unique : undefined),
  contains: (schema, { minContains: least, maxContains: most }, compile) =>
    containing(
      compile(schema),
      typeof least === 'number' ? least : 1,
      typeof most === 'number' ? most : Infinity,
    ),
};

function firstItems(schemas: readonly Json[], compile: Compile): Check {
  const checks = schemas.map((schema) => compile(schema));
  return (value, place, run) => {
    if (!isJsonArray(value)) return true;
    let fits = true;
    for (const [index, check] of checks.entries()) {
      const item = value[index];
      if (item === undefined) break;
      if (!check(item, { parent: place, key: index }, run)) fits = false;
    }
    return fits;
  };
}

function itemsFrom(first: number, check: Check): Check {
  return (value, place, run) => {
    if (!isJsonArray(value)) return true;
    let fits = true;
    for (let index = first; index < value.length; index++) {
      if (check(value[index] ?? null, { parent: place, key: index }, run)) continue;
      fits = false;
      if (run.isQuiet) break;
    }
    return fits;
  };
}

const unique: Check = (value, place, run) => {
  if (!isJsonArray(value)) return true;
  const seen = new Map<string, number>();
  for (const [index, item] of value.entries()) {
    const text = canonical(item, run);
    const first = seen.get(text);
    if (first !== undefined)
      return run.wrong(place, () => `must not have the same item twice, as at [${first}] and [${index}]`);
    seen.set(text, index);
  }
  return true;
};

function containing(check: Check, least: number, most: number): Check {
  return (value, place, run) => {
    if (!isJsonArray(value)) return true;
    const count = value.filter((item) => run.quietly(() => check(item, undefined, run))).length;
    if (count < least)
      return run.wrong(place, () => `must have at least ${least} items of a certain form; has ${count}`);
    return (
      count <= most ||
      run.wrong(place, () => `must have at most ${most} items of a certain form; has ${count}`)
    );
  };
}

export const objectKeywords: Readonly<Record<string, Keyword>> = {
  properties: (properties, _, compile) => (isJsonObject(properties) ? named(properties, compile) : undefined),
  patternProperties: (patterns, _, compile) =>
    isJsonObject(patterns) ? matching(patterns, compile) : undefined,
  additionalProperties: others,
  propertyNames: (schema, _, compile) => {
    const check = compile(schema);
    return onObjects((value, place, run) =>
      each(Object.keys(value), run, (name) => check(name, { parent: place, key: name }, run)),
    );
  },
  required: (names, { properties }) =>
    isJsonArray(names) ? requires(names, isJsonObject(properties) ? properties : {}) : undefined,
  minProperties: (least) => limitKeyword(least, atLeast, propertyCount),
  maxProperties: (most) => limitKeyword(most, atMost, propertyCount),
  dependentRequired: (dependencies, _, compile) => dependent(dependencies, compile),
  dependentSchemas: (dependencies, _, compile) => dependent(dependencies, compile),
  // What the two above were until draft 7.
  dependencies: (dependencies, _, compile) => dependent(dependencies, compile),
};

function named(properties: JsonObject, compile: Compile): Check {
  const checks = Object.entries(properties).map(([name, schema]) => ({ name, check: compile(schema) }));
  return onObjects((value, place, run) =>
    each(checks, run, ({ name, check }) => {
      const inner = Object.hasOwn(value, name) ? value[name] : undefined;
      return inner === undefined || check(inner, { parent: place, key: name }, run);
    }),
  );
}

function matching(patterns: JsonObject, compile: Compile): Check {
  const checks = Object.entries(patterns).map(([source, schema]) => ({
    test: compile.pattern(source),
    check: compile(schema),
  }));
  return onObjects((value, place, run) =>
    each(Object.entries(value), run, ([name, inner]) =>
      each(checks, run, ({ test, check }) => !test(name) || check(inner, { parent: place, key: name }, run)),
    ),
  );
}

/** Properties that neither `properties` nor `patternProperties` know. */
function others(schema: Json, { properties, patternProperties }: JsonObject, compile: Compile): Check {
  const known = isJsonObject(properties) ? properties : {};
  const patterns: TestPattern[] = isJsonObject(patternProperties)
    ? Object.keys(patternProperties).map((source) => compile.pattern(source))
    : [];
  const check: Check =
    schema === false
      ? (_, place, run) =>
          run.wrong(place, () => `is not known.${didYouMean(String(place?.key), Object.keys(known))}`)
      : compile(schema);
  return onObjects((value, place, run) =>
    each(Object.entries(value), run, ([name, inner]) => {
      if (Object.hasOwn(known, name) || patterns.some((test) => test(name))) return true;
      return check(inner, { parent: place, key: name }, run);
    }),
  );
}

function requires(names: readonly Json[], properties: JsonObject): Check {
  const required = names.filter((name) => typeof name === 'string');
  return onObjects((value, place, run) =>
    each(required, run, (name) => {
      if (Object.hasOwn(value, name)) return true;
      return run.wrong(
        { parent: place, key: name },
        () => `is required${meantBy(name, Object.keys(value), Object.keys(properties))}`,
      );
    }),
  );
}

/** What has to be there, or hold, when a property is there. */
function dependent(dependencies: Json, compile: Compile): Check | undefined {
  if (!isJsonObject(dependencies)) return undefined;
  const checks = Object.entries(dependencies).map(([name, demanded]) => ({
    name,
    check: isJsonArray(demanded) ? requires(demanded, {}) : compile(demanded),
  }));
  return onObjects((value, place, run) =>
    each(checks, run, ({ name, check }) => !Object.hasOwn(value, name) || check(value, place, run)),
  );
}

function onObjects(check: (value: JsonObject, place: Place | undefined, run: Run) => boolean): Check {
  return (value, place, run) => !isJsonObject(value) || check(value, place, run);
}

/** All of them when problems are collected, else until one fails. */
function each<Item>(items: Iterable<Item>, run: Run, fitsOne: (item: Item) => boolean): boolean {
  let fits = true;
  for (const item of items) {
    run.work(1);
    if (fitsOne(item)) continue;
    fits = false;
    if (run.isQuiet) break;
  }
  return fits;
}

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
