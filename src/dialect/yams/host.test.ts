import { expect, test } from 'vitest';
import { callAndHear, hear } from '../../../test/support/dialect/dialect-host.ts';
import { reply, replyError, started } from '../../../test/support/dialect/yams/host-end.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { hostDialects } from '../hosts.ts';
import { yams } from './host.ts';

// requirement: yams:process:timeout, yams:shutdown:limit, yams:host:synchronised
test('limits and concurrency are those of the specification', () => {
  expect(yams.traits).toMatchObject({
    limits: { startMs: 10_000, callMs: 30_000, healthMs: 3000, shutdownMs: 5000 },
    concurrency: 1,
  });
  expect(yams.traits.fatalFailures).toBeUndefined();
});

test('it is in the list of host ends', async () => {
  expect(await hostDialects.yams?.()).toBe(yams);
});

// requirement: yams:health:status, yams:health:status-ok, yams:health:status-degraded, yams:health:status-error
// requirement: yams:health:more-fields
test.each([
  [{ status: 'ok' }, {}],
  [{ status: 'degraded', message: 'No model yet.' }, { message: 'No model yet.' }],
  [{ status: 'error', error: 'Out of memory.', memory_mb: 512 }, { message: 'Out of memory.' }],
])('health %j has all its fields', async (result, more) => {
  const { end, raw } = await started();
  const health = end.health!(1000);
  await reply(raw, 'plugin.health', result);
  expect(await health).toEqual({ status: result.status, ...more, details: result });
});

test.each([17, null, {}, { status: 'fine' }, { status: true }, []])(
  'health %j is refused',
  async (result) => {
    const { end, raw } = await started();
    const health = end.health!(1000);
    await reply(raw, 'plugin.health', result);
    await expect(health).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      message: `Plugin "the-plugin" answered plugin.health with ${JSON.stringify(result)}; expected { status: "ok" | "degraded" | "error" }.`,
    });
  },
);

// requirement: yams:health:required, yams:principle:graceful-degradation
test('a plugin without plugin.health is as healthy as its process', async () => {
  const { end, raw } = await started();
  const health = end.health!(1000);
  await replyError(raw, { code: -32601, message: 'Method not found' });
  expect(await health).toMatchObject({ status: 'ok' });
});

test('a health that fails is bad health', async () => {
  const { end, raw } = await started();
  const health = end.health!(1000);
  await replyError(raw, { code: -32603, message: 'boom', data: { at: 'line 3' } });
  expect(await health).toEqual({ status: 'error', message: 'boom', details: { at: 'line 3' } });
});

// requirement: yams:host:call-timeout, yams:process:timeout-configurable
test.each([1000, 3000])('a health check over its limit of %d ms is an error', async (limitMs) => {
  const clock = fakeClock();
  const { end, raw } = await started({ clock });
  const asked = [
    end.health!(limitMs),
    end.ping!(limitMs),
    end.extractor!.supports({ extension: '.md' }, limitMs),
  ];
  const settled = Promise.allSettled(asked);
  await raw.take(3);
  clock.advance(limitMs - 1);
  expect(clock.waiting).toBeGreaterThan(0);
  clock.advance(1);
  const error = expect.objectContaining({ code: 'CALL_TIMEOUT' }) as Error;
  expect(await settled).toEqual(asked.map(() => ({ status: 'rejected', reason: error })));
});

// requirement: yams:principle:batching, yams:overview:tooling
test('answers that come as one batch, in any order, are those of their calls', async () => {
  const { end, raw } = await started();
  const calls = ['one', 'two'].map((tool) => callAndHear(end, { tool }));
  const [first, second] = [await raw.nextRequest(), await raw.nextRequest()];
  raw.send([
    { jsonrpc: '2.0', id: second.id, error: { code: -32602, message: 'no' } },
    { jsonrpc: '2.0', id: String(first.id), result: 'yes' },
  ]);
  expect(await calls[0]?.answer).toEqual({ ok: true, text: 'yes' });
  expect(await calls[1]?.answer).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
});

