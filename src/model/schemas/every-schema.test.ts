// Whatever the schema is, providers take what comes of it, and every difference is told.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { compiled, declaredSchema, targets, tool } from '../../../test/support/model/tool-declarations.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { toolsFor } from './tools-for.ts';

describe.each(targets)('%s %j', (provider, options, problemsOf) => {
  test('takes what comes of any schema', () => {
    fc.assert(
      fc.property(toolSchema, (schema) => {
        const result = toolsFor(provider, [tool(schema)], options);
        expect(result.tools.flatMap(problemsOf)).toEqual([]);
        expect(result.tools.length + result.quarantined.length).toBe(1);
      }),
      { numRuns: runs(1500, 40) },
    );
  }, 120_000);

  test('takes what comes of anything at all', () => {
    fc.assert(
      fc.property(fc.array(anySchema, { maxLength: 3 }), fc.string(), (schemas, name) => {
        const tools = schemas.map((schema, index) =>
          tool(schema, { name: `${name}${index}`, description: name }),
        );
        const result = toolsFor(provider, tools, options);
        expect(result.tools.flatMap(problemsOf)).toEqual([]);
        expect(result.tools.length + result.quarantined.length).toBe(schemas.length);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: runs(1500, 40) },
    );
  }, 120_000);

  test('is told every difference between the schema and what was declared', () => {
    let same = 0;
    fc.assert(
      fc.property(toolSchema, fc.array(toolArguments, { minLength: 20, maxLength: 30 }), (schema, all) => {
        const result = toolsFor(provider, [tool(schema)], options);
        const declared = declaredSchema(provider, result);
        if (declared === undefined) return;
        const effects = new Set(result.repairs.map(({ effect }) => effect));
        if (effects.has('both') || (effects.has('wider') && effects.has('narrower'))) return;
        const original = compiled(schema);
        const repaired = compiled(declared);
        same += 1;
        for (const args of all) {
          const sent = options.strict ? filled(args, declared) : args;
          const own = result.argumentsFrom('tool', sent);
          const why = (): string => JSON.stringify({ schema, declared, sent, own, repairs: result.repairs });
          if (!effects.has('wider') && repaired(sent) === true && original(own) === false)
            throw new Error(`passes, and should not: ${why()}`);
          // Where values look different to the provider, only the way back can be tried.
          const isPlain = !result.repairs.some(({ what }) =>
            /^declared as (?!$)|became texts|JSON text/.test(what),
          );
          if (
            isPlain &&
            !effects.has('narrower') &&
            original(args) &&
            JSON.stringify(own) === JSON.stringify(args) &&
            repaired(sent) === false
          )
            throw new Error(`does not pass, and should: ${why()}`);
        }
      }),
      { numRuns: runs(1000, 25) },
    );
    // Else nothing was compared.
    expect(same).toBeGreaterThan(0);
  }, 120_000);
});

/** What is left out is null in a strict declaration. */
function filled(value: Json, schema: JsonObject): JsonObject {
  return fill(value, schema) as JsonObject;
}

function fill(value: Json, schema: Json | undefined): Json {
  if (!isJsonObject(schema)) return value;
  if (isJsonArray(value)) return value.map((item) => fill(item, schema['items']));
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : undefined;
  if (!isJsonObject(value) || properties === undefined || schema['additionalProperties'] !== false)
    return value;
  const missing = Object.keys(properties).filter((name) => !Object.hasOwn(value, name));
  return Object.fromEntries([
    ...Object.entries(value).map(([name, one]) => [name, fill(one, properties[name])] as const),
    ...missing.map((name) => [name, null] as const),
  ]);
}

// Schemas as tools have them and as nobody should have them, with values that come near to fitting.

const names = ['a', 'b', 'my prop', 'ü', 'x-y'];
const texts = ['', 'a', 'bb', 'true', '1', 'null', '2020-01-01T00:00:00Z'];
const name = fc.constantFrom(...names);
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...texts),
  fc.integer({ min: -2, max: 12 }),
  fc.constantFrom(0.5, 1.5),
  fc.boolean(),
  fc.constant(null),
);
const count = fc.integer({ min: 0, max: 3 });
const typeName = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null');

