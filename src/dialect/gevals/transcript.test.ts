// The examples of the specification, message by message: what is sent and what comes back.
import { expect, test } from 'vitest';
import { callAndHear, hostAndRawEnd, type Heard } from '../../../test/support/dialect/dialect-host.ts';
import { introducedTo, plainManifest } from '../../../test/support/dialect/gevals/host-end.ts';
import type { RawEnd } from '../../../test/support/channel/raw-end.ts';
import type { CallRequest } from '../../definition/outcome.ts';
import type { WirePort } from '../host-dialect.ts';
import { gevals } from './host.ts';

/** Calls without a limit tell no timeout, as in most of the examples. */
const unlimited = { timeoutMs: Infinity };

const kubernetes = {
  name: 'kubernetes',
  version: '1.2.0',
  protocolVersion: '0.0.1',
  description: 'Kubernetes resource operations',
  requires: [{ command: 'kubectl' }],
  operations: {
    apply: {
      description: 'Apply a Kubernetes manifest',
      params: {
        type: 'object',
        properties: {
          file: { type: 'string', description: 'Path to manifest file' },
          namespace: { type: 'string', default: 'default', description: 'Target namespace' },
        },
        required: ['file'],
      },
    },
    condition: {
      description: 'Verify a resource condition',
      params: {
        type: 'object',
        properties: {
          resource: { type: 'string', description: 'Resource (e.g., pod/nginx)' },
          conditionType: { type: 'string', description: 'Condition type (e.g., Ready)' },
          status: { type: 'string', default: 'True', description: 'Expected status value' },
          timeout: { type: 'string', default: '60s', description: 'How long to wait (duration format)' },
        },
        required: ['resource', 'conditionType'],
      },
    },
  },
};

// requirement: gevals:initialize:request-example, gevals:initialize:response-example
test('the examples of initialize', async () => {
  const { raw, connected } = hostAndRawEnd(gevals, 'lines', { spec: { config: { namespace: 'my-app' } } });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '0.0.1', config: { namespace: 'my-app' } },
  });
  raw.send({ jsonrpc: '2.0', id: 1, result: kubernetes });
  expect((await connected).manifest).toEqual({
    name: 'kubernetes',
    version: '1.2.0',
    dialect: 'gevals',
    protocolVersion: '0.0.1',
    description: 'Kubernetes resource operations',
    requires: [{ command: 'kubectl' }],
    tools: [
      {
        name: 'apply',
        description: 'Apply a Kubernetes manifest',
        inputSchema: kubernetes.operations.apply.params,
      },
      {
        name: 'condition',
        description: 'Verify a resource condition',
        inputSchema: kubernetes.operations.condition.params,
      },
    ],
    raw: kubernetes,
  });
});

// requirement: gevals:execute:request-example, gevals:result:success-example
test('the examples of execute and of a success', async () => {
  const { end, raw } = await introducedTo(kubernetes);
  const { answer } = callAndHear(end, {
    tool: 'apply',
    args: { file: 'deployment.yaml', namespace: 'my-app' },
    context: {
      workdir: '/path/to/task',
      phase: 'setup',
      env: { KUBECONFIG: '/home/user/.kube/config' },
    },
    timeoutMs: 300_000,
  });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    id: 2,
    method: 'execute',
    params: {
      operation: 'apply',
      args: { file: 'deployment.yaml', namespace: 'my-app' },
      context: {
        workdir: '/path/to/task',
        phase: 'setup',
        env: { KUBECONFIG: '/home/user/.kube/config' },
        timeout: '5m',
      },
    },
  });
  raw.send({
    jsonrpc: '2.0',
    id: 2,
    result: {
      success: true,
      message: 'Applied deployment.yaml to namespace my-app',
      outputs: { resourceVersion: '12345', uid: 'abc-123-def' },
    },
  });
  expect(await answer).toEqual({
    ok: true,
    text: 'Applied deployment.yaml to namespace my-app',
    outputs: { resourceVersion: '12345', uid: 'abc-123-def' },
  });
});

// requirement: gevals:agent:example
test('the example of an agent in the verify phase', async () => {
  const { end, raw } = await introducedTo(kubernetes);
  const agent = {
    prompt: 'Create a pod named nginx in the default namespace',
    output: "I've created the nginx pod using kubectl run...",
  };
  callAndHear(end, { tool: 'condition', context: { workdir: '/t', phase: 'verify', agent }, ...unlimited });
  expect((await raw.nextRequest()).params).toEqual({
    operation: 'condition',
    args: {},
    context: { workdir: '/t', phase: 'verify', agent },
  });
});

// requirement: gevals:result:failure-example
test('the example of a failure', async () => {
  const { end, raw } = await introducedTo(kubernetes);
  const { answer } = callAndHear(end, { tool: 'condition' });
  expect(await raw.nextRequest()).toMatchObject({ id: 2 });
  raw.send({
    jsonrpc: '2.0',
    id: 2,
    result: {
      success: false,
      message: 'Condition not met',
      error: 'Timed out waiting for pod/nginx Ready=True (current: False)',
      outputs: { lastStatus: 'False', lastCheckTime: '2024-01-15T10:30:00Z' },
    },
  });
  expect(await answer).toEqual({
    ok: false,
    error: {
      code: 'TOOL_FAILED',
      message: 'Timed out waiting for pod/nginx Ready=True (current: False)',
    },
    text: 'Condition not met',
    outputs: { lastStatus: 'False', lastCheckTime: '2024-01-15T10:30:00Z' },
  });
});

