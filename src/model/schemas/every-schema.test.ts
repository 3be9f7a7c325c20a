// Whatever the schema is, providers take what comes of it, and every difference is told.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anySchema, toolArguments, toolSchema } from '../../../test/support/arbitrary-tool-schemas.ts';
import { runs } from '../../../test/support/runs.ts';
import { compiled, declaredSchema, targets, tool } from '../../../test/support/tool-declarations.ts';
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
