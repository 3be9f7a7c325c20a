// The examples of the specification as one conversation: each message as it stands there, id for id.
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { callAndHear, hear, hostAndRawEnd } from '../../../test/support/dialect/dialect-host.ts';
import type { RawEnd } from '../../../test/support/channel/raw-end.ts';
import type { WirePort } from '../host-dialect.ts';
import { gassist } from './host.ts';

beforeEach(() => {
  // The moment of the examples.
  vi.useFakeTimers({ toFake: ['Date'], now: 1_234_567_890_000 });
  return () => vi.useRealTimers();
});

describe('the examples of the specification, in one conversation', () => {
  // requirement: gassist:initialize:example-request, gassist:initialize:example-response
  // requirement: gassist:initialize:protocol-version, gassist:initialize:engine-version, gassist:initialize:capabilities
  // requirement: gassist:format:request, gassist:format:response, gassist:overview:json-rpc
  test('initialize', async () => {
    const { end } = await initialized();
    expect(end.manifest).toMatchObject({ name: 'my-plugin', version: '1.0.0', capabilities: ['streaming'] });
  });

  // requirement: gassist:ping:example-request, gassist:ping:example-response, gassist:ping:timestamp
  test('ping', async () => {
    const { raw, end } = await initialized();
    await pinged(raw, end);
    expect(raw.received).toHaveLength(2);
  });

  // requirement: gassist:execute:example-request, gassist:execute:example-response
  // requirement: gassist:execute:function, gassist:execute:arguments, gassist:execute:context, gassist:execute:system-info
  // requirement: gassist:execute:result-success, gassist:execute:result-data, gassist:execute:result-keep-session
  test('execute, answered by a response', async () => {
    const { raw, end } = await initialized();
    await pinged(raw, end);
    const { answer, events } = await searching(raw, end);
    raw.send({
      jsonrpc: '2.0',
      id: 3,
      result: { success: true, data: 'The current NVIDIA stock price is...', keep_session: true },
    });
    expect(await answer).toEqual({
      ok: true,
      text: 'The current NVIDIA stock price is...',
      keepSession: true,
    });
    expect(events).toEqual([]);
  });

  // requirement: gassist:stream:example, gassist:complete:example, gassist:log:example
  test('execute, answered by notifications', async () => {
    const { raw, end, told } = await initialized();
    await pinged(raw, end);
    const { answer, events } = await searching(raw, end);
    raw.send(
      { jsonrpc: '2.0', method: 'log', params: { level: 'info', message: 'Processing query...' } },
      { jsonrpc: '2.0', method: 'stream', params: { request_id: 3, data: 'Searching for NVIDIA stock...' } },
      {
        jsonrpc: '2.0',
        method: 'complete',
        params: { request_id: 3, success: true, data: 'Final result here', keep_session: true },
      },
    );
    expect(await answer).toEqual({
      ok: true,
      text: 'Searching for NVIDIA stock...Final result here',
      keepSession: true,
    });
    expect(events).toEqual([
      { kind: 'log', level: 'info', message: 'Processing query...' },
      { kind: 'text', text: 'Searching for NVIDIA stock...' },
    ]);
    expect(told.troubles).toEqual([]);
  });

  // requirement: gassist:error:example
  test('execute, answered by an error', async () => {
    const { raw, end } = await initialized();
    await pinged(raw, end);
    const { answer } = await searching(raw, end);
    raw.send({
      jsonrpc: '2.0',
      method: 'error',
      params: { request_id: 3, code: -1, message: 'API rate limit exceeded' },
    });
    expect(await answer).toEqual({
      ok: false,
      error: { code: 'TOOL_FAILED', wireCode: -1, message: 'API rate limit exceeded' },
    });
  });

  // requirement: gassist:format:error-response
  test('execute, answered by an error response', async () => {
    const { raw, end } = await initialized();
    await pinged(raw, end);
    const { answer } = await searching(raw, end);
    raw.send({
      jsonrpc: '2.0',
      id: 3,
      error: { code: -32600, message: 'Invalid Request', data: { why: '...' } },
    });
    expect(await answer).toEqual({
      ok: false,
      error: {
        code: 'MESSAGE_REFUSED',
        wireCode: -32600,
        message: 'Invalid Request',
        data: { why: '...' },
      },
    });
  });

  // requirement: gassist:input:example-request, gassist:input:example-acknowledgement
  // requirement: gassist:input:content, gassist:input:timestamp, gassist:input:answer-by-notifications
  test('input, acknowledged and then answered by notifications', async () => {
    const { raw, end } = await initialized();
    await pinged(raw, end);
    const { answer: first } = await searching(raw, end);
    raw.answer(3, { success: true, data: 'The current NVIDIA stock price is...', keep_session: true });
    await first;
    const { answer, events } = hear((sink) => talkOf(end).input('Tell me more about that', sink));
    expect(await raw.next()).toEqual({
      jsonrpc: '2.0',
      id: 4,
      method: 'input',
      params: { content: 'Tell me more about that', timestamp: 1_234_567_890 },
    });
    raw.send(
      { jsonrpc: '2.0', id: 4, result: { acknowledged: true } },
      { jsonrpc: '2.0', method: 'stream', params: { request_id: 4, data: 'It rose ' } },
      { jsonrpc: '2.0', method: 'complete', params: { request_id: 4, success: true, data: 'today.' } },
    );
    expect(await answer).toEqual({ ok: true, text: 'It rose today.' });
    expect(events).toEqual([{ kind: 'text', text: 'It rose ' }]);
  });

  // requirement: gassist:shutdown:example, gassist:shutdown:notification, gassist:shutdown:no-response
  // requirement: gassist:format:notification
  test('shutdown', async () => {
    const { raw, end } = await initialized();
    await end.shutdown(1000);
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', method: 'shutdown', params: {} });
  });
});

async function initialized() {
  const { raw, connected, told } = hostAndRawEnd(gassist, 'length-prefix');
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocol_version: '2.0', engine_version: '1.0.0', capabilities: ['streaming', 'passthrough'] },
  });
  raw.send({
    jsonrpc: '2.0',
    id: 1,
    result: { name: 'my-plugin', version: '1.0.0', capabilities: ['streaming'] },
  });
  const end = await connected;
  onTestFinished(() => end.close());
  return { raw, end, told };
}

async function pinged(raw: RawEnd, end: WirePort): Promise<void> {
  const pong = end.ping?.(1000);
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    id: 2,
    method: 'ping',
    params: { timestamp: 1_234_567_890 },
  });
  raw.send({ jsonrpc: '2.0', id: 2, result: { timestamp: 1_234_567_890 } });
  await pong;
}

async function searching(raw: RawEnd, end: WirePort) {
  const conversation = [{ role: 'user', content: 'What does NVIDIA cost?' }];
  const heard = callAndHear(end, {
    tool: 'search_web',
    args: { query: 'NVIDIA stock price' },
    context: { conversation, systemInfo: '...' },
  });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    id: 3,
    method: 'execute',
    params: {
      function: 'search_web',
      arguments: { query: 'NVIDIA stock price' },
      context: conversation,
      system_info: '...',
    },
  });
  return heard;
}

function talkOf(end: WirePort) {
  if (end.talk === undefined) throw new Error('A G-Assist plugin can be talked with.');
  return end.talk;
}
