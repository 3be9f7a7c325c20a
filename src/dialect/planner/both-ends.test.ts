// Our host on our author's end: what one says the other understands, in both directions.
import { describe, expect, test } from 'vitest';
import { callAndHear, hear, type HostOptions } from '../../../test/support/dialect/dialect-host.ts';
import { discovered, hostAndAuthor, servedPlanner } from '../../../test/support/dialect/planner/ends.ts';
import { scriptedBackend } from '../../../test/support/definition/scripted-backend.ts';
import { ask } from '../../../test/support/dialect/author-end.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { RunningCall, TaskHost } from '../../definition/plugin-port.ts';
import type { Answer, CallSink } from '../../definition/outcome.ts';
import type { CodeRequest, TaskRequest } from '../../definition/plan.ts';
import type { WirePort } from '../host-dialect.ts';

const idle = { cancel: () => 'free' as const };
const task: TaskRequest = { type: 'analysis', prompt: 'p' };

test('a tool streams, answers and fails through both', async () => {
  const backend = scriptedBackend({
    scripts: {
      count: (_, sink) => {
        sink.event({ kind: 'text', text: 'one ' });
        sink.event({ kind: 'text', text: 'two' });
        sink.end({ ok: true, text: 'one two', data: { n: 2 }, outputs: { n: '2' } });
      },
      break: (_, sink) => {
        sink.event({ kind: 'text', text: 'half' });
        sink.end({
          ok: false,
          text: 'half',
          error: {
            code: 'REQUIREMENT_MISSING',
            message: 'No git.',
            recoverable: true,
            suggestions: ['Install it.'],
          },
        });
      },
    },
  });
  const { end, told } = await hostAndAuthor(backend);
  expect(end.manifest.tools.map(({ name }) => name)).toEqual([
    'execute_task',
    'update_context',
    'count',
    'break',
  ]);
  const counted = callAndHear(end, { tool: 'count' });
  expect(await counted.answer).toEqual({ ok: true, text: 'one two', data: { n: 2 }, outputs: { n: '2' } });
  expect(counted.events).toEqual([
    { kind: 'text', text: 'one ' },
    { kind: 'text', text: 'two' },
  ]);
  expect(await callAndHear(end, { tool: 'break' }).answer).toMatchObject({
    ok: false,
    text: 'half',
    error: {
      code: 'REQUIREMENT_MISSING',
      message: 'No git.',
      wireCode: -32001,
      recoverable: true,
      suggestions: ['Install it.'],
    },
  });
  expect(told.troubles).toEqual([]);
});

test('plans, tasks, verdicts and changes of context come out as they went in', async () => {
  const plan = {
    tasks: [
      { id: 'a', type: 'testing', description: 'd', dependencies: [], priority: 2, more: { owner: 'me' } },
      {
        id: 'b',
        type: 'analysis',
        description: 'e',
        dependencies: ['a'],
        estimatedTimeSeconds: 3,
        explanation: 'x',
      },
    ],
    estimatedTimeSeconds: 9,
    explanation: 'why',
    more: { draft: true },
  };
  const result = {
    status: 'success',
    code: 'c',
    explanation: 'e',
    filesModified: ['a.ts'],
    filesCreated: ['b.ts'],
    metadata: { executionTimeMs: 1, tokensUsed: 2, model: 'm', more: { seed: 7 } },
    more: { language: 'ts' },
  };
  const verdict = {
    valid: false,
    findings: [{ rule: 'r', line: 1, column: 2, severity: 'warning', message: 'm' }],
  };
  const seen: unknown[] = [];
  const answering = (data: Answer['data']) => (request: unknown, sink: CallSink) => {
    seen.push(request);
    sink.end({ ok: true, ...(data === undefined ? {} : { data }) });
    return idle;
  };
  const backend = scriptedBackend({
    planner: { createPlan: answering(plan) },
    executor: { executeTask: answering(result), validateCode: answering(verdict) },
    updateContext: answering(undefined),
  });
  const { end } = await hostAndAuthor(backend);
  const planRequest = {
    userRequest: 'u',
    currentState: { completedTasks: ['x'], pendingTasks: [], context: { a: 1 }, more: { b: 2 } },
    constraints: { maxTasks: 3, timeLimitSeconds: 4, more: { c: 5 } },
    more: { d: 6 },
  };
  const taskRequest = {
    ...task,
    context: {
      files: ['f'],
      currentDirectory: '/w',
      dependencies: ['d'],
      constraints: [1],
      idempotencyKey: 'k',
    },
    options: { language: 'l', framework: 'f', styleGuide: 's', more: { strict: true } },
  };
  const codeRequest: CodeRequest = { code: 'c', language: 'l', rules: ['r'], more: { e: 7 } };
  const update = { action: 'modify', type: 'state', data: { x: 1 }, more: { f: 8 } } as const;
  expect((await heard((sink) => end.planner?.createPlan(planRequest, sink))).data).toEqual(plan);
  expect((await heard((sink) => end.executor?.executeTask(taskRequest, sink))).data).toEqual(result);
  expect((await heard((sink) => end.executor?.validateCode?.(codeRequest, sink))).data).toEqual(verdict);
  expect(await heard((sink) => end.updateContext?.(update, sink))).toMatchObject({ ok: true });
  expect(seen).toEqual([planRequest, taskRequest, codeRequest, update]);
});

