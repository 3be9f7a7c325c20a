// The author end as an engine meets it: what is asked, and what comes back to the letter.
import { describe, expect, test, vi } from 'vitest';
import {
  backendOf,
  servedBackend,
  servedPlugin,
  type PluginUnderTest,
  type TestTool,
} from '../../../test/support/dialect/gassist/author-end.ts';
import type { Observer } from '../../channel/peer/options.ts';
import type { Handler } from '../../definition/definition.ts';
import { fail } from '../../definition/failure.ts';
import { result } from '../../definition/outcome.ts';
import { authorDialects } from '../authors.ts';
import { gassistAuthor } from './author.ts';

const initialize = {
  protocol_version: '2.0',
  engine_version: '1.0.0',
  capabilities: ['streaming', 'passthrough'],
};

test('is in the list', async () => {
  expect(await authorDialects.gassist?.()).toBe(gassistAuthor);
});

describe('initialize', () => {
  // requirement: gassist:initialize:result-name, gassist:initialize:result-version, gassist:initialize:result-capabilities
  // requirement: gassist:initialize:example-response, gassist:author:introduction, gassist:format:response
  test('is answered with who the plugin is and what it can be asked', async () => {
    const { raw, ask } = servedPlugin({
      description: 'Knows the web.',
      tools: {
        search_web: { description: 'Search the web.', handler: () => '' },
        bare: { handler: () => '' },
      },
    });
    ask(1, 'initialize', initialize);
    expect(await raw.next()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        name: 'my-plugin',
        version: '1.0.0',
        description: 'Knows the web.',
        protocol_version: '2.0',
        capabilities: ['streaming'],
        commands: [
          { name: 'search_web', description: 'Search the web.' },
          { name: 'bare', description: '' },
        ],
      },
    });
  });

  // requirement: gassist:author:passthrough
  test('tells of the handler of inputs where there is one', async () => {
    const { raw, ask } = servedPlugin({ onInput: () => '' });
    ask(1, 'initialize', initialize);
    expect(await raw.next()).toMatchObject({
      result: { capabilities: ['streaming', 'passthrough'], commands: [{ name: 'on_input' }] },
    });
  });

  test.each([
    undefined,
    {},
    null,
    { protocol_version: '2' },
    { protocol_version: '2.7' },
    { protocol_version: null },
  ])('is taken with the params %j', async (params) => {
    const { raw, ask } = servedPlugin();
    ask(1, 'initialize', params);
    expect(await raw.next()).toMatchObject({ result: { name: 'my-plugin' } });
  });

  // requirement: gassist:author:other-version-refused
  test.each(['1.0', '3.0', 1, 'latest', ['2.0']])('of another version is refused: %j', async (version) => {
    const { raw, ask } = servedPlugin();
    ask(1, 'initialize', { protocol_version: version });
    expect(await raw.next()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32602,
        message: `Plugin "my-plugin" speaks version 2.0 of the G-Assist protocol; the engine asked for ${JSON.stringify(version)} in protocol_version.`,
      },
    });
  });

  test('sets the plugin up with what the command line said, and so does a call before it', async () => {
    const setup = vi.fn<() => void>();
    const config = { type: 'object', properties: { city: { type: 'string' } } };
    const { raw, ask } = servedPlugin({ setup, config }, { config: { city: 'Oslo' } });
    ask(1, 'execute', { function: 'gone' });
    await raw.next();
    expect(setup).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ config: { city: 'Oslo' } }));
    ask(2, 'initialize', initialize);
    await raw.next();
    expect(setup).toHaveBeenLastCalledWith(expect.objectContaining({ config: { city: 'Oslo' } }));
  });

  test('fails with the reason when the plugin cannot be set up, and may be asked again', async () => {
    const setup = vi.fn<() => void>(() => fail({ code: 'UNAVAILABLE', message: 'The lamp is off.' }));
    const { raw, ask } = servedPlugin({ setup });
    ask(1, 'initialize', initialize);
    expect(await raw.next()).toMatchObject({
      error: { code: -1, message: expect.stringContaining('The lamp is off.') as unknown },
    });
    setup.mockImplementation(() => {});
    ask(2, 'initialize', initialize);
    expect(await raw.next()).toMatchObject({ id: 2, result: { name: 'my-plugin' } });
  });

  test('offers what the plugin can beside its tools as functions', async () => {
    const backend = backendOf({ executor: { executeTask: () => 'done' } });
    const { raw, ask } = servedBackend(backend);
    ask(1, 'initialize', initialize);
    expect(await raw.next()).toMatchObject({ result: { commands: [{ name: 'execute_task' }] } });
    ask(2, 'execute', { function: 'execute_task', arguments: { type: 'analysis', prompt: 'Look' } });
    expect(await raw.next()).toMatchObject({ params: { data: '{"explanation":"done"}' } });
  });

  test.each([
    ['on_input', { onInput: () => '' }],
    ['execute_task', { executor: { executeTask: () => 'done' } }],
  ])('fails where one name would stand for two things: %s', async (name, options) => {
    const { raw, ask } = servedPlugin({ ...options, tools: { [name]: { handler: () => '' } } });
    ask(1, 'initialize', initialize);
    expect(await raw.next()).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('Rename the tool.') as unknown },
    });
  });
});