test('plugin.health is the sign of life of an idle plugin', async () => {
  expect(yams.traits.limits).toMatchObject({ pingEveryMs: 10_000, pingMs: 3000 });
  const { end, raw } = await started();
  const ping = end.ping!(1000);
  await reply(raw, 'plugin.health', { status: 'ok' });
  await ping;
});

test.each([
  ['a result of any kind', { result: 17 }],
  ['that there is no such method', { error: { code: -32601, message: 'Method not found' } }],
  ['any other error', { error: { code: -32603, message: 'boom' } }],
  ['what is no JSON-RPC', { error: 'boom' }],
])('%s is a sign of life', async (_, answer) => {
  const { end, raw } = await started();
  const ping = end.ping!(1000);
  const { id } = await raw.nextRequest();
  raw.send({ jsonrpc: '2.0', id, ...answer });
  await expect(ping).resolves.toBeUndefined();
});

test('a ping over a pipe that ends is rejected', async () => {
  const { end, raw } = await started();
  const ping = end.ping!(1000);
  raw.end();
  await expect(ping).rejects.toMatchObject({ code: 'PIPE_ENDED' });
});

// requirement: yams:shutdown:required
test.each([
  ['null', { result: null }],
  ['a status', { result: { status: 'ok' } }],
  ['an error', { error: { code: -32601, message: 'Method not found' } }],
  ['nonsense', { error: 3 }],
])('a shutdown that is answered with %s is over', async (_, answer) => {
  const { end, raw } = await started();
  const over = end.shutdown(1000);
  const { id, method } = await raw.nextRequest();
  expect(method).toBe('plugin.shutdown');
  raw.send({ jsonrpc: '2.0', id, ...answer });
  await over;
});

test('a shutdown that the plugin answers by leaving is over', async () => {
  const { end, raw } = await started();
  const over = end.shutdown(1000);
  await raw.nextRequest();
  raw.end();
  await over;
  expect(await end.ended).toEqual({ kind: 'ended' });
  await end.shutdown(1000);
});

test('a shutdown that is not answered is over at its limit', async () => {
  const clock = fakeClock();
  const { end, raw } = await started({ clock });
  const over = end.shutdown(5000);
  await raw.nextRequest();
  clock.advance(4999);
  expect(clock.waiting).toBeGreaterThan(0);
  clock.advance(1);
  await expect(over).resolves.toBeUndefined();
});

// requirement: yams:process:crash, yams:host:recovery
test('calls under way end with the pipe, and later ones at once', async () => {
  const { end, raw } = await started();
  const first = callAndHear(end, { tool: 'a' });
  const second = callAndHear(end, { tool: 'b' });
  raw.end();
  const error = { code: 'PIPE_ENDED', message: expect.stringContaining('"the-plugin"') as string };
  expect(await first.answer).toMatchObject({ ok: false, error });
  expect(await second.answer).toMatchObject({ ok: false, error });
  const third = callAndHear(end, { tool: 'c' });
  expect(await third.answer).toMatchObject({ ok: false, error });
  expect(third.wireCall.cancel('too late')).toBe('free');
});

test('closing fails what is under way and ends the pipe', async () => {
  const { end, raw } = await started();
  const { answer } = callAndHear(end, { tool: 'a' });
  end.close();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'PEER_CLOSED' } });
  await raw.inputEnded;
  await end.ended;
});

// requirement: yams:principle:synchronous
test('each answer reaches its call, in whatever order they come', async () => {
  const { end, raw } = await started();
  const first = callAndHear(end, { tool: 'a' });
  const second = callAndHear(end, { tool: 'b' });
  const [one, two] = [await raw.nextRequest(), await raw.nextRequest()];
  raw.answer(two.id, 'second');
  raw.answer(one.id, 'first');
  raw.answer(one.id, 'again');
  expect(await first.answer).toEqual({ ok: true, text: 'first' });
  expect(await second.answer).toEqual({ ok: true, text: 'second' });
});

test('a call cannot be taken back: its end comes when the plugin has finished', async () => {
  const { end, raw } = await started();
  const { answer, wireCall } = callAndHear(end, { tool: 'slow' });
  const { id } = await raw.nextRequest();
  expect(wireCall.cancel('changed my mind')).toBe('occupied');
  raw.answer(id, 'late');
  expect(await answer).toEqual({ ok: true, text: 'late' });
  expect(wireCall.cancel('still')).toBe('free');
  expect(raw.received).toHaveLength(3);
});

