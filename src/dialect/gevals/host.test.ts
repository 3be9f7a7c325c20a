// A call of an operation, from what is sent to how it ends; and the goodbye.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { callAndHear, hostAndRawEnd, type Heard } from '../../../test/support/dialect/dialect-host.ts';
import { introducedTo, plainManifest } from '../../../test/support/dialect/gevals/host-end.ts';
import type { RawEnd } from '../../../test/support/channel/raw-end.ts';
import { parseDuration } from '../../base/units.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import type { WirePort } from '../host-dialect.ts';
import { hostDialects } from '../hosts.ts';
import { gevals } from './host.ts';

test('the dialect is in the list and says what holds for it', async () => {
  expect(await hostDialects.gevals?.()).toBe(gevals);
  expect(gevals).toMatchObject({
    name: 'gevals',
    traits: { limits: { startMs: 10_000, callMs: 30_000, shutdownMs: 5000, pingEveryMs: 0 }, concurrency: 1 },
  });
});

describe('execute', () => {
  // requirement: gevals:execute:operation, gevals:execute:args, gevals:execute:context
  test('tells operation, args and context, each always there', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    callAndHear(end, { tool: 'apply', timeoutMs: Infinity });
    expect((await raw.nextRequest()).params).toEqual({
      operation: 'apply',
      args: {},
      context: { workdir: process.cwd(), phase: 'setup' },
    });
  });

  test('args go out as they are', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const args = { text: 'é😀\n', number: -1.5, nothing: null, list: [1, [2]], object: { a: {} } };
    callAndHear(end, { tool: 'apply', args });
    expect(await raw.nextRequest()).toMatchObject({ params: { args } });
  });

  // requirement: gevals:context:workdir
  test.each([
    ['that of the call', '/of/call', '/of/plugin', '/of/call'],
    ['that of the plugin', undefined, '/of/plugin', '/of/plugin'],
    ['that of the host', undefined, undefined, process.cwd()],
    ['absolute where the call says a relative one', 'task', '/of/plugin', path.resolve('task')],
    ['absolute where the plugin says a relative one', undefined, 'plugin', path.resolve('plugin')],
  ])('the workdir is %s', async (_, ofCall, ofPlugin, expected) => {
    const start = {
      kind: 'program' as const,
      command: 'x',
      ...(ofPlugin === undefined ? {} : { cwd: ofPlugin }),
    };
    const { end, raw } = await introducedTo(plainManifest, { spec: { start } });
    callAndHear(end, { tool: 'apply', context: ofCall === undefined ? {} : { workdir: ofCall } });
    expect(await raw.nextRequest()).toMatchObject({ params: { context: { workdir: expected } } });
  });

  // requirement: gevals:context:phase, gevals:context:phase-setup, gevals:context:phase-verify, gevals:context:phase-cleanup
  test.each([
    ['setup', 'setup'],
    ['verify', 'verify'],
    ['cleanup', 'cleanup'],
    [undefined, 'setup'],
  ] as const)('a call in phase %s says %s', async (phase, expected) => {
    const { end, raw } = await introducedTo(plainManifest);
    callAndHear(end, { tool: 'apply', context: phase === undefined ? {} : { phase } });
    expect(await raw.nextRequest()).toMatchObject({ params: { context: { phase: expected } } });
  });

  // requirement: gevals:context:agent, gevals:agent:verify-only, gevals:agent:prompt, gevals:agent:output
  test.each([
    ['verify', { prompt: 'p', output: 'o' }, { phase: 'verify', agent: { prompt: 'p', output: 'o' } }],
    ['verify', { output: 'o' }, { phase: 'verify', agent: { output: 'o' } }],
    ['verify', undefined, { phase: 'verify' }],
    [undefined, { prompt: 'p' }, { phase: 'verify', agent: { prompt: 'p' } }],
    ['setup', { prompt: 'p', output: 'o' }, { phase: 'setup' }],
    ['cleanup', { prompt: 'p', output: 'o' }, { phase: 'cleanup' }],
  ] as const)('in phase %s with an agent %j', async (phase, agent, expected) => {
    const { end, raw } = await introducedTo(plainManifest);
    callAndHear(end, {
      tool: 'apply',
      context: { workdir: '/', ...(phase && { phase }), ...(agent && { agent }) },
      timeoutMs: Infinity,
    });
    expect(await raw.nextRequest()).toMatchObject({ params: { context: { ...expected } } });
    expect(raw.received.at(-1)).toHaveProperty('params.context', { workdir: '/', ...expected });
  });

  // requirement: gevals:context:env
  test('env goes out as it is, and not at all when there is none', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    callAndHear(end, { tool: 'apply', context: { env: { A: '1', B: '' } } });
    expect(await raw.nextRequest()).toHaveProperty('params.context.env', { A: '1', B: '' });
    callAndHear(end, { tool: 'apply' });
    expect(await raw.nextRequest()).not.toHaveProperty('params.context.env');
  });

  // requirement: gevals:context:timeout, gevals:duration:go-syntax, gevals:duration:seconds, gevals:duration:minutes
  // requirement: gevals:duration:hours-and-minutes, gevals:duration:milliseconds
  test.each([
    [30_000, '30s'],
    [300_000, '5m'],
    [5_400_000, '1h30m'],
    [100, '100ms'],
    [0.2, '1ms'],
  ])('a limit of %d ms is told as %s', async (timeoutMs, timeout) => {
    const { end, raw } = await introducedTo(plainManifest);
    callAndHear(end, { tool: 'apply', timeoutMs });
    expect(await raw.nextRequest()).toHaveProperty('params.context.timeout', timeout);
    expect(parseDuration(timeout)).toEqual({ ms: Math.ceil(timeoutMs) });
  });

  test.each([Infinity, 1e300])(
    'a limit of %d ms, for which Go has no word, is not told',
    async (timeoutMs) => {
      const { end, raw } = await introducedTo(plainManifest);
      callAndHear(end, { tool: 'apply', timeoutMs });
      expect(await raw.nextRequest()).not.toHaveProperty('params.context.timeout');
    },
  );

  // requirement: gevals:lifecycle:execute-many, gevals:lifecycle:result-each, gevals:transport:json-rpc
  test('any number of calls, each with its own id from 1 on and its own result', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    for (let id = 2; id < 10; id++) {
      const { answer } = callAndHear(end, { tool: 'apply' });
      expect(await raw.nextRequest()).toMatchObject({ jsonrpc: '2.0', id, method: 'execute' });
      raw.answer(id, { success: true, message: `number ${id}` });
      expect(await answer).toEqual({ ok: true, text: `number ${id}` });
    }
  });

  test('calls that are answered in another order get their own results', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const first = callAndHear(end, { tool: 'apply' });
    const second = callAndHear(end, { tool: 'wait' });
    const [one, two] = (await raw.take(2)) as { id: number }[];
    raw.answer(two?.id, { success: true, message: 'second' });
    raw.answer(one?.id, { success: true, message: 'first' });
    expect(await Promise.all([first.answer, second.answer])).toEqual([
      { ok: true, text: 'first' },
      { ok: true, text: 'second' },
    ]);
  });
});