describe('work that a planner asks its host for', () => {
  // requirement: planner:upward:execute, planner:upward:validate, planner:upward:stream
  // requirement: planner:served-upward:execute, planner:served-upward:validate, planner:served-upward:stream
  test('is done, streams included', async () => {
    const texts: string[] = [];
    const asked: unknown[] = [];
    const work: NonNullable<HostOptions['work']> = {
      executeTask(request, sink) {
        asked.push(request);
        sink.event({ kind: 'text', text: 'working' });
        sink.end({ ok: true, data: { code: 'done', filesCreated: ['x'] } });
        return idle;
      },
      validateCode(request, sink) {
        asked.push(request);
        sink.end({ ok: true, data: { valid: true, findings: [] } });
        return idle;
      },
    };
    const { end } = await hostAndAuthor(
      planningBackend(async (host) => {
        const result = await host.executeTask(task, (text) => texts.push(text));
        const verdict = await host.validateCode({ code: 'c' });
        return { ok: true, data: { tasks: [], more: { result, verdict } } };
      }),
      { host: { work } },
    );
    expect((await planned(end)).data).toEqual({
      tasks: [],
      more: {
        result: {
          status: 'success',
          code: 'done',
          explanation: '',
          filesModified: [],
          filesCreated: ['x'],
          metadata: { executionTimeMs: expect.any(Number) as number },
        },
        verdict: { valid: true, findings: [] },
      },
    });
    expect(asked).toEqual([task, { code: 'c' }]);
    expect(texts).toEqual(['working']);
  });

  // requirement: planner:served-upward:refused
  test('is refused, and the planner hears it', async () => {
    const backend = planningBackend(async (host) => {
      const refusals = await Promise.allSettled([host.executeTask(task), host.validateCode({ code: 'c' })]);
      const codes = refusals.map((one) =>
        one.status === 'rejected' && one.reason instanceof RpcError ? one.reason.code : 0,
      );
      return { ok: true, data: { tasks: [], more: { codes } } };
    });
    const { end } = await hostAndAuthor(backend);
    expect((await planned(end)).data).toEqual({ tasks: [], more: { codes: [-32601, -32601] } });
  });

  test('that fails is a failure there too', async () => {
    const backend = planningBackend(async (host) => {
      const failed = await host.executeTask(task).catch((error: unknown) => error);
      return { ok: true, data: { tasks: [], more: { code: failed instanceof RpcError ? failed.code : 0 } } };
    });
    const { end } = await hostAndAuthor(backend, { host: { work: { executeTask: tooOften } } });
    expect((await planned(end)).data).toEqual({ tasks: [], more: { code: -32002 } });
  });

  // requirement: planner:execute:string-id
  test('is answered under its own id; wrong params are refused', async () => {
    const { raw } = await discovered(undefined, { work: { executeTask: tooOften } });
    raw.send({
      jsonrpc: '2.0',
      id: 'task_001',
      method: 'execute_task',
      params: { task_type: 'a', prompt: 'p' },
    });
    expect(await raw.next()).toMatchObject({ id: 'task_001', error: { code: -32002 } });
    raw.send({ jsonrpc: '2.0', id: 'task_002', method: 'execute_task', params: { prompt: 'p' } });
    expect(await raw.next()).toMatchObject({ id: 'task_002', error: { code: -32602 } });
  });
});