describe('ping', () => {
  // requirement: gassist:ping:example-response, gassist:ping:timestamp, gassist:sdk:ping
  test('is answered with its timestamp', async () => {
    const { raw, ask } = servedPlugin();
    ask(2, 'ping', { timestamp: 1_234_567_890 });
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 2, result: { timestamp: 1_234_567_890 } });
  });

  test.each([undefined, null, {}, { timestamp: null }])(
    'without one is known as a pong too: %j',
    async (params) => {
      const { raw, ask } = servedPlugin();
      ask(2, 'ping', params);
      expect(await raw.next()).toMatchObject({ id: 2, result: { timestamp: expect.any(Number) as unknown } });
    },
  );

  // requirement: gassist:author:ping-while-busy, gassist:ping:within-1s
  test('is answered while functions run', async () => {
    const { raw, ask, goOn } = pausing();
    ask(3, 'execute', { function: 'wait' });
    ask(4, 'ping', { timestamp: 7 });
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 4, result: { timestamp: 7 } });
    goOn();
    expect(await raw.next()).toMatchObject({ method: 'complete', params: { request_id: 3 } });
  });
});

describe('execute', () => {
  // requirement: gassist:stream:example, gassist:stream:request-id, gassist:stream:data, gassist:stream:during-execution
  // requirement: gassist:complete:example, gassist:complete:request-id, gassist:complete:success, gassist:complete:data
  // requirement: gassist:complete:keep-session, gassist:complete:ends, gassist:author:no-response-to-execute
  // requirement: gassist:log:example, gassist:log:level, gassist:log:message
  test('is answered by notifications alone: log, stream, complete', async () => {
    const { raw, ask } = servedPlugin({
      onInput: () => '',
      tools: {
        search_web: {
          async *handler(_, { log, keepSession }) {
            log('info', 'Processing query...');
            yield 'Searching for NVIDIA stock...';
            keepSession();
            return 'Final result here';
          },
        },
      },
    });
    ask(3, 'execute', {
      function: 'search_web',
      arguments: { query: 'NVIDIA stock price' },
      context: [],
      system_info: '',
    });
    expect(await raw.take(3)).toEqual([
      { jsonrpc: '2.0', method: 'log', params: { level: 'info', message: 'Processing query...' } },
      { jsonrpc: '2.0', method: 'stream', params: { request_id: 3, data: 'Searching for NVIDIA stock...' } },
      {
        jsonrpc: '2.0',
        method: 'complete',
        params: { request_id: 3, success: true, data: 'Final result here', keep_session: true },
      },
    ]);
    ask(4, 'ping', { timestamp: 4 });
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 4, result: { timestamp: 4 } });
  });

  // requirement: gassist:execute:function, gassist:execute:arguments, gassist:execute:context, gassist:execute:system-info
  test('brings arguments, conversation and system info to the function', async () => {
    const handler = vi.fn<() => string>(() => '');
    const { raw, ask } = withTool('look', { handler });
    const context = [{ role: 'user', content: 'Hi' }];
    ask(3, 'execute', { function: 'look', arguments: { at: 1 }, context, system_info: 'RTX' });
    await raw.next();
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      { at: 1 },
      expect.objectContaining({ conversation: context, systemInfo: 'RTX', dialect: 'gassist' }),
    );
  });

  test.each([
    { function: 'look' },
    { function: 'look', arguments: null, context: null, system_info: null },
    { function: 'look', arguments: {}, context: 'none', system_info: 7 },
  ])('takes what is left out, null or of no use as nothing: %j', async (params) => {
    const handler = vi.fn<() => string>(() => 'seen');
    const { raw, ask } = withTool('look', { handler });
    ask(3, 'execute', params);
    expect(await raw.next()).toMatchObject({ method: 'complete', params: { data: 'seen' } });
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      {},
      expect.not.objectContaining({ conversation: expect.anything() as unknown }),
    );
  });

  // requirement: gassist:author:data-is-text
  test.each<[string, unknown, string]>([
    ['text', 'It rains.', 'It rains.'],
    ['nothing', undefined, ''],
    ['null', null, ''],
    ['a number', 4, '4'],
    ['an object', { results: ['a'] }, '{"results":["a"]}'],
    ['text and data', result({ text: 'two', data: 2 }), 'two'],
    ['outputs', result({ outputs: { path: '/x' } }), '{"path":"/x"}'],
  ])('has its data as text always: %s', async (_, returned, data) => {
    const { raw, ask } = withTool('answer', { handler: () => returned });
    ask(3, 'execute', { function: 'answer' });
    expect(await raw.next()).toMatchObject({ params: { success: true, data, keep_session: false } });
  });

  test('does not say again what was streamed, and adds data to it', async () => {
    const { raw, ask } = withTool('search', {
      handler: (_, { stream }) => {
        stream('Searching... ');
        return { results: [1] };
      },
    });
    ask(3, 'execute', { function: 'search' });
    expect(await raw.take(2)).toMatchObject([
      { method: 'stream', params: { data: 'Searching... ' } },
      { method: 'complete', params: { data: '{"results":[1]}' } },
    ]);
  });

  test('tells of progress in the log, since there is no other word for it', async () => {
    const { raw, ask } = withTool('work', {
      handler: (_, { progress }) => {
        progress(1);
        progress(2, 4, 'halfway');
      },
    });
    ask(3, 'execute', { function: 'work' });
    expect(await raw.take(2)).toMatchObject([
      { method: 'log', params: { level: 'info', message: 'Progress: 1' } },
      { method: 'log', params: { level: 'info', message: 'Progress: 2 of 4, halfway' } },
    ]);
  });

  test('of several at once: each is told under its own id, logs too', async () => {
    const { raw, ask, goOn } = pausing();
    ask(3, 'execute', { function: 'wait' });
    ask('b', 'execute', { function: 'say', arguments: {} });
    expect(await raw.take(2)).toMatchObject([
      { method: 'log', params: { request_id: 'b', message: 'saying' } },
      { method: 'complete', params: { request_id: 'b' } },
    ]);
    goOn();
    expect(await raw.next()).toMatchObject({ method: 'complete', params: { request_id: 3 } });
  });
});

