import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { around, running, started } from '../../../test/support/definition/running-definition.ts';
import { deferred } from '../../base/async.ts';
import { type Answer, type CallerContext, result } from '../outcome.ts';
import { definePlugin } from '../define-plugin.ts';
import { fail } from '../failure.ts';

const about = { name: 'sample', version: '1.0.0' };

test('a text is text, anything else is data, a result says more', async () => {
  const plugin = running(
    definePlugin({
      ...about,
      tools: {
        text: { handler: () => 'hello' },
        data: { handler: async () => ({ a: [1] }) },
        none: { handler: () => null },
        nothing: { handler: () => {} },
        more: { handler: () => result({ text: 'done', data: 1, outputs: { path: '/x' } }) },
      },
    }),
  );
  expect((await plugin.call('text')).answer).toEqual({ ok: true, text: 'hello' });
  expect((await plugin.call('data')).answer).toEqual({ ok: true, data: { a: [1] } });
  expect((await plugin.call('none')).answer).toEqual({ ok: true, data: null });
  expect((await plugin.call('nothing')).answer).toEqual({ ok: true });
  expect((await plugin.call('more')).answer).toEqual({
    ok: true,
    text: 'done',
    data: 1,
    outputs: { path: '/x' },
  });
});

describe('generators', () => {
  test('stream what they yield, and end with what they return', async () => {
    const plugin = running(
      definePlugin({
        ...about,
        tools: {
          count: {
            input: { type: 'object', properties: { to: { type: 'integer' } }, required: ['to'] },
            async *handler({ to }) {
              for (let i = 1; i <= to; i++) yield `${i} `;
              return 'over';
            },
          },
          plain: {
            *handler() {
              yield 'a';
            },
          },
        },
      }),
    );
    const { answer, events } = await plugin.call('count', { to: 3 });
    expect(events).toEqual(['1 ', '2 ', '3 '].map((text) => ({ kind: 'text', text })));
    expect(answer).toEqual({ ok: true, text: '1 2 3 over' });
    expect((await plugin.call('plain')).answer).toEqual({ ok: true, text: 'a' });
  });

  test('that throw midway keep what they streamed', async () => {
    const plugin = running(
      definePlugin({
        ...about,
        tools: {
          half: {
            async *handler() {
              yield 'half';
              fail({
                code: 'UNAVAILABLE',
                message: 'it broke',
                partial: { text: ' and a bit', data: { found: 1 } },
              });
            },
          },
        },
      }),
    );
    expect((await plugin.call('half')).answer).toEqual({
      ok: false,
      text: 'half and a bit',
      data: { found: 1 },
      error: { code: 'UNAVAILABLE', message: 'it broke' },
    });
  });

  test('wait for a caller that is slow, and are tidied up when it gives up', async () => {
    const tidied = deferred<void>();
    let yielded = 0;
    const { backend } = running(
      definePlugin({
        ...about,
        tools: {
          endless: {
            async *handler() {
              try {
                for (;;) yield `${(yielded += 1)}`;
              } finally {
                tidied.resolve();
              }
            },
          },
        },
      }),
    );
    const heard = deferred<void>();
    const call = backend.call(
      { ...around, tool: 'endless', args: {} },
      { event: () => heard.resolve(), drained: () => new Promise(() => {}), end: () => {} },
    );
    await heard.promise;
    call.cancel('enough');
    await tidied.promise;
    expect(yielded).toBeLessThanOrEqual(2);
  });

  test('goes on where nobody can take more: its end is for whoever runs it to tell', async () => {
    const { backend } = running(
      definePlugin({
        ...about,
        tools: {
          talks: {
            async *handler() {
              yield 'one';
              yield 'two';
            },
          },
        },
      }),
    );
    const answer = deferred<Answer>();
    backend.call(
      { ...around, tool: 'talks', args: {} },
      {
        event: () => {},
        drained: () => Promise.reject(new Error('the pipe has ended')),
        end: (told) => answer.resolve(told),
      },
    );
    expect(await answer.promise).toMatchObject({ ok: true, text: 'onetwo' });
  });
});

