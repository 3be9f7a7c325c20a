// Calls of functions: what is sent, and each way in which they end.
import { describe, expect, test } from 'vitest';
import { callAndHear } from '../../../test/support/dialect/dialect-host.ts';
import { connectedEnd, type ConnectedEnd } from '../../../test/support/dialect/gassist/host-end.ts';
import { frame } from '../../../test/support/channel/raw-end.ts';
import type { HostOptions } from '../../../test/support/dialect/dialect-host.ts';

describe('what is sent', () => {
  // requirement: gassist:execute:arguments
  test('arguments always, context and system_info where they are given', async () => {
    const { raw, end } = await connectedEnd();
    callAndHear(end, { tool: 'a' });
    callAndHear(end, { tool: 'b', args: { x: 1 }, context: {} });
    callAndHear(end, { tool: 'c', context: { conversation: [], systemInfo: '' } });
    callAndHear(end, { tool: 'd', context: { workdir: '/tmp', phase: 'setup' } });
    expect((await raw.take(4)).map((message) => (message as { params: unknown }).params)).toEqual([
      { function: 'a', arguments: {} },
      { function: 'b', arguments: { x: 1 } },
      { function: 'c', arguments: {}, context: [], system_info: '' },
      { function: 'd', arguments: {} },
    ]);
  });

  // requirement: gassist:framing:length, gassist:framing:utf8, gassist:framing:any-character
  test('framed by its length in bytes, with any characters', async () => {
    const { raw, end } = await connectedEnd();
    const text = 'é😀\n\r\u0000"<<END>>\\';
    const { answer } = callAndHear(end, { tool: 'echo', args: { text } });
    // The raw end cuts frames by a plain reading of the length.
    const { id, params } = await raw.nextRequest();
    expect(params).toEqual({ function: 'echo', arguments: { text } });
    raw.notify('complete', { request_id: id, success: true, data: text });
    expect(await answer).toEqual({ ok: true, text });
  });

  test('nothing over 10 MiB', async () => {
    const { end, allHandled } = await connectedEnd();
    const heard = callAndHear(end, { tool: 'a', args: { text: 'x'.repeat(10 * 1024 * 1024) } });
    expect(await heard.answer).toMatchObject({
      ok: false,
      error: {
        code: 'FRAME_TOO_LARGE',
        message: expect.stringContaining('Plugin "the-plugin" was not sent the execute') as string,
      },
    });
    expect(heard.wireCall.cancel('over')).toBe('free');
    await allHandled();
  });

  test('just 10 MiB is sent, and taken', async () => {
    const { raw, end } = await connectedEnd();
    const around = JSON.stringify({
      jsonrpc: '2.0',
      id: 2,
      method: 'execute',
      params: { function: 'a', arguments: { text: '' } },
    });
    const text = 'x'.repeat(10 * 1024 * 1024 - around.length);
    const { answer } = callAndHear(end, { tool: 'a', args: { text } });
    const call = await raw.nextRequest();
    expect(Buffer.byteLength(JSON.stringify(call))).toBe(10 * 1024 * 1024);
    const back = { jsonrpc: '2.0', method: 'complete', params: { request_id: 2, data: '' } };
    const data = 'y'.repeat(10 * 1024 * 1024 - JSON.stringify(back).length);
    raw.notify('complete', { request_id: 2, data });
    expect((await answer).text).toHaveLength(data.length);
  });
});

