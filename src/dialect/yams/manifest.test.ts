import fc from 'fast-check';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { scriptedBackend } from '../../../test/support/definition/scripted-backend.ts';
import type { JsonObject } from '../../base/json.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { fromWireName, readManifest, toWireName, toolsOf, yamsManifestFile } from './manifest.ts';

const spec: PluginSpec = { name: 'given-name', start: { kind: 'program', command: 'x' } };

function manifest(sent: JsonObject, more: Partial<PluginSpec> = {}) {
  return readManifest(sent, { ...spec, ...more });
}

function toolNames(sent: JsonObject, more?: Partial<PluginSpec>): string[] {
  return manifest(sent, more).tools.map(({ name }) => name);
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
])('%j is read as %j', (sent, expected) => {
  expect(manifest(sent)).toEqual({ dialect: 'yams', interfaces: [], tools: [], raw: sent, ...expected });
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
])('interfaces of %j', (sent, expected) => {
  expect(manifest(sent).interfaces).toEqual(expected);
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
  const sent = {
    name: 'sent',
    version: '1.0.0',
    description: 'Told.',
    capabilities: { tools: [{ name: 'a' }], content_extraction: { extensions: ['.sent'] } },
  };
  const onDisk = {
    name: 'on_disk',
    version: '2.0.0',
    entry: { cmd: ['python', 'plugin.py'] },
    capabilities: { content_extraction: { extensions: ['.disk'] } },
  };
  expect(manifest(sent, { manifest: onDisk })).toMatchObject({
    name: 'on_disk',
    version: '2.0.0',
    description: 'Told.',
    extractor: { formats: [], extensions: ['.disk'] },
    tools: [{ name: 'a' }, { name: 'extractor.extract' }],
    raw: sent,
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

test('methods of the host alone are not tools', () => {
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

const [extractTool] = toolsOf(undefined, [], true);
const validate = new Ajv({ strict: true, strictTypes: true }).compile(extractTool?.inputSchema ?? false);

test.each([
  { source: 'notes.md' },
  { source: { type: 'path', path: '/notes.md' } },
  { source: { type: 'bytes', data: 'QQ==' }, options: { max_functions: 3, other: [1] } },
])('extractor.extract takes %j', (args) => {
  expect(validate(args)).toBe(true);
});

test.each([
  {},
  { source: '' },
  { source: 7 },
  { source: { type: 'path' } },
  { source: { type: 'bytes', path: '/notes.md' } },
  { source: { type: 'url', path: '/notes.md' } },
  { source: 'notes.md', options: [] },
  { source: 'notes.md', options: { decompile: 'yes' } },
])('extractor.extract does not take %j', (args) => {
  expect(validate(args)).toBe(false);
});

const { manifest: served } = scriptedBackend({
  manifest: {
    name: 'my-plugin',
    description: 'For tests.',
    extractor: { formats: ['text/markdown'], extensions: ['.md'] },
    tools: [{ name: 'outline', description: 'Lists headings.', inputSchema: { type: 'object' } }],
  },
});
const command = ['node', '${plugin_dir}/plugin.js'];

test('is the manifest of the handshake and how the plugin is started', () => {
  expect(yamsManifestFile(served, { command, env: { MODE: 'fast' } })).toEqual({
    name: 'my__plugin',
    version: '1.0.0',
    description: 'For tests.',
    interfaces: ['content_extractor_v1', 'pluglot_tools_v1'],
    capabilities: {
      content_extraction: { formats: ['text/markdown'], extensions: ['.md'] },
      tools: [{ name: 'outline', description: 'Lists headings.', input_schema: { type: 'object' } }],
    },
    entry: { cmd: command, env: { MODE: 'fast' } },
  });
});

test('names programs by system, with the command where there is none', () => {
  const binary = { linux: '${plugin_dir}/plugin', windows: '${plugin_dir}/plugin.exe' };
  expect(yamsManifestFile(served, { command, binary })['entry']).toEqual({
    binary,
    fallback_cmd: command,
    cmd: command,
  });
});

test('tells a host what the plugin itself would', () => {
  const manifest = yamsManifestFile(served, { command });
  const spec = { name: 'x', start: { kind: 'program' as const, command: 'x' }, manifest };
  expect(readManifest({}, spec)).toMatchObject({
    name: 'my-plugin',
    version: '1.0.0',
    description: 'For tests.',
    extractor: served.extractor,
    tools: [...served.tools, { name: 'extractor.extract' }],
  });
});

test.each([
  ['yams_ghidra', 'yams_ghidra'],
  ['Plugin2', 'Plugin2'],
  ['my-plugin', 'my__plugin'],
  ['a.b', 'a_x2e_b'],
  ['größe', 'gr_xf6__xdf_e'],
  ['a😀', 'a_x1f600_'],
  ['a__b', 'a_x5f__b'],
  ['a_x2d_b', 'a_x5f_x2d_b'],
  ['a_-b', 'a_x5f___b'],
])('%s is %s on the wire', (name, wireName) => {
  expect(toWireName(name)).toBe(wireName);
  expect(fromWireName(wireName)).toBe(name);
});

test.each(['_xffffffff_', '_x110000_', '_x_', '_xg_'])(
  '%s, which no name has, stays as it is',
  (wireName) => {
    expect(fromWireName(wireName)).toBe(wireName);
  },
);

const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('_', '-', 'x', '2', 'd', '.', 'a', 'Z') }),
);

test('any name has a wire name of letters, digits and underscores that leads back to it', () => {
  fc.assert(
    fc.property(name, (name) => {
      expect(toWireName(name)).toMatch(/^[A-Za-z0-9_]*$/);
      expect(fromWireName(toWireName(name))).toBe(name);
    }),
  );
});
