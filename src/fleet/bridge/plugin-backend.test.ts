import { describe, expect, it, vi } from 'vitest';
import { begin, bridge } from '../../../test/support/fleet/bridge.ts';
import { settled } from '../../../test/support/fleet/fake-world.ts';
import type { JsonObject } from '../../base/json.ts';

describe('the manifest', () => {
  it('is that of a single plugin', async () => {
    const { backend } = await bridge({
      manifest: {
        name: 'dice',
        version: '2.1',
        description: 'Rolls dice.',
        author: 'Ann',
        instructions: 'Roll once.',
        requires: [{ command: 'sh' }],
        extractor: { formats: ['text/plain'], extensions: ['.txt'] },
      },
      tools: [{ name: 'roll', description: 'Rolls.' }],
    });
    expect(backend.manifest).toEqual({
      name: 'dice',
      version: '2.1',
      description: 'Rolls dice.',
      author: 'Ann',
      instructions: 'Roll once.',
      requires: [{ command: 'sh' }],
      extractor: { formats: ['text/plain'], extensions: ['.txt'] },
      dialect: 'yams',
      tools: [{ name: 'roll', description: 'Rolls.' }],
      raw: {},
    });
    expect(backend.extractor).toBeDefined();
    expect(backend.talk).toBeUndefined();
  });

  it('names what several plugins have by plugin and tool', async () => {
    const { world, backend } = await bridge({}, ['second']);
    const [, second] = world.processes;
    second?.services?.toolsChanged([{ name: 'echo' }, { name: 'own' }]);
    expect(backend.manifest.name).toBe('pluglot');
    expect(backend.manifest.tools.map(({ name }) => name)).toEqual([
      'fake__echo',
      'fake__other',
      'second__echo',
      'second__own',
    ]);
  });

  it('leaves out a tool whose schema is nested too deep to be told to anybody', async () => {
    const deep = JSON.parse(`${'{"not":'.repeat(100_000)}{}${'}'.repeat(100_000)}`) as JsonObject;
    const { world, backend } = await bridge({
      tools: [{ name: 'deep', inputSchema: deep }, { name: 'flat' }],
    });
    expect(backend.manifest.tools).toEqual([{ name: 'flat' }]);
    world.process.services?.toolsChanged([{ name: 'flat' }, { name: 'deep', outputSchema: deep }]);
    expect(backend.manifest.tools).toEqual([{ name: 'flat' }]);
  });

  it('tells of a change once, and not of a restart that changes nothing', async () => {
    const { world, backend } = await bridge();
    let changes = 0;
    const end = backend.onManifestChanged(() => (changes += 1));
    world.process.services?.toolsChanged([{ name: 'echo' }]);
    expect(changes).toBe(1);
    world.process.services?.toolsChanged([{ name: 'echo' }]);
    expect(changes).toBe(1);
    end();
    world.process.services?.toolsChanged([]);
    expect(changes).toBe(1);
  });
});