describe('a call ends', () => {
  // requirement: gassist:complete:ends, gassist:complete:request-id, gassist:complete:success, gassist:complete:data
  // requirement: gassist:complete:keep-session
  test('by a complete', async () => {
    const { complete } = await called();
    expect(await complete({ success: true, data: 'done', keep_session: false })).toEqual({
      ok: true,
      text: 'done',
      keepSession: false,
    });
  });

  test('by a complete without any words', async () => {
    const { complete } = await called();
    expect(await complete({})).toEqual({ ok: true });
  });

  // requirement: gassist:execute:result-success, gassist:execute:result-data, gassist:execute:result-keep-session
  test('by a result', async () => {
    const { raw, id, heard } = await called();
    raw.answer(id, { success: true, data: { price: 17 }, keep_session: true });
    expect(await heard.answer).toEqual({ ok: true, data: { price: 17 }, keepSession: true });
  });

  test.each([
    [null, {}],
    ['text', { text: 'text' }],
    [17, { text: '17', data: 17 }],
    [{ results: [1] }, { data: { results: [1] } }],
    [[1, 2], { data: [1, 2] }],
  ])('by a result without words of the protocol: %j', async (result, content) => {
    const { raw, id, heard } = await called();
    raw.answer(id, result);
    expect(await heard.answer).toEqual({ ok: true, ...content });
  });

  test('not by a mere acknowledgement', async () => {
    const { raw, id, heard, complete, allHandled } = await called();
    raw.answer(id, { acknowledged: true });
    await allHandled();
    expect(heard.wireCall.cancel('why')).toBe('occupied');
    expect(await complete({ data: 'later' })).toEqual({ ok: true, text: 'later' });
  });

  test('by an acknowledgement that brings data', async () => {
    const { raw, id, heard } = await called();
    raw.answer(id, { acknowledged: true, success: true, data: 'both' });
    expect(await heard.answer).toEqual({ ok: true, text: 'both' });
  });

  test('by a refusal to take it', async () => {
    const { raw, id, heard } = await called();
    raw.answer(id, { acknowledged: false });
    expect(await heard.answer).toEqual({
      ok: false,
      error: { code: 'TOOL_FAILED', message: 'Plugin "the-plugin" did not take the execute.' },
    });
  });

  // requirement: gassist:error:during-execution, gassist:error:request-id, gassist:error:code, gassist:error:message
  test('by an error, which keeps what was streamed', async () => {
    const { raw, id, heard } = await called();
    raw.notify('stream', { request_id: id, data: 'so far' });
    raw.notify('error', { request_id: id, code: -3, message: 'slow down', data: { retry: 5 } });
    expect(await heard.answer).toEqual({
      ok: false,
      text: 'so far',
      error: { code: 'RATE_LIMITED', wireCode: -3, message: 'slow down', data: { retry: 5 } },
    });
  });

  test.each([
    [{}, 'The plugin failed without giving a reason.'],
    [{ code: 'x', message: 17 }, '17'],
    [{ code: 1.5, message: { deep: true } }, '{"deep":true}'],
    [{ code: null, message: '' }, 'The plugin failed without giving a reason.'],
    [{ error: 'in other words' }, 'in other words'],
  ])('by an error such as %j', async (params, message) => {
    const { raw, id, heard } = await called();
    raw.notify('error', { request_id: id, ...params });
    expect(await heard.answer).toEqual({ ok: false, error: { code: 'TOOL_FAILED', message } });
  });

  test.each([
    [{ success: false, data: 'no such city' }, { error: 'no such city' }],
    [
      { success: false, message: 'no key', data: 'so far' },
      { text: 'so far', error: 'no key' },
    ],
    [{ success: false, error: { message: 'no key' } }, { error: 'no key' }],
    [
      { success: false, data: { a: 1 } },
      { data: { a: 1 }, error: 'The plugin failed without giving a reason.' },
    ],
    [{ success: 0 }, { error: 'The plugin failed without giving a reason.' }],
  ])('as failed by %j', async (params, { error, ...content }) => {
    const { complete } = await called();
    expect(await complete({ ...params, keep_session: true })).toEqual({
      ok: false,
      ...content,
      keepSession: true,
      error: { code: 'TOOL_FAILED', message: error },
    });
  });

  test('as failed, with the number that the plugin gives', async () => {
    const { complete } = await called();
    expect(await complete({ success: false, code: -2, message: 'too slow' })).toEqual({
      ok: false,
      error: { code: 'TIMEOUT', wireCode: -2, message: 'too slow' },
    });
  });

  test('with a message of bearable length', async () => {
    const { complete } = await called();
    const answer = await complete({ success: false, data: 'x'.repeat(100_000) });
    expect(answer.text).toHaveLength(100_000);
    expect(answer.ok ? '' : answer.error.message).toMatch(/^x{4000}… \(100000 characters\)$/);
  });

  // requirement: gassist:codes:method-not-found
  test('by an error response, as the Python SDK says that a function is unknown', async () => {
    const { raw, id, heard } = await called();
    raw.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Unknown function: a' } });
    expect(await heard.answer).toEqual({
      ok: false,
      error: { code: 'UNKNOWN_TOOL', wireCode: -32601, message: 'Unknown function: a' },
    });
  });

  test('by what is no response', async () => {
    const { raw, id, heard } = await called();
    raw.send({ jsonrpc: '2.0', id, result: 1, error: { code: 1, message: 'both' } });
    expect(await heard.answer).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE' } });
  });

  test('once: the first end counts, in each order of two', async () => {
    const ends = {
      complete: (raw: ConnectedEnd['raw'], id: number) =>
        raw.notify('complete', { request_id: id, data: 'complete' }),
      error: (raw: ConnectedEnd['raw'], id: number) =>
        raw.notify('error', { request_id: id, message: 'error' }),
      result: (raw: ConnectedEnd['raw'], id: number) => raw.answer(id, { success: true, data: 'result' }),
    };
    for (const first of Object.keys(ends) as (keyof typeof ends)[]) {
      for (const second of Object.keys(ends) as (keyof typeof ends)[]) {
        const { raw, id, heard, allHandled } = await called();
        ends[first](raw, id);
        ends[second](raw, id);
        const answer = await heard.answer;
        expect(answer.ok ? answer.text : answer.error.message).toBe(first);
        await allHandled();
      }
    }
  });

  test('with the pipe, also one that was acknowledged', async () => {
    for (const acknowledged of [true, false]) {
      const { raw, id, heard, allHandled } = await called();
      raw.notify('stream', { request_id: id, data: 'half' });
      if (acknowledged) raw.answer(id, { acknowledged: true });
      await allHandled();
      raw.end();
      expect(await heard.answer).toMatchObject({ ok: false, text: 'half', error: { code: 'PIPE_ENDED' } });
    }
  });

  test('when this end is closed, also one that was acknowledged', async () => {
    for (const acknowledged of [true, false]) {
      const { raw, id, end, heard, allHandled } = await called();
      if (acknowledged) raw.answer(id, { acknowledged: true });
      await allHandled();
      end.close();
      expect(await heard.answer).toMatchObject({ ok: false, error: { code: 'PEER_CLOSED' } });
      await end.ended;
      expect(await callAndHear(end, { tool: 'b' }).answer).toMatchObject({
        ok: false,
        error: { code: expect.stringMatching(/PEER_CLOSED|PIPE_ENDED/) as string },
      });
    }
  });

  test('with a complete that is too large to be read, in either order of its words', async () => {
    const heads = [
      '{"jsonrpc":"2.0","method":"complete","params":{"request_id":ID,"success":true,"data":"',
      '{"jsonrpc": "2.0", "method": "complete", "params": {"data": "',
      '{"jsonrpc": "2.0", "method": "error", "params": {"request_id": "ID", "message": "',
    ];
    for (const head of heads) {
      const { raw, id, heard } = await called({ spec: { limits: { messageBytes: 1000 } } });
      raw.write(frame('length-prefix', head.replace('ID', String(id)) + 'x'.repeat(2000) + '"}}'));
      expect(await heard.answer).toMatchObject({
        ok: false,
        error: { code: 'FRAME_TOO_LARGE', message: expect.stringContaining('limits.messageBytes') as string },
      });
    }
  });

  test('not with a stream that is too large to be read', async () => {
    const { raw, id, complete, told } = await called({ spec: { limits: { messageBytes: 1000 } } });
    raw.notify('stream', { request_id: id, data: 'x'.repeat(2000) });
    expect(await complete({ data: 'end' })).toEqual({ ok: true, text: 'end' });
    expect(told.troubles).toMatchObject([{ kind: 'oversize' }]);
  });
});