describe('arguments', () => {
  const plugin = running(
    definePlugin({
      ...about,
      tools: {
        greet: {
          input: {
            type: 'object',
            properties: { who: { type: 'string' }, times: { type: 'integer', default: 2 } },
            required: ['who'],
            additionalProperties: false,
          },
          handler: (args) => args,
        },
        roll: {
          input: z.object({ sides: z.coerce.number().min(2) }),
          handler: ({ sides }) => ({ sides }),
        },
      },
    }),
  );

  test('reach the handler with their defaults, and as the schema put them out', async () => {
    expect((await plugin.call('greet', { who: 'Ada' })).answer).toMatchObject({
      data: { who: 'Ada', times: 2 },
    });
    expect((await plugin.call('roll', { sides: '6' })).answer).toMatchObject({ data: { sides: 6 } });
  });

  test('that do not fit are refused with every reason', async () => {
    expect((await plugin.call('greet', { woh: 1, times: 'x' })).answer).toEqual({
      ok: false,
      error: {
        code: 'INVALID_ARGUMENTS',
        message:
          'Tool "greet" of plugin "sample" does not take these arguments: times: must be a whole number; got "x"; who: is required; is "woh" meant to be it?; woh: is not known. Did you mean "who"?',
        data: {
          problems: [
            'times: must be a whole number; got "x"',
            'who: is required; is "woh" meant to be it?',
            'woh: is not known. Did you mean "who"?',
          ],
        },
      },
    });
    expect((await plugin.call('roll', { sides: 1 })).answer).toMatchObject({
      error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('sides: ') as string },
    });
    expect((await plugin.call('greet', 'Ada' as never)).answer).toMatchObject({
      error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('must be an object') as string },
    });
  });

  test("of a tool that is not there are nobody's", async () => {
    expect((await plugin.call('gret')).answer).toEqual({
      ok: false,
      error: {
        code: 'UNKNOWN_TOOL',
        message: 'Plugin "sample" has no tool "gret".',
        suggestions: ['Did you mean "greet"?'],
      },
    });
  });
});

test('what a tool answers is held to its output schema', async () => {
  const output = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] } as const;
  const plugin = running(
    definePlugin({
      ...about,
      tools: {
        right: { output, handler: () => result({ text: 'one', data: { total: 1 } }) },
        wrong: { output, handler: () => ({ total: 'one' }) as never },
        word: { output: { type: 'string' }, handler: () => 'one' },
        nothing: { output, handler: () => undefined as never },
      },
    }),
  );
  expect((await plugin.call('right')).answer).toEqual({ ok: true, text: 'one', data: { total: 1 } });
  expect((await plugin.call('word')).answer).toEqual({ ok: true, text: 'one', data: 'one' });
  expect((await plugin.call('wrong')).answer).toEqual({
    ok: false,
    data: { total: 'one' },
    error: {
      code: 'INTERNAL',
      message:
        'Tool "wrong" of plugin "sample" answered with something that its own output schema does not allow: total: must be a number; got "one"',
    },
  });
  expect((await plugin.call('nothing')).answer).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
});

test('a handler knows what surrounds its call', async () => {
  const plugin = running(
    definePlugin({
      ...about,
      config: { type: 'object', properties: { key: { type: 'string', default: 'k' } } },
      tools: {
        look: {
          handler: (
            _,
            { stream: _s, drained: _d, log: _l, progress: _p, keepSession: _k, signal, ...known },
          ) => ({
            ...known,
            isAborted: signal.aborted,
          }),
        },
      },
    }),
  );
  const context = {
    workdir: '/work',
    env: { A: '1' },
    phase: 'verify',
    agent: { prompt: 'p' },
    conversation: [{ role: 'user' }],
    systemInfo: 'linux',
  } as const;
  expect((await plugin.call('look', {}, { dialect: 'gevals', context })).answer).toEqual({
    ok: true,
    data: { ...context, config: { key: 'k' }, dialect: 'gevals', dataFolder: '/data', isAborted: false },
  });
});

test('who asks is told by the host alone, not by what came with the call', async () => {
  const plugin = running(
    definePlugin({ ...about, tools: { who: { handler: (_, { caller }) => caller ?? 'nobody says' } } }),
  );
  const caller = { kind: 'job', name: 'nightly' } as const;
  // As a program on a wire may send it.
  const context = { caller: { kind: 'user' } } as CallerContext;
  expect((await plugin.call('who', {}, { caller, context })).answer).toEqual({ ok: true, data: caller });
  expect((await plugin.call('who', {}, { context })).answer).toEqual({ ok: true, text: 'nobody says' });
});

test('streams, logs and progress are told in order', async () => {
  const plugin = running(
    definePlugin({
      ...about,
      tools: {
        busy: {
          handler: (_, { stream, log, progress }) => {
            stream('a');
            log('warn', 'careful', { at: 1 });
            progress(1, 2, 'half');
            progress(Number.NaN);
            log('loud' as never, new Error('oops') as never, 1n as never);
            return 'b';
          },
        },
      },
    }),
  );
  expect(await plugin.call('busy')).toEqual({
    events: [
      { kind: 'text', text: 'a' },
      { kind: 'log', level: 'warn', message: 'careful', data: { at: 1 } },
      { kind: 'progress', progress: 1, total: 2, message: 'half' },
      { kind: 'log', level: 'info', message: 'oops', data: expect.any(String) as string },
    ],
    answer: { ok: true, text: 'ab' },
  });
});

