// `allOf` for providers without it: several schemas as one. What one schema cannot express stays in `allOf`.
import type { Json } from '../../base/json.ts';
import {
  type NumberKeyword,
  numberNames,
  type Plain,
  type PlainSchema,
  type TypeName,
  valueText,
} from './plain-schema.ts';
import { type Notes, type Site, Unrepairable } from './repair.ts';

type Draft = { -readonly [Key in keyof Plain]: Plain[Key] };

/** The schema with its `allOf` merged into it. */
export function flat(schema: PlainSchema): PlainSchema {
  if (typeof schema === 'boolean' || schema.allOf === undefined) return schema;
  const { allOf, ...rest } = schema;
  return allOf.reduce<PlainSchema>((merged, one) => both(merged, flat(one)), rest);
}

/** Takes what both take. */
export function both(one: PlainSchema, other: PlainSchema): PlainSchema {
  if (one === false || other === false) return false;
  if (one === true) return other;
  if (other === true) return one;
  const behind: Plain[] = [...parts(one.allOf), ...parts(other.allOf)];
  if (!canJoinObjects(one, other)) return { ...one, allOf: [...behind, withoutAllOf(other)] };
  const draft: Draft = { ...withoutAllOf(one) };
  const type = commonTypes(one.type, other.type);
  if (type?.length === 0) return false;
  if (type !== undefined) draft.type = type;
  const values = commonValues(one.enum, other.enum);
  if (values?.length === 0) return false;
  if (values !== undefined) draft.enum = values;
  if (one.enum === undefined && other.isConst) draft.isConst = true;
  joinObjects(draft, one, other);
  joinArrays(draft, one, other, behind);
  for (const key of numberNames) joinNumber(draft, key, other[key], behind);
  for (const key of ['pattern', 'format'] as const) {
    const value = other[key];
    if (value === undefined || value === draft[key]) continue;
    if (draft[key] === undefined) draft[key] = value;
    else behind.push({ [key]: value });
  }
  for (const key of ['title', 'description'] as const)
    if (other[key] !== undefined) draft[key] ??= other[key];
  if (draft.default === undefined && other.default !== undefined) draft.default = other.default;
  joinChoices(draft, one, other, behind);
  if (behind.length > 0) draft.allOf = behind;
  return draft;
}

function withoutAllOf(schema: Plain): Plain {
  const { allOf: _, ...rest } = schema;
  return rest;
}

function parts(allOf: readonly PlainSchema[] = []): Plain[] {
  return allOf.filter((one) => typeof one === 'object');
}

/** What counts as additional depends on the properties beside it: with patterns, that depends on the names. */
function canJoinObjects(one: Plain, other: Plain): boolean {
  const isClosed = isRestricting(one.additionalProperties) || isRestricting(other.additionalProperties);
  return !isClosed || (one.patternProperties === undefined && other.patternProperties === undefined);
}

function isRestricting(schema: PlainSchema | undefined): boolean {
  return schema !== undefined && schema !== true;
}

function commonTypes(one: readonly TypeName[] | undefined, other: readonly TypeName[] | undefined) {
  if (one === undefined || other === undefined) return one ?? other;
  const has = (types: readonly TypeName[], type: TypeName) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [...new Set([...one, ...other])].filter((type) => has(one, type) && has(other, type));
}

function commonValues(one: readonly Json[] | undefined, other: readonly Json[] | undefined) {
  if (one === undefined || other === undefined) return one ?? other;
  const known = new Set(other.map(valueText));
  return one.filter((value) => known.has(valueText(value)));
}

function joinObjects(draft: Draft, one: Plain, other: Plain): void {
  const properties = new Map<string, PlainSchema>();
  const of = (schema: Plain, name: string) =>
    schema.properties?.get(name) ?? schema.additionalProperties ?? true;
  for (const name of [...(one.properties?.keys() ?? []), ...(other.properties?.keys() ?? [])])
    if (!properties.has(name)) properties.set(name, both(of(one, name), of(other, name)));
  if (properties.size > 0) draft.properties = properties;
  if (other.required !== undefined)
    draft.required = [...new Set([...(one.required ?? []), ...other.required])];
  for (const key of ['additionalProperties', 'propertyNames'] as const) {
    const joined = joinedSchemas(one[key], other[key]);
    if (joined !== undefined) draft[key] = joined;
  }
  for (const key of ['patternProperties', 'dependentSchemas'] as const) {
    const map = joinedMaps(one[key], other[key], both);
    if (map !== undefined) draft[key] = map;
  }
  const names = joinedMaps(one.dependentRequired, other.dependentRequired, (a, b) => [
    ...new Set([...a, ...b]),
  ]);
  if (names !== undefined) draft.dependentRequired = names;
}

function joinedSchemas(
  one: PlainSchema | undefined,
  other: PlainSchema | undefined,
): PlainSchema | undefined {
  return one === undefined || other === undefined ? (one ?? other) : both(one, other);
}

function joinedMaps<Value>(
  one: ReadonlyMap<string, Value> | undefined,
  other: ReadonlyMap<string, Value> | undefined,
  join: (one: Value, other: Value) => Value,
): ReadonlyMap<string, Value> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const joined = new Map(one);
  for (const [name, value] of other) {
    const known = one.get(name);
    joined.set(name, known === undefined ? value : join(known, value));
  }
  return joined;
}

