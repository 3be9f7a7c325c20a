// Calls of plugins in this process: the same rules as for those behind a wire.
import { expect, test } from 'vitest';
import { openGate, testRegistry } from '../../../test/support/fleet/registry.ts';
import { settled } from '../../../test/support/fleet/fake-world.ts';
import type { JsonObject } from '../../base/json.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { HandlerContext } from '../../definition/definition.ts';
import type { CallEvent } from '../../definition/outcome.ts';
import type { Executor, RegistryOptions } from './registry.ts';

test('arguments and results are copies: nobody changes what is the other one’s', async () => {
  const kept: unknown[] = [];
  const { execute } = await tool((args) => {
    Object.assign(args['list'] as unknown[], [9]);
    const answer = { list: [1] };
    kept.push(answer);
    return answer;
  });
  const args = { list: [1, 2] };
  const outcome = await execute(args);
  Object.assign((kept[0] as { list: number[] }).list, [7]);
  expect(args).toEqual({ list: [1, 2] });
  expect(outcome).toMatchObject({ ok: true, data: { list: [1] } });
});

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

test.for([
  [{ big: 1n }, 'they.big is a bigint, which JSON has no form for'],
  [cycle, 'they.self contains itself'],
  [{ list: [undefined] }, 'they.list[0] is undefined, which JSON has no form for'],
  [{ act: () => 1 }, 'they.act is a function, which JSON has no form for'],
  [{ when: new Map() }, 'they.when is a Map'],
  [[1], 'they are not an object'],
  ['text', 'they are not an object'],
] as const)('arguments that are no plain data are refused', async ([args, why]) => {
  const { execute, calls } = await tool(() => 1);
  // As callers who write JavaScript may.
  const outcome = await execute(args as unknown as JsonObject);
  expect(outcome).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
  expect(outcome.ok ? '' : outcome.error.message).toContain(
    `Tool "act" of plugin "sample" does not take these arguments: ${why}`,
  );
  expect(calls).toEqual([]);
});

test.for([
  [() => ({ big: 1n }), 'its result.big is a bigint'],
  [() => cycle, 'its result.self contains itself'],
  [() => [undefined], 'its result[0] is undefined'],
  [() => new Set(), 'its result is a Set'],
] as const)('a result that is not plain data fails', async ([handler, why]) => {
  const { execute } = await tool(handler);
  const outcome = await execute({});
  expect(outcome).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
  expect(outcome.ok ? '' : outcome.error.message).toContain(why);
});

test('arguments and results have a size', async () => {
  const { execute, calls } = await tool(({ count }) => 'ü'.repeat(Number(count)), {
    limits: { messageBytes: 1000 },
  });
  const tooMuch = await execute({ text: 'x'.repeat(1000) });
  expect(tooMuch).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
  expect(calls).toEqual([]);
  expect(await execute({ text: 'x'.repeat(900), count: 1 })).toMatchObject({ ok: true });
  // In bytes, not in characters.
  expect(await execute({ count: 480 })).toMatchObject({ ok: true });
  expect(await execute({ count: 600 })).toMatchObject({
    ok: false,
    error: { code: 'FRAME_TOO_LARGE', message: expect.stringContaining('more than 1000 bytes') as unknown },
  });
});

test('a failure with too much data is a failure without it', async () => {
  const { execute } = await tool(
    () => {
      throw new Error('x'.repeat(2000));
    },
    { limits: { messageBytes: 1000 } },
  );
  expect(await execute({})).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
});

test('arguments are held against the schema', async () => {
  const { execute } = await tool(() => 1);
  expect(await execute({ count: 'many' })).toMatchObject({
    ok: false,
    error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('count') as unknown },
  });
});

test.for([
  [{}, {}, 30_000],
  [{ limits: { callMs: 500 } }, {}, 500],
  [{ limits: { callMs: 500 } }, { timeoutMs: 2000 }, 2000],
  [{}, { timeoutMs: Number.NaN }, 30_000],
] as const)(
  'a call ends by its limit, and its handler hears of it',
  async ([options, callOptions, limitMs]) => {
    let signal: AbortSignal | undefined;
    const { execute, world } = await tool((_args, context) => {
      ({ signal } = context);
      context.stream('so far');
      return new Promise(() => {});
    }, options);
    const call = execute({}, callOptions);
    await settled();
    world.clock.advance(limitMs - 1);
    await settled();
    expect(signal?.aborted).toBe(false);
    world.clock.advance(1);
    expect(await call).toMatchObject({
      ok: false,
      text: 'so far',
      durationMs: limitMs,
      error: { code: 'CALL_TIMEOUT', message: expect.stringContaining(`within ${limitMs} ms`) as unknown },
    });
    expect(signal?.aborted).toBe(true);
  },
);

