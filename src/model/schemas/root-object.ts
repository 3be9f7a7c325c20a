// Arguments are one object: what stands at the top of a schema becomes an object without a choice, which is all that providers take there.
import { both, flat } from './merge.ts';
import type { Plain, PlainSchema } from './plain-schema.ts';
import { type Notes, type Site, Unrepairable } from './repair.ts';

/** A root whose `anyOf`, `oneOf` and `allOf` are gone. */
export type RootObject = Omit<Plain, 'anyOf' | 'oneOf' | 'allOf'>;

const NOTHING = 'its schema lets no object pass';

/** @throws Unrepairable when no object fits it */
export function rootObject(schema: PlainSchema, notes: Notes, site: Site): RootObject {
  const object = flat(both({ type: ['object'] }, flat(schema)));
  if (typeof object === 'boolean') throw new Unrepairable(NOTHING);
  const { allOf, anyOf, oneOf, ...base } = object;
  if (allOf !== undefined)
    notes.add(site, 'part of "allOf" left out', 'it cannot be said without it', 'wider');
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

/** Takes what any of them takes, and more; unless one of them names a property that another leaves open: then its word is taken. */
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