describe('log', () => {
  // requirement: gevals:log:level, gevals:log:message, gevals:log:data, gevals:lifecycle:logs
  // requirement: gevals:log:level-debug, gevals:log:level-info, gevals:log:level-warn, gevals:log:level-error
  test.each([
    [
      { level: 'debug', message: 'm' },
      { level: 'debug', message: 'm' },
    ],
    [
      { level: 'info', message: 'm' },
      { level: 'info', message: 'm' },
    ],
    [
      { level: 'warn', message: 'm' },
      { level: 'warn', message: 'm' },
    ],
    [
      { level: 'error', message: 'm' },
      { level: 'error', message: 'm' },
    ],
    [
      { level: 'error', message: 'm', data: { a: [1] } },
      { level: 'error', message: 'm', data: { a: [1] } },
    ],
    [
      { level: 'trace', message: 'm' },
      { level: 'info', message: 'm' },
    ],
    [
      { level: 7, message: 'm' },
      { level: 'info', message: 'm' },
    ],
    [{ message: 'm' }, { level: 'info', message: 'm' }],
    [
      { level: 'info', message: 'm', data: null },
      { level: 'info', message: 'm' },
    ],
    [
      { level: 'info', data: { a: 1 } },
      { level: 'info', message: '', data: { a: 1 } },
    ],
  ])('%j', async (params, entry) => {
    const { end, raw, told } = await introducedTo(plainManifest);
    const { answer, events } = callAndHear(end, { tool: 'apply' });
    const { id } = await raw.nextRequest();
    raw.notify('log', params);
    raw.answer(id, { success: true });
    await answer;
    expect(events).toEqual([{ kind: 'log', ...entry }]);
    expect(told).toMatchObject({ logs: [], troubles: [] });
  });

  // requirement: gevals:log:notification
  test('is heard outside of calls too: before the manifest, between calls and after them, and never answered', async () => {
    const { raw, connected, told } = hostAndRawEnd(gevals, 'lines');
    await raw.nextRequest();
    raw.notify('log', { level: 'info', message: 'before' });
    raw.answer(1, plainManifest);
    const end = await connected;
    raw.notify('log', { level: 'warn', message: 'between' });
    const { answer, events } = await logged(end, raw);
    raw.notify('log', { level: 'error', message: 'after' });
    await answer;
    await logged(end, raw);
    expect(told.logs).toEqual([
      { level: 'info', message: 'before' },
      { level: 'warn', message: 'between' },
      { level: 'error', message: 'after' },
    ]);
    expect(events).toEqual([{ kind: 'log', level: 'info', message: 'in the call' }]);
    expect(raw.received.map((message) => (message as { method?: string }).method)).toEqual([
      'initialize',
      'execute',
      'execute',
    ]);
  });

  test('belongs to the oldest of several calls', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const first = callAndHear(end, { tool: 'apply' });
    const second = callAndHear(end, { tool: 'apply' });
    await raw.take(2);
    raw.notify('log', { level: 'info', message: 'one' });
    raw.answer(2, { success: true });
    raw.notify('log', { level: 'info', message: 'two' });
    raw.answer(3, { success: true });
    await Promise.all([first.answer, second.answer]);
    expect(first.events).toEqual([{ kind: 'log', level: 'info', message: 'one' }]);
    expect(second.events).toEqual([{ kind: 'log', level: 'info', message: 'two' }]);
  });

  test.each([
    [['a'], 'log is ["a"]; expected an object'],
    [undefined, 'log is missing; expected an object'],
    [{ level: 'info', message: 5 }, 'log.message is 5; expected a string'],
  ])('params %j are survived and told', async (params, reason) => {
    const { end, raw, told } = await introducedTo(plainManifest);
    raw.notify('log', params);
    await logged(end, raw);
    expect(told.troubles).toMatchObject([{ kind: 'invalid', reason }]);
  });
});

