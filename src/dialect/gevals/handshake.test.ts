// What an extension is told at its start, and what is made of its manifest.
import { describe, expect, test } from 'vitest';
import { hostAndRawEnd } from '../../../test/support/dialect/dialect-host.ts';
import { introducedTo, plainManifest } from '../../../test/support/dialect/gevals/host-end.ts';
import { PluglotError } from '../../base/error.ts';
import { gevals } from './host.ts';

describe('initialize', () => {
  // requirement: gevals:lifecycle:initialize-first, gevals:initialize:protocol-version, gevals:initialize:once
  test('is the first and only request, with exactly our version', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    expect(raw.received).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '0.0.1' } },
    ]);
    void end.shutdown(1000);
    expect(await raw.nextRequest()).toMatchObject({ method: 'shutdown' });
  });

  // requirement: gevals:initialize:config
  test.each([
    ['is passed on', { deep: { list: [1, null, 'é'] } }],
    ['may be empty', {}],
    ['is left out when there is none', undefined],
  ])('the config %s', async (_, config) => {
    const { raw } = hostAndRawEnd(gevals, 'lines', { spec: config === undefined ? {} : { config } });
    const { params } = await raw.nextRequest();
    expect(params).toEqual({ protocolVersion: '0.0.1', ...(config === undefined ? {} : { config }) });
  });

  test('a config that makes too long a line is not sent', async () => {
    const { raw, connected } = hostAndRawEnd(gevals, 'lines', {
      spec: { config: { text: 'x'.repeat(70_000) } },
    });
    await expect(connected).rejects.toMatchObject({
      code: 'START_FAILED',
      message: expect.stringMatching(/config of plugin "the-plugin".*65535 bytes.*into a file/) as string,
    });
    expect(raw.received).toEqual([]);
  });

  // requirement: gevals:scope:no-negotiation
  test('nothing is said of capabilities, and those of an extension are left alone', async () => {
    const { end, raw } = await introducedTo({ ...plainManifest, capabilities: { cancel: true } });
    expect(raw.received).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '0.0.1' } },
    ]);
    expect(end.manifest.capabilities).toBeUndefined();
  });

  test.each([
    [
      '-32603',
      { code: -32603, message: 'cannot reach the cluster' },
      'START_FAILED',
      'cannot reach the cluster',
    ],
    [
      'a version it does not know',
      { code: -32602, message: 'unsupported protocol version' },
      'UNSUPPORTED_PROTOCOL',
      '0.0.1',
    ],
    [
      'params it does not like',
      { code: -32602, message: 'config: namespace is required' },
      'START_FAILED',
      'namespace is required',
    ],
    ['-32601', { code: -32601, message: 'Method not found' }, 'START_FAILED', 'another dialect'],
    ['a long story', { code: -32000, message: 'x'.repeat(100_000) }, 'START_FAILED', 'xxx…'],
  ])('an extension that answers with %s is not started', async (_, error, code, words) => {
    const { raw, connected } = hostAndRawEnd(gevals, 'lines');
    const { id } = await raw.nextRequest();
    raw.send({ jsonrpc: '2.0', id, result: null, error });
    const thrown = await failureOf(connected);
    expect(thrown.code).toBe(code);
    expect(thrown.message).toContain('Plugin "the-plugin"');
    expect(thrown.message).toContain(words);
    expect(thrown.message.length).toBeLessThan(1200);
  });

  test('an answer that is no response is told as such', async () => {
    const { raw, connected } = hostAndRawEnd(gevals, 'lines');
    const { id } = await raw.nextRequest();
    raw.send({ jsonrpc: '2.0', id, error: 'broken' });
    expect(await failureOf(connected)).toMatchObject({ code: 'PROTOCOL_VIOLATION' });
  });

  test('an extension that goes away instead of answering', async () => {
    const { raw, connected } = hostAndRawEnd(gevals, 'lines');
    await raw.nextRequest();
    raw.end();
    expect(await failureOf(connected)).toMatchObject({ code: 'PIPE_ENDED' });
  });

  test.each([
    [
      'in the words of who gave it up',
      new PluglotError('START_TIMEOUT', 'too slow'),
      'START_TIMEOUT',
      'too slow',
    ],
    ['in our own words', new Error('no'), 'START_FAILED', 'plugin "the-plugin" was given up'],
  ])('a start that is given up ends %s, and so does the pipe', async (_, reason, code, words) => {
    const controller = new AbortController();
    const { raw, connected } = hostAndRawEnd(gevals, 'lines', { signal: controller.signal });
    await raw.nextRequest();
    controller.abort(reason);
    const thrown = await failureOf(connected);
    expect(thrown.code).toBe(code);
    expect(thrown.message).toContain(words);
    await raw.inputEnded;
  });

  test('a start that was given up before it began sends nothing', async () => {
    const { raw, connected } = hostAndRawEnd(gevals, 'lines', { signal: AbortSignal.abort() });
    expect(await failureOf(connected)).toMatchObject({ code: 'START_FAILED' });
    expect(raw.received).toEqual([]);
  });
});

