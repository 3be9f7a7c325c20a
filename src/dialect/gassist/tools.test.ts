// The tools of a plugin, from its commands and its manifest.json.
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { Json } from '../../base/json.ts';
import { toolsOf } from './tools.ts';

describe('the functions of a manifest.json', () => {
  // requirement: gassist:manifest:functions
  test('name their parameters flat, or as a JSON Schema, or not at all', () => {
    const functions = [
      {
        name: 'get_weather',
        description: 'The weather of a place.',
        tags: ['weather', 'city'],
        properties: {
          location: { type: 'string', description: 'The place' },
          days: { type: 'integer', description: '[optional] how many' },
          kinds: { type: 'array' },
        },
        required: ['location'],
      },
      {
        name: 'search_web',
        parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
      },
      { name: 'hello' },
    ];
    expect(toolsOf([], { functions })).toEqual([
      {
        name: 'get_weather',
        description: 'The weather of a place.',
        tags: ['weather', 'city'],
        inputSchema: {
          type: 'object',
          properties: {
            location: { type: 'string', description: 'The place' },
            days: { type: 'integer', description: '[optional] how many' },
            kinds: { type: 'array' },
          },
          required: ['location'],
        },
      },
      {
        name: 'search_web',
        inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
      },
      { name: 'hello' },
    ]);
  });

  test('may describe a parameter by a text alone, or by nonsense', () => {
    const functions = [{ name: 'f', properties: { a: 'The a', b: 17, c: true }, required: ['a', 1] }];
    expect(toolsOf([], { functions })).toEqual([
      {
        name: 'f',
        inputSchema: {
          type: 'object',
          properties: { a: { description: 'The a' }, b: {}, c: true },
          required: ['a'],
        },
      },
    ]);
  });
});

describe('commands of the introduction', () => {
  test('are merged with the functions, whose words count first', () => {
    const functions = [
      { name: 'a', description: 'From the file', properties: {} },
      { name: 'b', properties: { x: { type: 'string' } } },
    ];
    const commands = [
      { name: 'b', description: 'From the plugin' },
      { name: 'a', description: 'Less' },
      { name: 'c', description: 'New' },
      'd',
    ];
    expect(toolsOf(commands, { functions })).toEqual([
      { name: 'a', description: 'From the file', inputSchema: { type: 'object', properties: {} } },
      {
        name: 'b',
        description: 'From the plugin',
        inputSchema: { type: 'object', properties: { x: { type: 'string' } } },
      },
      { name: 'c', description: 'New' },
      { name: 'd' },
    ]);
  });

  test('leave out the handler of inputs, which is no tool', () => {
    expect(toolsOf([{ name: 'on_input' }], { functions: [{ name: 'on_input' }] })).toEqual([]);
  });
});

test('whatever stands there, the tools have names', () => {
  const junk = fc.jsonValue() as fc.Arbitrary<Json>;
  const entry = fc.record(
    {
      name: fc.oneof(fc.string(), junk),
      description: junk,
      tags: junk,
      parameters: junk,
      properties: junk,
      required: junk,
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(fc.array(fc.oneof(entry, junk)), fc.oneof(fc.array(entry), junk), (commands, functions) => {
      const names = toolsOf(commands, { functions }).map(({ name }) => name);
      expect(names.every((name) => name !== '')).toBe(true);
      expect(new Set(names).size).toBe(names.length);
    }),
  );
});
