// The examples of the specification, message by message, seen from the plugin: what comes and what is answered.
import { expect, test } from 'vitest';
import { ask, untilAnswer } from '../../../test/support/dialect/author-end.ts';
import { servedPlanner } from '../../../test/support/dialect/planner/ends.ts';
import * as examples from '../../../test/support/dialect/planner/examples.ts';
import type { ServedPort } from '../../definition/plugin-port.ts';
import type { Answer, CallInfo, CallSink } from '../../definition/outcome.ts';
import type { CodeRequest, ContextUpdate, PlanRequest, TaskRequest } from '../../definition/plan.ts';

const idle = { cancel: () => 'free' as const };

// requirement: planner:served-execute:direction, planner:served-execute:request-example
// requirement: planner:served-execute:response-example, planner:served-execute:prompt
// requirement: planner:served-execute:context-files, planner:served-execute:context-current-directory
// requirement: planner:served-execute:context-dependencies, planner:served-execute:context-constraints
// requirement: planner:served-execute:options-language, planner:served-execute:options-framework
// requirement: planner:served-execute:options-style-guide, planner:served-execute:status
// requirement: planner:served-execute:output-code, planner:served-execute:output-explanation
// requirement: planner:served-execute:output-files-modified, planner:served-execute:output-files-created
// requirement: planner:served-execute:metadata-execution-time-ms
// requirement: planner:served-execute:metadata-tokens-used, planner:served-execute:metadata-model
test('the example of execute_task', async () => {
  const asked: [TaskRequest, CallInfo | undefined][] = [];
  const { raw } = servedPlanner({
    executor: executor((request, sink, info) => {
      asked.push([request, info]);
      sink.end({
        ok: true,
        data: {
          code: 'generated code here',
          explanation: 'What was done and why',
          metadata: { executionTimeMs: 1234, tokensUsed: 5678, model: 'gemini-2.5-pro' },
        },
      });
    }),
  });
  raw.send({ jsonrpc: '2.0', method: 'execute_task', params: examples.taskParams, id: 'task_001' });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    result: examples.taskResult,
    id: 'task_001',
  });
  expect(asked).toEqual([[examples.taskRequest, { dialect: 'planner', timeoutMs: 29_000 }]]);
});

// requirement: planner:served-execute:task-type-code-generation, planner:served-execute:task-type-refactoring
// requirement: planner:served-execute:task-type-analysis, planner:served-execute:task-type-testing
test.each(['code_generation', 'refactoring', 'analysis', 'testing', 'translation'])(
  'a task of type %s is done',
  async (type) => {
    const { raw } = servedPlanner({
      executor: executor((request, sink) => sink.end({ ok: true, data: { code: request.type } })),
    });
    const { result } = await ask(raw, 'task_001', 'execute_task', { task_type: type, prompt: 'p' });
    expect(result).toMatchObject({ output: { code: type } });
  },
);

// requirement: planner:served-plan:direction, planner:served-plan:request-example
// requirement: planner:served-plan:response-example, planner:served-plan:user-request
// requirement: planner:served-plan:state-completed-tasks, planner:served-plan:state-pending-tasks
// requirement: planner:served-plan:state-context, planner:served-plan:constraints-max-tasks
// requirement: planner:served-plan:constraints-time-limit-seconds, planner:served-plan:tasks
// requirement: planner:served-plan:task-id, planner:served-plan:task-type
// requirement: planner:served-plan:task-description, planner:served-plan:task-dependencies
// requirement: planner:served-plan:task-priority, planner:served-plan:estimated-time-seconds
// requirement: planner:served-plan:explanation
test('the example of create_plan', async () => {
  const asked: PlanRequest[] = [];
  const { raw } = servedPlanner({
    planner: {
      createPlan(request, sink) {
        asked.push(request);
        sink.end({ ok: true, data: examples.plan });
        return idle;
      },
    },
  });
  raw.send({ jsonrpc: '2.0', method: 'create_plan', params: examples.planParams, id: 'plan_001' });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    result: examples.planResult,
    id: 'plan_001',
  });
  expect(asked).toEqual([examples.planRequest]);
});

// requirement: planner:served-validate:direction, planner:served-validate:request-example
// requirement: planner:served-validate:code, planner:served-validate:language
// requirement: planner:served-validate:rules, planner:served-validate:answer
test('the example of validate_code', async () => {
  const asked: CodeRequest[] = [];
  const { raw } = servedPlanner({
    executor: {
      executeTask: () => idle,
      validateCode(request, sink) {
        asked.push(request);
        sink.end({ ok: true, data: examples.verdict });
        return idle;
      },
    },
  });
  raw.send({ jsonrpc: '2.0', method: 'validate_code', params: examples.codeRequest, id: 'validate_001' });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    result: examples.verdict,
    id: 'validate_001',
  });
  expect(asked).toEqual([examples.codeRequest]);
});

