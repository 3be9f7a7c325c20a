import { expect, test } from 'vitest';
import { fakeWorld, settled, type WorldOptions } from '../../../test/support/fake-world.ts';

test('the user and the plugin talk until the plugin has heard enough', async () => {
  const { world, talk } = await talking();
  expect(talk.isOpen).toBe(true);
  const answer = talk.say('more');
  expect(talk.isOpen).toBe(false);
  expect(world.process.inputs).toEqual(['more']);
  world.process.call.end({ ok: true, text: 'and more', keepSession: true });
  expect(await answer).toMatchObject({ ok: true, text: 'and more' });
  const last = talk.say('enough');
  world.process.call.end({ ok: true, text: 'bye' });
  expect(await last).toMatchObject({ ok: true, text: 'bye' });
  expect(await talk.ended).toEqual({ reason: 'finished' });
  expect(await talk.say('hello?')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
});

test('a tool that keeps no session is a conversation of one sentence', async () => {
  const world = fakeWorld({ hasTalk: true });
  const talk = world.plugin.talk('echo');
  await settled();
  world.process.call.end();
  expect(await talk.opening).toMatchObject({ ok: true });
  expect(await talk.ended).toEqual({ reason: 'finished' });
});

test('the user can always leave', async () => {
  const { world, talk } = await talking();
  const answer = talk.say('more');
  talk.end();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect(await talk.ended).toEqual({ reason: 'left' });
  world.process.call.end({ ok: true, keepSession: true });
  const call = world.plugin.call('echo');
  world.process.call.end();
  expect(await call).toMatchObject({ ok: true });
});

test('a conversation has the process for itself', async () => {
  const { world, talk } = await talking();
  const call = world.plugin.call('echo');
  expect(world.plugin.status).toMatchObject({ running: 0, waiting: 1 });
  talk.end();
  world.process.call.end();
  expect(await call).toMatchObject({ ok: true });
});

test('one sentence at a time', async () => {
  const { world, talk } = await talking();
  void talk.say('one');
  expect(await talk.say('two')).toMatchObject({ ok: false, error: { code: 'TOO_MANY_CALLS' } });
  expect(world.process.inputs).toEqual(['one']);
});

test('a sentence can be taken back without leaving', async () => {
  const { world, talk } = await talking({ cancel: 'free' });
  const answer = talk.say('one');
  answer.cancel();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  const next = talk.say('two');
  world.process.call.end({ ok: true, keepSession: true });
  expect(await next).toMatchObject({ ok: true });
});

test('a conversation over its time ends with the process, at the cost of its budget', async () => {
  const { world, talk } = await talking({ limits: { talkMs: 60_000, callMs: 600_000 } });
  const answer = talk.say('more');
  await world.advance(60_000);
  expect(await answer).toMatchObject({ ok: false, error: { code: 'TALK_TIMEOUT' } });
  expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'TALK_TIMEOUT' } });
  expect(world.processes[0]).toMatchObject({ isGone: true });
  await world.advance(300);
  expect(world.plugin.status).toMatchObject({ state: 'ready', restarts: 1 });
});

test('also one in which nobody says anything', async () => {
  const { world, talk } = await talking({ limits: { talkMs: 60_000 } });
  await world.advance(60_000);
  expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'TALK_TIMEOUT' } });
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

test('a signal leaves it', async () => {
  const controller = new AbortController();
  const { talk } = await talking({}, controller.signal);
  controller.abort();
  expect(await talk.ended).toEqual({ reason: 'left' });
});

test('an opening that fails is the end of it', async () => {
  const world = fakeWorld({ hasTalk: true });
  const talk = world.plugin.talk('unknown');
  expect(await talk.opening).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL' } });
  expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'UNKNOWN_TOOL' } });
  expect(await talk.say('hello?')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
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

test('a conversation that was called off before it began starts and asks nothing', async () => {
  const world = fakeWorld({ hasTalk: true });
  const talk = world.plugin.talk('echo', {}, { signal: AbortSignal.abort() });
  expect(await talk.opening).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect(await talk.ended).toEqual({ reason: 'left' });
  await settled();
  expect(world.processes).toEqual([]);
});

async function talking(options: WorldOptions = {}, signal?: AbortSignal) {
  const world = fakeWorld({ hasTalk: true, ...options });
  const talk = world.plugin.talk('echo', {}, signal === undefined ? {} : { signal });
  await settled();
  world.process.call.end({ ok: true, text: 'hello', keepSession: true });
  await talk.opening;
  await settled();
  return { world, talk };
}
