// The examples of the specification, message by message, seen from the host: what is sent and what comes back.
import { expect, test } from 'vitest';
import { callAndHear, hear } from '../../../test/support/dialect/dialect-host.ts';
import { discovered, plain } from '../../../test/support/dialect/planner/ends.ts';
import * as examples from '../../../test/support/dialect/planner/examples.ts';
import type { WirePort } from '../host-dialect.ts';
import type { ExecutorPort, PlannerPort } from '../../definition/plugin-port.ts';

// requirement: planner:execute:direction, planner:execute:request-example
// requirement: planner:execute:response-example, planner:execute:prompt, planner:execute:context-files
// requirement: planner:execute:context-current-directory, planner:execute:context-dependencies
// requirement: planner:execute:context-constraints, planner:execute:options-language
// requirement: planner:execute:options-framework, planner:execute:options-style-guide
// requirement: planner:execute:status, planner:execute:output-code, planner:execute:output-explanation
// requirement: planner:execute:output-files-modified, planner:execute:output-files-created
// requirement: planner:execute:metadata-execution-time-ms, planner:execute:metadata-tokens-used
// requirement: planner:execute:metadata-model
test('the example of execute_task', async () => {
  const { end, raw } = await plain();
  const { answer } = hear((sink) => executorOf(end).executeTask(examples.taskRequest, sink));
  const request = await raw.next();
  expect(request).toEqual({ jsonrpc: '2.0', method: 'execute_task', params: examples.taskParams, id: 2 });
  raw.send({ jsonrpc: '2.0', result: examples.taskResult, id: 2 });
  expect(await answer).toEqual({
    ok: true,
    text: 'generated code here',
    data: {
      status: 'success',
      code: 'generated code here',
      explanation: 'What was done and why',
      filesModified: [],
      filesCreated: [],
      metadata: { executionTimeMs: 1234, tokensUsed: 5678, model: 'gemini-2.5-pro' },
    },
  });
});

// requirement: planner:base:request
test('the same by its name as a tool: arguments and result as the wire has them', async () => {
  const { end, raw } = await plain();
  const { answer } = callAndHear(end, { tool: 'execute_task', args: examples.taskParams });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    method: 'execute_task',
    params: examples.taskParams,
    id: 2,
  });
  raw.answer(2, examples.taskResult);
  expect(await answer).toEqual({ ok: true, text: 'generated code here', data: examples.taskResult });
});

// requirement: planner:execute:task-type-refactoring, planner:execute:task-type-analysis
// requirement: planner:execute:task-type-testing, planner:execute:task-type-code-generation
test.each(['code_generation', 'refactoring', 'analysis', 'testing', 'translation'])(
  'a task of type %s is sent as it is',
  async (type) => {
    const { end, raw } = await plain();
    hear((sink) => executorOf(end).executeTask({ type, prompt: 'p' }, sink));
    expect((await raw.nextRequest()).params).toEqual({ task_type: type, prompt: 'p' });
  },
);

// requirement: planner:plan:direction, planner:plan:request-example, planner:plan:response-example
// requirement: planner:plan:user-request, planner:plan:state-completed-tasks
// requirement: planner:plan:state-pending-tasks, planner:plan:state-context
// requirement: planner:plan:constraints-max-tasks, planner:plan:constraints-time-limit-seconds
// requirement: planner:plan:tasks, planner:plan:task-id, planner:plan:task-type
// requirement: planner:plan:task-description, planner:plan:task-dependencies, planner:plan:task-priority
// requirement: planner:plan:estimated-time-seconds, planner:plan:explanation
test('the example of create_plan', async () => {
  const { end, raw } = await plain();
  const { answer } = hear((sink) => plannerOf(end).createPlan(examples.planRequest, sink));
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    method: 'create_plan',
    params: examples.planParams,
    id: 2,
  });
  raw.send({ jsonrpc: '2.0', result: examples.planResult, id: 2 });
  expect(await answer).toEqual({
    ok: true,
    text: 'Plan rationale\ntask_001 (code_generation): Create React component',
    data: examples.plan,
  });
});

// requirement: planner:validate:direction, planner:validate:request-example, planner:validate:code
// requirement: planner:validate:language, planner:validate:rules, planner:validate:answer
test('the example of validate_code', async () => {
  const { end, raw } = await plain();
  const { answer } = hear((sink) => executorOf(end).validateCode!(examples.codeRequest, sink));
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    method: 'validate_code',
    params: examples.codeRequest,
    id: 2,
  });
  raw.answer(2, examples.verdict);
  expect(await answer).toEqual({
    ok: true,
    text: 'The code is not valid.\n3:1 error Unexpected console. (no-console)',
    data: examples.verdict,
  });
});