// requirement: planner:served-context:direction, planner:served-context:request-example
// requirement: planner:served-context:action-add, planner:served-context:action-remove
// requirement: planner:served-context:action-modify, planner:served-context:type-file
// requirement: planner:served-context:type-dependency, planner:served-context:type-state
// requirement: planner:served-context:data, planner:served-context:answer
test.each(examples.contextUpdates)('the example of update_context: %s %s', async (action, type) => {
  const updates: ContextUpdate[] = [];
  const { raw } = servedPlanner({
    updateContext: (update, sink) => {
      updates.push(update);
      sink.end({ ok: true });
      return idle;
    },
  });
  const update = { action, context_type: type, data: {} };
  raw.send({ jsonrpc: '2.0', method: 'update_context', params: update, id: 'context_001' });
  expect(await raw.next()).toEqual({ jsonrpc: '2.0', result: { status: 'ok' }, id: 'context_001' });
  expect(updates).toEqual([{ action, type, data: {} }]);
});

// requirement: planner:served-errors:example, planner:served-errors:details
// requirement: planner:served-errors:recovery-suggestions
test('the example of an error', async () => {
  const { raw } = servedPlanner({ executor: executor((_, sink) => sink.end(late)) });
  raw.send({ jsonrpc: '2.0', method: 'execute_task', params: examples.taskParams, id: 'task_001' });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    error: {
      code: -32000,
      message: 'Execution failed',
      data: {
        type: 'TIMEOUT',
        details: 'Detailed error information',
        recovery_suggestions: ['Try a smaller task.'],
      },
    },
    id: 'task_001',
  });
});

// requirement: planner:served-stream:start-example, planner:served-stream:data-example
// requirement: planner:served-stream:end-example, planner:served-stream:stream-id, planner:served-stream:task-id
// requirement: planner:served-stream:chunk, planner:served-stream:sequence, planner:served-stream:total-chunks
// requirement: planner:served-stream:long-running
test('the examples of a stream', async () => {
  const { raw } = servedPlanner({
    executor: executor((_, sink) => {
      for (const text of ['partial ', 'output ', 'data']) sink.event({ kind: 'text', text });
      sink.end({ ok: true, text: 'partial output data' });
    }),
  });
  const heard = await ask(raw, 'task_001', 'execute_task', examples.taskParams);
  const stream_id = 'stream_001';
  expect(heard.notifications).toEqual([
    { jsonrpc: '2.0', method: 'stream_start', params: { stream_id, task_id: 'task_001' } },
    { jsonrpc: '2.0', method: 'stream_data', params: { stream_id, chunk: 'partial ', sequence: 1 } },
    { jsonrpc: '2.0', method: 'stream_data', params: { stream_id, chunk: 'output ', sequence: 2 } },
    { jsonrpc: '2.0', method: 'stream_data', params: { stream_id, chunk: 'data', sequence: 3 } },
    { jsonrpc: '2.0', method: 'stream_end', params: { stream_id, total_chunks: 3 } },
  ]);
  expect(heard.result).toMatchObject({ status: 'success', output: { code: 'partial output data' } });
});

// requirement: planner:served-batch:array, planner:served-batch:example
test('the example of a batch', async () => {
  const { raw } = servedPlanner({
    executor: {
      ...executor((_, sink) => sink.end({ ok: true, data: { code: 'c' } })),
      validateCode(_, sink) {
        sink.end({ ok: true, data: { valid: true, findings: [] } });
        return idle;
      },
    },
  });
  raw.send([
    { jsonrpc: '2.0', method: 'execute_task', params: examples.taskParams, id: 1 },
    { jsonrpc: '2.0', method: 'validate_code', params: { code: 'c' }, id: 2 },
    { jsonrpc: '2.0', method: 'stream_start', params: {} },
  ]);
  const answers = (await raw.next()) as { id: number }[];
  expect(answers.toSorted((one, other) => one.id - other.id)).toMatchObject([
    { id: 1, result: { output: { code: 'c' } } },
    { id: 2, result: { valid: true, findings: [] } },
  ]);
});

// requirement: planner:served-base:request
test('two requests at once are answered as they end, each under its own id', async () => {
  const ends: ((answer: Answer) => void)[] = [];
  const { raw } = servedPlanner({
    executor: executor((_, sink) => void ends.push((answer) => sink.end(answer))),
  });
  raw.send(
    { jsonrpc: '2.0', method: 'execute_task', params: examples.taskParams, id: 1 },
    { jsonrpc: '2.0', method: 'execute_task', params: examples.taskParams, id: 'two' },
    {
      jsonrpc: '2.0',
      method: 'update_context',
      params: { action: 'add', context_type: 'file', data: {} },
      id: 3,
    },
  );
  await untilAnswer(raw, 3);
  ends[1]?.({ ok: true, data: { code: 'second' } });
  expect(await raw.next()).toMatchObject({ id: 'two', result: { output: { code: 'second' } } });
  ends[0]?.({ ok: true, data: { code: 'first' } });
  expect(await raw.next()).toMatchObject({ id: 1, result: { output: { code: 'first' } } });
});

const late: Answer = {
  ok: false,
  error: {
    code: 'TIMEOUT',
    message: 'Execution failed',
    details: 'Detailed error information',
    suggestions: ['Try a smaller task.'],
    data: { stack_trace: 'at secret.ts:1' },
  },
};

function executor(
  run: (request: TaskRequest, sink: CallSink, info?: CallInfo) => void,
): NonNullable<ServedPort['executor']> {
  return {
    executeTask(request, sink, info) {
      run(request, sink, info);
      return idle;
    },
  };
}