// requirement: yams:request:method-case
test('any method can be called, spelled as it was', async () => {
  const { end, raw } = await started();
  const { answer } = callAndHear(end, { tool: 'Graph.Nodes', args: { page: 2 } });
  expect(await reply(raw, 'Graph.Nodes', [1, 2])).toEqual({ page: 2 });
  expect(await answer).toEqual({ ok: true, data: [1, 2] });
});

test.each(['handshake.manifest', 'plugin.init', 'plugin.shutdown'])('%s is not for callers', async (tool) => {
  const { end, raw } = await started();
  const { answer, wireCall } = callAndHear(end, { tool });
  expect(await answer).toEqual({
    ok: false,
    error: {
      code: 'UNKNOWN_TOOL',
      message: `Only the host of plugin "the-plugin" sends ${tool}; it cannot be called as a tool.`,
    },
  });
  expect(wireCall.cancel('anyway')).toBe('free');
  expect(raw.received).toHaveLength(2);
});

test('extractor.extract is a tool, and a source of one word is a path', async () => {
  const { end, raw } = await started();
  const typed = callAndHear(end, {
    tool: 'extractor.extract',
    args: { source: 'notes.md', options: { depth: 1 } },
    context: { workdir: '/home/someone' },
  });
  expect(await reply(raw, 'extractor.extract', { success: true, content: 'Notes' })).toEqual({
    source: { type: 'path', path: '/home/someone/notes.md' },
    options: { depth: 1 },
  });
  expect(await typed.answer).toEqual({ ok: true, text: 'Notes' });

  const source = { type: 'bytes', data: 'Tm90ZXM=' };
  const whole = callAndHear(end, { tool: 'extractor.extract', args: { source } });
  expect(await reply(raw, 'extractor.extract', { text: 'Notes', metadata: null, error: null })).toEqual({
    source,
  });
  expect(await whole.answer).toEqual({ ok: true, text: 'Notes', data: { metadata: null } });
});

test('a call that cannot be sent ends at once with the reason', async () => {
  const { end } = await started();
  const args = { text: 'x'.repeat(17 * 1024 * 1024) };
  const { answer } = callAndHear(end, { tool: 'a', args });
  expect(await answer).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
});

test('an answer over the limit for messages fails its call alone', async () => {
  const { end, raw } = await started({ spec: { limits: { messageBytes: 1000 } } });
  const large = callAndHear(end, { tool: 'a' });
  raw.answer((await raw.nextRequest()).id, 'x'.repeat(1000));
  expect(await large.answer).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
  const small = callAndHear(end, { tool: 'a' });
  raw.answer((await raw.nextRequest()).id, 'x');
  expect(await small.answer).toEqual({ ok: true, text: 'x' });
});

// requirement: yams:request:id-omitted
test('notifications, stale answers and noise during a call change nothing', async () => {
  const { end, raw } = await started();
  const { answer, events } = callAndHear(end, { tool: 'a' });
  const { id } = await raw.nextRequest();
  raw.notify('plugin.progress', { percent: 50 });
  raw.sendText('Traceback (most recent call last):', '{"progress":50}', '123');
  raw.send(
    { jsonrpc: '2.0', id: 77, result: 'stale' },
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } },
  );
  raw.send({ jsonrpc: '2.0', id, result: 'good', error: null });
  expect(await answer).toEqual({ ok: true, text: 'good' });
  expect(events).toEqual([]);
});

test('one sink that throws does not keep others from their answers', async () => {
  const { end, raw, told } = await started();
  end.call(
    { tool: 'a', args: {}, timeoutMs: 1000 },
    {
      event: () => {},
      end: () => {
        throw new Error('of the caller');
      },
    },
  );
  const other = hear((sink) => end.call({ tool: 'b', args: {}, timeoutMs: 1000 }, sink));
  await reply(raw, 'a', 1);
  await reply(raw, 'b', 2);
  expect(await other.answer).toEqual({ ok: true, data: 2 });
  expect(told.troubles).toMatchObject([{ kind: 'thrown' }]);
});
