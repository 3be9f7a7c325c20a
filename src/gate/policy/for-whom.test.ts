// Who calls: what was answered for one says nothing of another, and commands are for people.
import { describe, expect, test } from 'vitest';
import { call, policyOf, shellCall } from '../../../test/support/gate/policy.ts';
import type { Caller } from '../../definition/caller.ts';
import type { PermissionsFile } from './file/permissions-file.ts';

const ann: Caller = { kind: 'client', name: 'ann' };
const others: readonly Caller[] = [
  { kind: 'client', name: 'bob' },
  { kind: 'client' },
  { kind: 'model' },
  { kind: 'model', name: 'ann' },
  { kind: 'job', name: 'ann' },
];

test('the audit does not say that a person typed what a program called', () => {
  const policy = policyOf({ defaultPolicy: 'deny' });
  const decided = (kind: Caller['kind']) => policy.decide(call('x', {}, { caller: { kind } }));
  expect(decided('user')).toMatchObject({
    kind: 'allow',
    method: 'user',
    reason: "It is the user's own call.",
  });
  expect(decided('program')).toMatchObject({ kind: 'allow', method: 'program' });
  expect(decided('client')).toMatchObject({ kind: 'deny' });
});

describe('an answer', () => {
  test.for(['allow', 'deny'] as const)('"%s" holds for the caller that was asked about', async (answer) => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    policy.remember(call('x', {}, { caller: ann }), answer, 'session');
    policy.remember(shellCall('git log', [], { caller: ann }), answer, 'turn');
    expect(policy.decide(call('x', {}, { caller: ann }))).toMatchObject({ kind: answer });
    expect(await policy.decide(shellCall('git log', [], { caller: ann }))).toMatchObject({ kind: answer });
    for (const caller of others) {
      expect(policy.decide(call('x', {}, { caller }))).toMatchObject({ kind: 'ask' });
      expect(await policy.decide(shellCall('git log', [], { caller }))).toMatchObject({ kind: 'ask' });
    }
  });

  test('without a name is one for those without a name, or that have the name of their kind', () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    policy.remember(call('x'), 'allow', 'session');
    expect(policy.decide(call('x', {}, { caller: { kind: 'model', name: 'model' } }))).toMatchObject({
      kind: 'allow',
    });
  });

  test.for<[string, Caller]>([
    ['another token', { ...ann, access: 'low', connection: '1' }],
    ['a new token of the same name', { ...ann, access: 'high', accessId: 'second', connection: '1' }],
    ['another profile', { ...ann, access: 'high', accessId: 'first', profile: 'low', connection: '1' }],
    ['another connection', { ...ann, access: 'high', accessId: 'first', connection: '2' }],
    ['no connection', { ...ann, access: 'high', accessId: 'first' }],
    ['no token', { ...ann, connection: '1' }],
    ['another name', { kind: 'client', name: 'bob', access: 'high', accessId: 'first', connection: '1' }],
  ])('does not hold for %s', ([, other]) => {
    const asked: Caller = { ...ann, access: 'high', accessId: 'first', connection: '1' };
    const policy = policyOf({ defaultPolicy: 'ask' });
    policy.remember(call('x', {}, { caller: asked }), 'allow', 'session');
    policy.remember(call('y', {}, { caller: asked }), 'allow', 'session', 'tool');
    policy.allowAll({ ...asked, connection: '9' });
    for (const name of ['x', 'y']) {
      expect(policy.decide(call(name, {}, { caller: asked }))).toMatchObject({ kind: 'allow' });
      expect(policy.decide(call(name, {}, { caller: other }))).toMatchObject({ kind: 'ask' });
    }
    expect(policy.decide(call('z', {}, { caller: asked }))).toMatchObject({ kind: 'ask' });
  });

  test('is forgotten with its token', () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    const revoked: Caller = { ...ann, access: 'laptop', accessId: 'first' };
    const kept: Caller = { ...revoked, accessId: 'second' };
    for (const caller of [revoked, kept]) {
      policy.remember(call('x', {}, { caller }), 'allow', 'session');
      policy.remember(call('y', {}, { caller }), 'deny', 'session', 'tool');
      policy.allowAll({ ...caller, name: 'bob' });
    }
    policy.forgetAccess?.('first');
    const decided = (caller: Caller) => [
      policy.decide(call('x', {}, { caller })),
      policy.decide(call('y', {}, { caller })),
      policy.decide(call('z', {}, { caller: { ...caller, name: 'bob' } })),
    ];
    expect(decided(revoked)).toMatchObject([{ kind: 'ask' }, { kind: 'ask' }, { kind: 'ask' }]);
    expect(decided(kept)).toMatchObject([{ kind: 'allow' }, { kind: 'deny' }, { kind: 'allow' }]);
    expect(policy.view().session.allowAll).toEqual(['client bob (token laptop)']);
  });

  test('says for whom it would hold', () => {
    const policy = policyOf({ defaultPolicy: 'ask' });
    const remembers = (caller: Caller) => policy.decide(call('x', {}, { caller }));
    const what = 'the tool x with exactly these arguments';
    expect(remembers(ann)).toMatchObject({ remembers: `${what}, by the client ann` });
    expect(remembers({ kind: 'job' })).toMatchObject({ remembers: `${what}, by the job` });
    expect(remembers({ kind: 'model' })).toMatchObject({ remembers: `${what}, by the model` });
    expect(remembers({ ...ann, access: 'laptop', profile: 'reader', connection: '7' })).toMatchObject({
      remembers: `${what}, by the client ann (token laptop, profile reader), over this connection`,
    });
  });
});

