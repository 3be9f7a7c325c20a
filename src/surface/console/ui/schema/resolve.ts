// A schema with its references and `allOf` resolved, up to a number of steps.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../base/json.ts';

const STEPS_MAX = 32;

/** `true` where a reference leads nowhere or in a circle. */
export function resolved(schema: Json, root: Json): Json {
  const steps = { left: STEPS_MAX };
  return follow(schema, root, steps);
}

function follow(schema: Json, root: Json, steps: { left: number }): Json {
  let current = schema;
  while (isJsonObject(current) && typeof current['$ref'] === 'string') {
    steps.left -= 1;
    if (steps.left < 0) return true;
    const target = pointed(root, current['$ref']);
    if (target === undefined) return true;
    const { $ref: _reference, ...own } = current;
    // Keywords beside a reference apply too, such as another description.
    current = Object.keys(own).length > 0 && isJsonObject(target) ? { ...target, ...own } : target;
  }
  if (!isJsonObject(current)) return current;
  const parts = current['allOf'];
  return isJsonArray(parts) ? merged(current, parts, root, steps) : nullableUnwrapped(current, root, steps);
}

/** Only inside the same document. */
function pointed(root: Json, reference: string): Json | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const part of reference.slice(2).split('/', 64)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (isJsonArray(at)) at = at[Number(name)];
    else if (isJsonObject(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function merged(schema: JsonObject, parts: readonly Json[], root: Json, steps: { left: number }): Json {
  const { allOf: _parts, ...own } = schema;
  const all: JsonObject[] = [own];
  for (const part of parts) {
    steps.left -= 1;
    if (steps.left < 0) break;
    const read = follow(part, root, steps);
    if (isJsonObject(read)) all.push(read);
  }
  const properties: Record<string, Json> = {};
  const required = new Set<Json>();
  const result: Record<string, Json> = {};
  for (const part of all.toReversed()) {
    Object.assign(result, part);
    const own = part['properties'];
    if (isJsonObject(own)) for (const [name, value] of Object.entries(own)) define(properties, name, value);
    const names = part['required'];
    if (isJsonArray(names)) for (const name of names) required.add(name);
  }
  if (Object.keys(properties).length > 0) result['properties'] = properties;
  if (required.size > 0) result['required'] = [...required];
  return result;
}

/** `anyOf: [X, null]`, as generators write it, is X that may be null. */
function nullableUnwrapped(schema: JsonObject, root: Json, steps: { left: number }): JsonObject {
  const list = schema['anyOf'] ?? schema['oneOf'];
  if (!isJsonArray(list) || list.length !== 2) return schema;
  const [one, other] = list;
  const rest = isNull(one) ? other : isNull(other) ? one : undefined;
  steps.left -= 1;
  const inner = rest === undefined || steps.left < 0 ? undefined : follow(rest, root, steps);
  if (!isJsonObject(inner)) return schema;
  const { anyOf: _any, oneOf: _one, ...own } = schema;
  return { ...inner, ...own, nullable: true };
}

function isNull(schema: Json | undefined): boolean {
  return isJsonObject(schema) && schema['type'] === 'null';
}

/** Also works for a property named `__proto__`. */
function define(object: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
