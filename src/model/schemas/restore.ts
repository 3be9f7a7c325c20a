// Restores the arguments of a model to what the tool takes: names, values and texts that were changed for the provider.
import { isJsonArray, isJsonObject, type Json, type JsonObject, textsIn } from '../../base/json.ts';

/** What to restore at one place of the arguments. */
export interface Restore {
  /** From the name that was declared to the tool's own. */
  readonly names?: ReadonlyMap<string, string>;
  readonly properties?: ReadonlyMap<string, Restore>;
  /** Declared names where `null` means an absent property. */
  readonly absent?: ReadonlySet<string>;
  readonly items?: Restore;
  readonly prefixItems?: readonly (Restore | undefined)[];
  /** From a declared string to its value. */
  readonly values?: ReadonlyMap<string, Json>;
  /** A string that holds the value as JSON. */
  readonly isJson?: boolean;
  /** Of each choice, the first that fits counts. */
  readonly choices?: readonly (readonly Branch[])[];
}

export interface Branch {
  /** What was declared for it. */
  readonly declared: JsonObject;
  readonly restore: Restore | undefined;
}

export function restored(value: Json, restore: Restore | undefined): Json {
  return restore === undefined ? value : apply(value, [restore]);
}

function apply(value: Json, given: readonly Restore[]): Json {
  const all = given.flatMap((one) => [one, ...chosen(value, one)]);
  if (all.length === 0) return value;
  if (typeof value === 'string') return fromText(value, all);
  if (isJsonArray(value))
    return value.map((item, index) => {
      const inner = all.flatMap((one) => (one.prefixItems?.[index] ?? one.items) || []);
      return inner.length === 0 ? item : apply(item, inner);
    });
  if (!isJsonObject(value)) return value;
  const entries: [string, Json][] = [];
  for (const [name, one] of Object.entries(value)) {
    if (one === null && all.some(({ absent }) => absent?.has(name))) continue;
    const own = all.find(({ names }) => names?.has(name))?.names?.get(name) ?? name;
    const inner = all.flatMap(({ properties }) => properties?.get(name) ?? []);
    entries.push([own, inner.length === 0 ? one : apply(one, inner)]);
  }
  return Object.fromEntries(entries);
}

function chosen(value: Json, { choices = [] }: Restore): Restore[] {
  return choices.flatMap((branches) => {
    const branch = branches.find(({ declared }) => fits(value, declared));
    if (branch?.restore === undefined) return [];
    return [branch.restore, ...chosen(value, branch.restore)];
  });
}

function fromText(text: string, all: readonly Restore[]): Json {
  const known = all.find(({ values }) => values?.has(text))?.values?.get(text);
  if (known !== undefined) return known;
  if (!all.some(({ isJson }) => isJson)) return text;
  try {
    // JSON.parse returns JSON.
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Compares type, allowed values, required names and, one level down, the values that distinguish choices. */
function fits(value: Json, declared: JsonObject, depth = 0): boolean {
  const { type, enum: values, required, properties, nullable } = declared;
  if (value === null && nullable === true) return true;
  const types = textsIn(isJsonArray(type) ? type : [type ?? null]).map((one) => one.toLowerCase());
  if (
    types.length > 0 &&
    !types.includes(kindOf(value)) &&
    !(types.includes('number') && kindOf(value) === 'integer')
  )
    return false;
  if (isJsonArray(values) && (typeof value !== 'object' || value === null) && !values.includes(value))
    return false;
  if (!isJsonObject(value)) return true;
  if (
    isJsonArray(required) &&
    required.some((name) => typeof name === 'string' && !Object.hasOwn(value, name))
  )
    return false;
  if (!isJsonObject(properties)) return true;
  if (
    declared['additionalProperties'] === false &&
    Object.keys(value).some((name) => !Object.hasOwn(properties, name))
  )
    return false;
  return (
    depth > 0 ||
    Object.entries(value).every(([name, inner]) => {
      const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return !isJsonObject(part) || fits(inner, part, depth + 1);
    })
  );
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (isJsonArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
