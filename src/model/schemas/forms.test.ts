import { describe, expect, test } from 'vitest';
import { object, tool } from '../../../test/support/model/tool-declarations.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { toolsFor } from './tools-for.ts';

const gemini = (property: Json): Json | undefined => {
  const [declared] = toolsFor('gemini', [tool(object({ p: property }))]).tools;
  const properties = declared?.parameters?.['properties'];
  return isJsonObject(properties) ? properties['p'] : undefined;
};
const strict = (schema: JsonObject) => toolsFor('openai', [tool(schema)], { strict: true, api: 'responses' });

describe('Gemini', () => {
  test.each<[string, Json, Json]>([
    ['null beside a type', { type: ['string', 'null'] }, { type: 'STRING', nullable: true }],
    ['OpenAPI’s nullable', { type: 'string', nullable: true }, { type: 'STRING', nullable: true }],
    ['several types', { type: ['string', 'integer'] }, { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] }],
    ['const', { const: 'x' }, { type: 'STRING', enum: ['x'] }],
    ['numbers as values', { enum: [1, 2.5] }, { type: 'STRING', enum: ['1', '2.5'] }],
    ['null as a value', { enum: ['a', null] }, { type: 'STRING', enum: ['a'], nullable: true }],
    ['true and false', { enum: [true, false] }, { type: 'BOOLEAN' }],
    ['an empty text as a value', { enum: ['', 'a'] }, { type: 'STRING', enum: ['a', '""'] }],
    [
      'oneOf',
      { oneOf: [{ type: 'string' }, { type: 'boolean' }] },
      { anyOf: [{ type: 'STRING' }, { type: 'BOOLEAN' }] },
    ],
    [
      'anyOf with null',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { type: 'STRING', nullable: true },
    ],
    [
      'allOf',
      {
        allOf: [
          { type: 'integer', minimum: 1 },
          { minimum: 3, maximum: 9 },
        ],
      },
      { type: 'INTEGER', minimum: 3, maximum: 9 },
    ],
    [
      'words beside a choice',
      { description: 'd', anyOf: [{ type: 'string' }, { type: 'integer' }] },
      {
        anyOf: [
          { type: 'STRING', description: 'd' },
          { type: 'INTEGER', description: 'd' },
        ],
      },
    ],
    [
      'an unknown format',
      { type: 'string', format: 'uri', description: 'd' },
      { type: 'STRING', description: 'd (format: "uri")' },
    ],
    ['a known format', { type: 'string', format: 'date-time' }, { type: 'STRING', format: 'date-time' }],
    ['exclusive limits', { type: 'integer', exclusiveMinimum: 0 }, { type: 'INTEGER', minimum: 1 }],
    [
      'those of draft 4',
      { type: 'integer', minimum: 0, exclusiveMinimum: true },
      { type: 'INTEGER', minimum: 1 },
    ],
    ['a default', { type: 'integer', default: 3 }, { type: 'INTEGER', description: '(default: 3)' }],
    ['a title', { type: 'integer', title: 'T' }, { type: 'INTEGER', description: 'T' }],
    [
      'counts',
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 5 },
      { type: 'ARRAY', items: { type: 'STRING' }, minItems: '1', maxItems: '5' },
    ],
    [
      'very many items',
      { type: 'array', items: { type: 'string' }, maxItems: 5000 },
      { type: 'ARRAY', items: { type: 'STRING' }, description: '(maxItems: 5000)' },
    ],
    [
      'a tuple',
      { type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false },
      { type: 'ARRAY', items: { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] }, maxItems: '2' },
    ],
    [
      'an object without names',
      { type: 'object' },
      { type: 'STRING', description: '(a JSON object, written as JSON)' },
    ],
    ['anything', true, { type: 'STRING', description: '(any JSON value, written as JSON)' }],
    [
      'a required name without a schema',
      object({ a: { type: 'string' } }, { required: ['b'] }),
      {
        type: 'OBJECT',
        properties: {
          a: { type: 'STRING' },
          b: { type: 'STRING', description: '(any JSON value, written as JSON)' },
        },
        required: ['b'],
      },
    ],
    [
      'what it has no word for',
      object({ a: { type: 'string' } }, { not: {}, patternProperties: {}, additionalProperties: false }),
      { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
    ],
    [
      'a type that is meant',
      { properties: { a: { type: 'string' } } },
      { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
    ],
  ])('%s', (_, property, expected) => {
    expect(gemini(property)).toEqual(expected);
  });

  test('what was sent in another form comes back in the tool’s own', () => {
    const result = toolsFor('gemini', [
      tool(
        object({
          n: { enum: [1, 'a', { x: 1 }] },
          any: {},
          map: { type: 'object' },
          list: { type: 'array' },
        }),
      ),
    ]);
    expect(
      result.argumentsFrom('tool', { n: '1', any: '[1,2]', map: '{"k":"v"}', list: ['true', 'plain'] }),
    ).toEqual({
      n: 1,
      any: [1, 2],
      map: { k: 'v' },
      list: [true, 'plain'],
    });
    expect(result.argumentsFrom('tool', { n: '{"x":1}', any: 'just words' })).toEqual({
      n: { x: 1 },
      any: 'just words',
    });
    expect(result.argumentsFrom('unknown', { a: 1 })).toEqual({ a: 1 });
  });
});

