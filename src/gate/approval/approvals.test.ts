import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { createSecrets } from '../../secrets/secrets.ts';
import { policyOf } from '../../../test/support/gate/policy.ts';
import type { Approval, Approver, Question } from './approver.ts';
import type { NewRule } from '../policy/file/write-rule.ts';
import {
  ask,
  deny,
  fakeApprover,
  fakePolicy,
  gateWorld,
  model,
  no,
  rounds,
  yes,
} from '../../../test/support/gate/gate.ts';

test('somebody who is asked sees what it is about, without secrets', async () => {
  const approver = fakeApprover(yes);
  const { gate, source, audit } = gateWorld({
    policy: fakePolicy(ask),
    approver,
    secrets: createSecrets(['hunter22']),
    now: () => new Date(1_000_000),
  });
  source.add({ name: 'write' }, { describe: () => Promise.resolve({ summary: 'Writes', diff: '-a\n+b' }) });
  const args = { path: 'a.txt', apiToken: 'two words', note: 'the hunter22' };
  expect(await gate.call('write', args, { caller: { kind: 'client', name: 'ide hunter22' } })).toMatchObject({
    ok: true,
  });
  expect(approver.questions).toMatchObject([
    {
      kind: 'tool',
      tool: 'write',
      plugin: 'plugin',
      caller: { kind: 'client', name: 'ide ***' },
      args: { path: 'a.txt', apiToken: '***', note: 'the ***' },
      reason: 'no rule names it',
      remembers: 'the tool',
      summary: 'Writes',
      diff: '-a\n+b',
      expiresAt: 1_030_000,
    },
  ]);
  expect(approver.questions[0]?.signature).toBe('write(apiToken=***, note="the ***", path=a.txt)');
  expect(source.made).toMatchObject([{ args }]);
  expect(audit.events[0]).toMatchObject({
    allowed: true,
    method: 'approval',
    approval: { by: 'tester', scope: 'once' },
  });
});

test('a comment of who denies reaches the model', async () => {
  const approver = fakeApprover({ ...no, comment: 'use the staging server' });
  const { gate } = gateWorld({ policy: fakePolicy(ask), approver });
  expect(await gate.call('echo', {}, { caller: model })).toMatchObject({
    error: {
      code: 'PERMISSION_DENIED',
      message: 'Permission denied: it was not allowed (tester). They say: use the staging server.',
      details: { comment: 'use the staging server' },
    },
  });
});

test('a secret in what they say reaches no caller', async () => {
  const secrets = createSecrets(['hunter22']);
  const approver = fakeApprover({ ...no, by: 'client hunter22', comment: 'not with hunter22' });
  const denied = gateWorld({ policy: fakePolicy(ask), approver, secrets });
  const outcome = await denied.gate.call('echo', {}, { caller: model });
  expect(outcome).toMatchObject({
    error: {
      message: 'Permission denied: it was not allowed (client ***). They say: not with ***.',
      details: { comment: 'not with ***' },
    },
  });
  const failing: Approver = { ask: () => Promise.reject(new Error('no answer from hunter22')) };
  const failed = gateWorld({ policy: fakePolicy(ask), approver: failing, secrets });
  expect(JSON.stringify(await failed.gate.call('echo', {}, { caller: model }))).not.toContain('hunter22');
});

test('a secret in the names of what is asked for is not shown', async () => {
  const approver = fakeApprover(no);
  const { gate, source } = gateWorld({
    policy: fakePolicy(ask),
    approver,
    secrets: createSecrets(['hunter22']),
  });
  source.add({ name: 'resource:x://h/hunter22' });
  await gate.call('resource:x://h/hunter22', {}, { caller: model });
  expect(approver.questions).toMatchObject([{ tool: 'resource:x://h/***', plugin: 'plugin' }]);
  expect(JSON.stringify(approver.questions)).not.toContain('hunter22');
});

