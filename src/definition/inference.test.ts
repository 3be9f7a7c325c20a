// Types flow from schemas to handlers. What is wrong here fails when types are checked, not when this runs.
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import type { Json, JsonObject } from '../base/json.ts';
import { definePlugin, tool } from './define-plugin.ts';
import type { AnyConfig } from './definition.ts';
import { result } from './outcome.ts';
import type { FromSchema } from './schema/from-schema.ts';

const about = { name: 'sample', version: '1.0.0' };

test('the arguments of a handler come from its JSON Schema', () => {
  definePlugin({
    ...about,
    tools: {
      greet: {
        input: {
          type: 'object',
          properties: {
            who: { type: 'string' },
            times: { type: 'integer', default: 1 },
            tone: { enum: ['kind', 'stern'] },
            tags: { type: 'array', items: { type: 'string' } },
            note: { type: ['string', 'null'] },
          },
          required: ['who'],
        },
        handler(args) {
          expectTypeOf(args).toEqualTypeOf<{
            readonly who: string;
            readonly times: number;
            readonly tone?: 'kind' | 'stern';
            readonly tags?: readonly string[];
            readonly note?: string | null;
          }>();
          // @ts-expect-error it is `who`
          void args.woh;
        },
      },
      anything: { handler: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>() },
    },
  });
});

test('they come from a Standard Schema, as it puts them out', () => {
  definePlugin({
    ...about,
    tools: {
      roll: {
        input: z.object({ sides: z.number().default(6), on: z.string().transform((text) => new Date(text)) }),
        handler: async (args) => {
          expectTypeOf(args).toEqualTypeOf<{ sides: number; on: Date }>();
          // @ts-expect-error it is a number
          void args.sides.length;
        },
      },
    },
  });
});

test('a tool of nothing but a handler has the context too', () => {
  definePlugin({
    ...about,
    tools: {
      say: {
        handler: (args, { stream, dialect }) => {
          expectTypeOf(args).toEqualTypeOf<JsonObject>();
          expectTypeOf(stream).toEqualTypeOf<(text: string) => void>();
          // @ts-expect-error it is one of six words
          void (dialect === 'klingon');
        },
      },
    },
  });
});

test('a tool of its own keeps its types, and fits any plugin', () => {
  const greet = tool({
    input: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
    handler: ({ who }, { config }) => {
      expectTypeOf(who).toEqualTypeOf<string>();
      expectTypeOf(config).toEqualTypeOf<AnyConfig>();
      return who;
    },
  });
  definePlugin({ ...about, config: z.object({ key: z.string().optional() }), tools: { greet } });
});

test('the configuration is known wherever it is seen', () => {
  definePlugin({
    ...about,
    config: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
    setup: ({ config }) => expectTypeOf(config).toEqualTypeOf<{ readonly key: string }>(),
    onInput: (_, { config }) => expectTypeOf(config.key).toEqualTypeOf<string>(),
    tools: {
      ask: {
        handler: (_, { config }) => {
          expectTypeOf(config.key).toEqualTypeOf<string>();
          // @ts-expect-error it is `key`
          void config.kye;
        },
      },
    },
  });
});

test('a handler gives what its output schema says', () => {
  const output = {
    type: 'object',
    properties: { total: { type: 'number' } },
    required: ['total'],
  } as const;
  const { tools } = definePlugin({
    ...about,
    tools: {
      add: { output, handler: () => ({ total: 1 }) },
      later: { output, handler: async () => result({ text: 'one', data: { total: 1 } }) },
      slowly: {
        output,
        async *handler() {
          yield 'counting';
          return { total: 1 };
        },
      },
      // @ts-expect-error total is a number
      wrong: { output, handler: () => ({ total: 'one' }) },
      // @ts-expect-error total is a number
      wrongLater: { output, handler: async () => ({ total: 'one' }) },
    },
  });
  expect(tools.map(({ name }) => name)).toEqual(['add', 'later', 'slowly', 'wrong', 'wrongLater']);
});

test('what is no schema, no tool or no option is refused', () => {
  const wrong = [
    // @ts-expect-error a schema is an object
    () => definePlugin({ ...about, tools: { one: { input: 3, handler: () => 1 } } }),
    // @ts-expect-error it is `handler`
    () => definePlugin({ ...about, tools: { one: { handlr: 1, handler: (_, { stream }) => stream('') } } }),
    // @ts-expect-error a tool has a handler
    () => definePlugin({ ...about, tools: { one: { description: 'does nothing' } } }),
    // @ts-expect-error it is `version`
    () => definePlugin({ name: 'sample', vresion: '1.0.0' }),
    // @ts-expect-error there is no tool of this name
    () => definePlugin({ ...about, tools: { one: { handler: () => 1 } }, autoApprove: ['two'] }),
  ];
  for (const define of wrong) expect(define).toThrow('cannot be defined');
});

test('what the type level cannot tell is any JSON', () => {
  expectTypeOf<FromSchema<{ anyOf: [{ type: 'string' }] }>>().toEqualTypeOf<Json>();
  expectTypeOf<FromSchema<JsonObject>>().toEqualTypeOf<Json>();
  expectTypeOf<FromSchema<{ const: 3 }>>().toEqualTypeOf<3>();
  expectTypeOf<FromSchema<{ type: 'array' }>>().toEqualTypeOf<readonly Json[]>();
});

test('what is said of a call gets the arguments of its handler', () => {
  const { tools } = definePlugin({
    ...about,
    tools: {
      remove: {
        input: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
        handler: () => 'gone',
        describe(args) {
          expectTypeOf(args).toEqualTypeOf<{ readonly file: string }>();
          return { summary: `Removes ${args.file}` };
        },
      },
      // @ts-expect-error a summary is a text
      wrong: { handler: () => 1, describe: () => ({ summary: 1 }) },
    },
  });
  expect(tools.map(({ describe }) => typeof describe)).toEqual(['function', 'function']);
});
