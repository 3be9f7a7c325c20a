// What a caller is offered: commands that change what is allowed are for users, and plugins are for clients where the owner says so.
import { expect, test } from 'vitest';
import { fakeApprover, gateWorld, yes } from '../../test/support/gate/gate.ts';
import { callerKinds } from '../definition/caller.ts';

const permissions = {
  name: 'permissions',
  parameters: [{ name: 'action' }],
  shareWithModel: false,
  forUsersOnly: true,
};

test.each(callerKinds)('a command for users alone, run by a %s', async (kind) => {
  // Neither the rules nor a person who says yes open it to anybody else.
  const approver = fakeApprover({ ...yes, scope: 'session' });
  const { gate, source, audit, policy } = gateWorld({ approver });
  source.addCommand(permissions);
  const outcome = await gate.run('permissions', { action: 'show' }, { caller: { kind } });
  const isOwner = kind === 'user' || kind === 'program';
  expect(outcome.ok).toBe(isOwner);
  expect(source.made).toHaveLength(isOwner ? 1 : 0);
  if (isOwner) return;
  expect(outcome).toMatchObject({ error: { code: 'PERMISSION_DENIED', reason: 'not-offered' } });
  expect([approver.questions, policy.decided]).toEqual([[], []]);
  expect(audit.events).toMatchObject([
    { kind: 'decided', allowed: false, method: 'not-offered', caller: { kind } },
  ]);
  expect(await gate.check('permissions', {}, { kind }, 'command')).toMatchObject({
    kind: 'deny',
    method: 'not-offered',
  });
});

test.each(callerKinds)('a tool of a plugin that is not for clients, called by a %s', async (kind) => {
  const { gate, source } = gateWorld();
  source.add({ name: 'shell' }, { plugin: 'cli', isForClients: false });
  const outcome = await gate.call('shell', {}, { caller: { kind } });
  const offer = expect.stringContaining('"clients": true at plugins.cli') as string;
  expect(outcome).toMatchObject(kind === 'client' ? { ok: false, error: { message: offer } } : { ok: true });
});
