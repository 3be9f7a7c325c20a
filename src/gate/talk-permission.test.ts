import { expect, test } from 'vitest';
import { ask, fakePolicy, gateWorld, model, rounds, user } from '../../test/support/gate/gate.ts';

test('conversations count for the limits like calls', async () => {
  const { gate, audit } = gateWorld({ limits: { perMinute: { tool: 2 } } });
  expect(await gate.call('echo', {}, { caller: model })).toMatchObject({ ok: true });
  expect(await gate.talk('echo', {}, { caller: model }).permitted).toMatchObject({ ok: true });
  const refused = await gate.talk('echo', {}, { caller: model }).permitted;
  expect(refused).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
  expect(audit.events.at(-1)).toMatchObject({ kind: 'decided', allowed: false });
  // What a person types is not counted.
  expect(await gate.talk('echo', {}, { caller: user }).permitted).toMatchObject({ ok: true });
});

test('conversations spend the budget', async () => {
  const { gate } = gateWorld({ limits: { budget: { callers: { model: 1 } } } });
  expect(await gate.talk('echo', {}, { caller: model }).permitted).toMatchObject({ ok: true });
  expect(await gate.talk('echo', {}, { caller: model }).permitted).toMatchObject({ ok: false });
  expect(await gate.call('echo', {}, { caller: model })).toMatchObject({ ok: false });
});

test('one is under way until it has ended, and who comes next waits that long', async () => {
  const { gate } = gateWorld({ limits: { concurrent: { all: 1 } } });
  const first = gate.talk('echo', {}, { caller: model });
  expect(await first.permitted).toMatchObject({ ok: true });
  const second = gate.talk('echo', {}, { caller: model });
  let isIn = false;
  void second.permitted.then(() => (isIn = true));
  await rounds();
  expect(isIn).toBe(false);
  first.ended({ ok: true });
  expect(await second.permitted).toMatchObject({ ok: true });
  const third = gate.talk('echo', {}, { caller: model });
  await rounds();
  third.giveUp('enough');
  expect(await third.permitted).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  second.ended({ ok: true });
  expect(await gate.call('echo', {}, { caller: model })).toMatchObject({ ok: true });
});

test('clients with one token share what it may have under way', async () => {
  const { gate } = gateWorld({ limits: { perMinute: { caller: 1 } } });
  const as = (name: string) => ({ caller: { kind: 'client', name, profile: 'p' } }) as const;
  expect(await gate.talk('echo', {}, as('one')).permitted).toMatchObject({ ok: true });
  expect(await gate.talk('echo', {}, as('two')).permitted).toMatchObject({ ok: false });
});

test('one that is given up while it is written down has an end in the audit, and takes no turn', async () => {
  const { gate, audit } = gateWorld({ limits: { concurrent: { all: 1 } } });
  audit.outcome = () => new Promise(() => {});
  const talk = gate.talk('echo', {}, { caller: model });
  await rounds();
  talk.giveUp('enough');
  expect(await talk.permitted).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect(audit.events).toMatchObject([
    { kind: 'decided', id: talk.id, allowed: true },
    { kind: 'ended', id: talk.id, ok: false, code: 'CALL_CANCELLED' },
  ]);
  audit.outcome = () => Promise.resolve();
  expect(await gate.call('echo', {}, { caller: model })).toMatchObject({ ok: true });
});

test('one that cannot be written down in time has an end in the audit', async () => {
  const { gate, audit, clock } = gateWorld();
  audit.outcome = () => new Promise(() => {});
  const talk = gate.talk('echo', {}, { caller: model });
  await rounds();
  clock.advance(10_000);
  expect(await talk.permitted).toMatchObject({ ok: false, error: { code: 'AUDIT_FAILED' } });
  expect(audit.events.at(-1)).toMatchObject({ kind: 'ended', id: talk.id, ok: false, code: 'AUDIT_FAILED' });
});

test('what is denied has no end, since it never began', async () => {
  const { gate, audit } = gateWorld({ policy: fakePolicy(ask) });
  expect(await gate.talk('echo', {}, { caller: model }).permitted).toMatchObject({ ok: false });
  expect(audit.events).toMatchObject([{ kind: 'decided', allowed: false }]);
});