describe('an execute that fails', () => {
  // requirement: gassist:error:example, gassist:error:request-id, gassist:error:code, gassist:error:message
  // requirement: gassist:error:during-execution, gassist:sdk:errors, gassist:author:no-complete-after-error
  test('is told by an error, and no complete follows', async () => {
    const { raw, ask } = withTool('ask', { handler: () => fail('API rate limit exceeded') });
    ask(3, 'execute', { function: 'ask' });
    ask(4, 'execute', { function: 'ask' });
    expect(await raw.take(2)).toEqual(
      [3, 4].map((id) => ({
        jsonrpc: '2.0',
        method: 'error',
        params: { request_id: id, code: -1, message: 'API rate limit exceeded' },
      })),
    );
  });

  // requirement: gassist:codes:plugin-error, gassist:codes:timeout, gassist:codes:rate-limited
  // requirement: gassist:codes:invalid-params, gassist:codes:internal-error
  test.each([
    ['TOOL_FAILED', -1],
    ['TIMEOUT', -2],
    ['CALL_TIMEOUT', -2],
    ['RATE_LIMITED', -3],
    ['INVALID_ARGUMENTS', -32602],
    ['INTERNAL', -32603],
    ['UNAVAILABLE', -1],
  ] as const)('with %s has the code %d', async (code, wireCode) => {
    const { raw, ask } = withTool('ask', { handler: () => fail({ code, message: 'no' }) });
    ask(3, 'execute', { function: 'ask' });
    expect(await raw.next()).toMatchObject({ method: 'error', params: { code: wireCode, message: 'no' } });
  });

  // requirement: gassist:author:unknown-function
  test('because there is no such function is told the same way, so that the emulator shows the reason', async () => {
    const { raw, ask } = withTool('search_web', { handler: () => '' });
    ask(3, 'execute', { function: 'serach_web' });
    expect(await raw.next()).toEqual({
      jsonrpc: '2.0',
      method: 'error',
      params: {
        request_id: 3,
        code: -32601,
        message: 'Plugin "my-plugin" has no tool "serach_web". (Did you mean "search_web"?)',
        data: { suggestions: ['Did you mean "search_web"?'] },
      },
    });
  });

  test.each([
    [undefined, '"execute" names a function, as text, in "function"; got nothing.'],
    [[], '"execute" names a function, as text, in "function"; got nothing.'],
    [{ function: 7 }, '"execute" names a function, as text, in "function"; got 7.'],
    [
      { function: 'look', arguments: [1] },
      '"execute" of "look" has its arguments as an object, in "arguments"; got [1].',
    ],
  ])('because of its params says what is expected: %j', async (params, message) => {
    const { raw, ask } = withTool('look', { handler: () => '' });
    ask(3, 'execute', params);
    expect(await raw.next()).toMatchObject({
      method: 'error',
      params: { request_id: 3, code: -32602, message },
    });
  });

  test('keeps what was said before it, and all that is known of it', async () => {
    const { raw, ask } = withTool('ask', {
      handler: (_, { stream }) => {
        stream('So far ');
        return fail({
          message: 'stuck',
          reason: 'Stuck',
          details: { at: 3 },
          recoverable: true,
          data: 1,
          partial: { text: 'so good.' },
        });
      },
    });
    ask(3, 'execute', { function: 'ask' });
    expect(await raw.take(3)).toMatchObject([
      { method: 'stream', params: { data: 'So far ' } },
      { method: 'stream', params: { data: 'so good.' } },
      {
        method: 'error',
        params: { data: { reason: 'Stuck', details: { at: 3 }, recoverable: true, data: 1 } },
      },
    ]);
  });
});

