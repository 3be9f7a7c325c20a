// One table for each object on the wire: the name of a field in our types and on the wire, and its type.
// Reader, writer and JSON Schema all derive from that table.
import { defined, isJsonArray, isJsonObject, type Json, type JsonObject, textsIn } from '../base/json.ts';
import { shown, textOf } from '../base/text.ts';

export interface Shape<Value> {
  readonly fields: { readonly [Key in keyof Value]-?: ShapeField };
  /** The field that a bare text stands for: `"read"` is `{ "name": "read" }`. */
  readonly bareText?: keyof Value & string;
}

/** A shape of any type, as nested shapes are. */
export interface AnyShape {
  readonly fields: Readonly<Record<string, ShapeField>>;
  readonly bareText?: string;
}

/** A table names every field of the type. A field without its own wire name has the same name there. */
type Table<Value> = { readonly [Key in keyof Value]-?: FieldType | FieldOptions };

interface FieldOptions {
  /** @default the name of the field */
  readonly wire?: string;
  readonly type: FieldType;
  readonly required?: boolean;
  /** Read where the field is absent, or was dropped because it does not fit. */
  readonly default?: Json;
  readonly description?: string;
}

interface ShapeField extends FieldOptions {
  /** In our type. */
  readonly key: string;
  readonly wire: string;
}

export type FieldType = ScalarType | CompositeType;

/**
 * `name` is a text that is not empty; an empty one counts as absent. `words` takes every value as text, what is not a string as its JSON;
 * `wordMap` is an object of such texts. `schema` is an object or a boolean. `rest` collects the fields that the table does not name;
 * `whole` is the object as it came.
 */
type ScalarType = keyof typeof scalars | 'rest' | 'whole';

type CompositeType =
  | { readonly oneOf: readonly string[] }
  | { readonly shape: AnyShape }
  /** With `dropInvalid`, items that do not fit are left out; otherwise they make the whole list a problem. */
  | { readonly listOf: AnyShape; readonly dropInvalid?: boolean }
  | CustomType;

/** `read` gives undefined for what does not fit. */
interface CustomType {
  readonly read: (value: Json) => Json | undefined;
  /** Ends the sentence "… is 7; expected ". */
  readonly expected: string;
  /** @default any value */
  readonly schema?: JsonObject;
}

/** The texts of an array; other items are left out. */
export const listedTexts: CustomType = {
  read: (value) => (isJsonArray(value) ? textsIn(value) : undefined),
  expected: 'an array of strings',
  schema: { type: 'array', items: { type: 'string' } },
};

export type Read<Value> = { readonly value: Value } | { readonly problem: string };

/**
 * `strict`: what does not fit is a problem. `lenient`: an optional field that does not fit goes to `rest`, or is dropped. A function is
 * lenient, and is called for each such field.
 */
export type Manner = 'strict' | 'lenient' | ReportMisfit;

type ReportMisfit = (problem: string, got: Json) => void;

export function shape<Value>(table: Table<Value>, bareText?: keyof Value & string): Shape<Value> {
  const fields = Object.entries<FieldType | FieldOptions>(table).map(([key, entry]): [string, ShapeField] => {
    const options = typeof entry === 'object' && 'type' in entry ? entry : { type: entry };
    return [key, { key, wire: key, ...options }];
  });
  // The same keys as the table, which has those of the type.
  const named = Object.fromEntries(fields) as Shape<Value>['fields'];
  return bareText === undefined ? { fields: named } : { fields: named, bareText };
}

/** The same shape with our own field names on the wire. */
export function withOwnNames<Value>(given: Shape<Value>): Shape<Value> {
  return renamed(given) as Shape<Value>; // renaming keeps the keys
}

function renamed({ fields, bareText }: AnyShape): AnyShape {
  const own = Object.entries(fields).map(([key, field]): [string, ShapeField] => [
    key,
    { ...field, wire: key, type: renamedType(field.type) },
  ]);
  return defined({ fields: Object.fromEntries(own), bareText });
}

function renamedType(type: FieldType): FieldType {
  if (typeof type === 'string') return type;
  if ('shape' in type) return { shape: renamed(type.shape) };
  return 'listOf' in type ? { ...type, listOf: renamed(type.listOf) } : type;
}

