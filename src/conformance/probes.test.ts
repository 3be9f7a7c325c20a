// The tools that checks call, and the arguments that they give them.
import fc from 'fast-check';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../base/json.ts';
import { chooseProbe, harmlessProbes, minimalArguments } from './probes.ts';

const needs = (...required: string[]) => ({ type: 'object', required });

test('what only reads comes first, then what asks for less, and what destroys last', () => {
  const tools = [
    { name: 'wipe', hints: { destructive: true } },
    { name: 'search_two', inputSchema: needs('a', 'b') },
    { name: 'search_one', inputSchema: needs('a') },
  ];
  expect(chooseProbe(tools)).toEqual({ tool: 'search_one', args: { a: 'probe' } });
  expect(chooseProbe([...tools, { name: 'peek', hints: { readOnly: true } }])?.tool).toBe('peek');
  expect(chooseProbe(tools.slice(0, 1))?.tool).toBe('wipe');
});

test('a name that sounds like a change is not the first choice', () => {
  expect(chooseProbe([{ name: 'delete_all' }, { name: 'convert' }])?.tool).toBe('convert');
  expect(chooseProbe([{ name: 'convert' }, { name: 'list' }])?.tool).toBe('list');
});

test('where nothing is named there is nothing to call', () => {
  expect(chooseProbe([])).toBeUndefined();
});

test('what only looks, by a hint or by its name, may be called beside it', () => {
  const tools = [
    { name: 'convert' },
    { name: 'list' },
    { name: 'list_and_delete' },
    { name: 'read', hints: { readOnly: false } },
    { name: 'get', hints: { destructive: true } },
    { name: 'wait', hints: { readOnly: true }, inputSchema: needs('a') },
  ];
  expect(harmlessProbes(tools)).toEqual([
    { tool: 'list', args: {} },
    { tool: 'wait', args: { a: 'probe' } },
  ]);
});

describe('what a schema asks for', () => {
  test.each<[JsonObject, JsonObject]>([
    [{ type: 'object', properties: { a: { type: 'string' } } }, {}],
    [of({ type: 'string' }), { x: 'probe' }],
    [of({}), { x: 'probe' }],
    [of({ type: 'string', minLength: 7 }), { x: 'probexx' }],
    [of({ type: 'string', maxLength: 2 }), { x: 'pr' }],
    [of({ type: 'string', format: 'date' }), { x: '2026-01-01' }],
    [of({ enum: ['red', 'green'] }), { x: 'red' }],
    [of({ const: 17 }), { x: 17 }],
    [of({ type: 'string', default: 'Oslo' }), { x: 'Oslo' }],
    [of({ type: 'string', examples: ['2d6'] }), { x: '2d6' }],
    [of({ type: 'integer' }), { x: 1 }],
    [of({ type: 'integer', minimum: 5 }), { x: 5 }],
    [of({ type: 'number', maximum: -3 }), { x: -3 }],
    [of({ type: 'integer', exclusiveMinimum: 5, multipleOf: 4 }), { x: 8 }],
    [of({ type: ['null', 'boolean'] }), { x: false }],
    [of({ type: 'array', minItems: 2, items: { type: 'integer' } }), { x: [1, 1] }],
    [of(of({ type: 'boolean' })), { x: { x: false } }],
    [of({ anyOf: [{ type: 'integer' }, { type: 'string' }] }), { x: 1 }],
    [
      of({ allOf: [of({ type: 'string' }), { properties: { y: {} }, required: ['y'] }] }),
      { x: { x: 'probe', y: 'probe' } },
    ],
    [{ ...of({ $ref: '#/$defs/die' }), $defs: { die: { enum: ['d6'] } } }, { x: 'd6' }],
  ])('%j', (schema, args) => {
    expect(minimalArguments(schema)).toEqual(args);
  });

  test.each([undefined, true, false])('nothing is known: %s', (schema) => {
    expect(minimalArguments(schema)).toEqual({});
  });

  test('a schema that asks for more than there is room for gets less', () => {
    const many = { type: 'array', minItems: 100, items: { $ref: '#/$defs/many' } };
    const args = minimalArguments({ ...of({ $ref: '#/$defs/many' }), $defs: { many } });
    expect(JSON.stringify(args).length).toBeLessThan(1_000_000);
  });

  test('a schema that refers to itself comes to an end', () => {
    expect(
      minimalArguments({ type: 'object', properties: { x: { $ref: '#' } }, required: ['x'] }),
    ).toBeTypeOf('object');
    expect(minimalArguments(of({ $ref: '#/nowhere' }))).toEqual({ x: null });
  });
});

test('what comes out fits any schema of the usual kind', () => {
  const ajv = new Ajv2020({ strict: false });
  fc.assert(
    fc.property(usualSchema, (schema) => {
      expect(ajv.validate(schema, minimalArguments(schema)), ajv.errorsText()).toBe(true);
    }),
    { numRuns: 30 },
  );
});

/** An object that requires one property. */
function of(x: JsonObject): JsonObject {
  return { type: 'object', properties: { x }, required: ['x'] };
}

const usualSchema: fc.Arbitrary<JsonObject> = fc.letrec<{ object: JsonObject; value: JsonObject }>((tie) => ({
  object: fc
    .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie('value'), { maxKeys: 3 })
    .map((properties) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
    })),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant({ type: 'boolean' }),
    fc.nat(20).map((minLength) => ({ type: 'string', minLength })),
    fc.integer({ min: -50, max: 50 }).map((minimum) => ({ type: 'integer', minimum })),
    fc.integer({ min: -50, max: 50 }).map((maximum) => ({ type: 'number', maximum })),
    fc.tuple(fc.nat(3), tie('value')).map(([minItems, items]) => ({ type: 'array', minItems, items })),
    tie('object'),
  ),
})).object;
