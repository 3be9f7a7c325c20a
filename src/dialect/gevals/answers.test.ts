// How operations end: results, errors, programs that are missing.
import { describe, expect, test } from 'vitest';
import { callAndHear } from '../../../test/support/dialect/dialect-host.ts';
import { introducedTo, plainManifest } from '../../../test/support/dialect/gevals/host-end.ts';
import type { ErrorCode } from '../../base/error.ts';

const notSaid =
  'Plugin "the-plugin" did not say whether operation "apply" succeeded; expected "success", true or false, in its result.';

describe('result', () => {
  // requirement: gevals:result:success, gevals:result:message, gevals:result:error, gevals:result:outputs
  // requirement: gevals:result:failures-are-results, gevals:categories:operation-failure
  test.each([
    [{ success: true }, { ok: true }],
    [
      { success: true, message: 'm', outputs: {} },
      { ok: true, text: 'm', outputs: {} },
    ],
    [{ success: true, message: null, error: null, outputs: null }, { ok: true }],
    [{ success: true, extra: 1 }, { ok: true }],
    [{ success: false, error: 'e' }, failure('e')],
    [{ success: false, message: 'm' }, failure('m')],
    [{ success: false }, failure('Operation "apply" failed and did not say why.')],
    [
      { success: false, message: 'm', error: 'e', outputs: { a: 'b' } },
      { ...failure('e'), text: 'm', outputs: { a: 'b' } },
    ],
    [{}, failure(notSaid)],
    [{ message: 'm' }, failure('m')],
  ])('%j', async (result, expected) => {
    const { answer, told } = await answered({ result });
    expect(answer).toEqual(expected);
    expect(told.troubles).toEqual([]);
  });

  test.each([
    [{ success: 'true' }, failure(notSaid), ['result.success is "true"; expected a boolean', '"true"']],
    [{ success: 1 }, failure(notSaid), ['result.success is 1; expected a boolean', '1']],
    [{ success: true, message: 7 }, { ok: true, text: '7' }, ['result.message is 7; expected a string', '7']],
    [
      { success: false, error: { a: 1 } },
      failure('{"a":1}'),
      ['result.error is {"a":1}; expected a string', '{"a":1}'],
    ],
    [
      { success: true, outputs: { a: 'b', n: 5 } },
      { ok: true, outputs: { a: 'b', n: '5' } },
      ['result.outputs.n is 5; expected a string', '5'],
    ],
    [
      { success: true, outputs: { o: { deep: [null] } } },
      { ok: true, outputs: { o: '{"deep":[null]}' } },
      ['result.outputs.o is {"deep":[null]}; expected a string', '{"deep":[null]}'],
    ],
    [
      { success: true, outputs: ['a'] },
      { ok: true },
      ['result.outputs is ["a"]; expected an object of strings', '["a"]'],
    ],
  ])('%j is taken, and what is wrong with it told', async (result, expected, [reason, text]) => {
    const { answer, told } = await answered({ result });
    expect(answer).toEqual(expected);
    expect(told.troubles).toEqual([{ kind: 'invalid', reason, text }]);
  });

  test.each([[null], [17], ['done'], [[]], [true]])('%j is no result', async (result) => {
    const { answer } = await answered({ result });
    expect(answer).toEqual({
      ok: false,
      error: {
        code: 'PROTOCOL_VIOLATION',
        message: `Plugin "the-plugin" answered execute of "apply", but result is ${JSON.stringify(result)}; expected an object.`,
      },
    });
  });

  test('outputs may be called anything', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const { answer } = callAndHear(end, { tool: 'apply' });
    const { id } = await raw.nextRequest();
    raw.sendText(
      `{"jsonrpc":"2.0","id":${id},"result":{"success":true,"outputs":{"__proto__":"p","toString":"t"}}}`,
    );
    expect(Object.entries((await answer).outputs ?? {})).toEqual([
      ['__proto__', 'p'],
      ['toString', 't'],
    ]);
  });

  // requirement: gevals:scope:no-streaming
  test('a second result of the same call reaches nobody', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const { answer } = callAndHear(end, { tool: 'apply' });
    const { id } = await raw.nextRequest();
    raw.send(
      { jsonrpc: '2.0', id, result: { success: true } },
      { jsonrpc: '2.0', id, result: { success: false } },
    );
    expect(await answer).toEqual({ ok: true });
    const next = callAndHear(end, { tool: 'apply' });
    raw.answer((await raw.nextRequest()).id, { success: true, message: 'next' });
    expect(await next.answer).toEqual({ ok: true, text: 'next' });
  });
});

