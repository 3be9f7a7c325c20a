// How the host's end begins, what it makes of answers that are not by the book, and the work that a planner asks it for.
import { describe, expect, test } from 'vitest';
import { callAndHear, hear, hostAndRawEnd } from '../../../test/support/dialect/dialect-host.ts';
import { both, discovered, plain } from '../../../test/support/dialect/planner/ends.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Answer } from '../../definition/outcome.ts';
import { hostDialects } from '../hosts.ts';
import { planner } from './host.ts';

const task = { tool: 'execute_task', args: { task_type: 'analysis', prompt: 'p' } };

test('it is in the list', async () => {
  expect(await hostDialects.planner?.()).toBe(planner);
});

describe('rpc.discover', () => {
  // requirement: planner:discover:question, planner:discover:tools, planner:discover:config
  test('is the first question; its answer is the manifest', async () => {
    const { raw, connected } = hostAndRawEnd(planner, 'lines', {
      spec: { config: { secret: '', roles: ['planner'], model: 'm' } },
    });
    expect(await raw.next()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'rpc.discover',
      params: { gzip: true, batch: true, config: { model: 'm' } },
    });
    const result = {
      name: 'coder',
      version: '2.0.0',
      description: 'Writes code.',
      instructions: 'Be brief.',
      roles: ['executor', 'juggler'],
      methods: ['execute_task', 'rename', 'count', 'rpc.other'],
      tools: [
        {
          name: 'count',
          title: 'Count',
          description: 'd',
          input_schema: { type: 'object' },
          tags: ['text', 5],
        },
        { name: 'execute_task' },
        { name: '' },
        'no tool',
      ],
      gzip: true,
      batch: true,
      auth: false,
    };
    raw.answer(1, result);
    const end = await connected;
    expect(end.manifest).toMatchObject({
      name: 'coder',
      version: '2.0.0',
      dialect: 'planner',
      description: 'Writes code.',
      instructions: 'Be brief.',
      interfaces: [{ id: 'executor' }],
      capabilities: { gzip: true, batch: true, auth: false },
      raw: result,
    });
    expect(end.manifest.tools.map(({ name }) => name)).toEqual(['execute_task', 'count', 'rename']);
    expect(end.manifest.tools[1]).toEqual({
      name: 'count',
      title: 'Count',
      description: 'd',
      inputSchema: { type: 'object' },
      tags: ['text'],
    });
    expect(end.isAssumed).toBeUndefined();
    expect(end.planner).toBeUndefined();
    expect(end.executor).toHaveProperty('batch');
  });

  // requirement: planner:discover:unlisted, planner:execute:direction, planner:plan:direction
  test.each([
    [undefined, ['execute_task', 'create_plan', 'validate_code', 'update_context']],
    [['executor'], ['execute_task', 'validate_code', 'update_context']],
    [['planner'], ['create_plan', 'update_context']],
  ])('a plain end with the roles %j has the methods of them', async (roles, tools) => {
    const { end } = await plain(roles === undefined ? {} : { spec: { config: { roles } } });
    expect(end.manifest).toMatchObject({ name: 'the-plugin', version: 'unknown' });
    expect(end.manifest.tools.map(({ name }) => name)).toEqual(tools);
    expect(end.isAssumed).toBe(true);
    expect(end.planner !== undefined).toBe(roles === undefined || roles.includes('planner'));
    expect(end.executor !== undefined).toBe(roles === undefined || roles.includes('executor'));
    expect(end.executor ?? {}).not.toHaveProperty('batch');
  });

  test.each([-32601, -32600, -32602])('%d is the answer of a plain end', async (code) => {
    const { raw, connected } = hostAndRawEnd(planner, 'lines');
    raw.send({ jsonrpc: '2.0', id: (await raw.nextRequest()).id, error: { code, message: 'What?' } });
    expect((await connected).isAssumed).toBe(true);
  });

  test('a refusal for want of a secret says what to do', async () => {
    const { raw, connected } = hostAndRawEnd(planner, 'lines');
    raw.send({ jsonrpc: '2.0', id: (await raw.nextRequest()).id, error: { code: -32003, message: 'No.' } });
    await expect(connected).rejects.toThrow(/error -32003: No\. Both ends need the same secret/);
  });

  test.each([
    [{ methods: [{ name: 'execute_task' }, { name: 'x' }, {}] }, ['execute_task', 'x'], ['executor']],
    [{ methods: ['create_plan'], roles: 5 }, ['create_plan'], ['planner']],
    [{ roles: ['executor'] }, ['execute_task', 'validate_code', 'update_context'], ['executor']],
    [{ methods: ['update_context'] }, ['update_context'], []],
  ])('%j is enough', async (discovery, tools, roles) => {
    const { end } = await discovered(discovery);
    expect(end.manifest.tools.map(({ name }) => name)).toEqual(tools);
    expect(end.manifest.interfaces).toEqual(roles.map((id) => ({ id })));
  });

  // requirement: planner:detection:by-result
  test.each([
    [{}],
    [{ methods: ['tools/list'] }],
    [{ openrpc: '1.2.6', methods: [] }],
    [{ roles: ['juggler'] }],
  ])('%j is not what an end of this protocol says', async (discovery) => {
    await expect(discovered(discovery)).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
  });
});

