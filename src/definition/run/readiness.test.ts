import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { around, running, started } from '../../../test/support/definition/running-definition.ts';
import { deferred } from '../../base/async.ts';
import { definePlugin } from '../define-plugin.ts';
import { fail, failureOf } from '../failure.ts';

const about = { name: 'sample', version: '1.0.0' };
const config = {
  type: 'object',
  properties: {
    key: { type: 'string', writeOnly: true },
    size: { type: 'integer', default: 3 },
    proxy: {
      type: 'object',
      properties: { host: { type: 'string' }, password: { type: 'string', format: 'password' } },
    },
  },
  required: ['key'],
} as const;

describe('setup', () => {
  test('gets what was checked, and tells what holds without its secrets', async () => {
    const seen: unknown[] = [];
    const { backend, logged } = running(
      definePlugin({
        ...about,
        config,
        setup: ({ config, dataFolder, log }) => {
          seen.push({ config, dataFolder });
          log('info', 'set up');
        },
      }),
    );
    const given = { key: 'secret', proxy: { host: 'h', password: 'p' } };
    expect(await backend.setup(given)).toEqual({ configApplied: { size: 3, proxy: { host: 'h' } } });
    expect(seen).toEqual([{ config: { ...given, size: 3 }, dataFolder: '/data' }]);
    expect(logged).toEqual([{ level: 'info', message: 'set up' }]);
  });

  test('that does not fit leaves what held before', async () => {
    const plugin = running(
      definePlugin({ ...about, config, tools: { size: { handler: (_, { config }) => config.size } } }),
    );
    await plugin.backend.setup({ key: 'k', size: 5 });
    await expect(plugin.backend.setup({ key: 'k', size: 'big' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: 'The configuration does not fit plugin "sample": size: must be a whole number; got "big"',
    });
    expect((await plugin.call('size')).answer).toEqual({ ok: true, data: 5 });
    expect(await plugin.backend.health()).toEqual({ status: 'ok' });
    await plugin.backend.setup({ key: 'k', size: 7 });
    expect((await plugin.call('size')).answer).toEqual({ ok: true, data: 7 });
  });

  test('is done by the first call where no host asks for it, and again when that failed', async () => {
    let attempts = 0;
    const plugin = running(
      definePlugin({
        ...about,
        setup: () => {
          attempts += 1;
          if (attempts === 1) throw new Error('not yet');
        },
        tools: { greet: { handler: () => 'hello' } },
      }),
    );
    expect((await plugin.call('greet')).answer).toEqual({
      ok: false,
      error: { code: 'START_FAILED', message: 'Plugin "sample" could not be set up: not yet' },
    });
    expect(await plugin.backend.health()).toEqual({
      status: 'error',
      message: 'Plugin "sample" could not be set up: not yet',
    });
    const both = await Promise.all([plugin.call('greet'), plugin.call('greet')]);
    expect(both.map(({ answer }) => answer.text)).toEqual(['hello', 'hello']);
    expect(attempts).toBe(2);
    expect(await plugin.backend.health()).toEqual({ status: 'ok' });
  });

  test('that is needed and was not done is named by the call', async () => {
    const plugin = running(definePlugin({ ...about, config, tools: { greet: { handler: () => 'hello' } } }));
    expect((await plugin.call('greet')).answer).toEqual({
      ok: false,
      error: {
        code: 'NOT_INITIALIZED',
        message: 'The configuration does not fit plugin "sample": key: is required',
      },
    });
  });

  test('that the author fails keeps the words, and holds up calls until the next', async () => {
    const plugin = running(
      definePlugin({
        ...about,
        setup: ({ config }) => {
          if (config['key'] !== 'right')
            fail({ code: 'UNAUTHENTICATED', message: 'wrong key', recoverable: true });
        },
        tools: { greet: { handler: () => 'hello' } },
      }),
    );
    const error: unknown = await plugin.backend.setup({ key: 'wrong' }).catch((thrown: unknown) => thrown);
    const failure = {
      code: 'UNAUTHENTICATED',
      message: 'Plugin "sample" could not be set up: wrong key',
      recoverable: true,
    };
    expect(failureOf(error)).toEqual(failure);
    expect((await plugin.call('greet')).answer).toEqual({ ok: false, error: failure });
    await plugin.backend.setup({ key: 'right' });
    expect((await plugin.call('greet')).answer).toEqual({ ok: true, text: 'hello' });
  });

  test('goes one after the other', async () => {
    const order: string[] = [];
    const first = deferred<void>();
    const { backend } = running(
      definePlugin({
        ...about,
        setup: async ({ config }) => {
          order.push(`begin ${String(config['n'])}`);
          if (config['n'] === 1) await first.promise;
          order.push(`end ${String(config['n'])}`);
        },
      }),
    );
    const both = [backend.setup({ n: 1 }), backend.setup({ n: 2 })];
    await nextRound();
    first.resolve();
    await Promise.all(both);
    expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  test('finds out which programs are missing', async () => {
    const { backend } = running(definePlugin({ ...about, requires: ['git', 'jq'] }), {
      hasCommand: (name) => name === 'git',
    });
    const error: unknown = await backend.setup({}).catch((thrown: unknown) => thrown);
    expect(failureOf(error)).toEqual({
      code: 'REQUIREMENT_MISSING',
      message: 'Plugin "sample" needs "jq" in PATH, and it is not there. Install it, or correct PATH.',
      data: { dependency: 'jq' },
    });
  });
});

describe('health', () => {
  test.each<[string, () => never, object]>([
    [
      'is told',
      () => ({ status: 'degraded', message: 'slow', details: { queue: 3 } }) as never,
      { status: 'degraded', message: 'slow', details: { queue: 3 } },
    ],
    ['that fails is bad', () => fail('no disk'), { status: 'error', message: 'no disk' }],
    [
      'that is none is bad',
      () => ({ status: 'fine' }) as never,
      { status: 'error', message: expect.stringContaining('gave {"status":"fine"}; expected') as string },
    ],
    [
      'that is nothing is bad',
      () => undefined as never,
      { status: 'error', message: expect.stringContaining('gave nothing') as string },
    ],
  ])('%s', async (_, health, told) => {
    expect(await running(definePlugin({ ...about, health })).backend.health()).toEqual(told);
  });

  test('that never comes is told in time', async () => {
    const { backend, clock } = running(definePlugin({ ...about, health: () => new Promise(() => {}) }));
    const told = backend.health();
    clock.advance(2500);
    expect(await told).toMatchObject({
      status: 'degraded',
      message: expect.stringContaining('longer than 2500 ms') as string,
    });
  });
});

describe('the end', () => {
  test('gives up what runs and what waits, then lets the author tidy up once', async () => {
    let tidied = 0;
    const { backend, ...plugin } = running(
      definePlugin({
        ...about,
        teardown: () => {
          tidied += 1;
        },
        tools: {
          hang: {
            handler: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
          },
        },
      }),
    );
    const call = started((sink) => backend.call({ ...around, tool: 'hang', args: {} }, sink));
    await nextRound();
    await Promise.all([backend.teardown(), backend.teardown()]);
    expect((await call.ended).answer).toEqual({
      ok: false,
      error: { code: 'PLUGIN_STOPPED', message: 'Plugin "sample" ends.' },
    });
    expect(tidied).toBe(1);
    expect((await plugin.call('hang')).answer).toMatchObject({ error: { code: 'PLUGIN_STOPPED' } });
    await expect(backend.setup({})).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
  });

  test('comes also while a setup never ends, and without one there is nothing to tidy up', async () => {
    const { backend } = running(definePlugin({ ...about, setup: () => new Promise(() => {}) }));
    const setup = backend.setup({});
    await nextRound();
    await Promise.all([backend.teardown(), expect(setup).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' })]);
    const idle = running(definePlugin({ ...about, teardown: () => expect.fail('nothing was set up') }));
    await idle.backend.teardown();
    expect(idle.logged).toEqual([]);
  });

  test('does not wait for a teardown that hangs, nor mind one that fails', async () => {
    const hanging = running(definePlugin({ ...about, teardown: () => new Promise(() => {}) }));
    await hanging.backend.setup({});
    const end = hanging.backend.teardown();
    hanging.clock.advance(5000);
    await end;
    expect(hanging.logged).toMatchObject([
      { level: 'warn', message: expect.stringContaining('5000 ms') as string },
    ]);

    const failing = running(definePlugin({ ...about, teardown: () => fail('stuck') }));
    await failing.backend.setup({});
    await failing.backend.teardown();
    expect(failing.logged).toEqual([
      { level: 'error', message: 'The teardown of plugin "sample" failed: stuck' },
    ]);
  });
});