describe('errors', () => {
  // requirement: gevals:errors:parse-error, gevals:errors:invalid-request, gevals:errors:method-not-found
  // requirement: gevals:errors:invalid-params, gevals:errors:internal-error, gevals:errors:operation-failed
  // requirement: gevals:errors:timeout, gevals:errors:requirement-not-met, gevals:result:protocol-errors-are-errors
  // requirement: gevals:categories:unknown-operation, gevals:categories:missing-argument, gevals:categories:invalid-json
  test.each<[number, ErrorCode]>([
    [-32700, 'MESSAGE_REFUSED'],
    [-32600, 'MESSAGE_REFUSED'],
    [-32601, 'UNKNOWN_TOOL'],
    [-32602, 'INVALID_ARGUMENTS'],
    [-32603, 'INTERNAL'],
    [-32000, 'TOOL_FAILED'],
    [-32001, 'TIMEOUT'],
    [-32002, 'REQUIREMENT_MISSING'],
  ])('%d is %s', async (wireCode, code) => {
    const { answer } = await answered({ error: { code: wireCode, message: 'm', data: { why: ['x'] } } });
    expect(answer).toEqual({
      ok: false,
      error: { code, message: 'm', wireCode, data: { why: ['x'] } },
    });
  });

  // requirement: gevals:errors:reserved-range
  test.each([-32003, -32099, -32768, 1, 500])(
    '%d, which nobody knows, is a failed operation',
    async (wireCode) => {
      const { answer } = await answered({ error: { code: wireCode, message: '' } });
      expect(answer).toEqual({
        ok: false,
        error: {
          code: 'TOOL_FAILED',
          message: `Operation "apply" failed with ${wireCode} and no message.`,
          wireCode,
        },
      });
    },
  );

  test('an error beside a null result counts', async () => {
    const { answer } = await answered({ result: null, error: { code: -32001, message: 'late' } });
    expect(answer).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } });
  });

  test('an error beside a result is no answer', async () => {
    const { answer } = await answered({
      result: { success: true },
      error: { code: -32001, message: 'late' },
    });
    expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE' } });
  });

  test.each(['unknown operation: aply', 'Unknown operation: aply'])(
    'a result that says "%s" is an unknown tool, with those that are near',
    async (error) => {
      const { end, raw } = await introducedTo(plainManifest);
      const { answer } = callAndHear(end, { tool: 'aply' });
      raw.answer((await raw.nextRequest()).id, { success: false, error });
      expect(await answer).toEqual({
        ok: false,
        error: { code: 'UNKNOWN_TOOL', message: error, suggestions: ['apply'] },
      });
    },
  );

  test('a result that says so of something else is a failed operation', async () => {
    const { answer } = await answered({ result: { success: false, error: 'unknown operation: rotate' } });
    expect(answer).toEqual(failure('unknown operation: rotate'));
  });

  test('the end of the pipe ends all calls at once', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const calls = [callAndHear(end, { tool: 'apply' }), callAndHear(end, { tool: 'wait' })];
    await raw.take(2);
    raw.end();
    for (const { answer } of calls)
      expect(await answer).toMatchObject({ ok: false, error: { code: 'PIPE_ENDED' } });
    expect(await end.ended).toMatchObject({ kind: 'ended' });
    const late = callAndHear(end, { tool: 'apply' });
    expect(await late.answer).toMatchObject({ ok: false, error: { code: 'PIPE_ENDED' } });
    expect(late.wireCall.cancel('too late')).toBe('free');
  });

  test('a value that has no JSON is not sent', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    // Callers in JavaScript can hand in anything.
    const args = { big: 1n } as unknown as Record<string, never>;
    expect(await callAndHear(end, { tool: 'apply', args }).answer).toMatchObject({
      ok: false,
      error: { code: 'UNENCODABLE' },
    });
    expect(raw.received).toHaveLength(1);
  });

  test('an answer over the limit for receiving ends its call', async () => {
    const { end, raw } = await introducedTo(plainManifest, { spec: { limits: { messageBytes: 1000 } } });
    const { answer } = callAndHear(end, { tool: 'apply' });
    raw.answer((await raw.nextRequest()).id, { success: true, message: 'x'.repeat(2000) });
    expect(await answer).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
  });

  test('an answer of 15 MiB is taken', async () => {
    const message = 'x'.repeat(15 * 1024 * 1024);
    const { answer } = await answered({ result: { success: true, message } });
    expect(answer.text).toHaveLength(message.length);
  });
});

describe('requires', () => {
  const manifest = {
    ...plainManifest,
    requires: [{ command: 'kubectl' }, { command: 'git' }, { command: 'helm' }],
  };

  test('nothing is run while a program is missing', async () => {
    const { end, raw } = await introducedTo(manifest, { commands: ['git'] });
    expect(end.manifest.requires).toEqual(manifest.requires);
    const { answer, wireCall } = callAndHear(end, { tool: 'apply' });
    expect(await answer).toEqual({
      ok: false,
      error: {
        code: 'REQUIREMENT_MISSING',
        wireCode: -32002,
        message:
          'Operation "apply" of plugin "the-plugin" was not run: the plugin needs "kubectl" and "helm", not found in PATH. Install what is missing, or add its folder to the PATH of the plugin.',
      },
    });
    expect(wireCall.cancel('no need')).toBe('free');
    expect(raw.received).toHaveLength(1);
  });

  // requirement: gevals:manifest:requires
  test('a program that was installed meanwhile is found, and not looked for again', async () => {
    const commands = ['git', 'helm'];
    const looked: string[] = [];
    const found = { includes: (command: string) => looked.push(command) > 0 && commands.includes(command) };
    // Only `includes` is asked of it.
    const { end, raw } = await introducedTo(manifest, { commands: found as unknown as string[] });
    expect(await callAndHear(end, { tool: 'apply' }).answer).toMatchObject({ ok: false });
    commands.push('kubectl');
    callAndHear(end, { tool: 'apply' });
    await raw.nextRequest();
    callAndHear(end, { tool: 'apply' });
    await raw.nextRequest();
    expect(looked).toEqual(['kubectl', 'git', 'helm', 'kubectl', 'kubectl']);
  });
});

function failure(message: string) {
  return { ok: false, error: { code: 'TOOL_FAILED', message } };
}

/** What becomes of a call that is answered like this. */
async function answered(response: { result?: unknown; error?: unknown }) {
  const { end, raw, told } = await introducedTo(plainManifest);
  const { answer } = callAndHear(end, { tool: 'apply' });
  const { id } = await raw.nextRequest();
  raw.send({ jsonrpc: '2.0', id, ...response });
  return { answer: await answer, told };
}