describe('manifest', () => {
  // requirement: gevals:manifest:name, gevals:manifest:version, gevals:manifest:operations, gevals:lifecycle:manifest
  test('the smallest there is', async () => {
    const { end } = await introducedTo({
      name: 'n',
      version: '1.0.0',
      protocolVersion: '0.0.1',
      operations: {},
    });
    expect(end.isAssumed).toBe(false);
    expect(end.manifest).toEqual({
      name: 'n',
      version: '1.0.0',
      dialect: 'gevals',
      protocolVersion: '0.0.1',
      tools: [],
      raw: { name: 'n', version: '1.0.0', protocolVersion: '0.0.1', operations: {} },
    });
  });

  test.each([
    ['no name', { name: undefined }, { name: 'the-plugin' }, 'name'],
    ['a name that is null', { name: null }, { name: 'the-plugin' }, 'name'],
    ['an empty name', { name: '' }, { name: 'the-plugin' }, 'name'],
    ['no version', { version: undefined }, { version: 'unknown' }, 'version'],
    ['an empty version', { version: '' }, { version: 'unknown' }, 'version'],
    ['no operations', { operations: undefined }, { tools: [] }, 'operations'],
    ['operations that are null', { operations: null }, { tools: [] }, 'operations'],
  ])('%s is taken, as real hosts take it, and told', async (_, change, manifest, field) => {
    const { end, told } = await introducedTo({ ...plainManifest, ...change });
    expect(end.manifest).toMatchObject(manifest);
    expect(told.troubles).toEqual([
      expect.objectContaining({ reason: `manifest.${field} is missing` }) as object,
    ]);
  });

  test('an operation that is null has neither a description nor params', async () => {
    const { end } = await introducedTo({ ...plainManifest, operations: { run: null } });
    expect(end.manifest.tools).toEqual([{ name: 'run' }]);
  });

  test('what says nothing of extensions is taken, but does not tell the dialect', async () => {
    expect((await introducedTo({})).end.isAssumed).toBe(true);
    expect((await introducedTo({ name: 'n', version: '1.0.0' })).end.isAssumed).toBe(true);
    expect((await introducedTo({ protocolVersion: '0.0.1' })).end.isAssumed).toBe(false);
    const server = { protocolVersion: '0.0.1', capabilities: { tools: {} }, serverInfo: { name: 'a' } };
    expect((await failureOf(introducedTo(server))).message).toContain('it is that of an MCP server');
  });

  // requirement: gevals:manifest:description, gevals:manifest:requires, gevals:operation:description
  test.each([undefined, null])('what is optional may be %s', async (nothing) => {
    const { end, told } = await introducedTo({
      ...plainManifest,
      description: nothing,
      requires: nothing,
      operations: { apply: { description: nothing, params: nothing } },
    });
    expect(end.manifest.description).toBeUndefined();
    expect(end.manifest.requires).toBeUndefined();
    expect(end.manifest.tools).toEqual([{ name: 'apply' }]);
    expect(told.troubles).toEqual([]);
  });

  // requirement: gevals:manifest:protocol-version
  test.each(['0.0.1', '9.9.9', '', undefined, 7])(
    'a protocolVersion of %j is not enforced',
    async (version) => {
      const { end, told } = await introducedTo({ ...plainManifest, protocolVersion: version });
      const isText = typeof version === 'string';
      expect(end.manifest.protocolVersion).toBe(isText ? version : undefined);
      expect(told.troubles).toHaveLength(isText ? 0 : 1);
    },
  );

  // requirement: gevals:operation:params, gevals:operation:params-keywords
  test.each([
    ['any arguments', true],
    ['no arguments', false],
    ['an empty schema', {}],
    [
      'a schema with defaults',
      { type: 'object', properties: { n: { type: 'integer', default: 1 } }, required: ['m'] },
    ],
    [
      'draft-07',
      { $schema: 'http://json-schema.org/draft-07/schema#', type: ['object', 'null'], items: [{}, true] },
    ],
    ['a reference', { $ref: '#/definitions/a', definitions: { a: { $ref: '#/$defs/b' } }, $defs: { b: {} } }],
    [
      'properties called like keywords',
      { properties: { type: { type: 'string' }, required: true, enum: {} } },
    ],
    ['keywords of its own', { 'x-order': 5, examples: [5], default: { type: 5 }, const: { type: 5 } }],
  ])('params that are %s are kept as they are', async (_, params) => {
    const { end } = await introducedTo({ ...plainManifest, operations: { run: { params } } });
    expect(end.manifest.tools).toEqual([{ name: 'run', inputSchema: params }]);
  });

  // requirement: gevals:operation:params-valid
  test.each([
    [{ type: 5 }, '"operations.run.params.type" is 5'],
    [
      { type: 'text' },
      '"operations.run.params.type" is "text"; expected the name of a JSON type, or several',
    ],
    [{ type: ['string', 5] }, '"operations.run.params.type" is ["string",5]'],
    [{ properties: [] }, '"operations.run.params.properties" is []; expected an object of schemas'],
    [{ properties: { a: { type: 5 } } }, '"operations.run.params.properties.a.type" is 5'],
    [
      { properties: { a: 'string' } },
      '"operations.run.params.properties.a" is "string"; expected a JSON Schema',
    ],
    [{ required: 'a' }, '"operations.run.params.required" is "a"; expected an array of strings'],
    [{ required: [1] }, '"operations.run.params.required" is [1]'],
    [{ enum: 'a' }, '"operations.run.params.enum" is "a"; expected an array'],
    [{ anyOf: {} }, '"operations.run.params.anyOf" is {}; expected an array of schemas'],
    [{ oneOf: [{}, { minimum: '1' }] }, '"operations.run.params.oneOf.1.minimum" is "1"; expected a number'],
    [{ items: 5 }, '"operations.run.params.items" is 5; expected a schema, or an array of schemas'],
    [{ items: { minLength: -1 } }, '"operations.run.params.items.minLength" is -1; expected a whole number'],
    [{ not: [] }, '"operations.run.params.not" is []; expected a schema'],
    [{ $ref: {} }, '"operations.run.params.$ref" is {}; expected a string'],
    ['any', '"operations.run.params" is "any"; expected a JSON Schema: an object or a boolean'],
    [[], '"operations.run.params" is []; expected a JSON Schema'],
  ])('params %j are a broken manifest', async (params, problem) => {
    const manifest = { ...plainManifest, operations: { fine: { params: {} }, run: { params } } };
    const thrown = await failureOf(introducedTo(manifest));
    expect(thrown.code).toBe('PROTOCOL_VIOLATION');
    expect(thrown.message).toContain(problem);
  });

  test('a schema that is nested without end is looked through all the same', async () => {
    const { raw, connected } = hostAndRawEnd(gevals, 'lines');
    await raw.nextRequest();
    const params = `${'{"not":'.repeat(50_000)}{"type":5}${'}'.repeat(50_000)}`;
    raw.sendText(
      `{"jsonrpc":"2.0","id":1,"result":{"name":"n","version":"1","operations":{"run":{"params":${params}}}}}`,
    );
    const thrown = await failureOf(connected);
    expect(thrown.message).toContain('not.not.type" is 5');
    expect(thrown.message.length).toBeLessThan(500);
  });

  test.each([
    ['a number', 17, 'manifest is 17; expected an object'],
    ['nothing', null, 'manifest is null; expected an object'],
    ['a list', [], 'manifest is []; expected an object'],
    ['a name that is none', { name: {} }, 'manifest.name is {}; expected a string'],
    ['a version that is none', { version: 1 }, 'manifest.version is 1; expected a string'],
    ['a description that is none', { description: [] }, 'manifest.description is []; expected a string'],
    ['requires that are none', { requires: {} }, 'manifest.requires is {}; expected an array'],
    [
      'a requirement that is none',
      { requires: ['kubectl'] },
      'manifest.requires[0] is "kubectl"; expected an object',
    ],
    [
      'a command that is none',
      { requires: [{ command: 'a' }, { command: 1 }] },
      'manifest.requires[1].command is 1; expected the name of a program',
    ],
    [
      'operations that are none',
      { operations: ['apply'] },
      'manifest.operations is ["apply"]; expected an object',
    ],
    [
      'an operation that is none',
      { operations: { apply: 'x' } },
      'manifest.operations.apply is "x"; expected an object',
    ],
    [
      'a description of an operation that is none',
      { operations: { apply: { description: 1, params: {} } } },
      'manifest.operations.apply.description is 1',
    ],
  ])('a manifest with %s is refused, naming the field', async (_, change, problem) => {
    const isObject = typeof change === 'object' && change !== null && !Array.isArray(change);
    const thrown = await failureOf(introducedTo(isObject ? { ...plainManifest, ...change } : change));
    expect(thrown.code).toBe('PROTOCOL_VIOLATION');
    expect(thrown.message).toContain(
      `Plugin "the-plugin" answered initialize with a manifest that cannot be used: ${problem}`,
    );
  });

  // requirement: gevals:requirement:command
  test('requirements are shown; one that is no command is told and passed over', async () => {
    const requires = [{ command: 'kubectl' }, { envVar: 'HOME' }];
    const { end, told } = await introducedTo({ ...plainManifest, requires });
    expect(end.manifest.requires).toEqual([{ command: 'kubectl' }]);
    expect(told.troubles).toEqual([
      {
        kind: 'invalid',
        reason: 'manifest.requires[1] has no "command"',
        text: '{"envVar":"HOME"}',
      },
    ]);
  });

  test('names of operations are taken as they are', async () => {
    const { raw, connected } = hostAndRawEnd(gevals, 'lines');
    await raw.nextRequest();
    raw.sendText(
      '{"jsonrpc":"2.0","id":1,"result":{"name":"n","version":"1","operations":{"__proto__":{},"a b":{},"é":{}}}}',
    );
    expect((await connected).manifest.tools.map(({ name }) => name)).toEqual(['__proto__', 'a b', 'é']);
  });
});

async function failureOf(started: Promise<unknown>): Promise<PluglotError> {
  const thrown: unknown = await started.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof PluglotError) return thrown;
  throw new Error(`Expected a PluglotError, got ${String(thrown)}`);
}
