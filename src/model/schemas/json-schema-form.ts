// For providers that take JSON Schema as it is (Anthropic, OpenAI without strict): only names and gaps are mended.
import type { Json, JsonObject } from '../../base/json.ts';
import type { Conversion, Converted } from './conversion.ts';
import { numberNames, type Plain, type PlainSchema } from './plain-schema.ts';
import { inside, type Site, Unrepairable } from './repair.ts';
import type { Branch, Restore } from './restore.ts';
import type { RootObject } from './root-object.ts';

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
  const form = new Form(rules, conversion);
  const { json, restore } = form.of(root, site);
  return {
    json: { ...json, type: 'object', ...(json['properties'] === undefined && { properties: {} }) },
    restore,
  };
}

interface Draft {
  readonly json: [string, Json][];
  readonly restores: Restore[];
}

class Form {
  readonly #rules: JsonSchemaRules;
  readonly #conversion: Conversion;

  constructor(rules: JsonSchemaRules, conversion: Conversion) {
    this.#rules = rules;
    this.#conversion = conversion;
  }

  of(schema: PlainSchema, site: Site): Converted {
    this.#conversion.spend();
    if (schema === true) return { json: {} };
    if (schema === false) return { json: { not: {} } };
    const draft: Draft = { json: [], restores: [] };
    this.#plain(draft, schema);
    this.#objects(draft, schema, site);
    this.#arrays(draft, schema, site);
    this.#applicators(draft, schema, site);
    return { json: Object.fromEntries(draft.json), restore: together(draft.restores) };
  }