describe('cancelling', () => {
  test('occupies the plugin until it has finished: the protocol has no word for it', async () => {
    const { heard, complete } = await called();
    expect(heard.wireCall.cancel('enough')).toBe('occupied');
    expect(await complete({ data: 'late' })).toEqual({ ok: true, text: 'late' });
    expect(heard.wireCall.cancel('again')).toBe('free');
  });
});

describe('text', () => {
  // requirement: gassist:stream:during-execution, gassist:stream:request-id, gassist:stream:data
  test('is what was streamed, then what came with the end', async () => {
    const { raw, id, heard, complete } = await called();
    raw.notify('stream', { request_id: id, data: 'one ' });
    raw.notify('stream', { request_id: id, data: 'two ' });
    expect(await complete({ data: 'three' })).toEqual({ ok: true, text: 'one two three' });
    expect(heard.events).toEqual([
      { kind: 'text', text: 'one ' },
      { kind: 'text', text: 'two ' },
    ]);
  });

  test('is not doubled when the end repeats all of it', async () => {
    for (const data of ['one two', 'one two\n', ' one two']) {
      const { raw, id, complete } = await called();
      raw.notify('stream', { request_id: id, data: 'one ' });
      raw.notify('stream', { request_id: id, data: 'two' });
      expect(await complete({ data })).toEqual({ ok: true, text: 'one two' });
    }
  });

  test('is made of anything: what is no text is JSON, what is nothing is nothing', async () => {
    const { raw, id, heard, complete } = await called();
    for (const data of ['a', 1, true, { b: 2 }, [3], null, '', undefined]) {
      raw.notify('stream', { request_id: id, data });
    }
    expect(await complete({ data: 4 })).toEqual({ ok: true, text: 'a1true{"b":2}[3]4', data: 4 });
    expect(heard.events).toHaveLength(5);
  });

  test('survives NaN, as Python writes it', async () => {
    const { raw, id, heard } = await called();
    raw.sendText(
      `{"jsonrpc": "2.0", "method": "complete", "params": {"request_id": ${id}, "success": true, "data": {"x": NaN}}}`,
    );
    expect(await heard.answer).toEqual({ ok: true, data: { x: null } });
  });

  test('survives what is nested too deep to be written', async () => {
    const { raw, id, heard, complete, told } = await called();
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    raw.sendText(`{"jsonrpc":"2.0","method":"stream","params":{"request_id":${id},"data":${deep}}}`);
    await complete({});
    expect(heard.events).toHaveLength(1);
    expect(told.troubles).toEqual([]);
  });

  test('is kept up to a limit, so that a plugin cannot fill the memory by streaming', async () => {
    const { raw, id, heard, complete } = await called({ spec: { limits: { messageBytes: 1000 } } });
    for (let count = 0; count < 10; count += 1)
      raw.notify('stream', { request_id: id, data: 'x'.repeat(300) });
    expect((await complete({})).text).toHaveLength(1000);
    expect(heard.events.filter(({ kind }) => kind === 'text')).toHaveLength(10);
    expect(heard.events.filter(({ kind }) => kind === 'log')).toEqual([
      {
        kind: 'log',
        level: 'warn',
        message: 'More than 1000 characters were streamed; the outcome has the first of them.',
      },
    ]);
  });
});

