// What an author end does beyond the examples: tools as tasks and methods, limits, logs, wrong requests, and its end.
import { describe, expect, test } from 'vitest';
import { ask, untilAnswer } from '../../../test/support/dialect/author-end.ts';
import { servedPlanner } from '../../../test/support/dialect/planner/ends.ts';
import {
  heldCalls,
  type BackendScript,
  type Script,
} from '../../../test/support/definition/scripted-backend.ts';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Tool } from '../../definition/tool.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { authorDialects } from '../authors.ts';
import { refusedCall } from '../failure.ts';
import { plannerAuthor } from './author.ts';

const count: Tool = {
  name: 'count',
  description: 'Counts words.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' }, limit: { type: 'number' } },
    required: ['text'],
  },
};
const done: Script = (_, sink) =>
  sink.end({ ok: true, text: '3', data: { words: 3 }, outputs: { words: '3' } });
const counter: BackendScript = { manifest: { tools: [count] }, scripts: { count: done } };
const task = { task_type: 'analysis', prompt: 'one two three' };

test('it is in the list', async () => {
  expect(await authorDialects.planner?.()).toBe(plannerAuthor);
});

describe('rpc.discover', () => {
  // requirement: planner:served-discover:question, planner:served-discover:tools, planner:served-discover:config
  test('tells all, and sets the plugin up', async () => {
    const { raw, backend } = servedPlanner(
      { ...counter, manifest: { tools: [count], description: 'd', instructions: 'i' } },
      { config: { requests_per_minute: 100, folder: '/a', mode: 1 } },
    );
    const { result } = await ask(raw, 1, 'rpc.discover', { gzip: true, batch: true, config: { mode: 2 } });
    expect(result).toEqual({
      name: 'scripted',
      version: '1.0.0',
      description: 'd',
      instructions: 'i',
      roles: ['executor'],
      methods: ['execute_task', 'update_context', 'count'],
      tools: [{ name: 'count', description: 'Counts words.', input_schema: count.inputSchema }],
      gzip: true,
      batch: true,
      auth: false,
    });
    expect(backend.setups).toEqual([{ folder: '/a', mode: 2 }]);
  });

  // requirement: planner:served-discover:unlisted
  test('need not be asked: the first request sets the plugin up', async () => {
    const { raw, backend } = servedPlanner(counter, { config: { folder: '/a' } });
    expect((await ask(raw, 1, 'execute_task', task)).result).toMatchObject({ status: 'success' });
    expect((await ask(raw, 2, 'execute_task', task)).result).toMatchObject({ status: 'success' });
    expect(backend.setups).toEqual([{ folder: '/a' }]);
  });

  test('a setup that fails is the answer, there and later', async () => {
    const { raw } = servedPlanner({
      ...counter,
      setup: () => Promise.reject(new PluglotError('START_FAILED', 'No key.')),
    });
    for (const method of ['rpc.discover', 'execute_task'])
      expect((await ask(raw, method, method, task)).error).toEqual({
        code: -32000,
        message: 'No key.',
        data: {
          type: 'EXECUTION_ERROR',
          details: 'No key.',
          recovery_suggestions: [],
          code: 'START_FAILED',
        },
      });
  });

  test('a missing program does not fail the handshake, but every task', async () => {
    const { raw } = servedPlanner({
      ...counter,
      setup: () => Promise.reject(new PluglotError('REQUIREMENT_MISSING', 'git is not there.')),
    });
    expect((await ask(raw, 1, 'rpc.discover')).result).toMatchObject({ name: 'scripted' });
    expect((await ask(raw, 2, 'execute_task', task)).error).toMatchObject({
      code: -32001,
      data: { code: 'REQUIREMENT_MISSING' },
    });
  });
});

