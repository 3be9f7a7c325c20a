// The life of a plugin of ours on the wire, with a raw host that says what real ones say.
import { describe, expect, test } from 'vitest';
import { ask, untilAnswer } from '../../../test/support/dialect/author-end.ts';
import { heldCalls } from '../../../test/support/definition/scripted-backend.ts';
import {
  initializedPlugin,
  scriptedExtractor,
  servedPlugin as served,
} from '../../../test/support/dialect/yams/author-end.ts';
import { PluglotError } from '../../base/error.ts';
import { Failure } from '../../definition/failure.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { authorDialects } from '../authors.ts';
import { yamsAuthor } from './author.ts';

test('it is in the list of author ends', async () => {
  expect(await authorDialects.yams?.()).toBe(yamsAuthor);
});

describe('handshake.manifest', () => {
  // requirement: yams:plugin:manifest, yams:plugin:name, yams:plugin:tools
  test('is answered with all that the plugin says of itself', async () => {
    const inputSchema = { type: 'object', required: ['city'] };
    const { raw } = served({
      extractor: scriptedExtractor({ ok: true }).script.extractor,
      manifest: {
        name: 'my-plugin',
        version: '1.2.0',
        description: 'For tests.',
        author: 'Ada',
        extractor: { formats: ['text/markdown'], extensions: ['.md', 'markdown'] },
        tools: [
          { name: 'get_weather', description: 'Tells the weather.', inputSchema },
          { name: 'ghidra.analyze' },
          { name: 'plugin.init' },
          { name: 'extractor.extract' },
        ],
      },
    });
    expect((await ask(raw, 1, 'handshake.manifest')).result).toEqual({
      name: 'my__plugin',
      version: '1.2.0',
      description: 'For tests.',
      author: 'Ada',
      interfaces: ['content_extractor_v1', 'pluglot_tools_v1'],
      capabilities: {
        content_extraction: { formats: ['text/markdown'], extensions: ['.md', '.markdown'] },
        tools: [
          { name: 'get_weather', description: 'Tells the weather.', input_schema: inputSchema },
          { name: 'ghidra.analyze', input_schema: { type: 'object' } },
        ],
      },
    });
  });

  test('leaves out what there is not', async () => {
    const { raw } = served();
    expect((await ask(raw, 1, 'handshake.manifest')).result).toEqual({
      name: 'scripted',
      version: '1.0.0',
      interfaces: ['pluglot_tools_v1'],
      capabilities: { tools: [] },
    });
  });

  test('tells the tools as they are now', async () => {
    const { raw, backend } = served();
    backend.changeManifest({ tools: [{ name: 'late' }] });
    expect((await ask(raw, 1, 'handshake.manifest')).result).toMatchObject({
      capabilities: { tools: [{ name: 'late' }] },
    });
  });
});