test('answers for longer are remembered, and what waits for the same is settled with them', async () => {
  const approver = fakeApprover();
  const { gate, policy, audit } = gateWorld({ policy: fakePolicy(ask), approver });
  const calls = [1, 2, 3].map((n) => gate.call('echo', { n }, { caller: model }));
  await rounds();
  expect(approver.questions).toHaveLength(3);
  approver.answer({ kind: 'allow', scope: 'session', by: 'tester' });
  expect(await Promise.all(calls)).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
  expect(policy.remembered).toEqual([['echo', 'allow', 'session']]);
  expect(approver.signals.every(({ aborted }) => aborted)).toBe(true);
  expect(audit.events).toContainEqual(expect.objectContaining({ kind: 'noted', what: 'answer-remembered' }));
});

test('"never" and "all" are passed to the rules', async () => {
  const never = gateWorld({
    policy: fakePolicy(ask),
    approver: fakeApprover({ kind: 'deny', scope: 'session', by: 't' }),
  });
  await never.gate.call('echo', {}, { caller: model });
  expect(never.policy.remembered).toEqual([['echo', 'deny', 'session']]);
  const all = gateWorld({
    policy: fakePolicy(ask),
    approver: fakeApprover({ kind: 'allow', scope: 'all', by: 't' }),
  });
  await all.gate.call('echo', {}, { caller: model });
  expect(all.policy.verdict).toMatchObject({ kind: 'allow', method: 'allow-all' });
});

test('edited arguments are checked and decided on anew, but not asked about again', async () => {
  const approver = fakeApprover({ ...yes, args: { path: 'b', token: '***' } });
  const policy = fakePolicy(({ args }) => (args['path'] === '/etc' ? deny : ask));
  const { gate, source, audit } = gateWorld({ policy, approver });
  source.add({
    name: 'read',
    inputSchema: { type: 'object', properties: { path: { type: 'string' }, token: { type: 'string' } } },
  });
  const call = () => gate.call('read', { path: 'a', token: 'secret-1234' }, { caller: model });
  expect(await call()).toMatchObject({ ok: true });
  // What was masked and left as it was means what it was.
  expect(source.made).toMatchObject([{ args: { path: 'b', token: 'secret-1234' } }]);
  expect(approver.questions).toHaveLength(1);
  expect(audit.events[0]).toMatchObject({ args: { path: 'b' }, allowed: true });

  approver.always = { ...yes, args: { path: '/etc' } };
  expect(await call()).toMatchObject({ error: { code: 'PERMISSION_DENIED', reason: 'deny-rule' } });
  approver.always = { ...yes, args: { path: 1 } };
  expect(await call()).toMatchObject({ error: { code: 'INVALID_ARGUMENTS' } });
  expect(source.made).toHaveLength(1);
});

test('a tool that is gone or another by the time somebody answers is not called', async () => {
  const approver = fakeApprover();
  const { gate, source } = gateWorld({ policy: fakePolicy(ask), approver });
  const gone = gate.call('echo', {}, { caller: model });
  await rounds();
  source.tools.delete('echo');
  approver.answer(yes);
  expect(await gone).toMatchObject({ error: { code: 'UNKNOWN_TOOL' } });

  source.add({ name: 'echo', description: 'before' });
  const other = gate.call('echo', {}, { caller: model });
  await rounds();
  source.add({ name: 'echo', description: 'after' });
  approver.answer(yes);
  expect(await other).toMatchObject({ error: { code: 'PERMISSION_DENIED', reason: 'definition' } });
  expect(source.made).toEqual([]);
});

test('the rules may change while somebody is asked', async () => {
  const approver = fakeApprover();
  const { gate, policy, source } = gateWorld({ policy: fakePolicy(ask), approver });
  const call = gate.call('echo', {}, { caller: model });
  await rounds();
  policy.verdict = deny;
  approver.answer(yes);
  expect(await call).toMatchObject({ error: { code: 'PERMISSION_DENIED', reason: 'deny-rule' } });
  expect(source.made).toEqual([]);
});

