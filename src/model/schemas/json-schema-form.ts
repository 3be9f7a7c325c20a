// For providers that take JSON Schema as it is (Anthropic, OpenAI without strict): only property names and missing keywords are fixed.
import type { Json } from '../../base/json.ts';
import type { Conversion, Converted } from './conversion.ts';
import { numberNames, type Plain, type PlainSchema } from './plain-schema.ts';
import { inside, type Site, Unrepairable } from './repair.ts';
import type { Restore } from './restore.ts';
import type { RootObject } from './merge.ts';

export interface JsonSchemaRules {
  /** The name under which a property is declared. */
  propertyName(name: string): string;
  /** OpenAI refuses arrays without `items` and objects without `properties`. */
  readonly fillsGaps: boolean;
}

export function jsonSchemaForm(
  root: RootObject,
  rules: JsonSchemaRules,
  conversion: Conversion,
  site: Site,
): Converted {
  const { json, restore } = convert(root, rules, conversion, site);
  return {
    json: { ...json, type: 'object', ...(json['properties'] === undefined && { properties: {} }) },
    restore,
  };
}

/** Keywords that are copied. */
const copied = [
  'title',
  'description',
  ...numberNames,
  'pattern',
  'format',
  'uniqueItems',
  'default',
  'examples',
] as const;

type KeysWith<Value> = {
  [Key in keyof Plain]-?: Plain[Key] extends Value | undefined ? Key : never;
}[keyof Plain];

function convert(schema: PlainSchema, rules: JsonSchemaRules, conversion: Conversion, site: Site): Converted {
  conversion.spend();
  if (typeof schema === 'boolean') return { json: schema ? {} : { not: {} } };
  const json: [string, Json][] = [];
  const restores: Restore[] = [];
  const name = (one: string) => rules.propertyName(one);
  const part = (inner: PlainSchema, ...steps: (string | number)[]) =>
    convert(inner, rules, conversion, inside(site, ...steps));
  const one = (key: KeysWith<PlainSchema>): Restore | undefined => {
    const inner = schema[key];
    if (inner === undefined) return undefined;
    const converted = part(inner, key);
    // Only here is a boolean supported everywhere.
    json.push([key, key === 'additionalProperties' && typeof inner === 'boolean' ? inner : converted.json]);
    return converted.restore;
  };
  const list = (key: KeysWith<readonly PlainSchema[]>): readonly Converted[] => {
    const all = schema[key]?.map((inner, index) => part(inner, key, index)) ?? [];
    if (schema[key] !== undefined) json.push([key, all.map((converted) => converted.json)]);
    return all.some(({ restore }) => restore !== undefined) ? all : [];
  };
  const map = (key: KeysWith<ReadonlyMap<string, PlainSchema>>, nameOf = name): [string, Restore][] => {
    const all = [...(schema[key] ?? [])].map(([own, inner]) => [nameOf(own), part(inner, key, own)] as const);
    if (schema[key] !== undefined)
      json.push([key, Object.fromEntries(all.map(([own, converted]) => [own, converted.json]))]);
    return all.flatMap(([own, { restore }]) => (restore === undefined ? [] : [[own, restore]]));
  };
  const fillGap = (key: 'properties' | 'items', type: 'object' | 'array') => {
    if (!rules.fillsGaps || schema[key] !== undefined || !schema.type?.includes(type)) return;
    json.push([key, {}]);
    conversion.notes.add(
      site,
      `"${key}" added`,
      `${conversion.provider} requires it for every ${type}`,
      'none',
    );
  };
  /** Where names are not known in advance, they cannot be restored. */
  const refuseRestore = (restore: unknown, ...steps: string[]) => {
    if (restore !== undefined)
      throw new Unrepairable(
        `a property under ${inside(site, ...steps).path} has a name that cannot be declared`,
      );
  };

  const { type, enum: values, isConst, required, dependentRequired } = schema;
  if (type !== undefined) json.push(['type', type.length === 1 ? (type[0] ?? '') : type]);
  if (values !== undefined) json.push(isConst ? ['const', values[0] ?? null] : ['enum', values]);
  for (const key of copied) if (schema[key] !== undefined) json.push([key, schema[key]]);

  const names = declaredNames(schema, rules, conversion, site);
  if (names.size > 0) restores.push({ names });
  const properties = map('properties');
  if (properties.length > 0) restores.push({ properties: new Map(properties) });
  fillGap('properties', 'object');
  if (required !== undefined) json.push(['required', required.map(name)]);
  if (dependentRequired !== undefined) {
    const all = [...dependentRequired].map(([own, others]) => [name(own), others.map(name)] as const);
    json.push(['dependentRequired', Object.fromEntries(all)]);
  }
  refuseRestore(one('additionalProperties'), 'additionalProperties');
  one('propertyNames');
  for (const [pattern, restore] of map('patternProperties', (own) => own))
    refuseRestore(restore, 'patternProperties', pattern);
  for (const [, restore] of map('dependentSchemas')) restores.push(restore);

  const prefixItems = list('prefixItems');
  if (prefixItems.length > 0) restores.push({ prefixItems: prefixItems.map(({ restore }) => restore) });
  const items = one('items');
  if (items !== undefined) restores.push({ items });
  fillGap('items', 'array');
  one('contains');

  for (const key of ['anyOf', 'oneOf'] as const) {
    const branches = list(key).map(({ json: declared, restore }) => ({ declared, restore }));
    if (branches.length > 0) restores.push({ choices: [branches] });
  }
  for (const { restore } of list('allOf')) restores.push(restore ?? {});
  one('not');
  for (const key of ['if', 'then', 'else'] as const) restores.push(...[one(key) ?? []].flat());
  return { json: Object.fromEntries(json), restore: together(restores) };
}

/** From declared names to those of the tool. A name is declared the same in every part of the schema. */
function declaredNames(
  schema: Plain,
  rules: JsonSchemaRules,
  conversion: Conversion,
  site: Site,
): ReadonlyMap<string, string> {
  const { properties, required = [], dependentRequired, dependentSchemas } = schema;
  const mentioned = new Set([
    ...(properties?.keys() ?? []),
    ...required,
    ...[...(dependentRequired ?? [])].flat(2),
    ...(dependentSchemas?.keys() ?? []),
  ]);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of mentioned) {
    const declared = rules.propertyName(name);
    if (taken.has(declared)) throw new Unrepairable('two of its properties would get the same name');
    taken.add(declared);
    if (declared === name) continue;
    names.set(declared, name);
    // In an open object, the tool's own name may still be sent as an additional property.
    const isClosed =
      schema.additionalProperties === false &&
      schema.patternProperties === undefined &&
      schema.propertyNames === undefined &&
      properties?.has(name);
    const why = `${conversion.provider} does not take the name`;
    const at = inside(site, 'properties', name);
    conversion.notes.add(at, `declared as "${declared}"`, why, isClosed ? 'none' : 'both');
  }
  return names;
}

function together(restores: readonly Restore[]): Restore | undefined {
  if (restores.length < 2) return restores[0];
  // A choice with one branch that always fits applies in addition.
  return { choices: restores.map((restore) => [{ declared: {}, restore }]) };
}
