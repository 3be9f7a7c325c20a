// Planners and executors as programs: plain ones, those that introduce themselves, and ours under a plain client.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { planner } from '../../src/dialect/planner/host.ts';
import { callAndHear, hear, hostAndProgram } from '../support/dialect/dialect-host.ts';
import { execute, root } from '../support/project.ts';
import { hasPython } from '../support/python.ts';

describe.runIf(hasPython)('the server of the specification', () => {
  // requirement: planner:snippets:python-server
  test('does all that it is asked', async () => {
    const { connected, running, told } = hostAndProgram(planner, 'planner/spec_server.py');
    const end = await connected;
    expect(end.isAssumed).toBe(true);
    const request = {
      type: 'code_generation',
      prompt: 'a loop',
      context: { files: ['a.py'], currentDirectory: '/', dependencies: [], constraints: [] },
      options: { language: 'python' },
    };
    expect(await hear((sink) => end.executor!.executeTask(request, sink)).answer).toEqual({
      ok: true,
      text: '# a loop in python\n',
      data: {
        status: 'success',
        code: '# a loop in python\n',
        explanation: 'A code_generation.',
        filesModified: [],
        filesCreated: ['a.py'],
        metadata: { executionTimeMs: 1, tokensUsed: 6, model: 'none' },
      },
    });
    const plan = { userRequest: 'one, two, three', constraints: { maxTasks: 2 } };
    expect(await hear((sink) => end.planner!.createPlan(plan, sink)).answer).toMatchObject({
      ok: true,
      data: {
        tasks: [
          { id: 'task_001', description: 'one' },
          { id: 'task_002', description: 'two' },
        ],
        explanation: 'One by one.',
      },
    });
    const code = { code: 'console.log()', language: 'javascript', rules: ['no-console'] };
    expect(await hear((sink) => end.executor!.validateCode!(code, sink)).answer).toMatchObject({
      data: { valid: false },
    });
    const update = { action: 'add', type: 'file', data: { name: 'a' } } as const;
    expect(await hear((sink) => end.updateContext!(update, sink)).answer).toMatchObject({ ok: true });
    expect(await callAndHear(end, { tool: 'make_coffee' }).answer).toEqual({
      ok: false,
      error: { code: 'UNKNOWN_TOOL', message: 'Method not found', wireCode: -32601 },
    });
    await end.shutdown(5000);
    end.close();
    expect(await running.exited).toMatchObject({ exitCode: 0 });
    expect(told.troubles).toEqual([]);
  });

  test('that dies of a task tells why', async () => {
    const { connected, running } = hostAndProgram(planner, 'planner/spec_server.py');
    const end = await connected;
    const { answer } = callAndHear(end, {
      tool: 'execute_task',
      args: { task_type: 'crash', prompt: 'boom' },
    });
    expect(await answer).toMatchObject({ ok: false, error: { code: 'PIPE_ENDED' } });
    expect((await running.exited).stderr).toContain('RuntimeError: boom');
  });
});

test('one that introduces itself: streams, batches, a method of its own', async () => {
  const { connected, told } = hostAndProgram(planner, 'planner/introduces-itself.mjs');
  const end = await connected;
  expect(end.manifest).toMatchObject({ name: 'introduced', version: '1.0.0' });
  expect(await callAndHear(end, { tool: 'shout', args: { text: 'a' } }).answer).toEqual({
    ok: true,
    text: 'A',
  });
  const { answer, events } = callAndHear(end, { tool: 'execute_task' });
  expect(await answer).toMatchObject({ ok: true, text: 'working' });
  expect(events).toEqual([
    { kind: 'text', text: 'work' },
    { kind: 'text', text: 'ing' },
  ]);
  const task = hear((sink) => {
    const code = { kind: 'code', request: { code: 'c' }, sink: { event: () => {}, end: () => {} } } as const;
    const [call] = end.executor!.batch!([{ kind: 'task', request: { type: 't', prompt: 'p' }, sink }, code]);
    return call!;
  });
  expect(await task.answer).toMatchObject({ ok: true, text: 'working' });
  expect(told.troubles).toEqual([]);
});

test.each([
  [undefined, 'Method not found'],
  ['seen', 'seen after looking'],
])('a planner asks its host for work, and hears %s', async (code, explanation) => {
  const work =
    code === undefined
      ? {}
      : {
          work: {
            executeTask: (_: unknown, sink: Parameters<Parameters<typeof hear>[0]>[0]) => {
              sink.event({ kind: 'text', text: 'looking' });
              sink.end({ ok: true, data: { code } });
              return { cancel: () => 'free' as const };
            },
          },
        };
  const { connected } = hostAndProgram(planner, 'planner/asks-the-host.mjs', work);
  const end = await connected;
  const { answer } = hear((sink) => end.planner!.createPlan({ userRequest: 'u' }, sink));
  expect(await answer).toMatchObject({ ok: true, data: { tasks: [], explanation } });
});

// requirement: planner:served-snippets:node-client
test('a plugin of the SDK under the client of the specification', async () => {
  const script = [
    { method: 'execute_task', params: { task_type: 'a', prompt: 'p', options: { language: 'js' } } },
    { method: 'create_plan', params: { user_request: 'u' } },
    { method: 'validate_code', params: { code: 'abc' } },
    { method: 'update_context', params: { action: 'add', context_type: 'file', data: {} } },
    { method: 'shout', params: { text: 'hey' } },
    { method: 'execute_task', params: { task_type: 'a', prompt: 'fail' } },
    { method: 'make_coffee', params: {} },
  ];
  const { outcomes, streams, exitCode } = await underPlainClient(script);
  expect(exitCode).toBe(0);
  expect(outcomes).toMatchObject([
    { value: { status: 'success', output: { code: 'p in js', files_created: ['a.js'] } } },
    { value: { plan: { tasks: [{ id: 'task_001', description: 'u' }], explanation: 'One task.' } } },
    { value: { valid: false, findings: [{ rule: 'any', column: 3, severity: 'info' }] } },
    { value: { status: 'ok' } },
    { value: { status: 'success', output: { code: 'HEY' } } },
    { reason: { code: -32001, message: 'No model.', data: { recovery_suggestions: ['Wait.'] } } },
    { reason: { code: -32601, message: 'Method not found' } },
  ]);
  expect(streams.map(({ method }) => method)).toEqual(['stream_start', 'stream_data', 'stream_end']);
});

// requirement: planner:snippets:node-client, planner:served-snippets:python-server
test('and under our own host, by its first words', async () => {
  const { connected, told, running } = hostAndProgram(planner, 'sdk/plans.mjs');
  const end = await connected;
  expect(end.manifest).toMatchObject({ name: 'plans', interfaces: [{ id: 'planner' }, { id: 'executor' }] });
  const { answer } = hear((sink) => end.executor!.executeTask({ type: 'a', prompt: 'p' }, sink));
  expect(await answer).toMatchObject({ ok: true, text: 'working p in no language' });
  end.close();
  expect(await running.exited).toMatchObject({ exitCode: 0 });
  expect(told.troubles).toEqual([]);
});

interface Seen {
  readonly outcomes: readonly unknown[];
  readonly streams: readonly { readonly method: string }[];
  readonly exitCode: number;
}

async function underPlainClient(script: readonly unknown[]): Promise<Seen> {
  const client = path.join(root, 'test/raw-hosts/planner-client.mjs');
  const plugin = path.join(root, 'test/plugins/sdk/plans.mjs');
  const args = [client, JSON.stringify(script), process.execPath, plugin];
  const { stdout, stderr } = await execute(process.execPath, args);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Seen;
}