describe('input', () => {
  // requirement: gassist:input:example-acknowledgement, gassist:input:acknowledged-first, gassist:input:content
  // requirement: gassist:input:answer-by-notifications, gassist:sdk:acknowledgement
  test('is acknowledged before all else, then answered under its own id', async () => {
    const { raw, ask } = await inSession((content, { stream }) => {
      stream(`You said ${content}. `);
      return 'Goodbye.';
    });
    ask(4, 'input', { content: 'Tell me more about that', timestamp: 1_234_567_890 });
    expect(await raw.take(3)).toEqual([
      { jsonrpc: '2.0', id: 4, result: { acknowledged: true } },
      {
        jsonrpc: '2.0',
        method: 'stream',
        params: { request_id: 4, data: 'You said Tell me more about that. ' },
      },
      {
        jsonrpc: '2.0',
        method: 'complete',
        params: { request_id: 4, success: true, data: 'Goodbye.', keep_session: false },
      },
    ]);
  });

  // requirement: gassist:author:session
  test('is taken for as long as each answer keeps the session', async () => {
    const { raw, ask } = await inSession((content, { keepSession }) => keepSession(content !== 'bye'));
    for (const [id, content] of ['more', 'bye', 'still there?'].entries()) ask(id, 'input', { content });
    // Sent without waiting for the answers: an input ends the session until its own answer says otherwise.
    expect(await raw.take(4)).toMatchObject([
      { id: 0, result: { acknowledged: true } },
      { id: 1, error: { code: -32601 } },
      { id: 2, error: { code: -32601 } },
      { params: { request_id: 0, keep_session: true } },
    ]);
    ask(3, 'input', { content: 'bye' });
    expect(await raw.take(2)).toMatchObject([{ id: 3 }, { params: { keep_session: false } }]);
    ask(4, 'input', { content: 'still there?' });
    expect(await raw.next()).toMatchObject({ id: 4, error: { code: -32601 } });
  });

  // requirement: gassist:author:input-without-session
  test('without a session, or to a plugin that has no ear for it, is refused', async () => {
    const deaf = servedPlugin();
    deaf.ask(1, 'input', { content: 'Hello?' });
    expect(await deaf.raw.next()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: 'Plugin "my-plugin" does not take part in conversations.' },
    });
    const { raw, ask } = servedPlugin({ onInput: () => '' });
    ask(1, 'input', { content: 'Hello?' });
    expect(await raw.next()).toMatchObject({
      error: {
        code: -32601,
        message:
          'Plugin "my-plugin" has no session open: input is for after a "complete" with keep_session true.',
      },
    });
  });

  test.each([undefined, {}, { content: null }, { content: ['a'] }])(
    'without what the user said is refused: %j',
    async (params) => {
      const { raw, ask } = await inSession(() => '');
      ask(4, 'input', params);
      expect(await raw.next()).toMatchObject({ id: 4, error: { code: -32602 } });
    },
  );

  test('that fails is acknowledged all the same', async () => {
    const { raw, ask } = await inSession(() => fail('What?'));
    ask(4, 'input', { content: 'x' });
    expect(await raw.take(2)).toMatchObject([
      { id: 4, result: { acknowledged: true } },
      { method: 'error', params: { request_id: 4, code: -1, message: 'What?' } },
    ]);
  });
});

