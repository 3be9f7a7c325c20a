// Giving up works in every stage, and nothing is left behind.
import { expect, test } from 'vitest';
import { createApprovalQueue } from './approval/queue.ts';
import {
  allow,
  ask,
  fakeApprover,
  fakePolicy,
  gateWorld,
  model,
  no,
  rounds,
  yes,
  type FakeWorld,
} from '../../test/support/gate/gate.ts';

const never = new Promise<never>(() => {});

/** Each brings a call into one stage, where it stays. */
const stages: Readonly<Record<string, () => FakeWorld>> = {
  policy: () => gateWorld({ policy: fakePolicy(() => never) }),
  definition: () => {
    const world = gateWorld({ pins: { keeper: { read: () => never, change: () => never } } });
    world.source.add({ name: 'echo' }, { origin: 'process' });
    return world;
  },
  pinning: () => {
    const world = gateWorld({ pins: { keeper: { read: () => Promise.resolve([]), change: () => never } } });
    world.source.add({ name: 'echo' }, { origin: 'process' });
    return world;
  },
  description: () => {
    const world = gateWorld({ policy: fakePolicy(ask), approver: fakeApprover() });
    world.source.add({ name: 'echo' }, { describe: () => never });
    return world;
  },
  approval: () => gateWorld({ policy: fakePolicy(ask), approver: fakeApprover() }),
  turn: () => {
    const world = gateWorld({ limits: { concurrent: { all: 1 } } });
    world.source.answer = undefined;
    void world.gate.call('echo', {}, { caller: { kind: 'job' } });
    return world;
  },
  audit: () => {
    const world = gateWorld();
    world.audit.outcome = () => never;
    return world;
  },
  call: () => {
    const world = gateWorld();
    world.source.answer = undefined;
    return world;
  },
};

test.each(Object.keys(stages))('a call is cancelled in the stage %s', async (stage) => {
  const { gate, source, audit } = world(stage);
  const call = gate.call('echo', {}, { caller: model });
  await rounds();
  const before = source.made.length;
  call.cancel('enough');
  expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED', message: 'enough' } });
  await rounds();
  expect(source.made).toHaveLength(before);
  expect(audit.events.filter((event) => event.kind !== 'noted' && event.id === call.id).at(-1)).toMatchObject(
    stage === 'call' || stage === 'audit'
      ? { kind: 'ended', ok: false, code: 'CALL_CANCELLED' }
      : { kind: 'decided', allowed: false, method: 'cancelled' },
  );
});

test.each(Object.keys(stages))("the caller's signal fires in the stage %s", async (stage) => {
  const { gate } = world(stage);
  const controller = new AbortController();
  const call = gate.call('echo', {}, { caller: model, signal: controller.signal });
  await rounds();
  controller.abort(new Error('shut the window'));
  expect(await call).toMatchObject({ error: { code: 'CALL_CANCELLED', message: 'shut the window' } });
});

test.each(Object.keys(stages))('the gate is closed in the stage %s', async (stage) => {
  const { gate, source, clock } = world(stage);
  const call = gate.call('echo', {}, { caller: model });
  const checked = gate.check('echo', {}, model);
  const asked = gate.askPermission('echo', {}, model, '');
  await rounds();
  const before = source.made.length;
  const closed = gate.close();
  expect(await call).toMatchObject({ error: { code: 'CALL_CANCELLED', message: 'The gate is closed.' } });
  // A plugin or an audit that does not end has its time.
  for (let n = 0; n < 3; n++) {
    await rounds();
    clock.advance(6000);
  }
  await closed;
  await Promise.all([checked, asked]);
  expect(source.made).toHaveLength(before);
  expect(clock.waiting).toBe(0);
});

test('a signal that has fired before', async () => {
  const { gate, source } = gateWorld();
  expect(await gate.call('echo', {}, { caller: model, signal: AbortSignal.abort() })).toMatchObject({
    error: { code: 'CALL_CANCELLED', message: 'The caller gave the call up.' },
  });
  await rounds();
  expect(source.made).toEqual([]);
});

