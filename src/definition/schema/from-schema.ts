// From a schema to the type of what fits it, so that a wrong field in a handler is a compile error.
import type { Json, JsonObject } from '../../base/json.ts';
import type { StandardSchema } from './checked-schema.ts';

/** What a handler gets, or has to give. What types cannot express, such as `anyOf`, is any JSON. */
export type FromSchema<Schema> =
  Schema extends StandardSchema<infer _, infer Output> ? Output : FromJsonSchema<Flat<Schema>>;

type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: infer Type }
      ? FromType<Type extends readonly (infer One)[] ? One : Type, Schema>
      : Schema extends { readonly properties: object }
        ? FromProperties<Schema>
        : Json;

/** The arguments of a tool and the configuration of a plugin are objects, whatever their schema. */
export type ObjectFromSchema<Schema> = unknown extends Schema
  ? JsonObject
  : FromSchema<Schema> extends infer Value extends object
    ? Value
    : JsonObject;

/** Distributes over several types. */
type FromType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? FromItems<Schema>
          : Type extends 'object'
            ? FromProperties<Schema>
            : Json;

type FromItems<Schema> = Schema extends { readonly items: infer Items extends JsonObject }
  ? readonly FromSchema<Items>[]
  : readonly Json[];

type FromProperties<Schema> = Schema extends { readonly properties: infer Properties extends object }
  ? Flat<
      { readonly [Name in PresentIn<Schema, Properties>]: FromSchema<Properties[Name]> } & {
        readonly [Name in Exclude<keyof Properties, PresentIn<Schema, Properties>>]?: FromSchema<
          Properties[Name]
        >;
      }
    >
  : JsonObject;

/** What is required, and what has a default, since that is filled in. */
type PresentIn<Schema, Properties> = {
  [Name in keyof Properties]: Flat<Properties[Name]> extends { readonly default: unknown }
    ? Name
    : Schema extends { readonly required: readonly (infer Required)[] }
      ? Name extends Required
        ? Name
        : never
      : never;
}[keyof Properties];

/**
 * One object to look at instead of an intersection. Up to TypeScript 5.9 it also makes of a literal a type like any other: a literal with
 * more members than asked for extends nothing there.
 */
type Flat<Value> = { [Name in keyof Value]: Value[Name] };
