import { describe, expect, test } from 'vitest';
import { object, targets, tool } from '../../../test/support/model/tool-declarations.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { toolsFor } from './tools-for.ts';

describe('hostile schemas', () => {
  const nested = (key: string, levels: number): Json => {
    let schema: Json = { type: 'string' };
    for (let level = 0; level < levels; level++)
      schema = {
        type: key === 'items' ? 'array' : 'object',
        [key]: key === 'properties' ? { p: schema } : schema,
      };
    return schema;
  };
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `d${n}`,
      { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, object({ x: { $ref: `#/$defs/d${n + 1}` } })] },
    ]),
  );
  const cyclic: Record<string, unknown> = { type: 'object', properties: {} };
  cyclic['properties'] = { self: cyclic };

  test.each<[string, unknown]>([
    ['refers to itself', object({ next: { $ref: '#' } })],
    [
      'refers in a circle',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    ],
    ['is 10,000 levels deep', object({ p: nested('properties', 10_000) })],
    ['has 10,000 levels of items', object({ p: nested('items', 10_000) })],
    ['has 10,000 levels of not', object({ p: nested('not', 10_000) })],
    [
      'doubles with every reference',
      object({ p: { $ref: '#/$defs/d0' } }, { $defs: { ...doubling, d40: {} } }),
    ],
    ['has a million values', object({ p: { enum: Array.from({ length: 1_000_000 }, (_, n) => n) } })],
    [
      'has 100,000 properties',
      object(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`p${n}`, {}]))),
    ],
    [
      'has special names',
      object(
        JSON.parse('{"__proto__":{"type":"string"},"constructor":{},"toString":{"enum":[1]}}') as JsonObject,
        { required: ['__proto__', 'constructor'] },
      ),
    ],
    ['is a circle of objects', cyclic],
    ['has a pattern that blows up', object({ p: { type: 'string', pattern: '(a+)+$' } })],
    ['has a very long text', object({ p: { type: 'string', description: 'x'.repeat(1_000_000) } })],
    ['has a default that is deep', object({ p: { default: nested('properties', 10_000) } })],
    [
      'multiplies choices',
      object({
        p: {
          allOf: Array.from({ length: 30 }, () => ({
            anyOf: [
              { type: 'string', minLength: 1 },
              { type: 'string', maxLength: 9 },
            ],
          })),
        },
      }),
    ],
  ])('one that %s harms nobody', (_, schema) => {
    for (const [provider, options, problemsOf] of targets) {
      const started = performance.now();
      const result = toolsFor(provider, [tool(schema), tool(object({}), { name: 'other' })], options);
      expect(performance.now() - started).toBeLessThan(10_000);
      expect(result.tools.flatMap(problemsOf)).toEqual([]);
      expect(result.tools.length + result.quarantined.length).toBe(2);
      expect(result.repairs.length).toBeLessThan(500);
      expect(({} as { type?: unknown }).type).toBeUndefined();
    }
  });

  test('arguments with special names come back as they are', () => {
    const schema = object(JSON.parse('{"__proto__":{"enum":[1]},"a b":{}}') as JsonObject);
    const result = toolsFor('gemini', [tool(schema)]);
    const args = result.argumentsFrom('tool', JSON.parse('{"__proto__":"1","other":2}') as JsonObject);
    expect(JSON.stringify(args)).toBe('{"__proto__":1,"other":2}');
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  });
});