test('who is asked hears that nobody waits any more', async () => {
  const approver = fakeApprover();
  const { gate } = gateWorld({ policy: fakePolicy(ask), approver });
  const call = gate.call('echo', {}, { caller: model });
  await rounds();
  expect(approver.signals[0]?.aborted).toBe(false);
  call.cancel();
  await rounds();
  expect(approver.signals[0]?.aborted).toBe(true);
});

test('a plugin is told to give up, and what it said before is kept', async () => {
  const { gate, source, audit } = gateWorld();
  source.answer = undefined;
  const call = gate.call('echo', {}, { caller: model });
  await rounds();
  source.made[0]?.event({ kind: 'text', text: 'half' });
  await rounds();
  call.cancel('enough');
  expect(await call).toMatchObject({ ok: false, text: 'half', error: { code: 'CALL_CANCELLED' } });
  await rounds();
  expect(source.made[0]?.cancelled).toBe('enough');
  expect(audit.events.at(-1)).toMatchObject({ kind: 'ended', code: 'CALL_CANCELLED' });
});

test('an approver that answers twice, or after it was given up, changes nothing', async () => {
  const queue = createApprovalQueue();
  const { gate, source } = gateWorld({ policy: fakePolicy(ask), approver: queue });
  const call = gate.call('echo', {}, { caller: model });
  await rounds();
  const [question] = queue.pending();
  expect(queue.answer(question?.id ?? '', no)).toBe(true);
  expect(queue.answer(question?.id ?? '', yes)).toBe(false);
  expect(await call).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });

  const given = gate.call('echo', {}, { caller: model });
  await rounds();
  const [other] = queue.pending();
  given.cancel();
  await rounds();
  expect(queue.pending()).toEqual([]);
  expect(queue.answer(other?.id ?? '', yes)).toBe(false);
  await rounds();
  expect(source.made).toEqual([]);
});

test('the time limit of a call counts from when it is allowed, and is that of the plugin', async () => {
  const approver = fakeApprover();
  const { gate, source, clock } = gateWorld({ policy: fakePolicy(ask), approver });
  source.answer = undefined;
  const call = gate.call('echo', {}, { caller: model, timeoutMs: 100 });
  await rounds();
  clock.advance(20_000);
  await rounds();
  approver.answer(yes);
  await rounds();
  expect(source.made).toMatchObject([{ options: { timeoutMs: 100 } }]);
  // One that keeps no limit at all is given up here.
  clock.advance(5_201);
  expect(await call).toMatchObject({ error: { code: 'CALL_TIMEOUT' } });
  expect(source.made[0]?.cancelled).toBe('It took too long.');
});

test('a call that is cancelled in the moment in which it is written down is not made', async () => {
  const { gate, source, audit } = gateWorld();
  audit.outcome = () => {
    // Between the end of the writing and the call.
    void Promise.resolve().then(() => call.cancel('enough'));
    return Promise.resolve();
  };
  const call = gate.call('echo', {}, { caller: model });
  expect(await call).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
  await rounds();
  expect(source.made).toEqual([]);
});

test('too many questions are not asked', async () => {
  const approver = fakeApprover();
  const { gate } = gateWorld({ policy: fakePolicy(ask), approver });
  const calls = Array.from({ length: 101 }, () => gate.call('echo', {}, { caller: model }));
  expect(await calls[100]).toMatchObject({
    error: {
      code: 'PERMISSION_DENIED',
      message: 'Permission denied: 100 questions wait for an answer already.',
    },
  });
  await gate.close();
});

test('closing while calls are under way everywhere', async () => {
  const approver = fakeApprover();
  const { gate, source, policy } = gateWorld({ approver, limits: { concurrent: { all: 10 } } });
  source.answer = undefined;
  let count = 0;
  policy.verdict = () => {
    count += 1;
    return count % 3 === 0 ? ask : count % 3 === 1 ? allow : Promise.resolve(allow);
  };
  const calls = Array.from({ length: 90 }, () => gate.call('echo', {}, { caller: model }));
  await rounds(1);
  await gate.close();
  for (const outcome of await Promise.all(calls))
    expect(outcome).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
});

function world(stage: string): FakeWorld {
  const make = stages[stage];
  if (make === undefined) throw new Error(stage);
  return make();
}