  #plain(draft: Draft, schema: Plain): void {
    const { type, enum: values, isConst } = schema;
    if (type !== undefined) draft.json.push(['type', type.length === 1 ? (type[0] ?? '') : type]);
    for (const key of ['title', 'description'] as const)
      if (schema[key] !== undefined) draft.json.push([key, schema[key]]);
    if (values !== undefined) draft.json.push(isConst ? ['const', values[0] ?? null] : ['enum', values]);
    for (const key of [...numberNames, 'pattern', 'format', 'uniqueItems', 'default', 'examples'] as const) {
      const value = schema[key];
      if (value !== undefined) draft.json.push([key, value]);
    }
  }

  #objects(draft: Draft, schema: Plain, site: Site): void {
    const { properties, required, dependentRequired, additionalProperties } = schema;
    const name = (one: string) => this.#rules.propertyName(one);
    this.#renamed(draft, schema, site);
    if (properties !== undefined) {
      const all = this.#parts(properties, inside(site, 'properties'));
      draft.json.push(['properties', Object.fromEntries(all.map(([own, { json }]) => [own, json]))]);
      const restores = all.flatMap(([own, { restore }]) =>
        restore === undefined ? [] : [[own, restore] as const],
      );
      if (restores.length > 0) draft.restores.push({ properties: new Map(restores) });
    } else if (this.#rules.fillsGaps && schema.type?.includes('object')) {
      draft.json.push(['properties', {}]);
      const why = `${this.#conversion.provider} takes no object without them`;
      this.#conversion.notes.add(site, '"properties" added', why, 'none');
    }
    if (required !== undefined) draft.json.push(['required', required.map(name)]);
    if (dependentRequired !== undefined) {
      const all = [...dependentRequired].map(([one, others]) => [name(one), others.map(name)] as const);
      draft.json.push(['dependentRequired', Object.fromEntries(all)]);
    }
    if (additionalProperties !== undefined) {
      const at = inside(site, 'additionalProperties');
      const isBoolean = typeof additionalProperties === 'boolean';
      draft.json.push([
        'additionalProperties',
        isBoolean ? additionalProperties : this.#unrestored(additionalProperties, at),
      ]);
    }
    if (schema.propertyNames !== undefined)
      draft.json.push(['propertyNames', this.of(schema.propertyNames, inside(site, 'propertyNames')).json]);
    if (schema.patternProperties !== undefined) {
      const all = [...schema.patternProperties].map(
        ([pattern, part]) =>
          [pattern, this.#unrestored(part, inside(site, 'patternProperties', pattern))] as const,
      );
      draft.json.push(['patternProperties', Object.fromEntries(all)]);
    }
    if (schema.dependentSchemas !== undefined) {
      const all = this.#parts(schema.dependentSchemas, inside(site, 'dependentSchemas'));
      draft.json.push(['dependentSchemas', Object.fromEntries(all.map(([own, { json }]) => [own, json]))]);
      for (const [, { restore }] of all) if (restore !== undefined) draft.restores.push(restore);
    }
  }

  /** Each under the name it is declared as. */
  #parts(schemas: ReadonlyMap<string, PlainSchema>, site: Site): readonly (readonly [string, Converted])[] {
    return [...schemas].map(([name, part]) => [
      this.#rules.propertyName(name),
      this.of(part, inside(site, name)),
    ]);
  }

  /** Names are the same wherever they stand, so that the parts of a schema still speak of the same property. */
  #renamed(draft: Draft, schema: Plain, site: Site): void {
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
      const own = this.#rules.propertyName(name);
      if (taken.has(own)) throw new Unrepairable('two of its properties would get the same name');
      taken.add(own);
      if (own === name) continue;
      names.set(own, name);
      // The name that nobody is told may still be sent, as one that the schema does not name.
      const isApart =
        schema.additionalProperties === false &&
        schema.patternProperties === undefined &&
        schema.propertyNames === undefined &&
        properties?.has(name);
      const why = `${this.#conversion.provider} does not take the name`;
      this.#conversion.notes.add(
        inside(site, 'properties', name),
        `declared as "${own}"`,
        why,
        isApart ? 'none' : 'both',
      );
    }
    if (names.size > 0) draft.restores.push({ names });
  }

  #arrays(draft: Draft, schema: Plain, site: Site): void {
    const { items, prefixItems, contains } = schema;
    if (prefixItems !== undefined) {
      const all = prefixItems.map((part, index) => this.of(part, inside(site, 'prefixItems', index)));
      draft.json.push(['prefixItems', all.map(({ json }) => json)]);
      if (all.some(({ restore }) => restore !== undefined))
        draft.restores.push({ prefixItems: all.map(({ restore }) => restore) });
    }
    if (items !== undefined) {
      const { json, restore } = this.of(items, inside(site, 'items'));
      draft.json.push(['items', json]);
      if (restore !== undefined) draft.restores.push({ items: restore });
    } else if (this.#rules.fillsGaps && schema.type?.includes('array')) {
      draft.json.push(['items', {}]);
      this.#conversion.notes.add(
        site,
        '"items" added',
        `${this.#conversion.provider} takes no array without them`,
        'none',
      );
    }
    if (contains !== undefined)
      draft.json.push(['contains', this.of(contains, inside(site, 'contains')).json]);
  }

  #applicators(draft: Draft, schema: Plain, site: Site): void {
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
      const parts = schema[key];
      if (parts === undefined) continue;
      const all = parts.map((part, index) => this.of(part, inside(site, key, index)));
      draft.json.push([key, all.map(({ json }) => json)]);
      if (!all.some(({ restore }) => restore !== undefined)) continue;
      if (key === 'allOf') for (const { restore } of all) draft.restores.push(restore ?? {});
      else
        draft.restores.push({
          choices: [all.map(({ json, restore }): Branch => ({ declared: json, restore }))],
        });
    }
    for (const key of ['not', 'if', 'then', 'else'] as const) {
      const part = schema[key];
      if (part === undefined) continue;
      const { json, restore } = this.of(part, inside(site, key));
      draft.json.push([key, json]);
      if (restore !== undefined && key !== 'not') draft.restores.push(restore);
    }
  }

  /** Where names are not known beforehand, nothing can be put back. */
  #unrestored(schema: PlainSchema, site: Site): JsonObject {
    const { json, restore } = this.of(schema, site);
    if (restore !== undefined)
      throw new Unrepairable(`a property under ${site.path} has a name that cannot be declared`);
    return json;
  }
}

function together(restores: readonly Restore[]): Restore | undefined {
  if (restores.length < 2) return restores[0];
  // One choice with one branch that always fits is an "and also".
  return { choices: restores.map((restore) => [{ declared: {}, restore }]) };
}
