// Fills in what is missing, where the schema has a default: in properties and items, through `allOf` and references.
// Alternatives have no say, since which of them holds is not known before the check.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { resolveReference } from './resolve-reference.ts';
import type { Run } from './run.ts';

/** Gives the value itself when nothing is missing, else a copy. */
export type Fill = (value: Json, run: Run) => Json;

/** Undefined when the schema has no defaults. */
export function defaultsOf(root: JsonObject): Fill | undefined {
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

/** A copy, since whoever gets it may change it. */
function defaultIn(schema: Json): Json | undefined {
  return isJsonObject(schema) && Object.hasOwn(schema, 'default')
    ? structuredClone(schema['default'])
    : undefined;
}