/** Null counts as absent, since that is what many languages write. */
export function fromWire<Value>(
  given: Shape<Value>,
  wire: unknown,
  where: string,
  manner: Manner,
): Read<Value> {
  const read = readObject(given, wire, where, manner);
  // The table names every field of the type, and what was read holds what the table says.
  return 'problem' in read ? read : { value: read.value as Value };
}

/** Checks nothing: the value has the type of the table, and the other end checks what it reads. */
export function toWire({ fields }: AnyShape, value: object): JsonObject {
  const written: [string, Json][] = [];
  // Every type with a table has a JSON form, but for fields that are undefined.
  for (const [key, inner] of Object.entries(value as Readonly<Record<string, Json | undefined>>)) {
    if (inner === undefined) continue;
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) written.push([key, inner]);
    else if (field.type === 'rest') written.unshift(...(isJsonObject(inner) ? Object.entries(inner) : []));
    else if (field.type !== 'whole') written.push([field.wire, writeField(field.type, inner)]);
  }
  // fromEntries defines what it is given, also under names such as __proto__.
  return Object.fromEntries(written);
}

export function schemaOf({ fields }: AnyShape): JsonObject {
  const named = Object.values(fields).filter(({ type }) => type !== 'rest' && type !== 'whole');
  const required = named.filter(({ required: isRequired }) => isRequired === true).map(({ wire }) => wire);
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map(({ wire, type, description, default: value }) => [
        wire,
        { ...schemaOfType(type), ...defined({ description, default: value }) },
      ]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function readObject(given: AnyShape, wire: unknown, where: string, manner: Manner): Read<JsonObject> {
  const { fields, bareText } = given;
  if (bareText !== undefined && typeof wire === 'string')
    return readObject({ fields }, { [fields[bareText]?.wire ?? bareText]: wire }, where, manner);
  if (!isJsonObject(wire)) return misfit(where, wire, 'an object');
  const known: Record<string, Json> = {};
  let misfits: string[] | undefined;
  let restKey: string | undefined;
  for (const field of Object.values(fields)) {
    const { key, type } = field;
    if (type === 'rest') {
      restKey = key;
      continue;
    }
    const read = readMember(field, wire, where, manner);
    if (read === undefined) continue;
    if (read === 'misfit') {
      (misfits ??= []).push(field.wire);
      if (field.default !== undefined) known[key] = field.default;
    } else if ('problem' in read) return read;
    else known[key] = read.value;
  }
  if (restKey === undefined) return { value: known };
  const rest = Object.entries(wire).filter(
    ([name]) => misfits?.includes(name) === true || !isNamed(given, name),
  );
  // fromEntries defines what it is given, also under names such as __proto__.
  return { value: rest.length === 0 ? known : { ...known, [restKey]: Object.fromEntries(rest) } };
}

/** `rest` and `whole` have no member of their own: one of the same name is like any other that the table does not name. */
function isNamed({ fields }: AnyShape, name: string): boolean {
  return Object.values(fields).some(({ wire, type }) => wire === name && type !== 'rest' && type !== 'whole');
}

/** Undefined: the field is absent, and has no default. */
function readMember(
  { wire: name, type, required = false, default: absent }: ShapeField,
  wire: JsonObject,
  where: string,
  manner: Manner,
): Read<Json> | 'misfit' | undefined {
  if (type === 'whole') return { value: wire };
  const got = Object.hasOwn(wire, name) ? wire[name] : undefined;
  if (got === undefined || got === null || (got === '' && type === 'name')) {
    if (required) return misfit(`${where}.${name}`, got === '' ? got : undefined, formOf(type));
    return absent === undefined ? undefined : { value: absent };
  }
  const read = readField(type, got, `${where}.${name}`, manner);
  if ('value' in read || manner === 'strict' || required) return read;
  if (manner !== 'lenient') manner(read.problem, got);
  return 'misfit';
}

function readField(type: FieldType, got: Json, where: string, manner: Manner): Read<Json> {
  if (typeof type === 'object') {
    if ('shape' in type) return readObject(type.shape, got, where, manner);
    if ('listOf' in type) return readList(type, got, where, manner);
    if ('oneOf' in type)
      return typeof got === 'string' && type.oneOf.includes(got)
        ? { value: got }
        : misfit(where, got, formOf(type));
    const value = type.read(got);
    return value === undefined ? misfit(where, got, type.expected) : { value };
  }
  if (type === 'words') return { value: readWords(got, where, manner) };
  if (type === 'wordMap' && isJsonObject(got)) {
    const texts = Object.entries(got).map(([name, value]) => [
      name,
      readWords(value, `${where}.${name}`, manner),
    ]);
    return { value: Object.fromEntries(texts) as JsonObject }; // fromEntries loses the type
  }
  // Programs write ids as numbers where a text is meant.
  if (type === 'text' && typeof got === 'number' && manner !== 'strict') return { value: String(got) };
  return type === 'rest' || type === 'whole' || scalars[type].fits(got)
    ? { value: got }
    : misfit(where, got, formOf(type));
}

function readWords(got: Json, where: string, manner: Manner): string {
  if (typeof got === 'string') return got;
  if (typeof manner === 'function') manner(misfit(where, got, 'a string').problem, got);
  return textOf(got);
}

function readList(
  { listOf, dropInvalid = false }: { readonly listOf: AnyShape; readonly dropInvalid?: boolean },
  got: Json,
  where: string,
  manner: Manner,
): Read<Json> {
  if (!isJsonArray(got)) return misfit(where, got, 'an array');
  const items: Json[] = [];
  for (const [index, item] of got.entries()) {
    const read = readObject(listOf, item, `${where}[${index}]`, manner);
    if ('value' in read) items.push(read.value);
    else if (!dropInvalid) return read;
    else if (typeof manner === 'function') manner(read.problem, item);
  }
  return { value: items };
}

function writeField(type: FieldType, value: Json): Json {
  if (typeof type === 'object') {
    if ('shape' in type && isJsonObject(value)) return toWire(type.shape, value);
    if ('listOf' in type && isJsonArray(value))
      return value.map((item) => (isJsonObject(item) ? toWire(type.listOf, item) : item));
  }
  return value;
}

function schemaOfType(type: FieldType): JsonObject {
  if (typeof type === 'string') return type === 'rest' || type === 'whole' ? {} : scalars[type].schema;
  if ('shape' in type) return schemaOf(type.shape);
  if ('listOf' in type) return { type: 'array', items: schemaOf(type.listOf) };
  return 'oneOf' in type ? { type: 'string', enum: type.oneOf } : (type.schema ?? {});
}

function formOf(type: FieldType): string {
  if (typeof type === 'string')
    return type === 'rest' || type === 'whole' ? 'an object' : scalars[type].expected;
  if ('shape' in type) return 'an object';
  if ('listOf' in type) return 'an array';
  return 'oneOf' in type ? `one of ${type.oneOf.join(', ')}` : type.expected;
}

function misfit(where: string, got: unknown, form: string): { readonly problem: string } {
  return { problem: `${where} is ${got === undefined ? 'missing' : shown(got)}; expected ${form}` };
}

interface Scalar {
  readonly expected: string;
  readonly schema: JsonObject;
  readonly fits: (value: Json) => boolean;
}

const isText = (value: Json): boolean => typeof value === 'string';

const scalars = {
  text: { expected: 'a string', schema: { type: 'string' }, fits: isText },
  name: { expected: 'a string that is not empty', schema: { type: 'string', minLength: 1 }, fits: isText },
  words: { expected: 'a string', schema: { type: 'string' }, fits: () => true },
  number: { expected: 'a number', schema: { type: 'number' }, fits: (value) => typeof value === 'number' },
  flag: { expected: 'a boolean', schema: { type: 'boolean' }, fits: (value) => typeof value === 'boolean' },
  texts: {
    expected: 'an array of strings',
    schema: { type: 'array', items: { type: 'string' } },
    fits: (value) => isJsonArray(value) && value.every(isText),
  },
  textMap: {
    expected: 'an object of strings',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    fits: (value) => isJsonObject(value) && Object.values(value).every(isText),
  },
  wordMap: {
    expected: 'an object of strings',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    fits: isJsonObject,
  },
  list: { expected: 'an array', schema: { type: 'array' }, fits: isJsonArray },
  object: { expected: 'an object', schema: { type: 'object' }, fits: isJsonObject },
  schema: {
    expected: 'a JSON Schema: an object or a boolean',
    schema: { type: ['object', 'boolean'] },
    fits: (value) => typeof value === 'boolean' || isJsonObject(value),
  },
  any: { expected: 'a value', schema: {}, fits: () => true },
} satisfies Readonly<Record<string, Scalar>>;