// requirement: gevals:log:info-example, gevals:log:debug-example
test('the examples of log', async () => {
  const { end, raw } = await introducedTo(kubernetes);
  const { answer, events } = callAndHear(end, { tool: 'apply' });
  const { id } = await raw.nextRequest();
  raw.send(
    {
      jsonrpc: '2.0',
      method: 'log',
      params: { level: 'info', message: 'Waiting for deployment rollout...' },
    },
    {
      jsonrpc: '2.0',
      method: 'log',
      params: {
        level: 'debug',
        message: 'Pod status check',
        data: { pod: 'nginx-abc123', phase: 'ContainerCreating' },
      },
    },
  );
  raw.answer(id, { success: true });
  await answer;
  expect(events).toEqual([
    { kind: 'log', level: 'info', message: 'Waiting for deployment rollout...' },
    {
      kind: 'log',
      level: 'debug',
      message: 'Pod status check',
      data: { pod: 'nginx-abc123', phase: 'ContainerCreating' },
    },
  ]);
});

// requirement: gevals:shutdown:request-example, gevals:shutdown:response-example
test('the examples of shutdown', async () => {
  const { end, raw } = await introducedTo(plainManifest);
  callAndHear(end, { tool: 'apply' });
  expect(await raw.next()).toMatchObject({ id: 2 });
  raw.answer(2, { success: true });
  const gone = end.shutdown(5000);
  expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 3, method: 'shutdown', params: {} });
  raw.send({ jsonrpc: '2.0', id: 3, result: {} });
  await gone;
});

// requirement: gevals:errors:example
test('the example of a protocol error', async () => {
  const { end, raw } = await introducedTo(kubernetes);
  const { answer } = callAndHear(end, { tool: 'appply' });
  expect(await raw.nextRequest()).toMatchObject({ id: 2, params: { operation: 'appply' } });
  raw.send({ jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Unknown operation: appply' } });
  expect(await answer).toEqual({
    ok: false,
    error: {
      code: 'UNKNOWN_TOOL',
      message: 'Unknown operation: appply',
      wireCode: -32601,
      suggestions: ['apply'],
    },
  });
});

// requirement: gevals:session:example
test('the example session', async () => {
  const { raw, connected, told } = hostAndRawEnd(gevals, 'lines');
  const operations = { 'create-namespace': {}, condition: {} };
  await comes(raw, '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"0.0.1"}}');
  raw.sendText(
    `{"jsonrpc":"2.0","id":1,"result":{"name":"kubernetes","version":"1.0.0","protocolVersion":"0.0.1","operations":${JSON.stringify(operations)}}}`,
  );
  const end = await connected;

  const created = execute(end, {
    tool: 'create-namespace',
    args: { name: 'test-ns' },
    context: { workdir: '/tasks/create-pod', phase: 'setup' },
  });
  await comes(
    raw,
    '{"jsonrpc":"2.0","id":2,"method":"execute","params":{"operation":"create-namespace","args":{"name":"test-ns"},"context":{"workdir":"/tasks/create-pod","phase":"setup"}}}',
  );
  raw.sendText(
    '{"jsonrpc":"2.0","method":"log","params":{"level":"info","message":"Creating namespace test-ns"}}',
    '{"jsonrpc":"2.0","id":2,"result":{"success":true,"message":"Created namespace test-ns"}}',
  );
  expect(await created.answer).toEqual({ ok: true, text: 'Created namespace test-ns' });
  expect(created.events).toEqual([{ kind: 'log', level: 'info', message: 'Creating namespace test-ns' }]);

  const checked = execute(end, {
    tool: 'condition',
    args: { resource: 'pod/nginx', conditionType: 'Ready' },
    context: {
      workdir: '/tasks/create-pod',
      phase: 'verify',
      agent: { prompt: 'Create nginx pod', output: 'Done' },
    },
  });
  await comes(
    raw,
    '{"jsonrpc":"2.0","id":3,"method":"execute","params":{"operation":"condition","args":{"resource":"pod/nginx","conditionType":"Ready"},"context":{"workdir":"/tasks/create-pod","phase":"verify","agent":{"prompt":"Create nginx pod","output":"Done"}}}}',
  );
  raw.sendText(
    '{"jsonrpc":"2.0","method":"log","params":{"level":"info","message":"Checking pod/nginx..."}}',
    '{"jsonrpc":"2.0","method":"log","params":{"level":"info","message":"Waiting, status=ContainerCreating"}}',
    '{"jsonrpc":"2.0","id":3,"result":{"success":true,"message":"Pod nginx Ready=True"}}',
  );
  expect(await checked.answer).toEqual({ ok: true, text: 'Pod nginx Ready=True' });
  expect(checked.events).toEqual([
    { kind: 'log', level: 'info', message: 'Checking pod/nginx...' },
    { kind: 'log', level: 'info', message: 'Waiting, status=ContainerCreating' },
  ]);

  const gone = end.shutdown(5000);
  await comes(raw, '{"jsonrpc":"2.0","id":4,"method":"shutdown","params":{}}');
  raw.sendText('{"jsonrpc":"2.0","id":4,"result":{}}');
  await gone;
  expect(told).toMatchObject({ logs: [], troubles: [] });
});

function execute(end: WirePort, request: Omit<CallRequest, 'timeoutMs'>): Heard {
  return callAndHear(end, { ...request, ...unlimited });
}

/** The next that comes is this line, to the letter. */
async function comes(raw: RawEnd, line: string): Promise<void> {
  expect(JSON.stringify(await raw.next())).toBe(line);
}