// requirement: planner:context:direction, planner:context:request-example, planner:context:action-add
// requirement: planner:context:action-remove, planner:context:action-modify, planner:context:type-file
// requirement: planner:context:type-dependency, planner:context:type-state, planner:context:data
// requirement: planner:context:answer
test.each(examples.contextUpdates)('the example of update_context: %s %s', async (action, type) => {
  const { end, raw } = await plain();
  const { answer } = hear((sink) => {
    if (end.updateContext === undefined) throw new Error('It has no context.');
    return end.updateContext({ action, type, data: {} }, sink);
  });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    method: 'update_context',
    params: { action, context_type: type, data: {} },
    id: 2,
  });
  raw.answer(2, { status: 'ok' });
  expect(await answer).toEqual({ ok: true, data: { status: 'ok' } });
});

// requirement: planner:errors:example, planner:errors:details, planner:errors:stack-trace
// requirement: planner:errors:recovery-suggestions
test('the example of an error', async () => {
  const { end, raw } = await plain();
  const { answer } = callAndHear(end, { tool: 'execute_task', args: examples.taskParams });
  await raw.next();
  const data = {
    type: 'TIMEOUT',
    details: 'Detailed error information',
    stack_trace: '...',
    recovery_suggestions: ['Try a smaller task.'],
  };
  raw.send({ jsonrpc: '2.0', error: { code: -32000, message: 'Execution failed', data }, id: 2 });
  expect(await answer).toEqual({
    ok: false,
    error: {
      code: 'TIMEOUT',
      message: 'Execution failed: Detailed error information',
      wireCode: -32000,
      data,
      reason: 'TIMEOUT',
      details: 'Detailed error information',
      suggestions: ['Try a smaller task.'],
    },
  });
});

// requirement: planner:stream:start-example, planner:stream:data-example, planner:stream:end-example
// requirement: planner:stream:stream-id, planner:stream:task-id, planner:stream:chunk, planner:stream:sequence
// requirement: planner:stream:total-chunks, planner:stream:long-running
test('the examples of a stream', async () => {
  const { end, raw, told } = await plain();
  const { answer, events } = callAndHear(end, { tool: 'execute_task', args: examples.taskParams });
  await raw.next();
  raw.notify('stream_start', { stream_id: 'stream_001', task_id: '2' });
  raw.notify('stream_data', { stream_id: 'stream_001', chunk: 'partial output data', sequence: 1 });
  raw.notify('stream_end', { stream_id: 'stream_001', total_chunks: 1 });
  raw.answer(2, { status: 'success', output: { explanation: 'It is done.' } });
  expect(await answer).toMatchObject({ ok: true, text: 'partial output dataIt is done.' });
  expect(events).toEqual([{ kind: 'text', text: 'partial output data' }]);
  expect(told.troubles).toEqual([]);
});

// requirement: planner:batch:array, planner:batch:example, planner:performance:batching
test('the example of a batch', async () => {
  // With keys for retries it would have more than the example has.
  const options = { spec: { config: { retries: 0 } } };
  const { end, raw } = await discovered({ roles: ['executor'], batch: true }, options);
  const [first, second] = [heardIn(), heardIn()];
  executorOf(end).batch?.([
    { kind: 'task', request: { type: 'analysis', prompt: 'p' }, sink: first.sink },
    { kind: 'code', request: { code: 'c' }, sink: second.sink },
  ]);
  expect(await raw.next()).toEqual([
    { jsonrpc: '2.0', method: 'execute_task', params: { task_type: 'analysis', prompt: 'p' }, id: 2 },
    { jsonrpc: '2.0', method: 'validate_code', params: { code: 'c' }, id: 3 },
  ]);
  raw.notify('stream_start', { stream_id: 's', task_id: 2 });
  raw.notify('stream_data', { stream_id: 's', chunk: 'done', sequence: 1 });
  raw.notify('stream_end', { stream_id: 's', total_chunks: 1 });
  raw.send([
    { jsonrpc: '2.0', result: { valid: true, findings: [] }, id: 3 },
    { jsonrpc: '2.0', result: { status: 'success', output: { code: 'done' } }, id: 2 },
  ]);
  expect(await first.heard.answer).toMatchObject({ ok: true, text: 'done' });
  expect(await second.heard.answer).toMatchObject({ ok: true, text: 'The code is valid.' });
});

function heardIn() {
  let sink: Parameters<Parameters<typeof hear>[0]>[0] | undefined;
  const heard = hear((given) => {
    sink = given;
    return { cancel: () => 'free' };
  });
  if (sink === undefined) throw new Error('hear() gives its sink at once.');
  return { sink, heard };
}

function executorOf({ executor }: WirePort): ExecutorPort {
  if (executor === undefined) throw new Error('It has no executor.');
  return executor;
}

function plannerOf({ planner }: WirePort): PlannerPort {
  if (planner === undefined) throw new Error('It has no planner.');
  return planner;
}
