// Reads a schema of any draft: references are resolved, recursion is cut, invalid keywords are left out.
import { toError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { resolveReference } from '../../definition/schema/validator.ts';
import {
  annotations,
  boundedCopy,
  isAlone,
  isNumberFor,
  isPattern,
  type NumberKeyword,
  numberKeywords,
  type Plain,
  type PlainSchema,
  ignored,
  typesIn,
  valueText,
} from './plain-schema.ts';
import { indirect, inside, type Notes, type Site, Unrepairable } from './repair.ts';

const DEPTH_MAX = 32;
/** How often a recursive schema is expanded. */
const RECURSION_MAX = 2;
const PARTS_MAX = 10_000;
const ENUM_MAX = 1000;
const TEXT_MAX = 10_000;

export function readSchema(schema: unknown, notes: Notes, site: Site): PlainSchema {
  if (typeof schema === 'boolean') return schema;
  if (!isJsonObject(schema)) throw new Unrepairable('its schema is neither an object nor true or false');
  return new Reader(schema, notes).read(schema, site, [], 0);
}

type Draft = { -readonly [Key in keyof Plain]: Plain[Key] };

class Reader {
  readonly #root: JsonObject;
  readonly #notes: Notes;
  #parts = PARTS_MAX;

  constructor(root: JsonObject, notes: Notes) {
    this.#root = root;
    this.#notes = notes;
  }

  read(schema: Json, site: Site, references: readonly string[], depth: number): PlainSchema {
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) {
      this.#notes.add(
        site,
        'taken as a schema that takes everything',
        'it is neither an object nor true or false',
        'both',
      );
      return true;
    }
    this.#spend(1);
    if (depth >= DEPTH_MAX) {
      this.#notes.add(site, 'left open', `it is more than ${DEPTH_MAX} levels deep`, 'wider');
      return true;
    }
    const reference = schema['$ref'];
    if (typeof reference === 'string') return this.#referred(schema, reference, site, references, depth);
    const draft: Draft = {};
    for (const key of Object.keys(schema)) {
      this.#spend(1);
      const value = schema[key];
      if (value !== undefined) this.#keyword(draft, key, value, schema, inside(site, key), references, depth);
    }
    return draft;
  }

  #spend(parts: number): void {
    this.#parts -= parts;
    if (this.#parts < 0)
      throw new Unrepairable(`its schema has more than ${PARTS_MAX} parts once its references are resolved`);
  }

  #referred(
    schema: JsonObject,
    reference: string,
    site: Site,
    references: readonly string[],
    depth: number,
  ): PlainSchema {
    if (references.filter((one) => one === reference).length >= RECURSION_MAX) {
      this.#notes.add(
        site,
        'left open',
        `it refers to itself; that is followed ${RECURSION_MAX} times`,
        'wider',
      );
      return true;
    }
    const { $ref, ...beside } = schema;
    const target = this.read(this.#target($ref as string), site, [...references, reference], depth + 1);
    const own = this.read(beside, site, references, depth + 1);
    if (typeof own === 'boolean' || Object.keys(own).length === 0) return target;
    if (Object.keys(own).every((key) => annotations.has(key)) && typeof target === 'object')
      return { ...target, ...own };
    return { allOf: [target, own] };
  }

  #target(reference: string): Json {
    try {
      return resolveReference(this.#root, reference);
    } catch (thrown) {
      throw new Unrepairable(`its schema cannot be put together: ${toError(thrown).message}`);
    }
  }

  #keyword(
    draft: Draft,
    key: string,
    value: Json,
    schema: JsonObject,
    site: Site,
    references: readonly string[],
    depth: number,
  ): void {
    const inner = (part: Json, at = site) => this.read(part, at, references, depth + 1);
    const each = (parts: Readonly<Record<string, Json>>) =>
      new Map(Object.entries(parts).map(([name, part]) => [name, inner(part, inside(site, name))] as const));
    const malformed = () =>
      this.#notes.add(site, 'left out', `"${key}" is not what JSON Schema allows there`, 'both');
    const rewritten = (what: string) => this.#notes.add(site, what, 'it is of an older draft', 'none');
    switch (key) {
      case 'type': {
        const types = typesIn(value);
        // `nullable` is OpenAPI's form of the type null.
        if (types === undefined) malformed();
        else draft.type = schema['nullable'] === true && !types.includes('null') ? [...types, 'null'] : types;
        return;
      }
      case 'enum':
        if (!isJsonArray(value) || value.length === 0) return malformed();
        return this.#values(draft, value, site, false);
      case 'const':
        return this.#values(draft, [value], site, true);
      case 'properties':
      case 'patternProperties':
      case 'dependentSchemas':
        if (!isJsonObject(value)) return malformed();
        if (key === 'patternProperties' && !Object.keys(value).every(isPattern)) return malformed();
        if (key === 'dependentSchemas') draft[key] = new Map([...(draft[key] ?? []), ...each(value)]);
        else draft[key] = each(value);
        return;
      case 'dependentRequired':
        return this.#dependencies(draft, value, site, inner, malformed);
      case 'dependencies':
        rewritten('split into dependentRequired and dependentSchemas');
        return this.#dependencies(draft, value, site, inner, malformed);
      case 'required':
        // Draft 3 has a boolean there.
        if (!isJsonArray(value) || !value.every((name) => typeof name === 'string')) return malformed();
        draft.required = [...new Set(value)];
        return;
      case 'additionalProperties':
      case 'propertyNames':
        draft[key] = inner(value);
        return;
      case 'contains':
        draft.contains = this.read(
          value,
          schema['maxContains'] === undefined ? site : indirect(site),
          references,
          depth + 1,
        );
        return;
      case 'not':
      case 'if':
        draft[key] = this.read(value, indirect(site), references, depth + 1);
        return;
      case 'then':
      case 'else':
        if (schema['if'] !== undefined) draft[key] = inner(value);
        return;
      case 'items':
        if (!isJsonArray(value)) draft.items = inner(value);
        else {
          rewritten('became "prefixItems"');
          if (value.length > 0)
            draft.prefixItems = value.map((part, index) => inner(part, inside(site, index)));
          const rest = schema['additionalItems'];
          if (rest !== undefined) draft.items = inner(rest, inside(site, 'additionalItems'));
        }
        return;
      case 'prefixItems':
      case 'anyOf':
      case 'allOf':
      case 'oneOf': {
        if (!isJsonArray(value) || value.length === 0) return malformed();
        const at = key === 'oneOf' ? indirect(site) : site;
        draft[key] = value.map((part, index) => inner(part, inside(at, index)));
        return;
      }
      case 'uniqueItems':
        if (typeof value !== 'boolean') malformed();
        else if (value) draft.uniqueItems = true;
        return;
      case 'pattern':
        if (typeof value !== 'string' || !isPattern(value)) malformed();
        else draft.pattern = value;
        return;
      case 'format':
      case 'title':
      case 'description':
        if (typeof value !== 'string') this.#notes.add(site, 'left out', 'it is not a string', 'none');
        else if (value.length <= TEXT_MAX) draft[key] = value;
        else {
          this.#notes.add(site, 'cut', `it has ${value.length} characters`, 'none');
          draft[key] = `${value.slice(0, TEXT_MAX - 1)}…`;
        }
        return;
      case 'default':
      case 'examples': {
        const copy = boundedCopy(value);
        if (copy === undefined) this.#notes.add(site, 'left out', 'it is too large', 'none');
        else if (key === 'default') draft.default = copy;
        else if (isJsonArray(copy)) draft.examples = copy;
        return;
      }
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        if (typeof value !== 'boolean') return this.#number(draft, key, value, malformed);
        rewritten('became the limit itself');
        if (value) {
          const limit = key === 'exclusiveMinimum' ? 'minimum' : 'maximum';
          if (typeof schema[limit] === 'number') draft[key] = schema[limit];
        }
        return;
      case 'unevaluatedProperties':
        if (isAlone(schema) && schema['additionalProperties'] === undefined)
          draft.additionalProperties = inner(value);
        else if (value !== true)
          this.#notes.add(
            site,
            'left out',
            'it depends on what other parts of the schema have seen',
            'wider',
          );
        return;
      case 'unevaluatedItems':
      case '$dynamicRef':
      case '$recursiveRef':
        this.#notes.add(site, 'left out', 'it depends on where the schema is used', 'wider');
        return;
      default:
        if (Object.hasOwn(numberKeywords, key))
          return this.#number(draft, key as NumberKeyword, value, malformed);
        if (!ignored.has(key))
          this.#notes.add(site, 'left out', 'it is not a keyword of JSON Schema', 'none');
    }
  }

  #values(draft: Draft, values: readonly Json[], site: Site, isConst: boolean): void {
    const copies = values.length > ENUM_MAX ? undefined : values.map(boundedCopy);
    if (copies === undefined || copies.includes(undefined)) {
      this.#notes.add(site, 'left out', `it has ${values.length} values or very large ones`, 'wider');
      return;
    }
    this.#spend(copies.length);
    const known = draft.enum === undefined ? undefined : new Set(draft.enum.map(valueText));
    // None is undefined: the line above.
    const unique = new Map((copies as Json[]).map((value) => [valueText(value), value]));
    draft.enum = [...unique].filter(([text]) => known?.has(text) ?? true).map(([, value]) => value);
    if (isConst && known === undefined) draft.isConst = true;
    else delete draft.isConst;
  }

  #number(draft: Draft, key: NumberKeyword, value: Json, malformed: () => void): void {
    if (isNumberFor(key, value)) draft[key] ??= value;
    else malformed();
  }

  #dependencies(
    draft: Draft,
    value: Json,
    site: Site,
    inner: (part: Json, at: Site) => PlainSchema,
    malformed: () => void,
  ): void {
    if (!isJsonObject(value)) return malformed();
    const required = new Map(draft.dependentRequired);
    const schemas = new Map(draft.dependentSchemas);
    for (const [name, part] of Object.entries(value)) {
      if (isJsonArray(part)) required.set(name, [...new Set(part.filter((one) => typeof one === 'string'))]);
      else schemas.set(name, inner(part, inside(site, name)));
    }
    if (required.size > 0) draft.dependentRequired = required;
    if (schemas.size > 0) draft.dependentSchemas = schemas;
  }
}