describe('whom a notification is for', () => {
  test('the one call under way, when it names none', async () => {
    const { raw, heard } = await called();
    raw.notify('stream', { data: 'one ' });
    raw.notify('stream', { request_id: null, data: 'two' });
    raw.notify('complete');
    expect(await heard.answer).toEqual({ ok: true, text: 'one two' });
  });

  test('nobody, when it names none of several or what is under way no more', async () => {
    const { raw, end, told, allHandled } = await connectedEnd();
    const first = callAndHear(end, { tool: 'a' });
    const second = callAndHear(end, { tool: 'b' });
    const [one, two] = (await raw.take(2)) as { id: number }[];
    raw.notify('stream', { data: 'whose?' });
    raw.notify('complete', {});
    raw.notify('error', { message: 'whose?' });
    for (const id of [99, -1, 1.5, 'abc', {}, [1], true])
      raw.notify('stream', { request_id: id, data: 'whose?' });
    raw.notify('complete', { request_id: one?.id, data: 'first' });
    raw.notify('complete', { request_id: one?.id, data: 'again' });
    raw.notify('complete', { request_id: String(two?.id), data: 'second' });
    expect(await first.answer).toEqual({ ok: true, text: 'first' });
    expect(await second.answer).toEqual({ ok: true, text: 'second' });
    await allHandled();
    expect(told.troubles).toHaveLength(11);
    expect(told.troubles[3]).toEqual({
      kind: 'invalid',
      reason: '"stream" came for request 99, which is not under way',
      text: 'stream',
    });
  });
});

describe('logs', () => {
  // requirement: gassist:log:level, gassist:log:message
  test.each([
    ['debug', 'debug'],
    ['DEBUG', 'debug'],
    ['info', 'info'],
    ['warning', 'warn'],
    ['warn', 'warn'],
    ['error', 'error'],
    ['critical', 'error'],
    ['loud', 'info'],
    [17, 'info'],
    [undefined, 'info'],
  ])('of level %j are of level %s', async (given, level) => {
    const { raw, told, allHandled } = await connectedEnd();
    raw.notify('log', { level: given, message: 'Processing' });
    await allHandled();
    expect(told.logs).toEqual([{ level, message: 'Processing' }]);
  });

  // requirement: gassist:log:optional
  test('belong to the call under way; a call may do without', async () => {
    const { raw, heard, complete, told } = await called();
    raw.notify('log', { level: 'info', message: 'working', data: { step: 1 } });
    raw.notify('log');
    raw.notify('log', { message: { odd: true } });
    await complete({});
    expect(heard.events).toEqual([
      { kind: 'log', level: 'info', message: 'working', data: { step: 1 } },
      { kind: 'log', level: 'info', message: '{}' },
      { kind: 'log', level: 'info', message: '{"odd":true}' },
    ]);
    const quiet = await called();
    await quiet.complete({});
    expect(quiet.heard.events).toEqual([]);
    expect([...told.logs, ...quiet.told.logs]).toEqual([]);
  });
});

/** A call under way. */
async function called(options?: HostOptions) {
  const connection = await connectedEnd(undefined, options);
  const { raw, end } = connection;
  const heard = callAndHear(end, { tool: 'a' });
  const { id } = await raw.nextRequest();
  const complete = (params: object) => {
    raw.notify('complete', { request_id: id, ...params });
    return heard.answer;
  };
  return { ...connection, id, heard, complete };
}