describe('a call', () => {
  it('passes on what is said, in order, and the answer', async () => {
    const { world, backend } = await bridge();
    const heard = begin(backend, { tool: 'echo', args: { word: 'hi' }, context: { workdir: '/w' } });
    const { call } = world.process;
    expect(call.request).toMatchObject({ tool: 'echo', args: { word: 'hi' }, context: { workdir: '/w' } });
    call.stream('one ');
    call.sink.event({ kind: 'log', level: 'info', message: 'working' });
    call.sink.event({ kind: 'progress', progress: 1, total: 2 });
    call.end({ ok: true, text: 'one two', data: { n: 2 }, outputs: { id: '7' } });
    expect(await heard.answer).toEqual({ ok: true, text: 'one two', data: { n: 2 }, outputs: { id: '7' } });
    expect(heard.events).toEqual([
      { kind: 'text', text: 'one ' },
      { kind: 'log', level: 'info', message: 'working' },
      { kind: 'progress', progress: 1, total: 2 },
    ]);
  });

  it('keeps all that a failure says but the number of the other dialect', async () => {
    const { world, backend } = await bridge();
    const heard = begin(backend, { tool: 'echo' });
    const told = {
      code: 'UNSUPPORTED',
      message: 'No.',
      reason: 'Because',
      details: 'long',
      recoverable: true,
      suggestions: ['Ask again.'],
      data: { x: 1 },
    } as const;
    world.process.call.end({ ok: false, text: 'so far', error: { ...told, wireCode: -32001 } });
    expect(await heard.answer).toEqual({ ok: false, text: 'so far', error: told });
  });

  it('is refused when no plugin has the tool', async () => {
    const { backend } = await bridge({}, ['second']);
    const answer = await begin(backend, { tool: 'ehco' }).answer;
    expect(answer).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL' } });
  });

  it('reaches a tool by its full name, also one that is not listed', async () => {
    const { world, backend } = await bridge({ traits: { unlistedTools: true } }, ['second']);
    begin(backend, { tool: 'second__hidden' });
    expect(world.processes[1]?.call.request.tool).toBe('hidden');
  });

  it('is given up when its host gives it up', async () => {
    const { world, backend } = await bridge();
    const heard = begin(backend, { tool: 'echo' });
    world.process.call.stream('half');
    heard.cancel('No longer wanted.');
    expect(world.process.calls[0]?.cancelled).toBe('No longer wanted.');
    expect(await heard.answer).toEqual({
      ok: false,
      text: 'half',
      error: { code: 'CALL_CANCELLED', message: 'No longer wanted.' },
    });
  });

  it('fails when the process of the plugin ends, and the next one is answered by a new process', async () => {
    const { world, backend } = await bridge();
    const heard = begin(backend, { tool: 'echo' });
    world.process.exit(7);
    expect(await heard.answer).toMatchObject({
      ok: false,
      error: { code: 'UNAVAILABLE', reason: 'PLUGIN_EXITED' },
    });
    const again = begin(backend, { tool: 'echo', args: { again: true } });
    await world.advance(1000);
    world.process.call.end();
    expect(await again.answer).toEqual({ ok: true, data: { again: true } });
  });

  it('has the shorter of both time limits', async () => {
    const { world, backend } = await bridge({ spec: { limits: { callMs: 1000 } } });
    const heard = begin(backend, { tool: 'echo', timeoutMs: 29_000 });
    expect(world.process.call.request.timeoutMs).toBe(1000);
    await world.advance(1100);
    expect(await heard.answer).toMatchObject({ error: { code: 'TIMEOUT', reason: 'CALL_TIMEOUT' } });
  });
});

describe('the configuration of the host', () => {
  it('is what a plugin is restarted with, on top of its own', async () => {
    const { world, backend } = await bridge({
      traits: { takesConfig: true },
      spec: { config: { a: 1, b: 1 } },
    });
    const done = backend.setup({ b: 2 });
    await world.advance(100);
    expect(await done).toEqual({});
    expect(world.processes.map(({ config }) => config)).toEqual([
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ]);
  });

  it('changes nothing when it is empty', async () => {
    const { world, backend } = await bridge({ traits: { takesConfig: true } });
    await backend.setup({});
    expect(world.processes).toHaveLength(1);
  });

  it('is left out, with a word, for a plugin that cannot be told', async () => {
    const { world, backend, logged } = await bridge();
    await backend.setup({ b: 2 });
    expect(world.processes).toHaveLength(1);
    expect(logged).toEqual([{ level: 'warn', message: expect.stringContaining('"fake"') as string }]);
  });

  it('stands under the names of several plugins', async () => {
    const { world, backend } = await bridge({ traits: { takesConfig: true } }, ['second']);
    await expect(backend.setup({ third: {} })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    const done = backend.setup({ second: { x: 1 } });
    await world.advance(100);
    await done;
    expect(world.process).toMatchObject({ pluginName: 'second', config: { x: 1 } });
  });
});

it('is as well as the worst of its plugins', async () => {
  const { world, backend } = await bridge({}, ['second']);
  expect(await backend.health()).toMatchObject({ status: 'ok' });
  world.process.exit(1);
  await settled();
  expect(await backend.health()).toMatchObject({
    status: 'error',
    message: expect.stringMatching(/^second: /) as string,
    details: { fake: { status: 'ok' }, second: { status: 'error' } },
  });
});

it('answers a health check in time, whatever its plugins do', async () => {
  const { world, backend } = await bridge();
  const health = vi.spyOn(world.plugin, 'health');
  health.mockRejectedValueOnce(new Error('boom'));
  expect(await backend.health()).toEqual({ status: 'error', message: 'boom' });
  health.mockReturnValueOnce(new Promise(() => {}));
  const late = backend.health();
  await world.advance(2500);
  expect(await late).toEqual({
    status: 'degraded',
    message: 'The health check of plugin "fake" takes longer than 2500 ms.',
  });
});

it('stops its plugins when it is taken down', async () => {
  const { world, backend } = await bridge();
  await backend.teardown();
  expect(world.plugin.status.state).toBe('stopped');
});