function joinArrays(draft: Draft, one: Plain, other: Plain, behind: Plain[]): void {
  const length = Math.max(one.prefixItems?.length ?? 0, other.prefixItems?.length ?? 0);
  const at = (schema: Plain, index: number) => schema.prefixItems?.[index] ?? schema.items ?? true;
  if (length > 0)
    draft.prefixItems = Array.from({ length }, (_, index) => both(at(one, index), at(other, index)));
  const items = joinedSchemas(one.items, other.items);
  if (items !== undefined) draft.items = items;
  if (other.uniqueItems) draft.uniqueItems = true;
  if (other.contains === undefined) return;
  if (one.contains === undefined) draft.contains = other.contains;
  else behind.push({ contains: other.contains });
}

function joinNumber(draft: Draft, key: NumberKeyword, value: number | undefined, behind: Plain[]): void {
  const known = draft[key];
  if (value === undefined || value === known) return;
  if (known === undefined) draft[key] = value;
  else if (key === 'multipleOf') {
    if (value % known === 0) draft[key] = value;
    else if (known % value !== 0) behind.push({ multipleOf: value });
  } else draft[key] = /^(min|exclusiveMin)/.test(key) ? Math.max(known, value) : Math.min(known, value);
}

/** Two choices are one choice among all pairs, as long as these are few. */
const PAIRS_MAX = 16;

function joinChoices(draft: Draft, one: Plain, other: Plain, behind: Plain[]): void {
  if (other.anyOf !== undefined) {
    const { anyOf } = one;
    if (anyOf === undefined) draft.anyOf = other.anyOf;
    else if (anyOf.length * other.anyOf.length <= PAIRS_MAX)
      draft.anyOf = anyOf.flatMap((a) => (other.anyOf ?? []).map((b) => both(flat(a), flat(b))));
    else behind.push({ anyOf: other.anyOf });
  }
  if (other.oneOf !== undefined) {
    if (one.oneOf === undefined) draft.oneOf = other.oneOf;
    else behind.push({ oneOf: other.oneOf });
  }
  if (other.not !== undefined) {
    if (one.not === undefined) draft.not = other.not;
    else behind.push({ not: other.not });
  }
  if (other.if === undefined) return;
  const condition = Object.fromEntries(
    Object.entries(other).filter(([key]) => ['if', 'then', 'else'].includes(key)),
  ) as Pick<Plain, 'if' | 'then' | 'else'>;
  if (one.if === undefined) Object.assign(draft, condition);
  else behind.push(condition);
}

/** A root whose `anyOf`, `oneOf` and `allOf` are gone. */
export type RootObject = Omit<Plain, 'anyOf' | 'oneOf' | 'allOf'>;

const NOTHING = 'no object fits its schema';

/** @throws Unrepairable when no object fits it */
export function rootObject(schema: PlainSchema, notes: Notes, site: Site): RootObject {
  const object = flat(both({ type: ['object'] }, flat(schema)));
  if (typeof object === 'boolean') throw new Unrepairable(NOTHING);
  const { allOf, anyOf, oneOf, ...base } = object;
  if (allOf !== undefined)
    notes.add(site, 'part of "allOf" left out', 'it cannot be expressed without it', 'wider');
  const choices = [anyOf, oneOf].filter((one) => one !== undefined);
  if (choices.length === 0) return base;
  let result: RootObject = base;
  for (const choice of choices)
    result = chosen(result, choice, choice === oneOf ? 'oneOf' : 'anyOf', notes, site);
  return result;
}

function chosen(
  base: RootObject,
  choice: readonly PlainSchema[],
  key: 'anyOf' | 'oneOf',
  notes: Notes,
  site: Site,
): RootObject {
  const branches: RootObject[] = [];
  for (const one of choice) {
    const branch = both(base, flat(one));
    if (branch === false) continue;
    try {
      branches.push(rootObject(branch, notes, site));
    } catch (thrown) {
      if (!(thrown instanceof Unrepairable)) throw thrown;
    }
  }
  const [first, ...others] = branches;
  if (first === undefined) throw new Unrepairable(NOTHING);
  if (others.length === 0) return first;
  const { union, isGuess } = unionOf(branches);
  notes.add(
    site,
    `"${key}" became one object with the properties of all ${branches.length}`,
    'no choice is allowed at the top',
    isGuess ? 'both' : 'wider',
  );
  return { ...union, ...(base.description !== undefined && { description: base.description }) };
}

/** Takes what any of them takes, and more; except where one of them names a property that another leaves open: then its schema is used. */
function unionOf(branches: readonly RootObject[]): { readonly union: RootObject; readonly isGuess: boolean } {
  const properties = new Map<string, PlainSchema>();
  let isGuess = false;
  for (const name of new Set(branches.flatMap((one) => [...(one.properties?.keys() ?? [])]))) {
    const schemas = new Map<string, PlainSchema>();
    for (const { properties: own, additionalProperties, patternProperties } of branches) {
      const schema = own?.get(name);
      if (schema !== undefined) schemas.set(schemaText(schema), schema);
      else if (patternProperties !== undefined || additionalProperties !== false) isGuess = true;
    }
    const all = [...schemas.values()].filter((one) => one !== false);
    const [only = false] = all;
    properties.set(name, all.length < 2 ? only : all.includes(true) ? true : { anyOf: all });
  }
  const [first] = branches;
  const required = (first?.required ?? []).filter((name) =>
    branches.every((one) => one.required?.includes(name)),
  );
  const isClosed = branches.every(
    (one) => one.additionalProperties === false && one.patternProperties === undefined,
  );
  const union: RootObject = {
    type: ['object'],
    properties,
    ...(required.length > 0 && { required }),
    ...(isClosed && { additionalProperties: false }),
  };
  return { union, isGuess };
}

/** For telling whether two are the same. */
function schemaText(schema: PlainSchema): string {
  return JSON.stringify(schema, (_, value: unknown) =>
    value instanceof Map ? [...(value as ReadonlyMap<string, PlainSchema>)] : value,
  );
}
