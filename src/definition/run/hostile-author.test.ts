// Author code that does what it should not: none of it takes the plugin down, and every call ends in words.
import { expect, test } from 'vitest';
import { around, running, started } from '../../../test/support/definition/running-definition.ts';
import { deferred } from '../../base/async.ts';
import { DEFAULT_FRAME_LIMIT } from '../../base/units.ts';
import { definePlugin } from '../define-plugin.ts';
import { fail } from '../failure.ts';
import { result } from '../outcome.ts';

test.each<[string, () => unknown, object]>([
  [
    'throws an Error',
    () => {
      throw new TypeError('oops');
    },
    { code: 'INTERNAL', message: 'oops' },
  ],
  [
    'throws an Error without a message',
    () => {
      throw new RangeError();
    },
    { code: 'INTERNAL', message: 'RangeError without a message' },
  ],
  ['throws a text', thrower('plain'), { code: 'INTERNAL', message: 'plain' }],
  ['throws nothing', thrower(undefined), { code: 'INTERNAL', message: 'undefined' }],
  [
    'throws what cannot be shown',
    thrower({
      toString: () => {
        throw new Error('no');
      },
    }),
    { code: 'INTERNAL', message: 'something was thrown that cannot be shown (object)' },
  ],
  [
    'throws null without a prototype',
    thrower(Object.create(null)),
    { code: 'INTERNAL', message: 'something was thrown that cannot be shown (object)' },
  ],
  ['rejects', () => Promise.reject(new Error('later')), { code: 'INTERNAL', message: 'later' }],
  [
    'gives a thenable that throws',
    () => ({
      // oxlint-disable-next-line unicorn/no-thenable -- it is what is tried
      get then() {
        throw new Error('trap');
      },
    }),
    { code: 'INTERNAL', message: 'trap' },
  ],
  [
    'gives a BigInt',
    () => ({ sum: 1n }),
    {
      code: 'INTERNAL',
      message:
        'Tool "odd" of plugin "sample" answered with something that is not plain data: its result.sum is a bigint, which JSON has no form for.',
    },
  ],
  [
    'gives a function',
    () => () => 1,
    {
      code: 'INTERNAL',
      message:
        'Tool "odd" of plugin "sample" answered with something that is not plain data: its result is a function, which JSON has no form for.',
    },
  ],
  [
    'gives itself',
    () => {
      const round: unknown[] = [];
      round.push(round);
      return round;
    },
    {
      code: 'INTERNAL',
      message:
        'Tool "odd" of plugin "sample" answered with something that is not plain data: its result[0] contains itself.',
    },
  ],
  [
    'gives odd data in a result',
    () => result({ data: new Map() }),
    { code: 'INTERNAL', message: expect.stringContaining('its data is a Map') as string },
  ],
  ['fails with a word', () => fail('no luck'), { code: 'TOOL_FAILED', message: 'no luck' }],
  [
    'fails with a code nobody knows',
    () => fail({ code: 'NOPE' as never, message: 'no' }),
    { code: 'TOOL_FAILED', message: 'no' },
  ],
  [
    'fails with odd fields',
    () =>
      fail({
        message: 7 as never,
        data: 1n as never,
        details: { a: undefined } as never,
        suggestions: [1, 'b'] as never,
      }),
    {
      code: 'TOOL_FAILED',
      message: '7',
      data: '(a value of type bigint that cannot be shown)',
      details: {},
      suggestions: ['1', 'b'],
    },
  ],
  [
    'fails and has found something odd',
    () => fail({ message: 'no', partial: { data: (() => {}) as never } }),
    { code: 'TOOL_FAILED', message: 'no' },
  ],
])('a handler that %s', async (_, handler, error) => {
  const plugin = running(definePlugin({ name: 'sample', version: '1', tools: { odd: { handler } } }));
  expect((await plugin.call('odd')).answer).toEqual({ ok: false, error });
});

test('stacks are told to those who debug, and to nobody else', async () => {
  const definition = definePlugin({
    name: 'sample',
    version: '1',
    tools: {
      odd: {
        handler: () => {
          throw new Error('oops');
        },
      },
    },
  });
  expect((await running(definition, { debug: true }).call('odd')).answer).toMatchObject({
    error: {
      message: 'oops',
      details: { stack: expect.stringContaining('hostile-author.test.ts') as string },
    },
  });
});

test('failures of another copy of the SDK keep their words', async () => {
  // What a bundle brings along is another class with the same brand.
  const other = Object.assign(new Error('closed'), {
    [Symbol.for('pluglot.failure')]: true,
    failure: { code: 'UNAVAILABLE', message: 'closed' },
    partial: {},
  });
  const definition = definePlugin({
    name: 'sample',
    version: '1',
    tools: { odd: { handler: thrower(other) } },
  });
  expect((await running(definition).call('odd')).answer).toEqual({
    ok: false,
    error: { code: 'UNAVAILABLE', message: 'closed' },
  });
});

test('a flood after the end is heard by nobody, and told once', async () => {
  const goOn = deferred<void>();
  const flooded = deferred<void>();
  const { backend, logged } = running(
    definePlugin({
      name: 'sample',
      version: '1',
      tools: {
        flood: {
          handler: async (_, { stream, progress, log, drained }) => {
            await goOn.promise;
            for (let i = 0; i < 10_000; i++) stream('more');
            progress(1);
            log('info', 'late');
            await drained();
            flooded.resolve();
          },
        },
      },
    }),
  );
  const call = started((sink) => backend.call({ ...around, tool: 'flood', args: {} }, sink));
  // It has begun by then.
  await new Promise((resolve) => setImmediate(resolve));
  call.running.cancel('enough');
  goOn.resolve();
  await flooded.promise;
  expect(await call.ended).toMatchObject({ events: [], answer: { error: { code: 'CALL_CANCELLED' } } });
  expect(logged).toEqual([
    {
      level: 'warn',
      message:
        'Tool "flood" of plugin "sample" streams after its end, which is lost. Await what it starts, or watch context.signal.',
    },
    { level: 'info', message: 'late' },
  ]);
});

test('a stream without end fails before it fills the memory', async () => {
  const piece = 'x'.repeat(DEFAULT_FRAME_LIMIT / 4);
  const plugin = running(
    definePlugin({
      name: 'sample',
      version: '1',
      tools: {
        pour: {
          handler: (_, { stream, signal }) => {
            while (!signal.aborted) stream(piece);
          },
        },
      },
    }),
  );
  const { answer, events } = await plugin.call('pour');
  expect(events).toHaveLength(4);
  expect(answer).toMatchObject({
    error: { code: 'INTERNAL', message: expect.stringContaining('streamed more than') as string },
  });
});

function thrower(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}