// requirement: planner:liveness:no-ping
test('there is no ping, and no shutdown request', async () => {
  const { end, raw } = await discovered();
  expect(end).not.toHaveProperty('ping');
  expect(end).not.toHaveProperty('health');
  expect(planner.traits.limits.pingEveryMs).toBe(0);
  await end.shutdown(5000);
  expect(raw.received).toHaveLength(1);
});

// requirement: planner:liveness:concurrency
test('many requests are under way at once, and each has its own answer, in whatever order they come', async () => {
  const { end, raw } = await discovered();
  const calls = Array.from({ length: planner.traits.concurrency }, (_, index) =>
    callAndHear(end, { tool: 'execute_task', args: { task_type: 'a', prompt: `${index}` } }),
  );
  const requests = (await raw.take(calls.length)) as { id: number; params: { prompt: string } }[];
  for (const { id, params } of requests.toReversed()) raw.answer(id, { output: { code: params.prompt } });
  const answers = await Promise.all(calls.map(({ answer }) => answer));
  expect(calls).toHaveLength(64);
  expect(answers.map(({ text }) => text)).toEqual(calls.map((_, index) => `${index}`));
});

describe('answers', () => {
  // requirement: planner:security:schema-validation, planner:security:input-sanitization
  test.each<[unknown, object]>([
    ['just code', { ok: true, text: 'just code', data: 'just code' }],
    [{}, { ok: true, data: {} }],
    [{ output: 'o' }, { ok: true, text: 'o' }],
    [
      { status: 'success', output: { explanation: 'e' } },
      { ok: true, text: 'e' },
    ],
    [
      { status: 'partial', output: { code: 'c' } },
      { ok: true, text: 'c' },
    ],
    [
      { status: 'failed', output: { code: 'c', explanation: 'No disk.' } },
      { ok: false, text: 'c', error: { code: 'TOOL_FAILED', message: 'No disk.' } },
    ],
    [{ status: 'error' }, { ok: false, error: { message: 'The task is error.' } }],
    [17, { ok: false, error: { code: 'PROTOCOL_VIOLATION' } }],
    [null, { ok: false, error: { code: 'PROTOCOL_VIOLATION' } }],
    [[], { ok: false, error: { code: 'PROTOCOL_VIOLATION' } }],
    [
      { output: { code: 5, files_created: 'x' }, cost: 3 },
      { ok: true, text: '5' },
    ],
    [{ output: { code: 'c', outputs: { a: 'b' } } }, { ok: true, text: 'c', outputs: { a: 'b' } }],
  ])('to execute_task: %j', async (result, expected) => {
    expect(await answered('execute_task', result)).toMatchObject(expected);
  });

  // requirement: planner:security:schema-validation, planner:security:input-sanitization
  test.each<[unknown, object]>([
    [{ tasks: [] }, { ok: true, text: '' }],
    [{ plan: { tasks: [{ id: 1, type: 't', description: 'd' }] } }, { ok: true, text: '1 (t): d' }],
    [{ plan: {} }, { ok: false, error: { code: 'PROTOCOL_VIOLATION' } }],
    [{ plan: null }, { ok: false, error: { code: 'PROTOCOL_VIOLATION' } }],
    ['a plan', { ok: false, error: { code: 'PROTOCOL_VIOLATION' } }],
    [{ tasks: [{ id: 'a' }] }, { ok: false, error: { code: 'PROTOCOL_VIOLATION' } }],
  ])('to create_plan: %j', async (result, expected) => {
    expect(await answered('create_plan', result)).toMatchObject(expected);
  });

  // requirement: planner:security:schema-validation, planner:security:input-sanitization
  test.each<[unknown, object]>([
    [{ valid: true }, { ok: true, text: 'The code is valid.' }],
    [
      { valid: false, findings: [{ rule: 'r', severity: 'info', message: 'm' }] },
      { ok: true, text: 'The code is not valid.\n0:0 info m (r)' },
    ],
    [{ ok: true }, { ok: false, error: { code: 'PROTOCOL_VIOLATION' } }],
    [
      { valid: true, findings: [{}] },
      { ok: false, error: { code: 'PROTOCOL_VIOLATION' } },
    ],
    [true, { ok: false, error: { code: 'PROTOCOL_VIOLATION' } }],
  ])('to validate_code: %j', async (result, expected) => {
    expect(await answered('validate_code', result)).toMatchObject(expected);
  });

  test.each<[unknown, object]>([
    ['text', { ok: true, text: 'text' }],
    [[1], { ok: true, data: [1] }],
    [null, { ok: true, data: null }],
    [{ a: 1 }, { ok: true, data: { a: 1 } }],
    [
      { status: 'success', output: { code: 'c', data: [1] } },
      { ok: true, text: 'c', data: [1] },
    ],
    [
      { status: 'failed', output: {} },
      { ok: false, error: { message: '"failed"' } },
    ],
    [
      { status: 'failed', output: { explanation: 'why' } },
      { ok: false, error: { message: 'why' } },
    ],
  ])('to a method of its own: %j', async (result, expected) => {
    expect(await answered('count', result)).toMatchObject(expected);
  });

  // requirement: planner:security:input-sanitization
  test.each(['execute_task', 'create_plan', 'validate_code'])(
    'to %s: names that mean something to JavaScript are data like any other',
    async (tool) => {
      const hostile: unknown = JSON.parse(
        `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"valid":true,"tasks":[],
          "findings":[{"rule":"r","severity":"info","message":"m","__proto__":{"polluted":1}}],
          "output":{"code":"c","__proto__":{"polluted":1}}}`,
      );
      const answer = await answered(tool, hostile);
      expect(answer).toMatchObject({ ok: true });
      expect(JSON.stringify(answer.data)).toContain('"__proto__":{"polluted":1}');
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
      expect('polluted' in answer).toBe(false);
    },
  );

  test('an answer without a result is one', async () => {
    const { end, raw } = await discovered();
    const { answer } = callAndHear(end, { tool: 'update_context' });
    raw.send({ jsonrpc: '2.0', id: (await raw.nextRequest()).id, result: null });
    expect(await answer).toEqual({ ok: true, data: null });
  });
});

