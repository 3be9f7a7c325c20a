// The small validator against ajv, which is the model: over schemas of two drafts and values that nearly fit them.
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { validator } from './validator.ts';

type Draft = 'draft-07' | '2020-12';

const options = { strict: false, ownProperties: true, logger: false, validateSchema: false } as const;
const $defs = {
  text: { type: 'string' },
  tree: { type: ['object', 'string'], properties: { a: { $ref: '#/$defs/tree' } } },
};

describe.each<[Draft, Ajv, Ajv]>([
  ['draft-07', new Ajv(options), new Ajv({ ...options, useDefaults: true })],
  ['2020-12', new Ajv2020(options), new Ajv2020({ ...options, useDefaults: true })],
])('as ajv does for %s', (draft, model, filling) => {
  test('takes and refuses the same values', () => {
    fc.assert(
      fc.property(schemas(draft), fc.array(values(), { minLength: 1, maxLength: 5 }), (schema, several) => {
        const root = { ...schema, $defs };
        const check = validator(root);
        for (const value of several) expect('value' in check(value)).toBe(verdictOf(model, root, value));
      }),
      { numRuns: runs(600) },
    );
  });

  test('fills in the same defaults', () => {
    fc.assert(
      fc.property(schemasWithDefaults(), values(), (schema, value) => {
        const filled = structuredClone(value);
        const fits = verdictOf(filling, schema, filled);
        const checked = validator(schema, { defaults: true })(value);
        expect('value' in checked ? checked.value : 'refused').toEqual(fits ? filled : 'refused');
      }),
      { numRuns: runs(300) },
    );
  });
});

function verdictOf(model: Ajv, schema: JsonObject, value: Json): boolean {
  try {
    return model.compile(schema)(value);
  } catch (error) {
    // For some schemas with a reference beside other keywords ajv writes code that does not run.
    fc.pre(!(error instanceof ReferenceError));
    throw error;
  } finally {
    model.removeSchema(schema);
  }
}

function schemas(draft: Draft): fc.Arbitrary<JsonObject> {
  return fc.letrec<{ schema: JsonObject; part: Json }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'schema' },
      fc.constantFrom<Json>(true, {}, { type: 'string' }, { minimum: 1 }, false),
      tie('schema'),
    ),
    schema: fc
      .array(fc.oneof(...clauses(draft, tie('part'))), { minLength: 1, maxLength: 3 })
      .map((parts): JsonObject => Object.assign({}, ...parts) as JsonObject)
      // Beside a list of items ajv takes an empty array for one that contains something.
      .map(({ contains, ...rest }) =>
        contains === undefined || 'prefixItems' in rest || Array.isArray(rest['items'])
          ? rest
          : { ...rest, contains },
      ),
  })).schema;
}

/** Pieces of schemas: a keyword, and those that go with it. */
function clauses(draft: Draft, part: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject>[] {
  const small = fc.integer({ min: 0, max: 3 });
  const some = <Value>(item: fc.Arbitrary<Value>) => fc.array(item, { minLength: 1, maxLength: 3 });
  const byName = (item: fc.Arbitrary<Json>) =>
    fc.dictionary(fc.constantFrom('a', 'b', 'ab'), item, { maxKeys: 3 });
  const type = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string');
  const pattern = fc.constantFrom('^a', 'b$', '[ab]+', '^ab?$');
  const someNames = fc.uniqueArray(fc.constantFrom('a', 'b', 'constructor'), { maxLength: 2 });
  const byDraft = {
    'draft-07': [
      { items: some(part), additionalItems: part },
      { dependencies: byName(fc.oneof(part, someNames)) },
    ],
    '2020-12': [
      { prefixItems: some(part), items: part },
      { contains: part, minContains: small, maxContains: small },
      { dependentRequired: byName(someNames) },
      { dependentSchemas: byName(part) },
    ],
  };
  return [
    { $ref: fc.constantFrom('#/$defs/text', '#/$defs/tree') },
    { type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) },
    { enum: some(values()) },
    { const: values() },
    { minimum: small, exclusiveMaximum: small },
    { maximum: small, exclusiveMinimum: small },
    { multipleOf: fc.constantFrom(1, 2, 0.5) },
    { minLength: small },
    { maxLength: small },
    { pattern },
    { properties: byName(part) },
    {
      properties: byName(part),
      patternProperties: fc.dictionary(pattern, part, { maxKeys: 2 }),
      additionalProperties: part,
    },
    { propertyNames: part },
    { required: someNames },
    { minProperties: small },
    { maxProperties: small },
    { items: part },
    { minItems: small },
    { maxItems: small },
    { uniqueItems: fc.boolean() },
    { contains: part },
    { allOf: some(part) },
    { anyOf: some(part) },
    { oneOf: some(part) },
    { not: part },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    { if: part, then: part, else: part },
    ...byDraft[draft],
  ].map((keywords) => fc.record<Record<string, Json>>(keywords));
}

function schemasWithDefaults(): fc.Arbitrary<JsonObject> {
  return fc.letrec<{ schema: JsonObject }>((tie) => {
    const part = fc.oneof({ maxDepth: 3 }, fc.constant({}), tie('schema'));
    const keywords: Record<string, fc.Arbitrary<Json>> = {
      default: fc.oneof(fc.constant({}), fc.integer(), fc.constant([{}])),
      properties: fc.dictionary(fc.constantFrom('a', 'b'), part, { maxKeys: 2 }),
      items: part,
      type: fc.constantFrom('object', 'array', 'integer'),
      required: fc.constant(['a']),
    };
    return { schema: fc.record(keywords, { requiredKeys: [] }) as fc.Arbitrary<JsonObject> };
  }).schema;
}

function values(): fc.Arbitrary<Json> {
  const names = fc.constantFrom('a', 'b', 'ab', '__proto__', 'constructor');
  return fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'value' },
      fc.constantFrom<Json>(null, true, false, 0, 1, 2, 2.5, '', 'a', 'ab', 'b', '😀'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(names, tie('value')), { maxLength: 3 })
        .map((entries): Json => Object.fromEntries(entries)),
    ),
  })).value;
}
