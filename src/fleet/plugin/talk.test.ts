import { expect, test } from 'vitest';
import { fakeWorld, settled, type WorldOptions } from '../../../test/support/fleet/fake-world.ts';
import { talkContract } from '../../../test/support/fleet/talk-contract.ts';
import { processStage } from '../../../test/support/fleet/talk-stages.ts';

talkContract('a conversation with a process', processStage);

test('a conversation has the process for itself', async () => {
  const { world, talk } = await talking();
  const call = world.plugin.call('echo');
  expect(world.plugin.status).toMatchObject({ running: 0, waiting: 1 });
  talk.end();
  world.process.call.end();
  expect(await call).toMatchObject({ ok: true });
});

test('a process that has to finish what was left is free for others after that', async () => {
  const { world, talk } = await talking();
  const answer = talk.say('more');
  talk.end();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  const call = world.plugin.call('echo');
  world.process.call.end({ ok: true, keepSession: true });
  world.process.call.end();
  expect(await call).toMatchObject({ ok: true });
});

test('nothing is said while the process works on what was taken back', async () => {
  const { world, talk } = await talking();
  talk.say('one').cancel();
  expect(await talk.say('two')).toMatchObject({ ok: false, error: { code: 'TOO_MANY_CALLS' } });
  world.process.call.end({ ok: true, keepSession: true });
  const next = talk.say('two');
  world.process.call.end({ ok: true, keepSession: true });
  expect(await next).toMatchObject({ ok: true });
});

test('a conversation over its time ends with the process, at the cost of its budget', async () => {
  const { world, talk } = await talking({ limits: { talkMs: 60_000 } });
  await world.advance(60_000);
  expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'TALK_TIMEOUT' } });
  expect(world.processes[0]).toMatchObject({ isGone: true });
  await world.advance(300);
  expect(world.plugin.status).toMatchObject({ state: 'ready', restarts: 1 });
});

test('where calls run side by side, it has the process for itself from when the plugin waits for the user', async () => {
  const world = fakeWorld({ hasTalk: true, traits: { concurrency: 8 } });
  const before = world.plugin.call('other');
  const talk = world.plugin.talk('echo');
  await settled();
  expect(world.process.underWay).toHaveLength(2);
  expect(world.plugin.status.isTalking).toBe(false);
  world.process.call.end({ ok: true, keepSession: true });
  await talk.opening;
  expect(world.plugin.status.isTalking).toBe(true);
  const after = world.plugin.call('other');
  // The one from before goes on, and hinders nobody.
  const said = talk.say('more');
  world.process.call.end({ ok: true, text: 'yes' });
  expect(await said).toMatchObject({ ok: true, text: 'yes' });
  expect(await talk.ended).toEqual({ reason: 'finished' });
  for (const call of world.process.underWay) call.end({ ok: true });
  expect(await before).toMatchObject({ ok: true });
  expect(await after).toMatchObject({ ok: true });
});

test('over its time it ends no process that others use', async () => {
  const { world, talk } = await talking({ traits: { concurrency: 8 }, limits: { talkMs: 60_000 } });
  await world.advance(60_000);
  expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'TALK_TIMEOUT' } });
  expect(world.plugin.status).toMatchObject({ state: 'ready', restarts: 0, isTalking: false });
});

test('a process that ends takes the conversation with it', async () => {
  const { world, talk } = await talking();
  world.process.exit(1);
  expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'PLUGIN_EXITED' } });
  await world.advance(300);
  const call = world.plugin.call('echo');
  world.process.call.end();
  expect(await call).toMatchObject({ ok: true });
});

test('a tool that is not there begins none', async () => {
  const world = fakeWorld({ hasTalk: true });
  const talk = world.plugin.talk('unknown');
  expect(await talk.opening).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL' } });
  expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'UNKNOWN_TOOL' } });
});

test('a plugin that cannot talk says so', async () => {
  const world = fakeWorld();
  const talk = world.plugin.talk('echo');
  await settled();
  world.process.call.end({ ok: true, keepSession: true });
  await talk.opening;
  expect(await talk.say('hello?')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
});

test('a plugin does not rest while its user thinks what to say, but after the conversation', async () => {
  const { world, talk } = await talking({ spec: { idleStopMs: 10_000 } });
  await world.advance(60_000, 1000);
  expect(talk.isOpen).toBe(true);
  expect(world.plugin.status.state).toBe('ready');
  talk.end();
  await world.advance(11_000, 1000);
  expect(world.plugin.status.state).toBe('stopped');
});

test('a conversation that was called off before it began starts no process', async () => {
  const world = fakeWorld({ hasTalk: true });
  const talk = world.plugin.talk('echo', {}, { signal: AbortSignal.abort() });
  expect(await talk.ended).toEqual({ reason: 'left' });
  await settled();
  expect(world.processes).toEqual([]);
});

async function talking(options: WorldOptions = {}) {
  const world = fakeWorld({ hasTalk: true, ...options });
  const talk = world.plugin.talk('echo');
  await settled();
  world.process.call.end({ ok: true, text: 'hello', keepSession: true });
  await talk.opening;
  await settled();
  return { world, talk };
}
