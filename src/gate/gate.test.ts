import { expect, test } from 'vitest';
import { policyOf } from '../../test/support/gate/policy.ts';
import type { Gate } from './gate.ts';
import type { JsonObject } from '../base/json.ts';
import type { CallEvent } from '../definition/outcome.ts';
import {
  allow,
  ask,
  deny,
  fakeApprover,
  fakePolicy,
  gateWorld,
  model,
  no,
  rounds,
  user,
  yes,
} from '../../test/support/gate/gate.ts';

test('what is allowed is called at once, but for the audit, and its outcome is passed on', async () => {
  const { gate, source, audit, policy } = gateWorld();
  const call = gate.call('echo', { a: 1 }, { caller: model, timeoutMs: 500, context: { workdir: '/w' } });
  expect(policy.decided).toHaveLength(1);
  expect(audit.events).toMatchObject([
    {
      kind: 'decided',
      name: 'echo',
      plugin: 'plugin',
      what: 'tool',
      args: { a: 1 },
      allowed: true,
      method: 'allow-rule',
      caller: model,
    },
  ]);
  await rounds();
  expect(source.made).toMatchObject([
    {
      tool: 'echo',
      args: { a: 1 },
      options: { caller: 'model', onBehalfOf: model, timeoutMs: 500, context: { workdir: '/w' } },
    },
  ]);
  expect(await call).toMatchObject({ ok: true, text: 'done' });
  expect(audit.events.at(-1)).toMatchObject({ kind: 'ended', id: call.id, ok: true, bytes: 4 });
});

test('events are passed on in order and as they come', async () => {
  const { gate, source } = gateWorld();
  source.answer = undefined;
  const call = gate.call('echo', {}, { caller: model });
  await rounds();
  const [made] = source.made;
  const events: CallEvent[] = [
    { kind: 'text', text: 'one' },
    { kind: 'log', level: 'info', message: 'a' },
    { kind: 'progress', progress: 1, total: 2 },
    { kind: 'text', text: 'two' },
  ];
  for (const event of events) made?.event(event);
  const heard: CallEvent[] = [];
  const iterating = (async () => {
    for await (const event of call) heard.push(event);
  })();
  await expect.poll(() => heard).toEqual(events);
  made?.end({ ok: false, text: 'onetwo', error: { code: 'TOOL_FAILED', message: 'no' } });
  await iterating;
  expect(await call).toMatchObject({ ok: false, text: 'onetwo', error: { code: 'TOOL_FAILED' } });
});

test('an unknown name is told with what may have been meant', async () => {
  const { gate, audit, source } = gateWorld();
  expect(await gate.call('ecco', {}, { caller: model })).toMatchObject({
    ok: false,
    error: { code: 'UNKNOWN_TOOL', message: 'There is no tool "ecco".' },
  });
  expect(await gate.run('ecco', {}, { caller: user })).toMatchObject({ error: { code: 'UNKNOWN_TOOL' } });
  expect(audit.events).toMatchObject([
    { allowed: false, method: 'unknown', name: 'ecco', plugin: '' },
    { allowed: false, method: 'unknown', what: 'command' },
  ]);
  expect(source.made).toEqual([]);
});

test('arguments are checked and filled in before anybody decides', async () => {
  const { gate, source, policy } = gateWorld();
  source.add({
    name: 'add',
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number', default: 2 } },
      required: ['a'],
      additionalProperties: false,
    },
  });
  expect(await gate.call('add', { a: 'x' }, { caller: model })).toMatchObject({
    error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('a: must be number') as string },
  });
  expect(policy.decided).toEqual([]);
  const given = { a: 1 };
  expect(await gate.call('add', given, { caller: model })).toMatchObject({ ok: true });
  expect(policy.decided).toMatchObject([{ args: { a: 1, b: 2 } }]);
  expect(source.made).toMatchObject([{ args: { a: 1, b: 2 } }]);
  expect(given).toEqual({ a: 1 });
});

test('no argument has the name __proto__', async () => {
  const { gate, source } = gateWorld();
  const args = JSON.parse('{"__proto__":{"a":1},"b":1}') as JsonObject;
  expect(await gate.call('echo', args, { caller: model })).toMatchObject({
    ok: false,
    error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('"__proto__"') as string },
  });
  expect(source.made).toEqual([]);
});

test('arguments that are no JSON are refused, and changing them later changes nothing', async () => {
  const { gate, source } = gateWorld();
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  for (const args of [cyclic, { big: 1n }, [1], 'text', undefined, null])
    expect(await gate.call('echo', args as never, { caller: model })).toMatchObject({
      error: { code: 'INVALID_ARGUMENTS' },
    });
  const args = { path: 'a' };
  const call = gate.call('echo', args, { caller: model });
  args.path = 'b';
  await call;
  expect(source.made).toMatchObject([{ args: { path: 'a' } }]);
});

test.each([
  [{}, 'Command "say" of plugin "plugin" needs the parameter "words".'],
  [
    { words: 'x', wrods: 'y' },
    'Command "say" of plugin "plugin" has no parameter "wrods". Did you mean "words"?',
  ],
  [{ words: 'x', other: 'y' }, 'Command "say" of plugin "plugin" has no parameter "other". It takes words.'],
])('a command takes its own parameters: %j', async (args, message) => {
  const { gate } = gateWorld();
  expect(await gate.run('say', args, { caller: user })).toMatchObject({
    error: { code: 'INVALID_ARGUMENTS', message },
  });
});