describe('OpenAI’s strict', () => {
  test('makes what is optional null, and leaves null out again', () => {
    const schema = object(
      {
        a: { type: 'string' },
        b: { enum: ['x', 1] },
        c: object({ d: { type: 'integer' } }, { additionalProperties: false }),
        e: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        f: { type: ['string', 'null'] },
      },
      { required: ['a'], additionalProperties: false },
    );
    const result = strict(schema);
    expect(result.tools).toMatchObject([
      {
        strict: true,
        parameters: {
          required: ['a', 'b', 'c', 'e', 'f'],
          properties: {
            a: { type: 'string' },
            b: { type: ['string', 'integer', 'null'], enum: ['x', 1, null] },
            c: {
              type: ['object', 'null'],
              properties: { d: { type: ['integer', 'null'] } },
              required: ['d'],
            },
            e: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
            f: { type: ['string', 'null'] },
          },
        },
      },
    ]);
    expect(result.argumentsFrom('tool', { a: 'x', b: null, c: { d: null }, e: null, f: null })).toEqual({
      a: 'x',
      c: {},
      f: null,
    });
    expect(result.argumentsFrom('tool', { a: 'x', b: 1, c: null, e: 3, f: 'y' })).toEqual({
      a: 'x',
      b: 1,
      e: 3,
      f: 'y',
    });
  });

  const deep = (levels: number): JsonObject =>
    levels === 0
      ? { type: 'string' }
      : object({ p: deep(levels - 1) }, { required: ['p'], additionalProperties: false });
  test.each<[string, JsonObject]>([
    ['takes properties of any name', object({ a: { type: 'object' } })],
    ['takes properties of any name', object({ a: object({}, { additionalProperties: { type: 'string' } }) })],
    ['takes anything', object({ a: {} })],
    [
      'names by a pattern',
      object({ a: object({}, { patternProperties: { x: {} }, additionalProperties: false }) }),
    ],
    ['fixed places', object({ a: { type: 'array', prefixItems: [{ type: 'string' }] } })],
    ['levels deep', deep(6)],
    [
      'more than 100 properties',
      object(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, { type: 'string' }]))),
    ],
    ['more than 500 values', object({ a: { enum: Array.from({ length: 501 }, (_, n) => n) } })],
    ['lists objects', object({ a: { enum: [{ x: 1 }] } })],
  ])('is left where it cannot be: %s', (why, schema) => {
    const result = strict(schema);
    expect(result.tools).toMatchObject([{ strict: false }]);
    expect(result.repairs.find(({ what }) => what === 'declared without strict')?.why).toContain(why);
  });

  test('is kept at its limits', () => {
    expect(strict(deep(5)).tools).toMatchObject([{ strict: true }]);
  });
});
