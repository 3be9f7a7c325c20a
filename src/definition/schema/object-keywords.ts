// Keywords about objects.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { didYouMean, meantBy } from '../../base/suggest.ts';
import type { Check, Compile, Keyword, TestPattern } from './keyword.ts';
import { atLeast, atMost, limitKeyword, propertyCount } from './limit-keyword.ts';
import type { Place } from './place.ts';
import type { Run } from './run.ts';

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

/** All of them when somebody wants to know why, else until one does not fit. */
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
