import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import type { JsonObject } from '../../../base/json.ts';
import { validator } from '../../../definition/schema/validator.ts';
import type { JsonSchema } from '../../../definition/tool.ts';
import { Refusal, SchemaChecks } from './schema-checks.ts';

const checks = new SchemaChecks();

beforeAll(() => checks.load());

const weather: JsonSchema = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 1 },
    days: { type: 'integer', minimum: 1, default: 3 },
    unit: { enum: ['C', 'F'] },
    place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
  },
  required: ['city'],
  additionalProperties: false,
};

test.each<[JsonObject, string]>([
  [{}, 'city: is required'],
  [{ city: 1 }, 'city: must be string'],
  [{ city: 'x', days: 0 }, 'days: must be >= 1'],
  [{ city: 'x', unit: 'K' }, 'unit: must be one of "C", "F"'],
  [{ city: 'x', place: {} }, 'place.lat: is required'],
  [{ city: 'x', place: { lat: 'n' } }, 'place.lat: must be number'],
  [{ citty: 'x', city: 'y' }, 'citty: is not known. Did you mean "city"?'],
])('%j is refused: %s', (args, problem) => {
  expect(check(weather, args)).toMatchObject({
    failure: {
      code: 'INVALID_ARGUMENTS',
      message: `The arguments do not fit the tool "tool" of plugin "plugin": ${problem}`,
      data: { problems: [problem] },
    },
  });
});

test('what may be meant to be something that is missing is named', () => {
  const problems = ['city: is required; is "ciity" meant to be it?'];
  expect(check({ ...weather, additionalProperties: true }, { ciity: 'x' })).toMatchObject({
    failure: { data: { problems } },
  });
});

test('several problems are told at once, but not too many', () => {
  const properties = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`p${n}`, { type: 'string' }]));
  const args = Object.fromEntries(Object.keys(properties).map((name) => [name, 1]));
  const problems = ['p0', 'p1', 'p2', 'p3', 'p4'].map((name) => `${name}: must be string`);
  expect(check({ type: 'object', properties }, args)).toMatchObject({
    failure: { data: { problems: [...problems, 'and 3 more'] } },
  });
});

test('defaults are filled in a copy', () => {
  const args = { city: 'Rome' };
  expect(check(weather, args)).toEqual({ city: 'Rome', days: 3 });
  expect(args).toEqual({ city: 'Rome' });
});

test('arguments are passed on as they are where there is nothing to fill in', () => {
  const args = { a: 1 };
  expect(check({ type: 'object', properties: { a: { type: 'integer' } } }, args)).toBe(args);
});

test.each([undefined, true, {}, { type: 'object' }] as const)(
  'the schema %j takes every object',
  (schema) => {
    const fresh = new SchemaChecks();
    const taken = fresh.checkOf(
      'plugin',
      schema === undefined ? { name: 't' } : { name: 't', inputSchema: schema },
    );
    const args = { any: 'thing' };
    expect(taken?.(args)).toBe(args);
    expect(taken?.([] as unknown as JsonObject)).toBeInstanceOf(Refusal);
    expect(taken?.(null as unknown as JsonObject)).toBeInstanceOf(Refusal);
  },
);

test('the schema false takes nothing', () => {
  expect(check(false, {})).toBeInstanceOf(Refusal);
});

test('before the compilers are loaded a schema cannot be checked', async () => {
  const fresh = new SchemaChecks();
  expect(fresh.checkOf('plugin', { name: 't', inputSchema: weather })).toBeUndefined();
  await fresh.load();
  expect(fresh.checkOf('plugin', { name: 't', inputSchema: weather })).toBeDefined();
});

test.each([
  'http://json-schema.org/draft-04/schema#',
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema',
  'https://example.com/nobody-knows-it',
])('schemas of %s', (name) => {
  const schema = {
    $schema: name,
    type: 'object',
    properties: { a: { $ref: '#/definitions/b' } },
    definitions: { b: { type: 'string' } },
  };
  expect(check(schema, { a: 'x' })).toEqual({ a: 'x' });
  expect(check(schema, { a: 1 })).toBeInstanceOf(Refusal);
});