test('"always" writes a rule, with the arguments or without', async () => {
  const written: NewRule[] = [];
  const rules = {
    file: '/home/me/permissions.json',
    write: (rule: NewRule) => {
      written.push(rule);
      return Promise.resolve();
    },
  };
  const policy = { ...fakePolicy(), ...policyOf({ defaultPolicy: 'ask' }) };
  const answers: Approval[] = [
    { kind: 'allow', scope: 'always', by: 'me' },
    { kind: 'allow', scope: 'always', by: 'me', covers: 'tool' },
    { kind: 'deny', scope: 'always', by: 'me' },
  ];
  const questions: Question[] = [];
  const approver: Approver = {
    ask: (question) => {
      questions.push(question);
      return Promise.resolve(answers[questions.length - 1]!);
    },
  };
  const { gate, source, audit } = gateWorld({
    policy,
    approver,
    rules,
    secrets: createSecrets(['hunter22']),
  });
  source.add({ name: 'write' });
  for (const path of ['a', 'b', 'c']) await gate.call('write', { path }, { caller: model });
  expect(written).toEqual([
    { action: 'allow', rule: 'plugin__write(path=="a", !*)' },
    { action: 'allow', rule: 'plugin__write' },
    { action: 'deny', rule: 'plugin__write(path=="c", !*)' },
  ]);
  expect(questions[0]?.always).toEqual({
    file: rules.file,
    call: 'plugin__write(path=="a", !*)',
    tool: 'plugin__write',
  });
  expect(audit.events).toContainEqual({
    kind: 'noted',
    what: 'rule-written',
    data: {
      tool: 'write',
      answer: 'allow',
      covers: 'call',
      by: 'me',
      rule: written[0]?.rule,
      file: rules.file,
    },
  });
  // A secret is not written into a file of rules.
  await gate.call('write', { path: 'hunter22' }, { caller: model });
  expect(questions[3]?.always).toEqual({ file: rules.file, tool: 'plugin__write' });
});

test('a rule that cannot be written holds for the session', async () => {
  const rules = { file: '/p', write: () => Promise.reject(new Error('the disk is full')) };
  const policy = { ...fakePolicy(), ...policyOf({ defaultPolicy: 'ask' }) };
  const approver = fakeApprover({ ...yes, scope: 'always' });
  const { gate, audit } = gateWorld({ policy, approver, rules });
  expect(await gate.call('echo', {}, { caller: model })).toMatchObject({ ok: true });
  expect(await gate.call('echo', {}, { caller: model })).toMatchObject({ ok: true });
  expect(approver.questions).toHaveLength(1);
  expect(audit.events).toContainEqual(
    expect.objectContaining({
      what: 'rule-not-written',
      data: expect.objectContaining({ reason: 'the disk is full' }) as object,
    }),
  );
});

test('an answer covers no more than was offered', async () => {
  const policy = { ...fakePolicy(), ...policyOf({ defaultPolicy: 'ask' }) };
  const approver = fakeApprover({ ...yes, scope: 'session', covers: 'tool' });
  const { gate, source } = gateWorld({ policy, approver });
  source.add({ name: 'cli_based_tool' }, { plugin: 'cli' });
  for (const command of ['echo a', 'echo a', 'echo b'])
    await gate.call('cli_based_tool', { command }, { caller: model });
  expect(approver.questions.map(({ signature }) => signature)).toEqual(['echo a', 'echo b']);
});

test('"always" on a command line writes a rule for that line alone, and none for a line in another folder', async () => {
  const written: NewRule[] = [];
  const write = (rule: NewRule) => Promise.resolve(void written.push(rule));
  const policy = { ...fakePolicy(), ...policyOf({ defaultPolicy: 'ask' }) };
  const approver = fakeApprover({ ...yes, scope: 'always' });
  const { gate, source } = gateWorld({ policy, approver, rules: { file: '/p', write } });
  source.add({ name: 'cli_based_tool' }, { plugin: 'cli', origin: 'built-in' });
  const run = (args: JsonObject) => gate.call('cli_based_tool', args, { caller: model });
  for (const command of ['e__py', '"@read-only"', 'git log']) await run({ command });
  for (const cwd of ['..', '/']) await run({ command: 'git log', cwd });
  expect(written).toEqual([
    { action: 'allow', rule: '{ "rule": "e__py" }' },
    { action: 'allow', rule: 'git log' },
  ]);
  expect(approver.questions.map(({ always }) => always?.call)).toEqual([
    '{ "rule": "e__py" }',
    undefined,
    'git log',
    undefined,
    undefined,
  ]);
});