test('the limit of a tool is its own, unless the caller has less time', async () => {
  const { execute, world } = await tool(() => new Promise(() => {}), {}, { timeoutMs: 60_000 });
  const own = execute({});
  const less = execute({}, { timeoutMs: 100 });
  await settled();
  world.clock.advance(100);
  expect(await less).toMatchObject({ error: { code: 'CALL_TIMEOUT' } });
  await world.advance(60_000, 60_000);
  expect(await own).toMatchObject({ error: { code: 'TIMEOUT' } });
});

test('the limit of a command is its own too', async () => {
  const { registry, world } = testRegistry();
  const never = () => new Promise(() => {});
  registry.registerPlugin(
    definePlugin({
      name: 'slow',
      version: '1',
      commands: { ask: { timeoutMs: 60_000, handler: never }, usual: { handler: never } },
    }),
  );
  await registry.exposeAll();
  const asked = registry.resolveCommand('ask')?.call({});
  const usual = registry.resolveCommand('usual')?.call({});
  await settled();
  await world.advance(30_000, 30_000);
  expect(await usual).toMatchObject({ error: { code: 'CALL_TIMEOUT' } });
  await world.advance(30_000, 30_000);
  expect(await asked).toMatchObject({ error: { code: 'TIMEOUT' } });
});

