// What the user says to a plugin that keeps its session, and the clock that runs until the plugin has taken it.
import { describe, expect, test } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { callAndHear, hear } from '../../../test/support/dialect/dialect-host.ts';
import { connectedEnd } from '../../../test/support/dialect/gassist/host-end.ts';
import type { PluginLimits } from '../../definition/plugin-spec.ts';

describe('an input', () => {
  // requirement: gassist:input:acknowledged-first, gassist:timeouts:ack
  test('fails when it is not acknowledged within two seconds', async () => {
    const { raw, id, clock, heard, allHandled, told } = await said();
    clock.advance(1999);
    await allHandled();
    expect(heard.wireCall.cancel('still there?')).toBe('occupied');
    clock.advance(1);
    expect(await heard.answer).toEqual({
      ok: false,
      error: {
        code: 'ACK_TIMEOUT',
        message:
          'Plugin "the-plugin" did not acknowledge an input within 2000 ms. It has to answer "input" with { "acknowledged": true } ' +
          'before it works on it; limits.ackMs gives it more time.',
      },
    });
    raw.answer(id, { acknowledged: true });
    raw.notify('complete', { request_id: id, data: 'late' });
    await allHandled();
    expect(told.troubles).toHaveLength(1);
  });

  test('that was given up takes its late end with it, and not the next call', async () => {
    const { raw, end, clock, heard, allHandled, told } = await said();
    clock.advance(2000);
    expect(await heard.answer).toMatchObject({ ok: false, error: { code: 'ACK_TIMEOUT' } });
    const next = callAndHear(end, { tool: 'next' });
    await raw.nextRequest();
    raw.notify('stream', { data: 'late ' });
    raw.notify('complete', { data: 'late' });
    await allHandled();
    expect(next.wireCall.cancel('still there?')).toBe('occupied');
    expect(told.troubles).toHaveLength(2);
    raw.notify('stream', { data: 'its ' });
    raw.notify('complete', { data: 'own' });
    expect(await next.answer).toEqual({ ok: true, text: 'its own' });
  });

  test('that was given up is over when its end names it', async () => {
    const { raw, id, end, clock, heard } = await said();
    clock.advance(2000);
    await heard.answer;
    const next = callAndHear(end, { tool: 'next' });
    await raw.nextRequest();
    raw.notify('error', { request_id: id, message: 'late' });
    raw.notify('complete', { data: 'own' });
    expect(await next.answer).toEqual({ ok: true, text: 'own' });
  });

  test('has the limit of its plugin', async () => {
    const { clock, heard } = await said({ ackMs: 50 });
    clock.advance(50);
    expect(await heard.answer).toMatchObject({ ok: false, error: { code: 'ACK_TIMEOUT' } });
  });

  // requirement: gassist:input:answer-by-notifications
  test('that is acknowledged may take its time', async () => {
    const { raw, id, clock, heard, allHandled } = await said();
    raw.answer(id, { acknowledged: true });
    await allHandled();
    clock.advance(100_000);
    raw.notify('stream', { request_id: id, data: 'Well' });
    raw.notify('complete', { request_id: id, data: '.', keep_session: true });
    expect(await heard.answer).toEqual({ ok: true, text: 'Well.', keepSession: true });
    expect(clock.waiting).toBe(0);
  });

  test.each([
    ['an empty result', {}],
    ['null', null],
    ['other words', { status: 'ok' }],
    ['an acknowledgement that also says success', { acknowledged: true, success: true }],
  ])('is acknowledged by %s', async (_, result) => {
    const { raw, id, clock, heard, allHandled } = await said();
    raw.answer(id, result);
    await allHandled();
    clock.advance(10_000);
    raw.notify('complete', { request_id: id, data: 'done' });
    expect(await heard.answer).toEqual({ ok: true, text: 'done' });
  });

  test('is acknowledged by what is streamed for it', async () => {
    const { raw, clock, heard, allHandled } = await said();
    raw.notify('stream', { data: 'Hm' });
    await allHandled();
    clock.advance(10_000);
    raw.notify('complete', {});
    expect(await heard.answer).toEqual({ ok: true, text: 'Hm' });
  });

  test('is acknowledged and ended by a complete alone', async () => {
    const { raw, id, clock, heard } = await said();
    raw.notify('complete', { request_id: id, success: true, data: 'Bye', keep_session: false });
    expect(await heard.answer).toEqual({ ok: true, text: 'Bye', keepSession: false });
    expect(clock.waiting).toBe(0);
  });

  test('is ended by a result that is an answer', async () => {
    const { raw, id, heard } = await said();
    raw.notify('stream', { request_id: id, data: 'Hel' });
    raw.answer(id, { success: true, data: 'lo' });
    expect(await heard.answer).toEqual({ ok: true, text: 'Hello' });
  });

  test('that is not taken fails', async () => {
    const { raw, id, heard } = await said();
    raw.answer(id, { acknowledged: false });
    expect(await heard.answer).toMatchObject({
      ok: false,
      error: { code: 'TOOL_FAILED', message: 'Plugin "the-plugin" did not take the input.' },
    });
  });

  test('to a plugin that knows no inputs says so', async () => {
    const { raw, id, heard } = await said();
    raw.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found: input' } });
    expect(await heard.answer).toEqual({
      ok: false,
      error: { code: 'NOT_TALKING', wireCode: -32601, message: 'Method not found: input' },
    });
  });

  test('ends with the pipe, acknowledged or not', async () => {
    for (const acknowledged of [true, false]) {
      const { raw, id, clock, heard, allHandled } = await said();
      if (acknowledged) raw.answer(id, { acknowledged: true });
      await allHandled();
      raw.end();
      expect(await heard.answer).toMatchObject({ ok: false, error: { code: 'PIPE_ENDED' } });
      expect(clock.waiting).toBe(0);
    }
  });

  test('that cannot be sent ends at once', async () => {
    const { end } = await connectedEnd();
    const heard = hear((sink) => {
      if (end.talk === undefined) throw new Error('It talks.');
      return end.talk.input('x'.repeat(11 * 1024 * 1024), sink);
    });
    expect(await heard.answer).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
    expect(heard.wireCall.cancel('over')).toBe('free');
  });
});

/** Something was said to the plugin. */
async function said(limits?: PluginLimits) {
  const clock = fakeClock();
  const connection = await connectedEnd(undefined, { clock, ...(limits && { spec: { limits } }) });
  const { raw, end } = connection;
  const heard = hear((sink) => {
    if (end.talk === undefined) throw new Error('It talks.');
    return end.talk.input('Tell me more', sink);
  });
  const { id } = await raw.nextRequest();
  return { ...connection, clock, heard, id };
}
