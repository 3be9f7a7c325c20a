import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { readManifest } from './manifest.ts';

const spec: PluginSpec = { name: 'given-name', start: { kind: 'program', command: 'x' } };

function manifest(told: JsonObject, more: Partial<PluginSpec> = {}) {
  return readManifest(told, { ...spec, ...more });
}

function toolNames(told: JsonObject, more?: Partial<PluginSpec>): string[] {
  return manifest(told, more).tools.map(({ name }) => name);
}

// requirement: yams:manifest:name, yams:manifest:version, yams:manifest:description, yams:manifest:author
test.each<[JsonObject, object]>([
  [
    { name: 'yams_x', version: '1.2.3', description: 'It does x.', author: 'Someone' },
    { name: 'yams_x', version: '1.2.3', description: 'It does x.', author: 'Someone' },
  ],
  [{}, { name: 'given-name', version: '0.0.0' }],
  [
    { name: '', version: '', description: 7, author: ['a'] },
    { name: 'given-name', version: '0.0.0' },
  ],
  [
    { name: null, version: 2 },
    { name: 'given-name', version: '2' },
  ],
])('%j is read as %j', (told, expected) => {
  expect(manifest(told)).toEqual({ dialect: 'yams', interfaces: [], tools: [], raw: told, ...expected });
});

// requirement: yams:manifest:name-form
test.each(['yams_ghidra', 'yams2', 'with-hyphens and spaces'])(
  'the name %s is kept as it is, also where the form is wrong',
  (name) => {
    expect(manifest({ name }).name).toBe(name);
  },
);

test.each([
  ['plugin.py', 'plugin'],
  ['tools/ocr.mjs', 'ocr'],
  ['my-plugin', 'my-plugin'],
])('a plugin without a name that was given as %s is %s', (name, expected) => {
  expect(manifest({}, { name }).name).toBe(expected);
});

// requirement: yams:manifest:interfaces
test.each<[JsonObject, object]>([
  [{ interfaces: ['a_v1', 'b_v1'] }, [{ id: 'a_v1' }, { id: 'b_v1' }]],
  [
    { interfaces: [{ id: 'a_v1', version: 2 }, { id: 'b_v1' }] },
    [{ id: 'a_v1', version: '2' }, { id: 'b_v1' }],
  ],
  [{ interfaces: [17, null, {}, 'a_v1', { id: 7 }, []] }, [{ id: 'a_v1' }]],
  [{ interfaces: 'a_v1' }, []],
  [
    { capabilities: { content_extraction: {}, kg_entities: {} } },
    [{ id: 'content_extractor_v1' }, { id: 'kg_entity_provider_v1' }],
  ],
  [{ interfaces: [], capabilities: { kg_entities: {} } }, [{ id: 'kg_entity_provider_v1' }]],
  [{ interfaces: ['a_v1'], capabilities: { kg_entities: {} } }, [{ id: 'a_v1' }]],
])('interfaces of %j', (told, expected) => {
  expect(manifest(told).interfaces).toEqual(expected);
});

// requirement: yams:manifest:capabilities
test('capabilities are kept as they are, and absent ones are unknown', () => {
  const capabilities = { content_extraction: { formats: ['a/b', 7], extensions: 'none' }, other: [1] };
  const read = manifest({ capabilities });
  expect(read.capabilities).toEqual(capabilities);
  expect(read.extractor).toEqual({ formats: ['a/b'], extensions: [] });
  expect(manifest({})).not.toHaveProperty('capabilities');
  expect(manifest({ capabilities: 'all' }).capabilities).toBe('all');
});

test('a manifest on disk wins, field by field', () => {
  const told = {
    name: 'told',
    version: '1.0.0',
    description: 'Told.',
    capabilities: { tools: [{ name: 'a' }], content_extraction: { extensions: ['.told'] } },
  };
  const onDisk = {
    name: 'on_disk',
    version: '2.0.0',
    entry: { cmd: ['python', 'plugin.py'] },
    capabilities: { content_extraction: { extensions: ['.disk'] } },
  };
  expect(manifest(told, { manifest: onDisk })).toMatchObject({
    name: 'on_disk',
    version: '2.0.0',
    description: 'Told.',
    extractor: { formats: [], extensions: ['.disk'] },
    tools: [{ name: 'a' }, { name: 'extractor.extract' }],
    raw: told,
  });
});

test('tools are what the capabilities list', () => {
  const schema = { type: 'object', properties: { depth: { type: 'integer' } } };
  const tools = [
    { name: 'graph.nodes', description: 'Lists nodes.', input_schema: schema },
    { name: 'graph.any', input_schema: true },
    { name: 'graph.edges', description: 7, input_schema: 'none' },
    'graph.aliases',
    { name: 7 },
    null,
    '',
  ];
  expect(manifest({ capabilities: { tools } }).tools).toEqual([
    { name: 'graph.nodes', description: 'Lists nodes.', inputSchema: schema },
    { name: 'graph.any', inputSchema: true },
    { name: 'graph.edges' },
    { name: 'graph.aliases' },
  ]);
});

test('tools are what the capabilities name as rpc_method, wherever it stands', () => {
  const capabilities = {
    kg_entities: { rpc_method: 'kg.entities', description: 'Entities.' },
    deep: { list: [{ rpc_method: 'deep.one' }, { rpc_method: 7 }] },
  };
  expect(manifest({ capabilities }).tools).toEqual([
    { name: 'kg.entities', description: 'Entities.' },
    { name: 'deep.one' },
  ]);
});

test('tools are what the owner names', () => {
  expect(toolNames({}, { methods: ['a', 'b'] })).toEqual(['a', 'b']);
});

test('a tool that is named twice is there once, as the one of which more is known', () => {
  const capabilities = { tools: [{ name: 'a', description: 'A.' }], x: { rpc_method: 'a' } };
  expect(manifest({ capabilities }, { methods: ['a'] }).tools).toEqual([{ name: 'a', description: 'A.' }]);
});

test('what only a host says is no tool', () => {
  const names = [
    'plugin.init',
    'plugin.shutdown',
    'handshake.manifest',
    'plugin.health',
    'extractor.supports',
  ];
  expect(toolNames({ capabilities: { tools: names } })).toEqual(['plugin.health', 'extractor.supports']);
});

test('an extractor has extractor.extract as a tool with a schema', () => {
  const { tools } = manifest({ interfaces: ['content_extractor_v1'] });
  expect(tools).toMatchObject([
    { name: 'extractor.extract', inputSchema: { type: 'object', required: ['source'] } },
  ]);
});

test('an extractor may describe extractor.extract itself', () => {
  const input_schema = { type: 'object' };
  const capabilities = { content_extraction: {}, tools: [{ name: 'extractor.extract', input_schema }] };
  expect(manifest({ capabilities }).tools).toEqual([
    { name: 'extractor.extract', inputSchema: input_schema },
  ]);
});

test('a manifest that is too deep for a stack is survived', () => {
  // Our own text.
  const deep = JSON.parse('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)) as JsonObject;
  expect(toolNames({ capabilities: { deep, x: { rpc_method: 'a' } } })).toEqual(['a']);
});