test('who cancels, by the call or by a signal, has an outcome at once, and the handler hears of it', async () => {
  const signals: AbortSignal[] = [];
  const { execute } = await tool((_args, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  const controller = new AbortController();
  const one = execute({});
  const two = execute({}, { signal: controller.signal });
  await settled();
  one.cancel('Enough.');
  controller.abort();
  expect(await one).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED', message: 'Enough.' } });
  expect(await two).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  const late = execute({}, { signal: controller.signal });
  expect(await late).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
  expect(signals).toHaveLength(2);
});

test('what is said before the end is heard, and the caller’s surroundings are seen', async () => {
  const { execute } = await tool((_args, context) => {
    context.progress(1, 2);
    context.stream('half');
    return `${context.dialect} ${context.workdir}`;
  });
  const call = execute({}, { context: { workdir: '/work' } });
  const events: CallEvent[] = [];
  for await (const event of call) events.push(event);
  expect(events).toEqual([
    { kind: 'progress', progress: 1, total: 2 },
    { kind: 'text', text: 'half' },
  ]);
  expect(await call).toMatchObject({ ok: true, text: 'halfin-process /work' });
  expect(call.id).toMatch(/^0{6}-\d+$/);
});

test('a handler knows who asks, and cannot make it another', async () => {
  const caller = { kind: 'client', name: 'ide' } as const;
  const { execute } = await tool((_args, context) => {
    expect(() => Object.assign(context.caller ?? {}, { kind: 'user' })).toThrow(TypeError);
    return { ...context.caller };
  });
  expect(await execute({}, { caller })).toMatchObject({ ok: true, data: caller });
  expect(await execute({})).toMatchObject({ ok: true, data: { kind: 'model' } });
});

test('what runs when it is unexposed fails at once', async () => {
  const { execute, registry } = await tool(() => new Promise(() => {}));
  const call = execute({});
  await settled();
  await registry.unexposeAll();
  expect(await call).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
});

test('commands are called and completed; a completion that hangs gives nothing', async () => {
  const { registry, world } = testRegistry();
  registry.registerPlugin(
    definePlugin({
      name: 'todo',
      version: '1',
      commands: {
        plan: {
          parameters: [{ name: 'what', required: true }],
          complete: (parameter, typed) =>
            typed === 'hang' ? new Promise(() => {}) : [`${parameter}:${typed}`],
          handler: ({ what }) => ({ planned: what as string }),
        },
      },
    }),
  );
  await registry.exposeAll();
  const command = registry.resolveCommand('plan');
  expect(await command?.call({ what: 'rest' })).toMatchObject({ ok: true, data: { planned: 'rest' } });
  expect(await command?.call({})).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
  expect(await command?.complete('what', 'a')).toEqual(['what:a']);
  const hanging = command?.complete('what', 'hang');
  await settled();
  world.clock.advance(2000);
  expect(await hanging).toEqual([]);
});

test('what a tool says of a call is passed on', async () => {
  const { registry } = await tool(
    () => 1,
    {},
    { describe: ({ count }: JsonObject) => ({ summary: `Counts ${JSON.stringify(count)}` }) },
  );
  expect(await registry.resolveTool('act')?.describe?.({ count: 2 })).toEqual({ summary: 'Counts 2' });
  expect(await registry.resolveTool('act')?.describe?.({ count: 'x' })).toBeUndefined();
});

test('each plugin has a data folder of its own, and programs are looked for in PATH', async () => {
  const { registry } = testRegistry({ env: { PATH: '/bin:/usr/bin' } });
  const folders: string[] = [];
  registry.registerPlugin(
    definePlugin({
      name: 'keeper',
      version: '1',
      requires: ['sh'],
      setup: ({ dataFolder }) => void folders.push(dataFolder),
    }),
  );
  registry.registerPlugin(definePlugin({ name: 'needy', version: '1', requires: ['no-such-program-here'] }));
  expect(await registry.exposeAll()).toMatchObject([
    { plugin: 'needy', error: { code: 'REQUIREMENT_MISSING' } },
  ]);
  expect(folders[0]).toMatch(/\/data\/keeper$/);
});

test('what a plugin was told and tells others is masked; its answers are not', async () => {
  const secret = 'correct-horse-battery';
  const { registry, logged } = testRegistry({ env: { SEARCH_KEY: 'key-of-the-search' } });
  const broken = (name: string) =>
    definePlugin({
      name,
      version: '1',
      setup: ({ log }) => {
        log('info', `set up with ${secret} and key-of-the-search`);
        if (name === 'broken') throw new Error(`no ${secret}`);
      },
      tools: {
        say: {
          handler: (_, { log, progress }) => {
            log('info', `log ${secret}`);
            progress(1, 2, `at ${secret}`);
            return secret;
          },
        },
        fail: {
          handler: () => {
            throw new Error(`failed with ${secret}`);
          },
        },
      },
    });
  for (const name of ['sound', 'broken']) registry.registerPlugin(broken(name));
  const config = { password: secret, engine: { key: '${env:SEARCH_KEY}' } };
  const failures = await registry.exposeAll({ sound: config, broken: config });
  expect(failures).toMatchObject([
    { plugin: 'broken', error: { message: expect.stringMatching(/no \*\*\*/) as string } },
  ]);
  expect(logged).toEqual(['sound: set up with *** and ***', 'broken: set up with *** and ***']);
  registry.useGate(openGate(registry));
  const said = registry.getExposedExecutors().get('sound__say')?.({}, { caller: { kind: 'user' } });
  const events: CallEvent[] = [];
  for await (const event of said ?? []) events.push(event);
  expect(JSON.stringify(events)).toMatch(/log \*\*\*.*at \*\*\*/);
  expect(await said).toMatchObject({ ok: true, text: secret });
  const failed = await registry.getExposedExecutors().get('sound__fail')?.({}, { caller: { kind: 'user' } });
  expect(failed).toMatchObject({ ok: false, error: { message: expect.stringContaining('***') as string } });
  expect(JSON.stringify(failed)).not.toContain(secret);
});

async function tool(
  handler: (args: JsonObject, context: HandlerContext) => unknown,
  options: Partial<RegistryOptions> = {},
  more: object = {},
) {
  const { registry, world } = testRegistry(options);
  const calls: JsonObject[] = [];
  registry.registerPlugin(
    definePlugin({
      name: 'sample',
      version: '1',
      tools: {
        act: {
          input: { type: 'object', properties: { count: { type: 'number' } } },
          handler: (args, context) => {
            calls.push(args);
            return handler(args, context);
          },
          ...more,
        },
      },
    }),
  );
  await registry.exposeAll();
  registry.useGate(openGate(registry));
  const execute = registry.getExposedExecutors().get('sample__act') as Executor;
  return { registry, world, calls, execute };
}