describe('noise', () => {
  // requirement: gevals:transport:stdout, gevals:transport:lines, gevals:transport:utf-8
  test('lines that are no messages are told and survived, blank ones passed over', async () => {
    const { raw, connected, told } = hostAndRawEnd(gevals, 'lines');
    await raw.nextRequest();
    raw.write('Loading…\n\n\r\n{"half": \n[1,2\n');
    raw.answer(1, { ...plainManifest, description: 'é😀' });
    const end = await connected;
    raw.write('{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0","method":"unknown","params":{}}\n');
    const { answer } = await logged(end, raw);
    expect(await answer).toEqual({ ok: true });
    expect(end.manifest.description).toBe('é😀');
    expect(told.troubles.map((trouble) => ('text' in trouble ? trouble.text : trouble))).toEqual([
      'Loading…',
      '{"half": ',
      '[1,2',
    ]);
    // Nobody is told off for it: a real extension would take that for a request.
    expect(raw.received).toHaveLength(2);
  });

  test('Go escapes <, > and & in JSON', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const { answer } = callAndHear(end, { tool: 'apply' });
    await raw.nextRequest();
    raw.sendText(
      String.raw`{"jsonrpc":"2.0","id":2,"result":{"success":true,"message":"a \u003c b \u0026 c"}}`,
    );
    expect(await answer).toEqual({ ok: true, text: 'a < b & c' });
  });
});

describe('cancel', () => {
  // requirement: gevals:scope:no-cancellation
  test('has no words on the wire: the call goes on and its end is told', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const { answer, wireCall } = callAndHear(end, { tool: 'apply' });
    const { id } = await raw.nextRequest();
    expect(wireCall.cancel('enough')).toBe('occupied');
    raw.answer(id, { success: true, message: 'late' });
    expect(await answer).toEqual({ ok: true, text: 'late' });
    expect(wireCall.cancel('again')).toBe('free');
    expect(raw.received).toHaveLength(2);
  });
});

describe('shutdown', () => {
  // requirement: gevals:lifecycle:shutdown
  test('asks, and is over with the answer', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const gone = end.shutdown(60_000);
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 2, method: 'shutdown', params: {} });
    raw.answer(2, {});
    await gone;
  });

  test.each([
    ['ends without an answer', (raw: { end(): void }) => raw.end()],
    ['is gone', (raw: { destroy(): void }) => raw.destroy()],
  ])('an extension that %s needs no more words', async (_, leave) => {
    const { end, raw } = await introducedTo(plainManifest);
    const gone = end.shutdown(60_000);
    await raw.nextRequest();
    leave(raw);
    await expect(gone).resolves.toBeUndefined();
    await expect(end.shutdown(60_000)).resolves.toBeUndefined();
  });

  test('an extension that refuses may be ended', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const gone = end.shutdown(60_000);
    await raw.nextRequest();
    raw.send({ jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found' } });
    await expect(gone).resolves.toBeUndefined();
  });

  test('an extension that says nothing is waited for so long and no longer', async () => {
    const clock = fakeClock();
    const { end, raw } = await introducedTo(plainManifest, { clock });
    let isOver = false;
    const gone = end.shutdown(5000).then(() => (isOver = true));
    await raw.nextRequest();
    clock.advance(4999);
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    clock.advance(1);
    await gone;
    expect(clock.waiting).toBe(0);
  });

  test('a call under way still gets its answer', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const { answer } = callAndHear(end, { tool: 'apply' });
    const gone = end.shutdown(60_000);
    await raw.take(2);
    raw.answer(2, { success: true });
    raw.answer(3, {});
    expect(await answer).toEqual({ ok: true });
    await gone;
  });
});

test('close fails what is under way and closes the pipe', async () => {
  const { end, raw } = await introducedTo(plainManifest);
  const { answer } = callAndHear(end, { tool: 'apply' });
  await raw.nextRequest();
  end.close();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'PEER_CLOSED' } });
  await raw.inputEnded;
  await end.ended;
});

/** A call that logs once. When it has ended, all that came before it was heard. */
async function logged(end: WirePort, raw: RawEnd): Promise<Heard> {
  const heard = callAndHear(end, { tool: 'apply' });
  const { id } = await raw.nextRequest();
  raw.notify('log', { level: 'info', message: 'in the call' });
  raw.answer(id, { success: true });
  await heard.answer;
  return heard;
}
