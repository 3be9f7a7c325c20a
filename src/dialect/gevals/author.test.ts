// An extension of ours on the wire, with a raw host that says what real ones say.
import { describe, expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import {
  answeredWith,
  context,
  hello,
  ok,
  request,
  servedExtension as served,
} from '../../../test/support/dialect/gevals/author-end.ts';
import { heldCalls, type BackendScript } from '../../../test/support/definition/scripted-backend.ts';
import { PluglotError, type ErrorCode } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Answer, CallFailure } from '../../definition/outcome.ts';

describe('initialize', () => {
  // requirement: gevals:extension:manifest
  test('is answered with the manifest', async () => {
    const params = { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] };
    const { raw } = served({
      manifest: {
        name: 'kubernetes',
        version: '1.2.0',
        description: 'Kubernetes resource operations',
        requires: [{ command: 'kubectl' }],
        tools: [
          { name: 'apply', description: 'Apply a manifest', inputSchema: params },
          { name: 'anything', inputSchema: true },
          { name: '__proto__' },
        ],
      },
    });
    const { result } = await ask(raw, 1, 'initialize', hello);
    expect(result).toEqual({
      name: 'kubernetes',
      version: '1.2.0',
      protocolVersion: '0.0.1',
      description: 'Kubernetes resource operations',
      requires: [{ command: 'kubectl' }],
      operations: {
        apply: { description: 'Apply a manifest', params },
        anything: { params: { type: 'object' } },
        ['__proto__']: { params: { type: 'object' } },
      },
    });
  });

  test('leaves out what there is not', async () => {
    const { raw } = served({});
    expect((await ask(raw, 1, 'initialize', hello)).result).toEqual({
      name: 'scripted',
      version: '1.0.0',
      protocolVersion: '0.0.1',
      operations: {},
    });
  });

  // requirement: gevals:extension:version-refused
  test.each([
    [{ protocolVersion: '0.0.2' }, 'params.protocolVersion is "0.0.2"; expected "0.0.1"'],
    [{ protocolVersion: 1 }, 'params.protocolVersion is 1; expected "0.0.1"'],
    [{}, 'params.protocolVersion is missing; expected "0.0.1"'],
    [undefined, 'params is missing; expected an object'],
    [['0.0.1'], 'params is ["0.0.1"]; expected an object'],
    [{ ...hello, config: 'x' }, 'params.config is "x"; expected an object'],
  ])('%j is refused', async (params, problem) => {
    const { raw, backend } = served({});
    const { error } = await ask(raw, 1, 'initialize', params);
    expect(error).toEqual({ code: -32602, message: `Invalid params: ${problem}.` });
    expect(backend.setups).toEqual([]);
  });

  // requirement: gevals:extension:config, gevals:extension:initialize-again
  test('sets up with its config, each time', async () => {
    const { raw, backend } = served({}, { config: { from: 'the command line' } });
    await ask(raw, 1, 'initialize', { ...hello, config: null });
    await ask(raw, 2, 'initialize', { ...hello, config: { n: 1 } });
    const { result } = await ask(raw, 3, 'initialize', { ...hello, config: { n: 2 } });
    expect(result).toHaveProperty('name', 'scripted');
    expect(backend.setups).toEqual([{ from: 'the command line' }, { n: 1 }, { n: 2 }]);
  });

  // requirement: gevals:extension:setup-error
  test.each<[ErrorCode | undefined, number]>([
    ['START_FAILED', -32603],
    ['INVALID_ARGUMENTS', -32602],
    [undefined, -32603],
  ])('a setup that fails with %s is %d', async (code, wireCode) => {
    const { raw } = served({
      setup: () => {
        throw code === undefined ? new Error('No key.') : new PluglotError(code, 'No key.');
      },
    });
    expect((await ask(raw, 1, 'initialize', hello)).error).toEqual({ code: wireCode, message: 'No key.' });
  });

  test('tells the manifest while a program is missing; operations wait until it is there', async () => {
    let isThere = false;
    const { raw, backend } = served({
      scripts: { apply: ok },
      setup: () => {
        if (!isThere) throw new PluglotError('REQUIREMENT_MISSING', 'kubectl is not in PATH.');
      },
    });
    const { result } = await ask(raw, 1, 'initialize', { ...hello, config: { n: 1 } });
    expect(result).toHaveProperty('operations.apply');
    const refused = await ask(raw, 2, 'execute', { operation: 'apply', args: {}, context });
    expect(refused.error).toEqual({ code: -32002, message: 'kubectl is not in PATH.' });
    isThere = true;
    const answered = await ask(raw, 3, 'execute', { operation: 'apply', args: {}, context });
    expect(answered.result).toEqual({ success: true });
    await ask(raw, 4, 'execute', { operation: 'apply', args: {}, context });
    expect(backend.setups).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
  });
});