test('a command passes the same way', async () => {
  const { gate, source, policy } = gateWorld();
  expect(await gate.run('say', { words: 'x' }, { caller: user })).toMatchObject({ ok: true });
  expect(policy.decided).toMatchObject([{ kind: 'command', name: 'say', caller: user }]);
  expect(source.made).toMatchObject([{ tool: 'say', args: { words: 'x' }, options: { onBehalfOf: user } }]);
});

test('what the rules deny is not called', async () => {
  const { gate, source, audit } = gateWorld({ policy: fakePolicy(deny) });
  expect(await gate.call('echo', {}, { caller: model })).toMatchObject({
    ok: false,
    error: {
      code: 'PERMISSION_DENIED',
      message: 'Permission denied: a rule forbids it.',
      reason: 'deny-rule',
    },
  });
  expect(source.made).toEqual([]);
  expect(audit.events).toMatchObject([{ allowed: false, method: 'deny-rule', reason: 'a rule forbids it' }]);
});

test('where nobody can be asked, the command that allows it is told, once', async () => {
  const rules = (defaultPolicy: 'ask' | 'deny') => ({ ...fakePolicy(), ...policyOf({ defaultPolicy }) });
  const denied = async (gate: Gate, name = 'echo', args = {}) => {
    const outcome = await gate.call(name, args, { caller: model });
    return outcome.ok ? '' : JSON.stringify([outcome.error.message, outcome.error.suggestions ?? []]);
  };
  expect(await denied(gateWorld({ policy: rules('ask') }).gate)).toBe(
    '["Permission denied: No rule names it, so the default holds, and no one can be asked here. To allow it: pluglot allow plugin__echo",[]]',
  );
  expect(await denied(gateWorld({ policy: rules('deny') }).gate)).toBe(
    '["Permission denied: No rule names it, so the default holds. To allow it: pluglot allow plugin__echo",[]]',
  );
  const unattended = { why: 'nobody can be asked, since it is night', fix: 'Wait for the morning.' };
  const { gate, source } = gateWorld({ policy: rules('ask'), unattended });
  expect(await denied(gate)).toContain(
    'nobody can be asked, since it is night. Wait for the morning. To allow it: pluglot allow plugin__echo"',
  );
  source.add({ name: 'cli_based_tool' }, { plugin: 'cli' });
  expect(await denied(gate, 'cli_based_tool', { command: 'git status' })).toContain(
    "To allow it: pluglot allow 'git status'\"",
  );
  // No rule is enough for what is not made of plain words.
  expect(await denied(gate, 'cli_based_tool', { command: 'git $x' })).not.toContain('To allow it');
  // Nor against one that denies.
  const forbidding = { ...fakePolicy(), ...policyOf({ deny: ['echo'] }) };
  expect(await denied(gateWorld({ policy: forbidding }).gate)).not.toContain('To allow it');
});

test('check tells what would be decided, and asks, counts and writes nothing', async () => {
  const approver = fakeApprover(yes);
  const { gate, policy, audit, source } = gateWorld({ approver, limits: { budget: { tool: 1 } } });
  for (const verdict of [allow, deny, ask]) {
    policy.verdict = verdict;
    expect(await gate.check('echo', {}, model)).toEqual(verdict);
  }
  expect(await gate.check('nothing', {}, model)).toMatchObject({ kind: 'deny', method: 'unknown' });
  expect(await gate.check('say', {}, model, 'command')).toMatchObject({ kind: 'deny', method: 'arguments' });
  expect(await gate.check('say', { words: '' }, model, 'command')).toEqual(ask);
  expect([approver.questions, audit.events, source.made]).toEqual([[], [], []]);
  policy.verdict = allow;
  expect(await gate.call('echo', {}, { caller: model })).toMatchObject({ ok: true });
});

test('askPermission asks as for a call, with what it is for, and calls nothing', async () => {
  const approver = fakeApprover(yes);
  const { gate, policy, audit, source } = gateWorld({ policy: fakePolicy(ask), approver });
  expect(await gate.askPermission('echo', { a: 1 }, model, 'to see it')).toEqual({
    allowed: true,
    reason: 'allowed (tester)',
    method: 'approval',
    args: { a: 1 },
  });
  approver.always = { ...yes, args: { a: 2 } };
  expect(await gate.askPermission('echo', { a: 1 }, model, 'to see it')).toMatchObject({
    allowed: true,
    reason: 'allowed with other arguments (tester)',
    args: { a: 2 },
  });
  expect(approver.questions.slice(0, 1)).toMatchObject([
    { tool: 'echo', intent: 'to see it', args: { a: 1 } },
  ]);
  approver.always = { ...no, comment: 'not now' };
  expect(await gate.askPermission('echo', {}, model, '')).toEqual({
    allowed: false,
    reason: 'it was not allowed (tester). not now',
    method: 'approval',
  });
  policy.verdict = allow;
  expect(await gate.askPermission('echo', {}, model, '')).toMatchObject({
    allowed: true,
    method: 'allow-rule',
  });
  expect(await gate.askPermission('x', {}, model, '')).toMatchObject({ allowed: false, method: 'unknown' });
  expect(source.made).toEqual([]);
  expect(audit.events.filter(({ kind }) => kind === 'decided')).toHaveLength(5);
});

test('the end of a turn is told to the rules', () => {
  const { gate, policy } = gateWorld();
  gate.endTurn();
  expect(policy.remembered).toEqual([['', 'turn', 'ended']]);
  expect(gate.policy).toBe(policy);
});
