// JSON Schemas of the API with the types of the values they describe.
import type { JsonObject } from '../base/json.ts';

declare const VALUE: unique symbol;

export interface Schema<Value> {
  readonly json: JsonObject;
  /** Carries the type alone. */
  readonly [VALUE]?: Value;
}

export type ValueOf<Of> = Of extends Schema<infer Value> ? Value : never;

export const text = schema<string>({ type: 'string' });
export const whole = schema<number>({ type: 'integer', minimum: 0 });
export const amount = schema<number>({ type: 'number', minimum: 0 });
export const yesNo = schema<boolean>({ type: 'boolean' });
export const anything = schema<unknown>({});
export const anyObject = schema<JsonObject>({ type: 'object' });
export const texts = schema<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
});

export function schema<Value>(json: JsonObject): Schema<Value> {
  return { json };
}

/** A value whose type is declared elsewhere. */
export function is<Value>({ json }: Schema<unknown>): Schema<Value> {
  return { json };
}

export function list<Value>(items: Schema<Value>): Schema<readonly Value[]> {
  return schema({ type: 'array', items: items.json });
}

export function oneOf<const Value extends string>(...values: readonly Value[]): Schema<Value> {
  return schema({ type: 'string', enum: values });
}

export function constant<const Value extends string>(value: Value): Schema<Value> {
  return schema({ const: value });
}

export function either<const Options extends readonly Schema<unknown>[]>(
  ...options: Options
): Schema<ValueOf<Options[number]>> {
  return schema({ oneOf: options.map(({ json }) => json) });
}

export function described<Value>({ json }: Schema<Value>, description: string): Schema<Value> {
  return schema({ ...json, description });
}

export type Fields = Readonly<Record<string, Schema<unknown>>>;

type Flat<Value> = { [Key in keyof Value]: Value[Key] };

export type ObjectOf<Of extends Fields> = Flat<
  {
    readonly [Key in keyof Of as Key extends `${string}?` ? never : Key]: ValueOf<Of[Key]>;
  } & {
    readonly [Key in keyof Of as Key extends `${infer Name}?` ? Name : never]?: ValueOf<Of[Key]>;
  }
>;

/** No other fields are allowed; those whose names end with `?` are optional. */
export function object<const Of extends Fields>(fields: Of, description?: string): Schema<ObjectOf<Of>> {
  const entries = Object.entries(fields);
  return schema({
    type: 'object',
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(entries.map(([name, one]) => [name.replace(/\?$/, ''), one.json])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  });
}

/** A schema that others refer to by name. */
export interface NamedSchema<Value> extends Schema<Value> {
  readonly name: string;
  readonly definition: JsonObject;
}

export function named<Value>(name: string, { json }: Schema<Value>): NamedSchema<Value> {
  return { name, definition: json, json: { $ref: `#/components/schemas/${name}` } };
}
