// Values from author code, as JSON: a copy that nobody changes later, or a word about what has no JSON form and where it stands.
import { types } from 'node:util';
import type { Json } from '../../base/json.ts';

export type PlainJson = { readonly json: Json } | { readonly problem: string };

/** JSON.stringify gives up at a depth like this, at the latest. */
const DEPTH_MAX = 1000;

/** As JSON.stringify would write it, except that it loses nothing silently but properties that are undefined. Never throws. */
export function plainJson(value: unknown, where: string): PlainJson {
  try {
    return { json: copied(value, where, [], '') };
  } catch (thrown) {
    if (thrown instanceof NoJson) return { problem: thrown.message };
    return { problem: `${where} cannot be read` };
  }
}

class NoJson extends Error {}

function copied(given: unknown, where: string, parents: object[], key: string): Json {
  const value = hasOwnForm(given) ? given.toJSON(key) : given;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new NoJson(`${where} is ${value}, which JSON has no form for`);
  }
  if (typeof value !== 'object') throw new NoJson(`${where} is ${named(value)}, which JSON has no form for`);
  if (parents.includes(value)) throw new NoJson(`${where} contains itself`);
  if (parents.length >= DEPTH_MAX) throw new NoJson(`${where.slice(0, 100)}… is nested too deeply`);
  if (isCollection(value))
    throw new NoJson(
      `${where} is ${named(value)}, which JSON has no form for; give an object, an array or a text`,
    );
  parents.push(value);
  const copy = Array.isArray(value)
    ? copiedArray(value, where, parents)
    : copiedObject(value, where, parents);
  parents.pop();
  return copy;
}

function copiedArray(value: readonly unknown[], where: string, parents: object[]): Json {
  const copy: Json[] = [];
  for (let index = 0; index < value.length; index++)
    copy.push(copied(value[index], `${where}[${index}]`, parents, String(index)));
  return copy;
}

function copiedObject(value: object, where: string, parents: object[]): Json {
  const entries: [string, Json][] = [];
  for (const [name, inner] of Object.entries<unknown>({ ...value }))
    if (inner !== undefined) entries.push([name, copied(inner, `${where}.${name}`, parents, name)]);
  return Object.fromEntries(entries);
}

function hasOwnForm(value: unknown): value is { toJSON(key: string): unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'toJSON' in value &&
    typeof value.toJSON === 'function' &&
    // The list of numbers that a Buffer turns into is never what was meant.
    !ArrayBuffer.isView(value)
  );
}

/** What JSON.stringify would silently write as `{}`, or as an object of numbers. */
function isCollection(value: object): boolean {
  return (
    value instanceof Map ||
    value instanceof Set ||
    ArrayBuffer.isView(value) ||
    types.isAnyArrayBuffer(value) ||
    types.isPromise(value)
  );
}

function named(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'object' && value !== null) return `a ${value.constructor.name}`;
  return typeof value === 'bigint' ? 'a BigInt' : `a ${typeof value}`;
}
