// A small JSON Schema validator (draft 4 to 2020-12), so that an author's program loads no other. `format` is not checked.
// No schema and no value makes it run for ever or out of stack: it gives up first, and the value is invalid.
import { type Json, type JsonObject, isJsonObject, isJsonArray } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import type { Checked } from '../definition.ts';
import { patternTester } from './pattern.ts';
import { GivenUp, Run, type Check, type Compile, type Keyword } from './run.ts';
import { arrayKeywords, combiningKeywords, objectKeywords } from './structure-keywords.ts';
import { scalarKeywords, typeKeyword } from './value-keywords.ts';

interface ValidatorOptions {
  /**
   * Whether what is missing is filled in, where the schema has a default for it. The value that was given stays as it is.
   * @default false
   */
  readonly defaults?: boolean;
}

/**
 * Compiled once. The returned function takes JSON and never throws.
 * @throws Error when the schema is invalid
 */
export function validator(
  schema: JsonObject,
  { defaults = false }: ValidatorOptions = {},
): (value: unknown) => Checked {
  const check = compiler(schema)(schema);
  const fill = defaults ? defaultsOf(schema) : undefined;
  return (given) => {
    const run = new Run();
    try {
      // Callers have read it from JSON.
      const value = fill === undefined ? (given as Json) : fill(given as Json, run);
      return check(value, undefined, run) ? { value } : { problems: run.problems() };
    } catch (thrown) {
      if (thrown instanceof GivenUp) return { problems: [`they could not be checked: ${thrown.message}`] };
      throw thrown;
    }
  };
}

const keywords: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({ ...scalarKeywords, ...arrayKeywords, ...objectKeywords, ...combiningKeywords }),
);

/** They depend on what other keywords have seen, which is not kept here. */
const unsupported = new Set(['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef']);

/** No real schema is as deep. */
const DEPTH_MAX = 500;

/** For the parts of one schema. */
function compiler(root: JsonObject): Compile {
  const references = new Map<string, Check>();
  let depth = 0;
  const compile: Compile = Object.assign(
    (schema: Json): Check => {
      if (schema === false) return (_, place, run) => run.wrong(place, () => 'is not allowed');
      if (!isJsonObject(schema)) return () => true;
      if (++depth > DEPTH_MAX) throw new Error(`it is more than ${DEPTH_MAX} levels deep.`);
      const checks = checksOf(schema, compile);
      depth -= 1;
      const check = together(checks, typeKeyword(schema['type']));
      return isSecret(schema) ? withoutValue(check) : check;
    },
    {
      pattern: patternTester(),
      reference(reference: string): Check {
        if (!references.has(reference)) {
          // A schema that refers to itself finds this one until it is compiled.
          references.set(reference, () => true);
          references.set(reference, compile(resolveReference(root, reference)));
        }
        return (value, place, run) => references.get(reference)?.(value, place, run) ?? true;
      },
    },
  );
  return compile;
}

function checksOf(schema: JsonObject, compile: Compile): Check[] {
  const checks: Check[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (unsupported.has(keyword))
      throw new Error(
        `"${keyword}" is not supported; say it with "additionalProperties", "items" or "$ref".`,
      );
    const check = keywords.get(keyword)?.(value, schema, compile);
    if (check !== undefined) checks.push(check);
  }
  return checks;
}

/** A problem with a secret could reveal it: problems are logged and shown. */
function withoutValue(check: Check): Check {
  return (value, place, run) =>
    run.quietly(() => check(value, place, run)) ||
    run.wrong(place, () => 'is not what its schema asks for; it is secret, and so not shown');
}

/** A value of the wrong type has no other problem. */
function together(checks: readonly Check[], isOfType: Check | undefined): Check {
  return (value, place, run) => {
    run.enter();
    let fits = isOfType === undefined || isOfType(value, place, run);
    if (fits) {
      for (const check of checks) {
        if (check(value, place, run)) continue;
        fits = false;
        if (run.isQuiet) break;
      }
    }
    run.leave();
    return fits;
  };
}

/** Gives the value itself when nothing is missing, else a copy. */
type Fill = (value: Json, run: Run) => Json;

/** Undefined when the schema has no defaults. */
function defaultsOf(root: JsonObject): Fill | undefined {
  if (!JSON.stringify(root).includes('"default"')) return undefined;
  return (value, run) => filled(root, value, root, run);
}

function filled(schema: Json | undefined, value: Json, root: JsonObject, run: Run): Json {
  if (!isJsonObject(schema) || typeof value !== 'object' || value === null) return value;
  run.enter();
  const { $ref: reference, allOf, properties, items } = schema;
  let result: Json = value;
  if (typeof reference === 'string') result = filled(resolveReference(root, reference), result, root, run);
  if (isJsonObject(properties) && isJsonObject(result))
    result = withProperties(properties, result, root, run);
  if (isJsonObject(items) && isJsonArray(result)) result = withItems(items, result, root, run);
  for (const part of isJsonArray(allOf) ? allOf : []) result = filled(part, result, root, run);
  run.leave();
  return result;
}

function withProperties(properties: JsonObject, value: JsonObject, root: JsonObject, run: Run): JsonObject {
  const changes: [string, Json][] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : defaultIn(schema);
    if (given === undefined) continue;
    const inner = filled(schema, given, root, run);
    if (!Object.hasOwn(value, name) || inner !== value[name]) changes.push([name, inner]);
  }
  return changes.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...changes]);
}

function withItems(schema: JsonObject, value: readonly Json[], root: JsonObject, run: Run): readonly Json[] {
  let copy: Json[] | undefined;
  for (const [index, item] of value.entries()) {
    const inner = filled(schema, item, root, run);
    if (inner === item) continue;
    copy ??= [...value];
    copy[index] = inner;
  }
  return copy ?? value;
}

/** A copy, since the receiver may change it. */
function defaultIn(schema: Json): Json | undefined {
  return isJsonObject(schema) && Object.hasOwn(schema, 'default')
    ? structuredClone(schema['default'])
    : undefined;
}

/** @throws Error when it leads nowhere, or elsewhere */
export function resolveReference(root: JsonObject, reference: string): Json {
  if (reference !== '#' && !reference.startsWith('#/'))
    throw new Error(
      `"$ref" is ${shown(reference)}; only places in the same schema can be referred to, such as "#/$defs/name".`,
    );
  let target: Json | undefined = root;
  for (const step of reference.split('/').slice(1)) target = stepInto(target, unescaped(step));
  if (target === undefined) throw new Error(`"$ref" is ${shown(reference)}, where nothing is.`);
  return target;
}

function stepInto(value: Json | undefined, step: string): Json | undefined {
  if (isJsonArray(value)) return value[Number(step)];
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function unescaped(step: string): string {
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

export function isSecret(schema: Json | undefined): schema is JsonObject {
  return isJsonObject(schema) && (schema['writeOnly'] === true || schema['format'] === 'password');
}