describe('the end', () => {
  // requirement: gassist:shutdown:exit, gassist:shutdown:no-response, gassist:sdk:shutdown
  test('by a notification: nothing is answered, the plugin is taken down', async () => {
    const teardown = vi.fn<() => void>();
    const { raw, ask, served } = servedPlugin({ teardown });
    ask(1, 'initialize', initialize);
    await raw.next();
    raw.notify('shutdown', {});
    expect(await served.over).toEqual({ exitCode: 0 });
    expect(teardown).toHaveBeenCalledOnce();
    await raw.inputEnded;
    expect(raw.received).toHaveLength(1);
  });

  // requirement: gassist:author:shutdown-request
  test('by a request, as the emulator sends it: answered, with no word that it takes for something else', async () => {
    const { raw, ask, served } = servedPlugin();
    ask(9, 'shutdown', {});
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 9, result: {} });
    expect(await served.over).toEqual({ exitCode: 0 });
  });

  test('in mid-call: the call is told to be over before the plugin is', async () => {
    const { raw, ask, served } = pausing();
    ask(3, 'execute', { function: 'wait' });
    raw.notify('shutdown');
    expect(await raw.next()).toMatchObject({ method: 'error', params: { request_id: 3, code: -1 } });
    expect(await served.over).toEqual({ exitCode: 0 });
  });

  // requirement: gassist:author:end-of-input
  test('by the end of the input: what was asked before is finished', async () => {
    const { raw, ask, served, goOn } = pausing();
    ask(3, 'execute', { function: 'wait' });
    raw.end();
    goOn();
    expect(await raw.next()).toMatchObject({ method: 'complete', params: { request_id: 3 } });
    expect(await served.over).toEqual({ exitCode: 0 });
  });

  test('by the end of the input right after an input: it is answered to the end', async () => {
    const { raw, ask, served } = await inSession(async () => 'heard');
    ask(4, 'input', { content: 'x' });
    raw.end();
    expect(await raw.take(2)).toMatchObject([{ id: 4 }, { params: { request_id: 4, data: 'heard' } }]);
    expect(await served.over).toEqual({ exitCode: 0 });
  });

  test('from this side', async () => {
    const { raw, served, ask } = pausing();
    ask(3, 'execute', { function: 'wait' });
    ask(4, 'ping');
    await raw.next();
    served.close();
    expect(await served.over).toEqual({ exitCode: 0 });
  });
});

// requirement: gassist:author:silent-stderr, gassist:log:optional
test('what belongs to no call is logged on the wire, and nothing goes to stderr', async () => {
  const { raw, served, printed } = servedPlugin();
  served.log({ level: 'warn', message: 'printed by the author', data: { line: 1 } });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    method: 'log',
    params: { level: 'warn', message: 'printed by the author', data: { line: 1 } },
  });
  expect(printed).toEqual([]);
});

test('an observer sees the wire', async () => {
  const observer = vi.fn<Observer>();
  const { raw, ask } = servedBackend(backendOf(), { observer });
  ask(1, 'ping', { timestamp: 1 });
  await raw.next();
  expect(observer.mock.calls.map(([direction]) => direction)).toEqual(['received', 'sent']);
});

function withTool(name: string, tool: TestTool): PluginUnderTest {
  return servedPlugin({ tools: { [name]: tool } });
}

/** `wait` runs until it is told to go on; `say` ends at once. */
function pausing(): PluginUnderTest & { goOn: () => void } {
  let goOn = () => {};
  const pause = new Promise<void>((resolve) => (goOn = resolve));
  const plugin = servedPlugin({
    tools: {
      wait: { handler: () => pause },
      say: { handler: (_, { log }) => log('info', 'saying') },
    },
  });
  return { ...plugin, goOn };
}

/** A plugin that keeps the session since its first call. */
async function inSession(onInput: Handler<string>): Promise<PluginUnderTest> {
  const plugin = servedPlugin({
    onInput,
    tools: { open: { handler: (_, { keepSession }) => keepSession() } },
  });
  plugin.ask(3, 'execute', { function: 'open' });
  expect(await plugin.raw.next()).toMatchObject({ params: { keep_session: true } });
  return plugin;
}