test('what is too large for a message is refused before it is sent', async () => {
  const { end, raw } = await discovered();
  const { answer } = callAndHear(end, { ...task, args: { prompt: 'x'.repeat(1_000_000) } });
  expect(await answer).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
  const batch = await discovered({ ...both, batch: true });
  const { answer: second } = hear((sink) => {
    const request = { type: 'a', prompt: 'x'.repeat(1_000_000) };
    const [call] = batch.end.executor?.batch?.([{ kind: 'task', request, sink }]) ?? [];
    if (call === undefined) throw new Error('It takes batches.');
    return call;
  });
  expect(await second).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
  expect(raw.received).toHaveLength(1);
});

// requirement: planner:performance:message-size
test('an answer of 15 MiB is taken, with a warning', async () => {
  const { end, raw, told } = await discovered();
  const { answer } = callAndHear(end, task);
  const code = 'x'.repeat(15 * 1024 * 1024);
  raw.answer((await raw.nextRequest()).id, { output: { code } });
  expect((await answer).text).toHaveLength(code.length);
  expect(told.troubles).toEqual([
    expect.objectContaining({
      kind: 'invalid',
      reason: expect.stringContaining('the protocol allows less than') as string,
    }),
  ]);
});

// requirement: planner:performance:retry-key
test('the idempotency key goes along', async () => {
  const { end, raw } = await discovered();
  hear((sink) => {
    const request = { type: 'a', prompt: 'p', context: { idempotencyKey: 'k', more: { branch: 'b' } } };
    if (end.executor === undefined) throw new Error('It is an executor.');
    return end.executor.executeTask(request, sink);
  });
  expect((await raw.nextRequest()).params).toEqual({
    task_type: 'a',
    prompt: 'p',
    context: { branch: 'b', idempotency_key: 'k' },
  });
});

describe('work that a planner asks for', () => {
  // requirement: planner:upward:refused
  test('is refused where the host has no executor', async () => {
    const { raw } = await discovered();
    for (const method of ['execute_task', 'validate_code']) {
      raw.send({ jsonrpc: '2.0', id: method, method, params: {} });
      expect(await raw.next()).toMatchObject({ id: method, error: { code: -32601 } });
    }
  });
});

async function answered(tool: string, result: unknown): Promise<Answer> {
  const { end, raw } = await discovered({ ...both, methods: [...both.methods, 'count'] });
  const { answer } = callAndHear(end, { tool, args: {} satisfies JsonObject });
  raw.answer((await raw.nextRequest()).id, result);
  return answer;
}
