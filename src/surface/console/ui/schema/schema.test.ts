import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json } from '../../../../base/json.ts';
import { fieldOf, fieldReader } from './field.ts';
import { fittingVariant, initialValue, problemsOf, pathText, valueAt, withValueAt } from './value.ts';
import { entriesOf, isFirst, isSame, isDuplicate, objectOf } from './collections.tsx';

function field(schema: Json) {
  return fieldOf(schema, schema);
}

describe('what a form shows', () => {
  test('plain types', () => {
    expect(field({ type: 'string' }).kind).toBe('text');
    expect(field({ type: 'string', maxLength: 5000 })).toMatchObject({ isLong: true });
    expect(field({ type: 'integer', minimum: 1, maximum: 9 })).toMatchObject({
      kind: 'number',
      isInteger: true,
      rules: ['1 to 9'],
    });
    expect(field({ type: ['string', 'null'] })).toMatchObject({ kind: 'text', isNullable: true });
    expect(field({ type: 'boolean' }).kind).toBe('boolean');
    expect(field({ enum: ['a', 1, null] })).toMatchObject({ kind: 'choice', options: ['a', 1, null] });
    expect(field({ const: 5 })).toMatchObject({ kind: 'choice', options: [5] });
    expect(field({ items: { type: 'string' } })).toMatchObject({ kind: 'list', item: { type: 'string' } });
    expect(field(true).kind).toBe('json');
    expect(field({ type: ['string', 'number'] }).kind).toBe('json');
    expect(field({ anyOf: [{ type: 'integer' }, { type: 'null' }], default: null })).toMatchObject({
      kind: 'number',
      isNullable: true,
    });
  });

  test('a tool that names no arguments takes none; inside, an object may hold anything', () => {
    expect(field({ type: 'object' })).toMatchObject({ kind: 'object', properties: [] });
    expect(field({ type: 'object', properties: {} })).toMatchObject({ kind: 'object', properties: [] });
    expect(field({ type: 'object', additionalProperties: true }).kind).toBe('json');
    expect(fieldOf({ type: 'object' }, true, 1).kind).toBe('json');
    expect(fieldOf({ type: 'object', additionalProperties: false }, true, 1).kind).toBe('object');
    const read = fieldReader(true);
    const any: Json = { type: 'object' };
    expect([read(any, 0).kind, read(any, 1).kind, read(any, 0).kind]).toEqual(['object', 'json', 'object']);
  });

  test('names and values are rows, also beside fields of their own', () => {
    const numbers: Json = { type: 'integer' };
    expect(field({ type: 'object', additionalProperties: numbers })).toMatchObject({
      kind: 'map',
      value: numbers,
    });
    expect(field({ type: 'object', patternProperties: { '^x-': numbers } })).toMatchObject({ kind: 'map' });
    expect(field({ properties: { a: {} }, additionalProperties: numbers })).toMatchObject({
      kind: 'object',
      properties: [{ name: 'a' }],
      rest: numbers,
    });
    expect(initialValue({ type: 'object', additionalProperties: numbers }, true)).toEqual({});
  });

  test('what may be null says so, also behind a reference; null alone is a fixed value', () => {
    const schema: Json = {
      $defs: { size: { type: 'integer' } },
      anyOf: [{ $ref: '#/$defs/size' }, { type: 'null' }],
    };
    expect(field(schema)).toMatchObject({ kind: 'number', isNullable: true });
    expect(field({ type: 'null' })).toMatchObject({ kind: 'choice', options: [null] });
    expect(initialValue({ type: 'null' }, true)).toBeNull();
  });

  test('constants with titles are choices', () => {
    expect(field({ oneOf: [{ const: 1, title: 'One' }, { const: 2 }] })).toMatchObject({
      kind: 'choice',
      options: [1, 2],
      labels: ['One', '2'],
    });
  });

  test('what is required comes first', () => {
    const shown = field({ properties: { a: {}, b: {}, c: {} }, required: ['c'] });
    expect(shown).toMatchObject({
      kind: 'object',
      properties: [{ name: 'c', isRequired: true }, { name: 'a' }, { name: 'b' }],
    });
  });

  test('variants have names', () => {
    const shown = field({
      oneOf: [
        { title: 'By name' },
        { properties: { kind: { const: 'id' } } },
        { type: 'number' },
        { const: 3 },
        true,
        { type: 'string', description: 'A path in the project' },
        { type: 'string' },
        { properties: { type: { enum: ['bytes'] } }, description: 'long '.repeat(20) },
        { type: 'object', description: 'long '.repeat(20) },
      ],
    });
    expect(shown.kind === 'variants' && shown.variants.map(({ title }) => title)).toEqual([
      'By name',
      'id',
      'number',
      '3',
      'Variant 5',
      'A path in the project',
      'text',
      'bytes',
      `${'long '.repeat(20).slice(0, 59)}…`,
    ]);
  });

  test('references and allOf', () => {
    const schema: Json = {
      $defs: { 'a/b': { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] } },
      properties: {
        one: { $ref: '#/$defs/a~1b', description: 'mine' },
        two: { allOf: [{ $ref: '#/$defs/a~1b' }, { properties: { y: { type: 'number' } } }], title: 'T' },
        elsewhere: { $ref: 'https://example.org/x' },
      },
    };
    const [one, two, elsewhere] = Object.values(schema['properties'] as Record<string, Json>);
    expect(fieldOf(one, schema)).toMatchObject({
      kind: 'object',
      description: 'mine',
      properties: [{ name: 'x' }],
    });
    expect(fieldOf(two, schema)).toMatchObject({
      title: 'T',
      properties: [{ name: 'x', isRequired: true }, { name: 'y' }],
    });
    expect(fieldOf(elsewhere, schema).kind).toBe('json');
  });
});