describe('time limits and cancelling', () => {
  const definition = () =>
    definePlugin({
      ...about,
      tools: {
        hang: {
          handler: (_, { stream, signal }) =>
            new Promise((_resolve, reject) => {
              stream('so far');
              signal.addEventListener('abort', () => reject(signal.reason as Error));
            }),
        },
        short: { timeoutMs: 1000, handler: () => new Promise(() => {}) },
      },
    });

  test('a call ends by its limit, with what it said until then', async () => {
    const { backend, clock } = running(definition());
    const call = started((sink) =>
      backend.call({ ...around, tool: 'hang', args: {}, timeoutMs: 5000 }, sink),
    );
    await heard(call.events);
    clock.advance(5000);
    expect((await call.ended).answer).toEqual({
      ok: false,
      text: 'so far',
      error: {
        code: 'TIMEOUT',
        message: 'Tool "hang" of plugin "sample" took longer than its limit of 5 s.',
        data: { timeout_sec: 5 },
      },
    });
  });

  test("the tool's own limit holds before the host's", async () => {
    const { backend, clock } = running(definition());
    const call = started((sink) =>
      backend.call({ ...around, tool: 'short', args: {}, timeoutMs: 60_000 }, sink),
    );
    clock.advance(1000);
    expect((await call.ended).answer).toMatchObject({ error: { code: 'TIMEOUT' } });
  });

  test('a call that is given up ends at once, and once', async () => {
    const { backend, clock } = running(definition());
    const ends: unknown[] = [];
    const call = backend.call(
      { ...around, tool: 'hang', args: {} },
      { event: () => {}, end: (answer) => ends.push(answer) },
    );
    call.cancel('not needed');
    call.cancel('really');
    clock.advance(100_000);
    expect(ends).toEqual([{ ok: false, error: { code: 'CALL_CANCELLED', message: 'not needed' } }]);
    expect(clock.waiting).toBe(0);
  });
});

describe('sessions', () => {
  const tools = {
    ask: { handler: () => result({ text: 'who?', keepSession: true }) },
    plain: { handler: () => 'done' },
  };

  test('are kept by a call or an input, each time anew', async () => {
    const { backend, ...plugin } = running(
      definePlugin({
        ...about,
        tools,
        onInput: (content, { keepSession }) => {
          keepSession(content !== 'bye');
          return `you said ${content}`;
        },
      }),
    );
    const say = (content: string) => started((sink) => backend.talk!.input(content, sink, around)).ended;
    expect((await plugin.call('ask')).answer).toEqual({ ok: true, text: 'who?', keepSession: true });
    expect((await say('me')).answer).toEqual({ ok: true, text: 'you said me', keepSession: true });
    expect((await say('bye')).answer).toEqual({ ok: true, text: 'you said bye' });
    expect((await plugin.call('plain')).answer).toEqual({ ok: true, text: 'done' });
  });

  test('are not kept where nobody hears what is said', async () => {
    const { backend, logged, ...plugin } = running(definePlugin({ ...about, tools }));
    expect(backend.talk).toBeUndefined();
    expect((await plugin.call('ask')).answer).toEqual({ ok: true, text: 'who?' });
    expect(logged).toMatchObject([
      { level: 'warn', message: expect.stringContaining('no onInput') as string },
    ]);
  });
});

test('a tool that may block runs where the process lets it, with limits of its own', async () => {
  const definition = definePlugin({
    ...about,
    tools: { crunch: { isolate: true, timeoutMs: 1000, input: { required: ['n'] }, handler: () => 'here' } },
  });
  expect((await running(definition).call('crunch', { n: 1 })).answer).toEqual({ ok: true, text: 'here' });

  const cancelled: string[] = [];
  const apart = running(definition, {
    isolate: (request, config, sink) => {
      sink.event({ kind: 'text', text: 'there' });
      if (request.args['n'] === 1) sink.end({ ok: true, text: 'there', data: config });
      return { cancel: (reason) => (cancelled.push(reason), 'free') };
    },
  });
  await apart.backend.setup({ key: 1 });
  expect((await apart.call('crunch', {})).answer).toMatchObject({ error: { code: 'INVALID_ARGUMENTS' } });
  expect((await apart.call('crunch', { n: 1 })).answer).toEqual({
    ok: true,
    text: 'there',
    data: { key: 1 },
  });
  const call = started((sink) => apart.backend.call({ ...around, tool: 'crunch', args: { n: 2 } }, sink));
  await heard(call.events);
  apart.clock.advance(1000);
  expect((await call.ended).answer).toMatchObject({ text: 'there', error: { code: 'TIMEOUT' } });
  expect(cancelled).toHaveLength(1);
});

/** Waits until a call has said something. */
async function heard(events: readonly unknown[]): Promise<void> {
  while (events.length === 0) await new Promise((resolve) => setImmediate(resolve));
}