/** Some of them, each or not. */
const some = (record: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(record, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;

const { schema } = fc.letrec<{ schema: JsonObject | boolean; object: JsonObject }>((tie) => {
  const inner = tie('schema');
  const words = { description: fc.constantFrom('words', ''), default: scalar };
  return {
    object: fc
      .tuple(
        some({
          properties: fc.dictionary(name, inner, { maxKeys: 3 }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          additionalProperties: fc.oneof({ weight: 3, arbitrary: fc.boolean() }, inner),
          ...words,
        }),
        fc.oneof(
          { weight: 4, arbitrary: fc.constant({}) },
          some({
            patternProperties: fc.dictionary(fc.constantFrom('^a', 'y$'), inner, { maxKeys: 1 }),
            minProperties: count,
            maxProperties: count,
            propertyNames: fc.constant({ maxLength: 3 }),
            dependentRequired: fc.constant({ a: ['b'] }),
          }),
        ),
      )
      .map(([one, more]): JsonObject => ({ type: 'object', ...one, ...more })),
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
      {
        weight: 2,
        arbitrary: some({
          type: fc.constant('string'),
          minLength: count,
          maxLength: count,
          pattern: fc.constantFrom('^a', '(?=a)b'),
          ...words,
        }).map((one): JsonObject => ({ type: 'string', ...one })),
      },
      {
        weight: 2,
        arbitrary: some({
          minimum: fc.integer({ min: -3, max: 3 }),
          exclusiveMaximum: fc.integer({ min: 0, max: 9 }),
          multipleOf: fc.constantFrom(1, 2, 3),
          ...words,
        }).chain((one) => fc.constantFrom('number', 'integer').map((type): JsonObject => ({ type, ...one }))),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom<JsonObject | boolean>(
          { type: 'boolean' },
          { type: 'null' },
          {},
          true,
          false,
        ),
      },
      {
        weight: 2,
        arbitrary: fc
          .uniqueArray(scalar, { minLength: 1, maxLength: 4, selector: (one) => JSON.stringify(one) })
          .map((values): JsonObject => ({ enum: values })),
      },
      { weight: 1, arbitrary: scalar.map((value): JsonObject => ({ const: value })) },
      {
        weight: 1,
        arbitrary: fc
          .uniqueArray(typeName, { minLength: 1, maxLength: 3 })
          .map((type): JsonObject => ({ type })),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom<JsonObject>(
          { $ref: '#/$defs/one' },
          { $ref: '#/$defs/two', minimum: 1 },
          { $ref: '#' },
        ),
      },
      { weight: 4, arbitrary: tie('object') },
      {
        weight: 2,
        arbitrary: some({
          items: inner,
          prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
          minItems: count,
          maxItems: count,
          uniqueItems: fc.boolean(),
          contains: inner,
        }).map((one): JsonObject => ({ type: 'array', ...one })),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.constantFrom('anyOf', 'oneOf', 'allOf'),
            fc.array(inner, { minLength: 1, maxLength: 3 }),
            fc.oneof(fc.constant({}), some({ type: typeName, required: fc.constant(['a']) })),
          )
          .map(([key, parts, rest]): JsonObject => ({ ...rest, [key]: parts })),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(inner, inner).map(([one, other]): JsonObject =>
          Object.fromEntries([
            ['not', one],
            ['if', other],
            // oxlint-disable-next-line unicorn/no-thenable -- it is a keyword
            ['then', one],
            ['else', other],
          ]),
        ),
      },
      {
        weight: 1,
        arbitrary: some({ minLength: count, minimum: count, required: fc.constant(['a']), items: inner }),
      },
    ),
  };
});

/** A whole one: mostly an object at the top, and something to refer to. */
const toolSchema: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc
          .dictionary(name, schema, { maxKeys: 4 })
          .chain((properties) =>
            fc
              .record(
                { required: fc.subarray(Object.keys(properties)), additionalProperties: fc.boolean() },
                { requiredKeys: [] },
              )
              .map((rest): JsonObject => ({ type: 'object', properties, ...rest })),
          ),
      },
      { weight: 1, arbitrary: schema.map((one): JsonObject => (typeof one === 'boolean' ? {} : one)) },
    ),
    schema,
    schema,
  )
  .map(([root, one, two]): JsonObject => ({ ...root, $defs: { one, two } }));

const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.dictionary(name, tie('value'), { maxKeys: 3 }) },
  ),
})).value;

const toolArguments: fc.Arbitrary<JsonObject> = fc.dictionary(name, value, { maxKeys: 4 });

/** Anything at all, with the words of schemas in it. */
const anySchema: fc.Arbitrary<unknown> = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    { weight: 2, arbitrary: scalar },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '#',
        '#/properties/a',
        '#/$defs/a',
        'http://x/y',
        '#/%ZZ',
        'object',
        'array',
        '(',
      ),
    },
    { weight: 1, arbitrary: fc.array(tie('any'), { maxLength: 3 }) },
    {
      weight: 4,
      arbitrary: fc.dictionary(
        fc.constantFrom(
          'type',
          'properties',
          'required',
          'items',
          'anyOf',
          'oneOf',
          'allOf',
          'not',
          'if',
          'then',
          '$ref',
          '$defs',
          'enum',
          'const',
          'minimum',
          'exclusiveMinimum',
          'minItems',
          'maxItems',
          'pattern',
          'patternProperties',
          'additionalProperties',
          'dependencies',
          'dependentRequired',
          'format',
          'description',
          'default',
          'nullable',
          'unevaluatedProperties',
          'additionalItems',
          '__proto__',
          'constructor',
          'a',
        ),
        tie('any'),
        { maxKeys: 5, noNullPrototype: true },
      ),
    },
  ),
})).any;