describe('execute', () => {
  // requirement: gevals:extension:real-context
  test.each([
    [{ args: {}, context }, { workdir: '/task', phase: 'setup' }, 29_000],
    [{ args: null, context: { workdir: '/task', phase: '' } }, { workdir: '/task' }, 29_000],
    [{}, {}, 29_000],
    [{ context: null }, {}, 29_000],
    [
      { context: { phase: '', agent: { prompt: 'p', output: 'o' } } },
      { phase: 'verify', agent: { prompt: 'p', output: 'o' } },
      29_000,
    ],
    [{ context: { phase: 'cleanup', agent: {} } }, { phase: 'cleanup', agent: {} }, 29_000],
    [{ context: { phase: 'of the moon', env: null, timeout: '' } }, {}, 29_000],
    [{ context: { env: { A: '1' }, timeout: '1m30s' } }, { env: { A: '1' } }, 90_000],
    [{ context: { timeout: '0s' } }, {}, 29_000],
  ])('%j', async (rest, around, timeoutMs) => {
    const { raw, backend } = served({ scripts: { apply: ok } });
    await ask(raw, 1, 'execute', { operation: 'apply', ...rest });
    expect(backend.requests).toEqual([
      { tool: 'apply', args: {}, context: around, timeoutMs, dialect: 'gevals' },
    ]);
  });

  // requirement: gevals:extension:invalid-arguments
  test.each([
    [undefined, 'params is missing; expected an object'],
    [{}, 'params.operation is missing; expected a string that is not empty'],
    [{ operation: 7 }, 'params.operation is 7; expected a string that is not empty'],
    [{ operation: 'a', args: [] }, 'params.args is []; expected an object'],
    [{ operation: 'a', context: 'x' }, 'params.context is "x"; expected an object'],
    [
      { operation: 'a', context: { workdir: 1 } },
      'params.context.workdir is 1; expected a string that is not empty',
    ],
    [{ operation: 'a', context: { phase: {} } }, 'params.context.phase is {}; expected a string'],
    [
      { operation: 'a', context: { env: { A: 1 } } },
      'params.context.env is {"A":1}; expected an object of strings',
    ],
    [{ operation: 'a', context: { agent: 'x' } }, 'params.context.agent is "x"; expected an object'],
    [
      { operation: 'a', context: { timeout: '5' } },
      'params.context.timeout: "5" has a number without a unit; expected a duration such as "30s", "5m", "1h30m" or "100ms"',
    ],
  ])('%j is refused', async (params, problem) => {
    const { raw, backend } = served({});
    const { error } = await ask(raw, 1, 'execute', params);
    expect(error).toEqual({ code: -32602, message: `Invalid params: ${problem}.` });
    expect(backend.requests).toEqual([]);
  });

  // requirement: gevals:extension:execute-answer, gevals:extension:string-outputs
  test.each<[Answer, JsonObject]>([
    [{ ok: true }, { success: true }],
    [
      { ok: true, text: 'Applied.', outputs: { uid: 'abc' } },
      { success: true, message: 'Applied.', outputs: { uid: 'abc' } },
    ],
    [
      { ok: true, data: { n: 5, deep: { a: [null] }, text: 'as it is', no: null, yes: true } },
      { success: true, outputs: { n: '5', deep: '{"a":[null]}', text: 'as it is', no: 'null', yes: 'true' } },
    ],
    [
      { ok: true, data: { n: 5 }, outputs: { n: 'five' } },
      { success: true, outputs: { n: 'five' } },
    ],
    [
      { ok: true, data: [1, 2] },
      { success: true, outputs: { data: '[1,2]' } },
    ],
    [
      { ok: true, text: 'a', keepSession: true },
      { success: true, message: 'a' },
    ],
  ])('%j is answered with %j', async (answer, expected) => {
    expect((await answeredWith(answer)).result).toEqual(expected);
  });

  // requirement: gevals:extension:failure-result
  test.each<[Omit<CallFailure, 'message'>, string]>([
    [{ code: 'TOOL_FAILED' }, 'Not ready.'],
    [{ code: 'UNSUPPORTED' }, 'Not ready.'],
    [{ code: 'UNAVAILABLE', recoverable: true, suggestions: ['Wait', 'Ask'] }, 'Not ready. (Wait; Ask)'],
    [{ code: 'RATE_LIMITED' }, 'Not ready.'],
    [{ code: 'UNAUTHENTICATED' }, 'Not ready.'],
    [{ code: 'NOT_INITIALIZED' }, 'Not ready.'],
  ])('a failure %j of the operation is a result', async (failure, error) => {
    const said = { text: 'Condition not met', outputs: { lastStatus: 'False' } };
    const { result } = await answeredWith({
      ok: false,
      ...said,
      error: { message: 'Not ready.', ...failure },
    });
    expect(result).toEqual({
      success: false,
      message: 'Condition not met',
      error,
      outputs: { lastStatus: 'False' },
      // For hosts of ours, where there is more to say.
      ...(failure.code !== 'TOOL_FAILED' && {
        pluglot: { failure: { message: 'Not ready.', ...failure } },
      }),
    });
  });

  test('of a failure that is too long a host of ours hears the code', async () => {
    const error = { code: 'UNAVAILABLE', message: 'No.', details: 'd'.repeat(70_000) } as const;
    const { result } = await answeredWith({ ok: false, error });
    expect(result).toEqual({
      success: false,
      error: 'No.',
      pluglot: { failure: { code: 'UNAVAILABLE' } },
    });
  });

  describe('a session', () => {
    const talk: BackendScript['talk'] = {
      input: (content, sink, { timeoutMs } = {}) => {
        sink.end({ ok: true, text: `${content} ${timeoutMs}`, keepSession: true });
        return { cancel: () => 'free' as const };
      },
    };
    const scripts: BackendScript['scripts'] = {
      chat: (_, sink) => sink.end({ ok: true, text: 'Who?', keepSession: true }),
      wrong: (_, sink) =>
        sink.end({ ok: false, error: { code: 'INVALID_ARGUMENTS', message: 'No.' }, keepSession: true }),
    };
    const hint =
      '(This waits for what the user says next. To go on, call "say" with it; any other call ends the session.)';

    test('is told to people in the message, and to hosts of ours beside it', async () => {
      const { raw } = served({ scripts, talk });
      const { result } = await ask(raw, 1, 'initialize', hello);
      expect(Object.keys(result?.['operations'] as object)).toEqual(['chat', 'wrong', 'say']);
      expect(result?.['operations']).toMatchObject({
        say: { params: { required: ['content'] }, pluglot: { facet: 'talk' } },
      });
      const execute = async (id: number, operation: string, args: JsonObject = {}) =>
        ask(raw, id, 'execute', { operation, args, context: { ...context, timeout: '2s' } });
      expect((await execute(2, 'chat')).result).toEqual({
        success: true,
        message: `Who?\n${hint}`,
        pluglot: { keep_session: true },
      });
      expect((await execute(3, 'say', { content: 'Ada' })).result).toEqual({
        success: true,
        message: `Ada 2000\n${hint}`,
        pluglot: { keep_session: true },
      });
      expect((await execute(4, 'wrong')).error).toMatchObject({ code: -32602, data: { keep_session: true } });
      expect((await execute(5, 'say', { words: 'Ada' })).error).toMatchObject({ code: -32602 });
    });

    test('that nobody keeps has nobody to talk to', async () => {
      const { raw } = served({ scripts, talk });
      const params = { operation: 'say', args: { content: 'hello?' }, context };
      expect((await ask(raw, 1, 'execute', params)).result).toMatchObject({
        success: false,
        error: expect.stringContaining('No tool waits') as string,
        pluglot: { failure: { code: 'NOT_TALKING' } },
      });
    });
  });

  // requirement: gevals:extension:timeout, gevals:extension:unknown-operation
  test.each<[ErrorCode, number, string]>([
    ['TIMEOUT', -32001, 'It failed.'],
    ['REQUIREMENT_MISSING', -32002, 'It failed.'],
    ['INVALID_ARGUMENTS', -32602, 'It failed.'],
    ['INTERNAL', -32603, 'It failed.'],
    ['UNKNOWN_TOOL', -32601, 'Unknown operation: apply'],
  ])('%s is no result but the error %d', async (code, wireCode, message) => {
    const { error } = await answeredWith({ ok: false, error: { code, message: 'It failed.' } });
    expect(error).toEqual({ code: wireCode, message });
  });

  test('an error keeps what is known and what was said', async () => {
    const { error } = await answeredWith({
      ok: false,
      text: 'half',
      outputs: { a: 'b' },
      error: { code: 'TIMEOUT', message: 'Too slow.', reason: 'Slow', recoverable: true, details: { ms: 1 } },
    });
    expect(error).toEqual({
      code: -32001,
      message: 'Too slow.',
      data: { reason: 'Slow', details: { ms: 1 }, recoverable: true, text: 'half', outputs: { a: 'b' } },
    });
  });

  test('an operation that nobody knows', async () => {
    const { raw } = served({ scripts: { apply: ok } });
    expect((await ask(raw, 1, 'execute', { operation: 'appply', args: {}, context })).error).toEqual({
      code: -32601,
      message: 'Unknown operation: appply',
    });
  });

  // requirement: gevals:extension:ids
  test.each([0, 1, 2 ** 40, '7', 'é', ''])('the id %j comes back as it is', async (id) => {
    const { raw } = served({ scripts: { apply: ok } });
    expect((await ask(raw, id, 'execute', { operation: 'apply' })).result).toEqual({ success: true });
  });

  // requirement: gevals:extension:serial
  test('one after the other, in the order of the requests', async () => {
    const held = heldCalls();
    const { raw, backend } = served({ scripts: { wait: held.script, apply: ok } });
    raw.send(request(1, 'wait'), request(2, 'apply'), {
      jsonrpc: '2.0',
      id: 3,
      method: 'initialize',
      params: hello,
    });
    raw.sendText('no JSON');
    expect(await raw.next()).toMatchObject({ id: null, error: { code: -32700 } });
    expect(backend.requests).toHaveLength(1);
    const waiting = await held.next();
    waiting.event({ kind: 'log', level: 'info', message: 'still there' });
    waiting.end({ ok: true, text: 'waited' });
    expect(await raw.take(4)).toMatchObject([
      { method: 'log' },
      { id: 1, result: { message: 'waited' } },
      { id: 2, result: { success: true } },
      { id: 3, result: { name: 'scripted' } },
    ]);
  });
});

describe('what is no request', () => {
  // requirement: gevals:extension:invalid-request, gevals:extension:unknown-method
  // requirement: gevals:categories:invalid-json
  test.each([
    ['{', null, -32700],
    ['garbage', null, -32700],
    ['{"id":1,"method":"execute"}', 1, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', 1, -32600],
    ['[]', null, -32600],
    ['7', null, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"explode"}', 1, -32601],
  ])('%s is answered, and work goes on', async (text, id, code) => {
    const { raw } = served({ scripts: { apply: ok } });
    raw.sendText(text, '');
    expect(await raw.next()).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    expect((await ask(raw, 9, 'execute', { operation: 'apply' })).result).toEqual({ success: true });
  });
});
