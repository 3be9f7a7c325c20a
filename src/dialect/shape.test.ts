import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../base/json.ts';
import { fromWire, schemaOf, shape, toWire } from './shape.ts';

interface Item {
  readonly name: string;
  readonly version?: string;
}

interface Thing {
  readonly label?: string;
  readonly items: readonly Item[];
  readonly remark?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly ratio?: number;
  readonly raw: JsonObject;
}

const item = shape<Item>({ name: { type: 'name', required: true }, version: 'text' }, 'name');

const thing = shape<Thing>({
  label: 'name',
  items: { wire: 'things', type: { listOf: item, dropInvalid: true }, default: [] },
  remark: 'words',
  env: 'textMap',
  ratio: {
    type: {
      read: (value) => (typeof value === 'number' ? Math.min(1, value) : undefined),
      expected: 'a number up to 1',
      schema: { type: 'number', maximum: 1 },
    },
  },
  raw: 'whole',
});

test.each<[JsonObject, Omit<Thing, 'raw'>]>([
  [{}, { items: [] }],
  [{ label: '', things: 7 }, { items: [] }],
  [
    { things: ['a', { name: 'b', version: 2 }, { name: '' }, 3] },
    { items: [{ name: 'a' }, { name: 'b', version: '2' }] },
  ],
  [
    { remark: { x: 1 }, env: { A: 'b' }, ratio: 7 },
    { items: [], remark: '{"x":1}', env: { A: 'b' }, ratio: 1 },
  ],
  [{ env: { A: 1 }, ratio: 'high', __proto__: null, other: 1 }, { items: [] }],
])('leniently, %j is read as %j', (wire, value) => {
  expect(fromWire(thing, wire, 'it', 'lenient')).toEqual({ value: { ...value, raw: wire } });
});

test('a reporting reader names each field that does not fit', () => {
  const reported: [string, Json][] = [];
  fromWire(thing, { things: [{}], remark: 5, ratio: 'high' }, 'it', (problem, got) =>
    reported.push([problem, got]),
  );
  expect(reported).toEqual([
    ['it.things[0].name is missing; expected a string that is not empty', {}],
    ['it.remark is 5; expected a string', 5],
    ['it.ratio is "high"; expected a number up to 1', 'high'],
  ]);
});

test('strictly, the first field that does not fit is the problem', () => {
  expect(fromWire(thing, { ratio: 'high' }, 'it', 'strict')).toEqual({
    problem: 'it.ratio is "high"; expected a number up to 1',
  });
});

test('a value is written with the names of the wire, without the object it was read from', () => {
  expect(toWire(thing, { items: [{ name: 'a' }], label: undefined, raw: { x: 1 } })).toEqual({
    things: [{ name: 'a' }],
  });
});

test('the schema has the types, defaults and required fields', () => {
  expect(schemaOf(thing)).toEqual({
    type: 'object',
    properties: {
      label: { type: 'string', minLength: 1 },
      things: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string', minLength: 1 }, version: { type: 'string' } },
          required: ['name'],
        },
        default: [],
      },
      remark: { type: 'string' },
      env: { type: 'object', additionalProperties: { type: 'string' } },
      ratio: { type: 'number', maximum: 1 },
    },
  });
});