describe('plugin.init', () => {
  // requirement: yams:plugin:init-wrapped, yams:plugin:init-bare, yams:plugin:init-absent, yams:plugin:init-result
  test.each([
    ['wrapped', { config: { depth: 3 } }, { depth: 3 }],
    ['wrapped and empty', { config: {} }, {}],
    ['wrapped and null', { config: null }, {}],
    ['bare', { depth: 3 }, { depth: 3 }],
    ['bare with a key of that name', { config: { depth: 3 }, level: 1 }, { config: { depth: 3 }, level: 1 }],
    ['bare with a text of that name', { config: 'a.ini' }, { config: 'a.ini' }],
    ['bare and empty', {}, {}],
    ['absent', undefined, {}],
    ['null', null, {}],
  ])('takes a config that is %s', async (_, params, config) => {
    const { raw, backend } = served();
    expect((await ask(raw, 1, 'plugin.init', params)).result).toEqual({ status: 'initialized' });
    expect(backend.setups).toEqual([config]);
  });

  test('tells the config that is in use', async () => {
    const { raw } = served({ setup: ({ depth }) => ({ configApplied: { depth: depth ?? 3 } }) });
    expect((await ask(raw, 1, 'plugin.init')).result).toEqual({
      status: 'initialized',
      config_applied: { depth: 3 },
    });
  });

  test('adds what the command line said, where the host says nothing else', async () => {
    const { raw, backend } = served({}, { config: { depth: 1, name: 'x' } });
    await ask(raw, 1, 'plugin.init', { config: { depth: 3 } });
    expect(backend.setups).toEqual([{ depth: 3, name: 'x' }]);
  });

  test('refuses a list', async () => {
    const { raw, backend } = served();
    expect((await ask(raw, 1, 'plugin.init', [1])).error).toEqual({
      code: -32602,
      message: 'Invalid params: plugin.init takes params as an object with named members; got [1].',
      data: { reason: 'InvalidParams', method: 'plugin.init' },
    });
    expect(backend.setups).toEqual([]);
  });

  // requirement: yams:plugin:init-failure
  test.each([
    [new PluglotError('INVALID_ARGUMENTS', 'depth: must be a number'), -32602, 'InvalidArguments'],
    [new PluglotError('START_FAILED', 'It could not be set up.'), -32603, 'StartFailed'],
    [new Error('boom'), -32603, 'Internal'],
  ])('that fails with %s is answered with %d', async (thrown, code, reason) => {
    const { raw } = served({ setup: () => Promise.reject(thrown) });
    expect((await ask(raw, 1, 'plugin.init')).error).toEqual({
      code,
      message: thrown.message,
      data: { reason },
    });
  });

  // requirement: yams:plugin:dependency
  // requirement: yams:errors:dependency-reason, yams:errors:dependency-dependency
  // requirement: yams:errors:dependency-env-var, yams:errors:dependency-config-key
  test('that misses a dependency says which, and how it is found', async () => {
    const message = 'Ghidra not found. Set GHIDRA_INSTALL_DIR or provide ghidra_install in config.';
    const data = { dependency: 'ghidra', env_var: 'GHIDRA_INSTALL_DIR', config_key: 'ghidra_install' };
    const cause = new Failure({ code: 'REQUIREMENT_MISSING', message, data });
    const { raw } = served({
      setup: () => Promise.reject(new PluglotError('REQUIREMENT_MISSING', message, { cause })),
    });
    expect((await ask(raw, 1, 'plugin.init')).error).toEqual({
      code: -32603,
      message,
      data: { reason: 'DependencyMissing', ...data },
    });
  });

  // requirement: yams:plugin:not-initialized
  // requirement: yams:errors:not-initialized-reason, yams:errors:not-initialized-required-method
  test.each([
    ['extractor.supports', { extension: '.md' }],
    ['extractor.extract', { source: { type: 'path', path: '/tmp/a.md' } }],
    ['tool', {}],
  ])('has to come before %s', async (method, params) => {
    const { script } = scriptedExtractor({ ok: true, text: 'text' });
    const { raw, backend } = served({
      ...script,
      manifest: { ...script.manifest, tools: [{ name: 'tool' }] },
    });
    const notInitialized = {
      code: -32003,
      message: 'Plugin not initialized. Call plugin.init first.',
      data: { reason: 'NotInitialized', required_method: 'plugin.init' },
    };
    expect((await ask(raw, 1, method, params)).error).toEqual(notInitialized);
    expect(backend.requests).toEqual([]);
    await ask(raw, 2, 'plugin.init');
    expect(await ask(raw, 3, method, params)).not.toHaveProperty('error');
  });

  test('that failed counts as none, until a better one', async () => {
    let isGood = false;
    const { raw } = served({
      manifest: { tools: [{ name: 'tool' }] },
      setup: () => {
        if (!isGood) throw new PluglotError('START_FAILED', 'No disk.');
      },
    });
    await ask(raw, 1, 'plugin.init');
    expect((await ask(raw, 2, 'tool')).error).toMatchObject({ code: -32003, data: { details: 'No disk.' } });
    isGood = true;
    await ask(raw, 3, 'plugin.init');
    expect((await ask(raw, 4, 'tool')).result).toBe('done');
  });

  test('is waited for by what comes while it runs', async () => {
    let goOn = () => {};
    const { raw } = served({
      manifest: { tools: [{ name: 'tool' }] },
      setup: () => new Promise((resolve) => (goOn = resolve)),
    });
    raw.send(
      { jsonrpc: '2.0', id: 1, method: 'plugin.init' },
      { jsonrpc: '2.0', id: 2, method: 'tool' },
      { jsonrpc: '2.0', id: 3, method: 'plugin.health' },
    );
    expect((await untilAnswer(raw, 3)).result).toMatchObject({ started: false });
    goOn();
    expect((await untilAnswer(raw, 2)).result).toBe('done');
  });
});

describe('plugin.health', () => {
  // requirement: yams:plugin:health
  test('has what is known of any process', async () => {
    const clock = fakeClock();
    const { raw } = await initializedPlugin({}, { clock });
    clock.advance(120_400);
    expect((await ask(raw, 1, 'plugin.health')).result).toEqual({
      status: 'ok',
      started: true,
      uptime_sec: 120,
      memory_mb: expect.any(Number) as number,
    });
  });

  test('has the words of the author', async () => {
    const { raw } = served({
      health: async () => ({ status: 'degraded', message: 'No model yet.', details: { memory_mb: 1 } }),
    });
    expect((await ask(raw, 1, 'plugin.health')).result).toEqual({
      status: 'degraded',
      message: 'No model yet.',
      started: false,
      uptime_sec: 0,
      memory_mb: 1,
    });
  });

  test('is answered while a handler runs', async () => {
    const held = heldCalls();
    const { raw } = await initializedPlugin({ scripts: { tool: held.script } });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tool' });
    const call = await held.next();
    expect((await ask(raw, 2, 'plugin.health')).result).toMatchObject({ status: 'ok' });
    call.end({ ok: true, text: 'over' });
    expect((await untilAnswer(raw, 1)).result).toBe('over');
  });
});