describe('a plugin without an executor', () => {
  // requirement: planner:served-executor:tools
  test.each<[string, JsonObject, JsonObject]>([
    ['the only text', task, { text: 'one two three' }],
    ['a prompt that is an object', { ...task, prompt: '{"text":"a","limit":2}' }, { text: 'a', limit: 2 }],
    ['a prompt that looks like one', { ...task, prompt: '{text}' }, { text: '{text}' }],
    ['options.arguments', { ...task, options: { arguments: { text: 'b' } } }, { text: 'b' }],
    ['options.tool', { ...task, options: { tool: 'count', arguments: {} } }, {}],
  ])('gives its only tool %s', async (_, params, args) => {
    const { raw, backend } = servedPlanner(counter);
    const { result } = await ask(raw, 1, 'execute_task', params);
    expect(result).toEqual({
      status: 'success',
      output: {
        code: '3',
        explanation: 'The answer of the tool "count".',
        files_modified: [],
        files_created: [],
        data: { words: 3 },
        outputs: { words: '3' },
      },
      metadata: { execution_time_ms: expect.any(Number) as number },
    });
    expect(backend.requests).toEqual([{ tool: 'count', args, dialect: 'planner', timeoutMs: 29_000 }]);
  });

  test('tells its tool where to work', async () => {
    const { raw, backend } = servedPlanner(counter);
    await ask(raw, 1, 'execute_task', { ...task, context: { current_directory: '/w' } });
    expect(backend.requests).toMatchObject([{ context: { workdir: '/w' } }]);
  });

  test('picks one of several by the type of the task, or asks for its name', async () => {
    const { raw, backend } = servedPlanner({ manifest: { tools: [count, { name: 'list' }] } });
    await ask(raw, 1, 'execute_task', { task_type: 'list', prompt: '' });
    expect(backend.requests).toMatchObject([{ tool: 'list', args: {} }]);
    expect((await ask(raw, 2, 'execute_task', task)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('options.tool') as string,
      data: {
        type: 'PARSE_ERROR',
        details: { tools: ['count', 'list'] },
        recovery_suggestions: ['options.tool: "count"', 'options.tool: "list"'],
      },
    });
    const unknown = { ...task, options: { tool: 'sort' } };
    expect((await ask(raw, 3, 'execute_task', unknown)).error).toMatchObject({ code: -32601 });
  });

  test('has its tools as methods, also new ones; those of the protocol keep their meaning', async () => {
    const { raw, backend } = servedPlanner({ manifest: { tools: [count] } });
    expect((await ask(raw, 1, 'count', { text: 'a' })).result).toMatchObject({ output: { code: 'done' } });
    expect((await ask(raw, 2, 'list', {})).error).toMatchObject({
      code: -32601,
      message: 'Method not found',
    });
    backend.changeManifest({ tools: [{ name: 'list' }, { name: 'update_context' }, { name: 'rpc.x' }] });
    expect((await ask(raw, 3, 'list')).result).toMatchObject({ status: 'success' });
    expect((await ask(raw, 4, 'list', [1])).error).toMatchObject({ code: -32602 });
    expect((await ask(raw, 5, 'update_context', {})).error).toMatchObject({ code: -32602 });
    expect((await ask(raw, 6, 'rpc.x', {})).error).toMatchObject({ code: -32601 });
    const { result } = await ask(raw, 7, 'rpc.discover');
    expect(result?.['methods']).toEqual(['execute_task', 'update_context', 'list']);
  });

  test('and without tools does no tasks', async () => {
    const { raw } = servedPlanner({});
    for (const method of ['execute_task', 'create_plan', 'validate_code'])
      expect((await ask(raw, method, method, task)).error).toMatchObject({ code: -32601 });
    expect((await ask(raw, 4, 'rpc.discover')).result).toMatchObject({ roles: [] });
    const update = { action: 'add', context_type: 'file', data: {} };
    expect((await ask(raw, 5, 'update_context', update)).result).toEqual({ status: 'ok' });
  });
});

