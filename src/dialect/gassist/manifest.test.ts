// What a plugin says of itself: its tools as a host reads them, and the manifest.json that an author end writes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backendOf } from '../../../test/support/dialect/gassist/author-end.ts';
import type { Json } from '../../base/json.ts';
import { gassistManifestFile, toolsOf } from './manifest.ts';

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

describe('a manifest.json', () => {
  const schema = {
    type: 'object',
    properties: { location: { type: 'string', description: 'Where' }, days: { type: 'integer', default: 1 } },
    required: ['location'],
    additionalProperties: false,
  };
  const tools = {
    get_weather: { description: 'Gets the weather.', tags: ['weather'], input: schema, handler: () => '' },
    ping_sky: { description: 'Looks up.', handler: () => '' },
  };

  // requirement: gassist:manifest:example, gassist:manifest:manifest-version, gassist:manifest:name, gassist:manifest:version
  // requirement: gassist:manifest:protocol-version, gassist:manifest:executable, gassist:manifest:functions
  test('has what the specification shows, and the parameters in both styles', () => {
    const { manifest } = backendOf({ description: 'Knows the sky.', tools });
    expect(gassistManifestFile(manifest, { executable: './plugin.exe' })).toEqual({
      manifestVersion: 1,
      name: 'my-plugin',
      version: '1.0.0',
      description: 'Knows the sky.',
      protocol_version: '2.0',
      executable: './plugin.exe',
      persistent: true,
      functions: [
        {
          name: 'get_weather',
          description: 'Gets the weather.',
          tags: ['weather'],
          properties: schema.properties,
          required: ['location'],
          parameters: schema,
        },
        {
          name: 'ping_sky',
          description: 'Looks up.',
          tags: [],
          properties: {},
          required: [],
          parameters: { type: 'object' },
        },
      ],
    });
  });

  test('says that a plugin takes part in conversations, and whether it stays', () => {
    const { manifest } = backendOf({ onInput: () => '' });
    expect(gassistManifestFile(manifest, { executable: 'plugin.py', persistent: false })).toMatchObject({
      passthrough: true,
      persistent: false,
      functions: [],
    });
  });

  test('what the plugin can beside its tools are functions, as in its introduction', () => {
    const executor = { executeTask: () => 'done', validateCode: () => ({ valid: true, findings: [] }) };
    const { manifest } = backendOf({ executor });
    expect(gassistManifestFile(manifest, { executable: 'x' })).toMatchObject({
      functions: [{ name: 'execute_task' }, { name: 'validate_code' }],
    });
  });

  test('is read back to the same tools', () => {
    const { manifest } = backendOf({ tools });
    expect(toolsOf([], gassistManifestFile(manifest, { executable: 'x' }))).toEqual(manifest.tools);
  });

  test('a tool that says nothing of itself still has words', () => {
    const manifest = {
      ...backendOf().manifest,
      tools: [
        { name: 'a', title: 'The A' },
        { name: 'b', inputSchema: true },
      ],
    };
    expect(gassistManifestFile(manifest, { executable: 'x' })['functions']).toEqual([
      { name: 'a', description: 'The A', tags: [] },
      { name: 'b', description: 'b', tags: [] },
    ]);
  });

  test.each(['on_input', 'rise_up'])('a tool cannot be called %s', (name) => {
    const { manifest } = backendOf({ tools: { [name]: { handler: () => '' } } });
    expect(() => gassistManifestFile(manifest, { executable: 'x' })).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED',
        message: expect.stringContaining('Rename it.') as unknown,
      }),
    );
  });
});