test('each draft means its own words', () => {
  const schema = { type: 'object', properties: { a: { prefixItems: [{ type: 'string' }] } } };
  expect(
    check({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' }, { a: [1] }),
  ).toBeInstanceOf(Refusal);
  expect(check(schema, { a: [1] })).toEqual({ a: [1] });
});

test.each<[string, JsonSchema]>([
  ['has no sense', { type: 5 }],
  ['has no sense in a corner', { type: 'object', properties: { a: { type: 'strung' } } }],
  ['refers to what is not there', { $ref: '#/definitions/nothing' }],
  ['refers to the network', { $ref: 'https://example.com/schema.json' }],
  ['is no regular expression', { type: 'object', properties: { a: { pattern: '(' } } }],
  ['is too deep', nested(100)],
  ['is too large', { enum: Array.from({ length: 60_000 }, (_, n) => n) }],
])('a schema that %s leaves its tool unusable, in clear words, and others alone', (_, schema) => {
  expect(check(schema, {})).toMatchObject({
    failure: {
      code: 'PROTOCOL_VIOLATION',
      message: expect.stringContaining('The tool "tool" of plugin "plugin" cannot be called') as string,
    },
  });
  expect(check(weather, { city: 'Rome' })).toMatchObject({ city: 'Rome' });
});

test('schemas of the same $id do not meet', () => {
  const named = (type: string) => ({
    $id: 'https://example.com/same',
    type: 'object',
    properties: { a: { type } },
  });
  expect(check(named('string'), { a: 'x' })).toEqual({ a: 'x' });
  expect(check(named('number'), { a: 1 })).toEqual({ a: 1 });
  expect(check({ $ref: 'https://example.com/same' }, {})).toMatchObject({
    failure: { code: 'PROTOCOL_VIOLATION' },
  });
});

test.each([
  ['a regular expression that takes for ever', { a: { type: 'string', pattern: '^(a+)+$' } }],
  ['one among names', { a: { type: 'object', patternProperties: { '^(a|a)*$': { type: 'string' } } } }],
])('%s is given a limit', (_, properties) => {
  const long = `${'a'.repeat(60)}!`;
  const before = performance.now();
  const args = 'pattern' in properties.a ? { a: long } : { a: { [long]: 1 } };
  expect(check({ type: 'object', properties }, args)).toMatchObject({
    failure: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('longer than 200 ms') as string },
  });
  expect(performance.now() - before).toBeLessThan(5000);
});

test('references that multiply are given a limit', () => {
  const definitions: Record<string, JsonSchema> = { d0: { type: 'number' } };
  for (let n = 1; n <= 40; n++)
    definitions[`d${n}`] = {
      anyOf: [{ $ref: `#/definitions/d${n - 1}` }, { $ref: `#/definitions/d${n - 1}` }],
    };
  const schema = { type: 'object', properties: { a: { $ref: '#/definitions/d40' } }, definitions };
  expect(check(schema, { a: 'x' })).toBeInstanceOf(Refusal);
});

test('references that multiply with the depth of the arguments are given a limit', () => {
  const branch = (name: string) => ({
    properties: { x: { $ref: '#/definitions/a' } },
    required: ['x', name],
  });
  const schema = {
    definitions: { a: { anyOf: [branch('p'), branch('q'), branch('r')] } },
    $ref: '#/definitions/a',
  };
  let args: JsonObject = {};
  for (let depth = 0; depth < 16; depth++) args = { x: args };
  expect(check(schema, args)).toMatchObject({
    failure: { message: expect.stringContaining('could not be checked') as string },
  });
});

test('of a long list in which all is wrong the first is told', () => {
  const allowed = Array.from({ length: 5000 }, (_, n) => `v${n}`);
  const refusal = check(
    { properties: { list: { items: { enum: allowed } } } },
    { list: Array(200).fill('x') },
  );
  expect(refusal).toMatchObject({
    failure: { data: { problems: { length: 6, 5: 'and many more' } } },
  });
});

test('a schema that would keep the compiler busy is refused', async () => {
  const impatient = new SchemaChecks({ compileMs: 20 });
  await impatient.load();
  const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`p${n}`, { minLength: 1 }]));
  const check = impatient.checkOf('plugin', { name: 'tool', inputSchema: { properties } });
  expect(check?.({})).toMatchObject({
    failure: { code: 'PROTOCOL_VIOLATION', message: expect.stringContaining('longer than 20 ms') as string },
  });
});