describe('large messages', () => {
  test('are packed in both directions', async () => {
    const large = 'x'.repeat(2_000_000);
    const backend = scriptedBackend({
      executor: {
        executeTask(request, sink) {
          sink.end({ ok: true, data: { code: `${request.prompt}!` } });
          return idle;
        },
      },
    });
    const { end, told } = await hostAndAuthor(backend);
    const { text } = await heard((sink) => end.executor?.executeTask({ type: 'a', prompt: large }, sink));
    expect(text).toBe(`${large}!`);
    expect(told.troubles).toEqual([]);
  });
});

describe('signatures', () => {
  const author = { config: { secret: 'the secret', folder: '/a' } };
  const backend = () =>
    scriptedBackend({
      scripts: {
        count: (_, sink) => {
          sink.event({ kind: 'text', text: 't' });
          sink.end({ ok: true, text: 't' });
        },
      },
    });

  // requirement: planner:served-security:authentication, planner:served-security:auth-example
  test('with the same secret all goes as without one', async () => {
    const plugin = backend();
    const host = { spec: { config: { secret: 'the secret' } } };
    const { end, told } = await hostAndAuthor(plugin, { author, host });
    expect(end.manifest.capabilities).toMatchObject({ auth: true });
    const { answer, events } = callAndHear(end, { tool: 'count' });
    expect(await answer).toMatchObject({ ok: true, text: 't' });
    expect(events).toEqual([{ kind: 'text', text: 't' }]);
    expect(plugin.setups).toEqual([{ folder: '/a' }]);
    expect(told.troubles).toEqual([]);
  });

  test.each([[{}], [{ secret: 'another' }]])('with the config %j nothing is done', async (config) => {
    const plugin = backend();
    await expect(hostAndAuthor(plugin, { author, host: { spec: { config } } })).rejects.toThrow(
      /answered rpc\.discover with error -32003: Authentication failed: .*Both ends need the same secret/,
    );
    expect(plugin.setups).toEqual([]);
  });

  test('a plugin without one is not believed', async () => {
    const host = { spec: { config: { secret: 'the secret' } } };
    await expect(hostAndAuthor(backend(), { host })).rejects.toThrow('has no auth { timestamp, signature }');
  });

  test('a raw host without one is refused, request by request', async () => {
    const { raw, backend: plugin } = servedPlanner({ scripts: { count: () => {} } }, author);
    const { error } = await ask(raw, 'task_001', 'execute_task', { task_type: 'a', prompt: 'p' });
    expect(error).toMatchObject({ code: -32003, data: { type: 'EXECUTION_ERROR' } });
    expect(plugin.requests).toEqual([]);
  });
});

test('a host that knows no batches is sent none, one that does is', async () => {
  const { end } = await discovered({ roles: ['executor'], batch: false });
  expect(end.executor).not.toHaveProperty('batch');
  const ours = await hostAndAuthor(
    scriptedBackend({ scripts: { count: (_, sink) => sink.end({ ok: true }) } }),
  );
  const answers = await Promise.all(
    [0, 1, 2].map(
      (_, index) =>
        hear((sink) => {
          const [call] = ours.end.executor?.batch?.([{ kind: 'task', request: task, sink }]) ?? [];
          if (call === undefined) throw new Error(`No batch ${index}.`);
          return call;
        }).answer,
    ),
  );
  expect(answers).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
});

function tooOften(_: TaskRequest, sink: CallSink) {
  sink.end({ ok: false, error: { code: 'RATE_LIMITED', message: 'Slow down.' } });
  return idle;
}

function planningBackend(create: (host: TaskHost) => Promise<Answer>) {
  return scriptedBackend({
    planner: {
      createPlan(_, sink, { host } = {}) {
        if (host === undefined) throw new Error('A planner of this dialect has a host.');
        void create(host).then((answer) => sink.end(answer));
        return idle;
      },
    },
  });
}

function planned(end: WirePort): Promise<Answer> {
  return heard((sink) => end.planner?.createPlan({ userRequest: 'u' }, sink));
}

function heard(start: (sink: CallSink) => RunningCall | undefined): Promise<Answer> {
  return hear((sink) => {
    const call = start(sink);
    if (call === undefined) throw new Error('It has no such facet.');
    return call;
  }).answer;
}