describe('requests that cannot be answered', () => {
  // requirement: planner:served-security:schema-validation, planner:served-security:input-sanitization
  // requirement: planner:served-errors:invalid-params
  test.each([
    ['execute_task', undefined, 'params.task_type is missing; expected a string'],
    ['execute_task', [1], 'params is [1]; expected an object'],
    ['execute_task', { task_type: 'a', prompt: 5 }, 'params.prompt is 5; expected a string'],
    ['update_context', { action: 'x' }, 'params.action is "x"; expected one of add, remove, modify'],
  ])('%s with %j', async (method, params, problem) => {
    const { raw, backend } = servedPlanner(counter);
    const details = `Invalid params: ${problem}.`;
    expect((await ask(raw, 1, method, params)).error).toEqual({
      code: -32602,
      message: details,
      data: { type: 'PARSE_ERROR', details, recovery_suggestions: [] },
    });
    expect(backend.requests).toEqual([]);
  });

  // requirement: planner:served-errors:parse-error, planner:served-errors:invalid-request
  // requirement: planner:served-errors:method-not-found
  test('what is not a request gets an error, and the next request is answered', async () => {
    const { raw } = servedPlanner(counter);
    raw.sendText(
      '{"jsonrpc":',
      '{"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","id":2,"method":"make_coffee"}',
    );
    const answers = [await raw.next(), await raw.next(), await raw.next()];
    expect(answers).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: 1, error: { code: -32600 } },
      { id: 2, error: { code: -32601 } },
    ]);
    expect((await ask(raw, 3, 'execute_task', task)).result).toBeDefined();
  });

  test('a context that cannot be updated', async () => {
    const { raw } = servedPlanner({
      updateContext: (_, sink) => refusedCall({ code: 'INTERNAL', message: 'It is fixed.' }, sink),
    });
    const update = { action: 'add', context_type: 'state', data: {} };
    expect((await ask(raw, 1, 'update_context', update)).error).toMatchObject({
      code: -32603,
      message: 'It is fixed.',
    });
  });
});

describe('limits', () => {
  // requirement: planner:served-performance:timeout-default, planner:served-performance:timeout-per-request
  test('a task has 29 s, or what it says itself', async () => {
    const { raw, backend } = servedPlanner(counter);
    await ask(raw, 1, 'execute_task', task);
    await ask(raw, 2, 'execute_task', { ...task, options: { timeout_ms: 5000 } });
    await ask(raw, 3, 'execute_task', { ...task, options: { timeout_ms: 'soon' } });
    expect(backend.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([29_000, 5000, 29_000]);
  });

  // requirement: planner:served-security:rate-limiting, planner:served-errors:rate-limit-exceeded
  test('requests a minute may be limited', async () => {
    const clock = fakeClock();
    const { raw } = servedPlanner(counter, { clock, config: { requests_per_minute: 2 } });
    await ask(raw, 1, 'execute_task', task);
    clock.advance(20_000);
    await ask(raw, 2, 'execute_task', task);
    expect((await ask(raw, 3, 'execute_task', task)).error).toEqual({
      code: -32002,
      message: 'Rate limit exceeded',
      data: {
        type: 'EXECUTION_ERROR',
        details: 'The limit is 2 requests a minute.',
        retry_after_ms: 40_000,
        recovery_suggestions: ['Retry in 40 s.'],
      },
    });
    clock.advance(40_000);
    expect((await ask(raw, 4, 'execute_task', task)).result).toBeDefined();
    expect((await ask(raw, 5, 'execute_task', task)).error).toMatchObject({ code: -32002 });
  });

  // requirement: planner:served-performance:message-size, planner:served-performance:compression
  test('an answer of more than 1 MB is refused in words, unless the host takes gzip', async () => {
    const text = 'x'.repeat(1_000_000);
    const { raw } = servedPlanner({
      manifest: { tools: [count] },
      scripts: { count: (_, sink) => sink.end({ ok: true, text }) },
    });
    expect((await ask(raw, 1, 'execute_task', task)).error).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^A message of \d+ bytes was not sent.*does not accept gzip/) as string,
    });
    await ask(raw, 2, 'rpc.discover', { gzip: true });
    const { result } = await ask(raw, 3, 'execute_task', task);
    expect(Object.keys(result ?? {})).toEqual(['gzip']);
  });

  // requirement: planner:served-performance:retry-key, planner:served-performance:retry-id
  // requirement: planner:served-execute:string-id
  test.each([
    ['task_001', undefined, undefined],
    ['task_001#2', undefined, 'task_001'],
    ['task_001#2', 'mine', 'mine'],
  ])('the attempt %s with the key %s is known as %s', async (id, idempotency_key, key) => {
    const keys: unknown[] = [];
    const { raw } = servedPlanner({
      executor: {
        executeTask(request, sink) {
          keys.push(request.context?.idempotencyKey);
          sink.end({ ok: true });
          return { cancel: () => 'free' as const };
        },
      },
    });
    raw.send({
      jsonrpc: '2.0',
      method: 'execute_task',
      params: { ...task, context: { idempotency_key } },
      id,
    });
    expect(await raw.next()).toMatchObject({ id });
    expect(keys).toEqual([key]);
  });
});