test('a form reads each schema once', () => {
  const inner: Json = { type: 'string' };
  const schema: Json = { properties: { a: inner } };
  const read = fieldReader(schema);
  expect(read(inner, 1)).toBe(read(inner, 1));
  expect(read(schema, 0).kind).toBe('object');
  expect(read(schema, 99).kind).toBe('json');
  expect(read(true, 0)).toEqual(fieldOf(true, schema));
});

describe('hostile schemas', () => {
  const nested = (levels: number): Json => {
    let schema: Json = { type: 'string' };
    for (let level = 0; level < levels; level++)
      schema = { type: 'object', properties: { x: schema }, required: ['x'] };
    return schema;
  };
  const circle: Json = { $ref: '#/a', a: { $ref: '#/b' }, b: { $ref: '#/a' } };
  const self: Json = { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] };
  const names = Array.from({ length: 150 }, (_, index) => `p${index}`);
  const manySelves: Json = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])),
    required: names,
  };
  const laughs: Record<string, Json> = { l0: { type: 'string' } };
  for (let level = 1; level < 40; level++)
    laughs[`l${level}`] = { allOf: Array.from({ length: 10 }, () => ({ $ref: `#/l${level - 1}` })) };

  test.each<[string, Json]>([
    ['in circles', circle],
    ['of itself', self],
    ['of laughs', { $ref: '#/l39', ...laughs }],
    ['of itself, many times over', manySelves],
    ['nested deeply', nested(20_000)],
    [
      'of many properties',
      { properties: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`p${index}`, {}])) },
    ],
    ['of many options', { enum: Array.from({ length: 1_000_000 }, (_, index) => index) }],
    [
      'of wrong types',
      { type: 5, properties: [], required: {}, enum: 'x', oneOf: {}, items: 7, minimum: 'a', pattern: [] },
    ],
    [
      'with a prototype',
      JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{}}}') as Json,
    ],
  ])('%s end', (_name, schema) => {
    const began = performance.now();
    const value = initialValue(schema, schema);
    problemsOf(schema, schema, value);
    expect(performance.now() - began).toBeLessThan(2000);
  });

  test('only so much is shown', () => {
    const many = field({ enum: Array.from({ length: 1000 }, (_, index) => index) });
    expect(many).toMatchObject({ kind: 'choice', omitted: 500 });
  });

  test('any schema is read', () => {
    const words = fc.constantFrom(
      'type',
      'properties',
      'items',
      'oneOf',
      'anyOf',
      'allOf',
      '$ref',
      'enum',
      'required',
      'default',
    );
    const schemas = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<Json>('string', 'object', 'array', '#', '#/properties', 1, true, null),
        fc.array(tie('schema')),
        fc.dictionary(words, tie('schema')),
      ),
    })).schema as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(schemas, (schema) => {
        const value = initialValue(schema, schema);
        problemsOf(schema, schema, value);
        expect(value === undefined || JSON.stringify(value) !== undefined).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('values', () => {
  const schema: Json = {
    properties: {
      name: { type: 'string', minLength: 2 },
      size: { type: 'integer', default: 3, maximum: 5 },
      kind: { const: 'x' },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 1 },
      more: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
    },
    required: ['name', 'kind', 'more'],
  };

  test('a form begins with what is known', () => {
    expect(initialValue(schema, schema)).toEqual({ kind: 'x', more: { on: false }, size: 3 });
  });

  test('problems have the path of their field', () => {
    const found = (value: Json) =>
      problemsOf(schema, schema, value).map(({ path, problem }) => `${pathText(path)} ${problem}`);
    expect(found({ kind: 'x', more: {} })).toEqual(['name is required', 'more.on is required']);
    expect(found({ name: 'a', kind: 'x', more: { on: 1 }, size: 2.5, tags: ['a', 'b'] })).toEqual([
      'name must have at least 2 characters',
      'more.on must be true or false',
      'size must be an integer',
      'tags must have at most 1 item',
    ]);
    expect(found({ name: 'ab', kind: 'x', more: { on: true }, size: 9, tags: [1] })).toEqual([
      'size must be at most 5',
      'tags[0] must be text',
    ]);
  });

  test('names and values are looked at one by one', () => {
    const map: Json = { properties: { a: { type: 'string' } }, additionalProperties: { type: 'integer' } };
    const found = (value: Json) =>
      problemsOf(map, map, value).map(({ path, problem }) => `${pathText(path)} ${problem}`);
    expect(found({ a: 'x', b: 1 })).toEqual([]);
    expect(found({ a: 'x', b: 'y', '': 1 })).toEqual(['b must be a number', ' needs a name']);
  });

  test('what was filled in is found again among several forms', () => {
    const fields = [
      { type: 'string' },
      { properties: { kind: { const: 'a' }, x: {} } },
      { properties: { kind: { const: 'b' }, x: {} } },
      { type: 'integer' },
      { type: 'array' },
    ].map((one) => field(one));
    const found = (value: Json | undefined) => fittingVariant(fields, value);
    expect([
      found('t'),
      found({ kind: 'b', x: 1 }),
      found({ x: 1 }),
      found(5),
      found([]),
      found(null),
    ]).toEqual([0, 2, 1, 3, 4, 0]);
    expect(found(undefined)).toBe(0);
  });

  test('names and values while they are typed', () => {
    const none = new Set<string>();
    const entries = entriesOf({ a: 1, b: 2 });
    expect(Object.keys(objectOf(entries))).toEqual(['a', 'b']);
    const twice = entries.map((entry) => ({ ...entry, name: 'a' }));
    expect(objectOf(twice)).toEqual({ a: 1 });
    expect(twice.map((entry) => isDuplicate(twice, entry))).toEqual([true, true]);
    expect(isSame(twice, { a: 1 }, none)).toBe(true);
    expect(isSame(entries, { b: 2, a: 1 }, none)).toBe(true);
    expect(isSame(entries, { a: 1 }, none)).toBe(false);
    // A name of digits moves to the front of an object; its row stays where it is.
    const digits = [
      { id: 0, name: 'x', value: 1 },
      { id: 1, name: '7', value: 2 },
    ];
    expect(isSame(digits, objectOf(digits), none)).toBe(true);
    // A row is the same one when its value has changed, whatever was removed before it.
    const removed = entriesOf({ a: 1, b: 2, c: 3 }).slice(1);
    const again = entriesOf({ b: 5, c: 3, d: 4 }, none, removed);
    expect(again.map(({ id, name }) => [id, name])).toEqual([
      [1, 'b'],
      [2, 'c'],
      [3, 'd'],
    ]);
    expect(twice.map((entry) => isFirst(twice, entry))).toEqual([true, false]);
    expect(entriesOf({ a: 1, b: 2 }, new Set(['a']))).toMatchObject([{ name: 'b' }]);
    expect(objectOf([{ id: 0, name: 'b', value: 3 }], { a: 1 })).toEqual({ a: 1, b: 3 });
  });

  test('a value is replaced along its path', () => {
    expect(withValueAt({ a: 1, b: 2 }, ['a'], 3)).toEqual({ a: 3, b: 2 });
    expect(Object.keys(withValueAt({ a: 1, b: 2 }, ['a'], 3) as object)).toEqual(['a', 'b']);
    expect(withValueAt(undefined, ['a', 0, 'b'], 'x')).toEqual({ a: [{ b: 'x' }] });
    expect(withValueAt({ a: [1, 2, 3] }, ['a', 1], undefined)).toEqual({ a: [1, 3] });
    expect(withValueAt({ a: 1 }, ['a'], undefined)).toEqual({});
    expect(withValueAt({ a: 1 }, [], 5)).toBe(5);
  });

  test('what was put somewhere is found there', () => {
    const path = fc.array(fc.oneof(fc.string(), fc.constant('__proto__'), fc.constant(0)), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(path, fc.integer(), (steps, value) => {
        const put = withValueAt({}, steps, value);
        expect(valueAt(put, steps)).toBe(value);
        expect(isJsonObject(put) ? Object.getPrototypeOf(put) : Object.prototype).toBe(Object.prototype);
      }),
    );
  });
});
