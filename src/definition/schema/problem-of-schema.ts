// Whether a value can be a JSON Schema at all. Only the types of keywords are looked at: who checks against it compiles it.
import { isJsonObject, type Json } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';

/** What a keyword has to be, and the schemas in it by their names. */
interface Rule {
  readonly expected: string;
  fits(value: Json): boolean;
  schemas?(value: Json): Iterable<readonly [name: string, schema: Json]>;
}

/** A place in a schema. Its full name is put together when it is needed: one for each would cost too much in a deep schema. */
interface Place {
  readonly value: Json;
  readonly name: string;
  readonly parent?: Place;
}

/** What is wrong with a schema, naming the place; undefined when nothing is. */
export function problemOfSchema(schema: Json, where: string): string | undefined {
  // A list and no recursion, for which a schema can be too deep.
  const left: Place[] = [{ value: schema, name: where }];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    if (typeof place.value === 'boolean') continue;
    if (!isJsonObject(place.value)) return problemAt(place, 'a JSON Schema: an object or a boolean');
    for (const [keyword, value] of Object.entries(place.value)) {
      const rule = rules.get(keyword);
      if (rule === undefined) continue;
      const inside: Place = { value, name: keyword, parent: place };
      if (!rule.fits(value)) return problemAt(inside, rule.expected);
      for (const [name, inner] of rule.schemas?.(value) ?? [])
        left.push({ value: inner, name, parent: inside });
    }
  }
  return undefined;
}

const typeNames: readonly Json[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** The keywords of draft 4 to 2020-12 that have one form; others may be anything. */
const rules: ReadonlyMap<string, Rule> = new Map([
  ...keywords('type', {
    expected: 'the name of a JSON type, or several',
    fits: (value) => (Array.isArray(value) ? value : [value]).every((name: Json) => typeNames.includes(name)),
  }),
  ...keywords('properties patternProperties $defs definitions dependentSchemas', {
    expected: 'an object of schemas',
    fits: isJsonObject,
    schemas: entriesOf,
  }),
  ...keywords('allOf anyOf oneOf prefixItems', {
    expected: 'an array of schemas',
    fits: Array.isArray,
    schemas: entriesOf,
  }),
  ...keywords('items', {
    expected: 'a schema, or an array of schemas',
    fits: (value) => typeof value === 'boolean' || (typeof value === 'object' && value !== null),
    schemas: (value) => (Array.isArray(value) ? entriesOf(value) : [['', value]]),
  }),
  ...keywords('additionalProperties additionalItems contains not if then else propertyNames', {
    expected: 'a schema',
    fits: (value) => typeof value === 'boolean' || isJsonObject(value),
    schemas: (value) => [['', value]],
  }),
  ...keywords('required', {
    expected: 'an array of strings',
    fits: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  }),
  ...keywords('enum', { expected: 'an array', fits: Array.isArray }),
  ...keywords('minimum maximum multipleOf', {
    expected: 'a number',
    fits: (value) => typeof value === 'number',
  }),
  ...keywords('minLength maxLength minItems maxItems minProperties maxProperties', {
    expected: 'a whole number, not below zero',
    fits: (value) => Number.isInteger(value) && Number(value) >= 0,
  }),
  ...keywords('$ref $id $schema title description format pattern', {
    expected: 'a string',
    fits: (value) => typeof value === 'string',
  }),
]);

function keywords(names: string, rule: Rule): [string, Rule][] {
  return names.split(' ').map((name) => [name, rule]);
}

function entriesOf(value: Json): [string, Json][] {
  return typeof value === 'object' && value !== null ? Object.entries<Json>(value) : [];
}

function problemAt(place: Place, expected: string): string {
  const names: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent)
    if (at.name !== '') names.push(at.name);
  const name = names.toReversed().join('.');
  const short = name.length > 200 ? `${name.slice(0, 100)}…${name.slice(-100)}` : name;
  return `"${short}" is ${shown(place.value)}; expected ${expected}`;
}