describe('a command', () => {
  const subject = (caller: Caller) =>
    call('permissions', { action: 'allow' }, { kind: 'command', plugin: 'permission', caller });
  const decided = (content: PermissionsFile, caller: Caller, isAllowAll = false) => {
    const policy = policyOf(content);
    if (isAllowAll) policy.allowAll(caller);
    return policy.decide(subject(caller));
  };

  test.for<[string, PermissionsFile, boolean]>([
    ['the default', { defaultPolicy: 'allow' }, false],
    ['a yes to everything', { defaultPolicy: 'ask' }, true],
    ['both', { defaultPolicy: 'allow' }, true],
    ['tools: *', { defaultPolicy: 'ask', whitelist: { tools: ['*'] } }, false],
    ['tools: p*', { defaultPolicy: 'ask', whitelist: { tools: ['p*', '*__permissions'] } }, false],
    ['patterns: *', { defaultPolicy: 'ask', whitelist: { patterns: ['*', '*(*)'] } }, false],
    ['arguments of *', { defaultPolicy: 'ask', whitelist: { arguments: { '*': { action: ['*'] } } } }, false],
    ['a class of *', { defaultPolicy: 'allow', classes: { readOnly: { tools: ['*'] } } }, false],
    ['another plugin', { defaultPolicy: 'allow', whitelist: { tools: ['perm__*'] } }, false],
  ])('is not allowed to others by %s', ([, content, isAllowAll]) => {
    for (const caller of [ann, ...others])
      expect(decided(content, caller, isAllowAll)).toMatchObject({ kind: 'ask' });
    expect(decided(content, { kind: 'user' }, isAllowAll)).toMatchObject({ kind: 'allow', method: 'user' });
  });

  test.for<[string, PermissionsFile]>([
    ['its name', { whitelist: { tools: ['*', 'permissions'] } }],
    ['its full name', { whitelist: { tools: ['permission__permissions'] } }],
    ['its plugin', { whitelist: { tools: ['permission__*'] } }],
    ['a pattern', { whitelist: { patterns: ['*', 'permissions(action=*)'] } }],
    ['its arguments', { whitelist: { arguments: { permissions: { action: ['allow'] } } } }],
    ['a class', { classes: { readOnly: { tools: ['permissions'] } } }],
  ])('is allowed by a rule that names it: %s', ([, content]) => {
    expect(decided(content, ann)).toMatchObject({ kind: 'allow' });
  });

  test('is allowed by an answer, for the one who was asked about', () => {
    const policy = policyOf({ defaultPolicy: 'allow' });
    policy.remember(subject(ann), 'allow', 'session');
    expect(policy.decide(subject(ann))).toMatchObject({ kind: 'allow', method: 'session-allow' });
    expect(policy.decide(subject({ kind: 'model' }))).toMatchObject({ kind: 'ask' });
  });

  test('is denied where that is the default, and forbidden to everybody by a list', () => {
    expect(decided({}, ann, true)).toMatchObject({ kind: 'deny', method: 'default' });
    const forbidden: PermissionsFile = { defaultPolicy: 'allow', blacklist: { tools: ['*'] } };
    expect(decided(forbidden, { kind: 'user' })).toMatchObject({ kind: 'deny', method: 'deny-rule' });
    const strict: PermissionsFile = {
      defaultPolicy: 'allow',
      classes: { readOnly: { tools: ['*'], policy: 'deny' } },
    };
    expect(decided(strict, ann)).toMatchObject({ kind: 'deny', method: 'class' });
  });
});
