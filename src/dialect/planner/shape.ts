// One table for each object of the protocol: how its fields are called inside and on the wire, and what stands in them.
// Reading, writing and the JSON Schema come from that table, so that they cannot disagree.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';

/** Names every field of the neutral type but `more`, which takes what the table does not know. */
export interface Shape<Value> {
  readonly fields: { readonly [Key in Exclude<keyof Value, 'more'>]-?: Field };
}

interface Field {
  readonly wire: string;
  readonly type: FieldType;
  readonly required?: true;
  readonly description?: string;
}

type FieldType =
  | 'text'
  | 'number'
  | 'flag'
  | 'texts'
  | 'list'
  | 'object'
  | { readonly oneOf: readonly string[] }
  | { readonly shape: AnyShape }
  | { readonly listOf: AnyShape };

export interface AnyShape {
  readonly fields: Readonly<Record<string, Field>>;
}

export type Read<Value> = { readonly value: Value } | { readonly problem: string };

/** `strict`: what does not fit is a problem. `lenient`: it is kept in `more`, unless it is required. */
export type Manner = 'strict' | 'lenient';

/** Null counts as not there, since that is what many languages write. */
export function fromWire<Value>(
  shape: Shape<Value>,
  wire: unknown,
  where: string,
  manner: Manner,
): Read<Value> {
  const read = readObject(shape, wire, where, manner);
  // The table names every field of the type, and what was read holds what the table says.
  return 'problem' in read ? read : { value: read.value as Value };
}

/** Of a neutral value. Nothing is checked here: who made it had the type, and who reads it checks again. */
export function toWire({ fields }: AnyShape, value: object): JsonObject {
  const { more, ...known } = value as { readonly more?: Json } & JsonObject; // every neutral type has a JSON form
  const written = Object.entries(known).flatMap(([key, inner]): [string, Json][] => {
    if (inner === undefined) return [];
    const field = fields[key];
    return field === undefined ? [[key, inner]] : [[field.wire, writeField(field.type, inner)]];
  });
  return Object.fromEntries([...(isJsonObject(more) ? Object.entries(more) : []), ...written]);
}

/** What tools of this shape take, for whoever checks arguments by a schema. */
export function schemaOf({ fields }: AnyShape): JsonObject {
  const all = Object.values(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(
      all.map(({ wire, type, description }) => [
        wire,
        { ...schemaOfType(type), ...(description === undefined ? {} : { description }) },
      ]),
    ),
    required: all.filter(({ required }) => required === true).map(({ wire }) => wire),
  };
}

function readObject({ fields }: AnyShape, wire: unknown, where: string, manner: Manner): Read<JsonObject> {
  if (!isJsonObject(wire)) return problem(where, wire, 'an object');
  const rest = new Map(Object.entries(wire));
  const known: [string, Json][] = [];
  for (const [key, field] of Object.entries(fields)) {
    const got = rest.get(field.wire) ?? undefined;
    const place = `${where}.${field.wire}`;
    if (got === undefined) {
      if (field.required === true) return problem(place, undefined, formOf(field.type));
      rest.delete(field.wire);
      continue;
    }
    const read = readField(field.type, got, place, manner);
    if ('value' in read) {
      known.push([key, read.value]);
      rest.delete(field.wire);
    } else if (manner === 'strict' || field.required === true) return read;
  }
  return {
    // fromEntries defines what it is given, also under names such as __proto__.
    value: Object.fromEntries(rest.size === 0 ? known : [...known, ['more', Object.fromEntries(rest)]]),
  };
}

function readField(type: FieldType, got: Json, where: string, manner: Manner): Read<Json> {
  if (typeof type === 'object') {
    if ('shape' in type) return readObject(type.shape, got, where, manner);
    if ('listOf' in type) return readList(type.listOf, got, where, manner);
  }
  // Programs write ids as numbers where a text is meant.
  if (type === 'text' && typeof got === 'number' && manner === 'lenient') return { value: String(got) };
  return fits(type, got) ? { value: got } : problem(where, got, formOf(type));
}

function readList(shape: AnyShape, got: Json, where: string, manner: Manner): Read<Json> {
  if (!isJsonArray(got)) return problem(where, got, 'an array');
  const items: Json[] = [];
  for (const [index, item] of got.entries()) {
    const read = readObject(shape, item, `${where}[${index}]`, manner);
    if ('problem' in read) return read;
    items.push(read.value);
  }
  return { value: items };
}

function fits(type: Exclude<FieldType, { shape: AnyShape } | { listOf: AnyShape }>, got: Json): boolean {
  switch (type) {
    case 'text':
      return typeof got === 'string';
    case 'number':
      return typeof got === 'number';
    case 'flag':
      return typeof got === 'boolean';
    case 'texts':
      return isJsonArray(got) && got.every((item) => typeof item === 'string');
    case 'list':
      return isJsonArray(got);
    case 'object':
      return isJsonObject(got);
    default:
      return typeof got === 'string' && type.oneOf.includes(got);
  }
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
  if (typeof type === 'object') {
    if ('shape' in type) return schemaOf(type.shape);
    if ('listOf' in type) return { type: 'array', items: schemaOf(type.listOf) };
    return { type: 'string', enum: type.oneOf };
  }
  switch (type) {
    case 'text':
      return { type: 'string' };
    case 'number':
      return { type: 'number' };
    case 'flag':
      return { type: 'boolean' };
    case 'texts':
      return { type: 'array', items: { type: 'string' } };
    case 'list':
      return { type: 'array' };
    case 'object':
      return { type: 'object' };
  }
}

function formOf(type: FieldType): string {
  if (typeof type === 'object') {
    if ('shape' in type) return 'an object';
    if ('listOf' in type) return 'an array';
    return `one of ${type.oneOf.join(', ')}`;
  }
  return {
    text: 'a string',
    number: 'a number',
    flag: 'a boolean',
    texts: 'an array of strings',
    list: 'an array',
    object: 'an object',
  }[type];
}

function problem(where: string, got: unknown, form: string): { readonly problem: string } {
  return { problem: `${where} is ${got === undefined ? 'missing' : shown(got)}; expected ${form}` };
}
