// What holds for every conversation, wherever its plugin runs. Every implementation of Talk runs this.
import type { CallOptions } from '../../../src/definition/call.ts';
import { describe, expect, test } from 'vitest';
import type { CallEvent } from '../../../src/definition/outcome.ts';
import type { Talk } from '../../../src/fleet/plugin/talk.ts';

/** A plugin that a test plays. */
export interface TalkStage {
  /** Begins a conversation with a tool that the test ends. */
  talk(options?: Pick<CallOptions, 'signal' | 'timeoutMs'>): Talk;
  /** How often that tool was called. */
  readonly openings: number;
  /** What the plugin received. */
  readonly heard: readonly string[];
  /** What the plugin does with what it was asked last. */
  stream(text: string): Promise<void>;
  answer(text: string, how?: { readonly keepSession: boolean }): Promise<void>;
  fail(message: string): Promise<void>;
  /** Its user does not want it any more. */
  stop(): Promise<void>;
  advance(ms: number): Promise<void>;
}

export interface StageLimits {
  readonly talkMs?: number;
  readonly callMs?: number;
}

export function talkContract(name: string, open: (limits?: StageLimits) => Promise<TalkStage>): void {
  const talking = async (limits?: StageLimits, signal?: AbortSignal) => {
    const stage = await open(limits);
    const talk = stage.talk(signal === undefined ? {} : { signal });
    await stage.answer('hello', { keepSession: true });
    expect(await talk.opening).toMatchObject({ ok: true, text: 'hello', keepSession: true });
    return { stage, talk };
  };

  describe(`${name}: the contract`, () => {
    test('the user and the plugin talk until the plugin has heard enough', async () => {
      const { stage, talk } = await talking();
      expect(talk.isOpen).toBe(true);
      const answer = talk.say('more');
      expect(talk.isOpen).toBe(false);
      await stage.answer('and more', { keepSession: true });
      expect(await answer).toMatchObject({ ok: true, text: 'and more', keepSession: true });
      expect(talk.isOpen).toBe(true);
      const last = talk.say('enough');
      await stage.answer('bye');
      expect(await last).toMatchObject({ ok: true, text: 'bye' });
      expect(await talk.ended).toEqual({ reason: 'finished' });
      expect(talk.isOpen).toBe(false);
      expect(await talk.say('hello?')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
      expect(stage).toMatchObject({ openings: 1, heard: ['more', 'enough'] });
    });

    test('a tool that keeps no session is a conversation of one sentence', async () => {
      const stage = await open();
      const talk = stage.talk();
      expect(talk.isOpen).toBe(false);
      await stage.answer('done');
      expect(await talk.opening).toMatchObject({ ok: true, text: 'done' });
      expect(await talk.ended).toEqual({ reason: 'finished' });
    });

    test('events before an answer are delivered', async () => {
      const { stage, talk } = await talking();
      const answer = talk.say('more');
      await stage.stream('wait ');
      const events: CallEvent[] = [];
      const listening = (async () => {
        for await (const event of answer) events.push(event);
      })();
      await stage.answer('done');
      await listening;
      expect(events).toEqual([{ kind: 'text', text: 'wait ' }]);
    });

    test('nothing can be said before it has begun', async () => {
      const stage = await open();
      const talk = stage.talk();
      expect(await talk.say('hello?')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
      await stage.answer('hello', { keepSession: true });
      expect(talk.isOpen).toBe(true);
      expect(stage.heard).toEqual([]);
    });

    test('the user can always leave: while the plugin answers, between two sentences, and twice', async () => {
      const { stage, talk } = await talking();
      const answer = talk.say('more');
      await stage.stream('so far');
      talk.end();
      expect(await answer).toMatchObject({ ok: false, text: 'so far', error: { code: 'CALL_CANCELLED' } });
      expect(await talk.ended).toEqual({ reason: 'left' });
      const other = (await talking()).talk;
      other.end();
      other.end();
      expect(await other.ended).toEqual({ reason: 'left' });
      expect(await other.say('hello?')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
    });

    test('also before the plugin has answered', async () => {
      const stage = await open();
      const talk = stage.talk();
      talk.end();
      expect(await talk.opening).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
      expect(await talk.ended).toEqual({ reason: 'left' });
    });

    test('one sentence at a time', async () => {
      const { stage, talk } = await talking();
      const one = talk.say('one');
      expect(await talk.say('two')).toMatchObject({ ok: false, error: { code: 'TOO_MANY_CALLS' } });
      await stage.answer('yes', { keepSession: true });
      expect(await one).toMatchObject({ ok: true });
      expect(stage.heard).toEqual(['one']);
      expect(talk.isOpen).toBe(true);
    });

    test('a sentence can be taken back without leaving', async () => {
      const { stage, talk } = await talking();
      const answer = talk.say('one');
      await stage.stream('so ');
      answer.cancel();
      expect(await answer).toMatchObject({ ok: false, text: 'so ', error: { code: 'CALL_CANCELLED' } });
      expect(talk.isOpen).toBe(true);
      const next = talk.say('two');
      await stage.answer('yes', { keepSession: true });
      expect(await next).toMatchObject({ ok: true, text: 'yes' });
    });

    test('a plugin that fails ends it', async () => {
      const { stage, talk } = await talking();
      const answer = talk.say('more');
      await stage.fail('It broke.');
      const error = { message: 'It broke.' };
      expect(await answer).toMatchObject({ ok: false, error });
      expect(await talk.ended).toMatchObject({ reason: 'failed', error });
    });

    test('an opening that fails is the end of it', async () => {
      const stage = await open();
      const talk = stage.talk();
      await stage.fail('It broke.');
      expect(await talk.opening).toMatchObject({ ok: false, error: { message: 'It broke.' } });
      expect(await talk.ended).toMatchObject({ reason: 'failed', error: { message: 'It broke.' } });
      expect(await talk.say('hello?')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
    });

    test('an answer that does not come within the limit of a call ends it', async () => {
      const { stage, talk } = await talking({ callMs: 1000 });
      const answer = talk.say('more');
      await stage.advance(1000);
      expect(await answer).toMatchObject({ ok: false, error: { code: 'CALL_TIMEOUT' } });
      expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'CALL_TIMEOUT' } });
    });

    test('the caller sets how long an answer may take', async () => {
      const stage = await open();
      const talk = stage.talk({ timeoutMs: 40_000 });
      await stage.advance(39_000);
      await stage.answer('hello', { keepSession: true });
      const answer = talk.say('more');
      await stage.advance(39_000);
      await stage.answer('done');
      expect(await answer).toMatchObject({ ok: true, text: 'done' });
    });

    test('it is ended when it takes too long, whatever is under way', async () => {
      const { stage, talk } = await talking({ talkMs: 60_000, callMs: 600_000 });
      const answer = talk.say('more');
      await stage.advance(59_000);
      const timeout = { code: 'TALK_TIMEOUT' };
      await stage.stream('so far');
      await stage.advance(1000);
      expect(await answer).toMatchObject({ ok: false, text: 'so far', error: timeout });
      expect(await talk.ended).toMatchObject({ reason: 'failed', error: timeout });
    });

    test('also in silence: after five minutes by default', async () => {
      const { stage, talk } = await talking();
      await stage.advance(299_000);
      expect(talk.isOpen).toBe(true);
      await stage.advance(1000);
      expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'TALK_TIMEOUT' } });
      expect(talk.isOpen).toBe(false);
    });

    test('a plugin that is stopped ends it, also in silence', async () => {
      const { stage, talk } = await talking();
      const answer = talk.say('more');
      await stage.stop();
      expect(await answer).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
      expect(await talk.ended).toMatchObject({ reason: 'failed' });
      const other = await talking();
      await other.stage.stop();
      expect(await other.talk.ended).toMatchObject({ reason: 'failed' });
      expect(await other.talk.say('hello?')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
    });

    test('a signal leaves it', async () => {
      const controller = new AbortController();
      const { talk } = await talking({}, controller.signal);
      controller.abort();
      expect(await talk.ended).toEqual({ reason: 'left' });
    });

    test('what was called off before it began calls nothing', async () => {
      const stage = await open();
      const talk = stage.talk({ signal: AbortSignal.abort() });
      expect(await talk.opening).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
      expect(await talk.ended).toEqual({ reason: 'left' });
      expect(stage.openings).toBe(0);
    });

    test('one conversation at a time: others wait for their turn', async () => {
      const { stage, talk } = await talking();
      const second = stage.talk();
      const third = stage.talk();
      await stage.advance(1000);
      expect(stage.openings).toBe(1);
      second.end();
      talk.end();
      await stage.answer('hello again', { keepSession: true });
      expect(await third.opening).toMatchObject({ ok: true, text: 'hello again' });
      expect(stage.openings).toBe(2);
      const answer = third.say('more');
      await stage.answer('done');
      expect(await answer).toMatchObject({ ok: true, text: 'done' });
    });

    test('no longer than a call may take', async () => {
      const { stage, talk } = await talking();
      const second = stage.talk({ timeoutMs: 5000 });
      const third = stage.talk();
      await stage.advance(5000);
      expect(await second.opening).toMatchObject({
        ok: false,
        error: { code: 'CALL_TIMEOUT', message: expect.stringContaining('in a conversation') as unknown },
      });
      expect(await second.ended).toMatchObject({ reason: 'failed', error: { code: 'CALL_TIMEOUT' } });
      await stage.advance(25_000);
      expect(await third.ended).toMatchObject({ reason: 'failed', error: { code: 'CALL_TIMEOUT' } });
      expect(talk.isOpen).toBe(true);
      expect(stage.openings).toBe(1);
    });

    test('those that wait end with the plugin', async () => {
      const { stage, talk } = await talking();
      const second = stage.talk();
      await stage.stop();
      expect(await talk.ended).toMatchObject({ reason: 'failed' });
      expect(await second.opening).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
      expect(await second.ended).toMatchObject({ reason: 'failed', error: { code: 'PLUGIN_STOPPED' } });
      expect(stage.openings).toBe(1);
    });
  });
}