describe('logs', () => {
  // requirement: planner:served-monitoring:log-timestamp, planner:served-monitoring:log-level
  test('go to stderr, in the form of the specification', async () => {
    const { raw, printed, served } = servedPlanner({
      manifest: { tools: [count] },
      scripts: {
        count: (_, sink) => {
          sink.event({ kind: 'log', level: 'warn', message: 'Slow.', data: { ms: 5 } });
          sink.event({ kind: 'progress', progress: 1 });
          sink.end({ ok: true });
        },
      },
    });
    expect((await ask(raw, 1, 'execute_task', task)).notifications).toEqual([]);
    served.log({ level: 'info', message: 'Printed.' });
    expect(printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      { timestamp: timestamp(), level: 'WARN', message: 'Slow.', data: { ms: 5 } },
      { timestamp: timestamp(), level: 'INFO', message: 'Printed.' },
    ]);
  });

  // requirement: planner:served-monitoring:latency, planner:served-monitoring:error-rates
  // requirement: planner:served-monitoring:request-volume, planner:served-monitoring:payload-sizes
  // requirement: planner:served-monitoring:retry-counts, planner:served-monitoring:log-message
  // requirement: planner:served-monitoring:log-data-method, planner:served-monitoring:log-data-id
  // requirement: planner:served-monitoring:log-data-duration-ms, planner:served-monitoring:log-data-status
  // requirement: planner:served-monitoring:log-example
  test('have a line for every request in debug mode', async () => {
    const clock = fakeClock();
    const held = heldCalls();
    const options = { clock, debug: true };
    const { raw, printed } = servedPlanner(
      { manifest: { tools: [count] }, scripts: { count: held.script } },
      options,
    );
    raw.send({ jsonrpc: '2.0', method: 'execute_task', params: task, id: 'task_001#2' });
    const first = await held.next();
    clock.advance(1234);
    first.end({ ok: true });
    await untilAnswer(raw, 'task_001#2');
    raw.send({ jsonrpc: '2.0', method: 'execute_task', params: task, id: 'task_002' });
    (await held.next()).end({ ok: false, error: { code: 'TIMEOUT', message: 'Late.' } });
    await untilAnswer(raw, 'task_002');
    const common = { method: 'execute_task', params_bytes: JSON.stringify(task).length };
    expect(printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        timestamp: timestamp(),
        level: 'INFO',
        message: 'RPC Request',
        data: { ...common, id: 'task_001#2', duration_ms: 1234, status: 'success', attempt: 2 },
      },
      {
        timestamp: timestamp(),
        level: 'ERROR',
        message: 'RPC Request',
        data: { ...common, id: 'task_002', duration_ms: 0, status: 'error', code: -32000, type: 'TIMEOUT' },
      },
    ]);
  });
});

describe('the end', () => {
  // requirement: planner:served-end:eof
  test('of the input lets what runs finish, then all is taken down', async () => {
    const held = heldCalls();
    const { raw, served, backend } = servedPlanner({
      manifest: { tools: [count] },
      scripts: { count: held.script },
    });
    raw.send({ jsonrpc: '2.0', method: 'execute_task', params: task, id: 1 });
    const call = await held.next();
    raw.end();
    call.event({ kind: 'text', text: 'last words' });
    call.end({ ok: true, text: 'last words' });
    const { notifications, result } = await untilAnswer(raw, 1);
    expect(notifications).toHaveLength(3);
    expect(result).toMatchObject({ output: { code: 'last words' } });
    expect(await served.over).toEqual({ exitCode: 0 });
    expect(backend.tornDown()).toBe(1);
  });

  test('from this side gives up what runs', async () => {
    const held = heldCalls();
    const { raw, served, backend } = servedPlanner({
      manifest: { tools: [count] },
      scripts: { count: held.script },
    });
    raw.send({ jsonrpc: '2.0', method: 'execute_task', params: task, id: 1 });
    await held.next();
    served.close();
    expect(await served.over).toEqual({ exitCode: 0 });
    expect(backend.cancelled).toHaveLength(1);
  });
});

function timestamp(): string {
  return expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string;
}