test('a schema that refers to itself without end is refused', () => {
  expect(check({ allOf: [{ $ref: '#' }] }, {})).toBeInstanceOf(Refusal);
});

test('names of the prototype are names', () => {
  expect(check({ type: 'object', required: ['__proto__', 'constructor'] }, {})).toBeInstanceOf(Refusal);
});

test.each([
  [19.99, 0.01, true],
  [19.995, 0.01, false],
  [0.3, 0.1, true],
  [0.1 + 0.2, 0.1, false],
  [-1234567.89, 0.01, true],
  [12_391_239_123, 1e-8, true],
  [1e308, 0.123456789, false],
  [9_007_199_254_740_991, 3, false],
  [0, 0.1, true],
  [1e-7, 1e-8, true],
])('%d is a multiple of %d: %s, for the host and for the SDK', (a, multipleOf, expected) => {
  expect(fitsBoth(a, multipleOf)).toEqual({ host: expected, sdk: expected });
});

test('decimal multiples, and what lies between them, are the same for the host and for the SDK', () => {
  const digits = fc.integer({ min: 1, max: 999_999 });
  const places = fc.integer({ min: -9, max: 9 });
  fc.assert(
    fc.property(digits, places, fc.integer({ min: -9999, max: 9999 }), (unit, exponent, times) => {
      const multipleOf = Number(`${unit}e${exponent}`);
      const multiple = Number(`${unit * times}e${exponent}`);
      const between = Number(`${unit * times * 10 + 1}e${exponent - 1}`);
      expect(fitsBoth(multiple, multipleOf)).toEqual({ host: true, sdk: true });
      expect(fitsBoth(between, multipleOf)).toEqual({ host: false, sdk: false });
    }),
    { numRuns: runs(300) },
  );
});

function fitsBoth(a: number, multipleOf: number) {
  const schema = { type: 'object', properties: { a: { multipleOf } } };
  return { host: !(check(schema, { a }) instanceof Refusal), sdk: 'value' in validator(schema)({ a }) };
}

test('a number that is no multiple is refused with the unit', () => {
  const schema = { type: 'object', properties: { a: { multipleOf: 0.05 } } };
  expect(check(schema, { a: 0.07 })).toMatchObject({
    failure: { data: { problems: ['a: must be multiple of 0.05'] } },
  });
});

function check(schema: JsonSchema, args: JsonObject): JsonObject | Refusal | undefined {
  return checks.checkOf('plugin', { name: 'tool', inputSchema: schema })?.(args);
}

function nested(depth: number): JsonSchema {
  let schema: JsonSchema = { type: 'string' };
  for (let n = 0; n < depth; n++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

test('a result of any kind is held against a schema, and stays as it is', () => {
  const problems = checks.problemsOf({
    type: 'array',
    items: { properties: { a: { type: 'number', default: 1 } } },
  });
  const value = [{}, { a: 2 }];
  expect(problems?.(value)).toEqual([]);
  expect(value).toEqual([{}, { a: 2 }]);
  expect(problems?.([{ a: 'x' }])).toEqual(['0.a: must be number']);
  expect(checks.problemsOf(true)?.('anything')).toEqual([]);
  expect(() => checks.problemsOf({ type: 17 })).toThrow(/schema is invalid/);
  expect(new SchemaChecks().problemsOf({ type: 'array' })).toBeUndefined();
});
