// What holds for a host however it is reached: in this process, over a port, over a socket.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ways } from '../../../test/support/surface/test-runtime.ts';
import { type CallEvent, result } from '../../definition/outcome.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { LogRecord } from '../../fleet/plugin/logs/log-book.ts';
import type { TrafficEntry } from '../../fleet/recording/traffic.ts';
import { parseCassette } from '../../fleet/recording/cassette.ts';
import type { RuntimeEvent } from '../../runtime/api.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe.each(Object.entries(ways))('%s', (_, open) => {
  test('tells how it is, which plugins there are, and what they can do', async () => {
    const { remote } = await open();
    expect(await remote.health()).toEqual({
      status: 'ok',
      version: '1.2.3',
      uptimeMs: expect.any(Number) as number,
      plugins: { ready: 1, total: 1 },
      // What it says depends on the machine.
      sandbox: expect.any(Object) as object,
    });
    const { plugins, problems } = await remote.plugins();
    expect(problems).toEqual([]);
    expect(plugins).toMatchObject([
      {
        name: 'greeter',
        origin: 'in-process',
        dialect: 'in-process',
        state: 'ready',
        restarts: 0,
        pids: [],
        tools: 6,
        stats: { calls: 0, failures: 0, running: 0, waiting: 0, p50Ms: 0, p99Ms: 0 },
      },
    ]);
    expect(plugins[0]?.stats.perSecond).toHaveLength(60);
    const details = await remote.plugin('greeter');
    expect(details).toMatchObject({
      version: '2.0.0',
      instructions: 'Greet everybody.',
      health: { status: 'ok' },
      commands: [{ name: 'greeter__hello', plugin: 'greeter' }],
    });
    expect(details.tools.map(({ name }) => name)).toContain('greeter__greet');
    const tools = await remote.tools();
    expect(tools.find(({ name }) => name === 'greeter__greet')).toMatchObject({
      plugin: 'greeter',
      enabled: true,
      clients: true,
      tool: { name: 'greet', inputSchema: { required: ['name'] } },
    });
    await expect(remote.plugin('gretter')).rejects.toMatchObject({
      code: 'UNKNOWN_PLUGIN',
      message: expect.stringContaining('greeter') as string,
    });
  });

  test('a tool that is switched off is listed as such', async () => {
    const { remote, runtime } = await open();
    runtime.registry.disableTool('greet');
    expect((await remote.tools()).find(({ name }) => name === 'greeter__greet')).toMatchObject({
      enabled: false,
    });
  });

  test('calls end with an outcome, good or bad, and are counted', async () => {
    const { remote } = await open();
    const call = remote.call('greet', { name: 'Ada' });
    expect(await call).toEqual({ ok: true, text: 'Hello Ada', durationMs: expect.any(Number) as number });
    expect(call.id).not.toBe('');
    expect(call.tool).toBe('greet');
    expect(await remote.call('greet')).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
    expect(await remote.call('fail')).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
    expect(await remote.call('gret')).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL' } });
    const data = { __proto__: { a: 1 }, 'ü\u2028\n': ['x', null, 1.5] };
    expect(await remote.call('echo', JSON.parse(JSON.stringify(data)) as typeof data)).toMatchObject({
      ok: true,
    });
    const { stats } = await remote.plugin('greeter');
    expect(stats).toMatchObject({ calls: 3, failures: 1, running: 0 });
    expect(stats.p99Ms).toBeGreaterThan(0);
    expect(stats.perSecond.reduce((sum, count) => sum + count)).toBe(3);
  });

  test('what a call says comes in order, before its end', async () => {
    const { remote } = await open();
    const call = remote.call('count');
    const events: CallEvent[] = [];
    for await (const event of call) events.push(event);
    expect(events).toEqual([
      { kind: 'text', text: 'one ' },
      { kind: 'text', text: 'two ' },
    ]);
    expect(await call.outcome).toMatchObject({ ok: true, text: 'one two three' });
    const large = remote.call('large');
    let size = 0;
    for await (const event of large) if (event.kind === 'text') size += event.text.length;
    expect(size).toBe(200 * 64 * 1024);
  });

  test('a call is cancelled by its caller, by a signal, and at once', async () => {
    const { remote, waiting, cancelled } = await open();
    const call = remote.call('wait');
    await waiting;
    expect((await remote.plugin('greeter')).stats.running).toBe(1);
    call.cancel('enough');
    expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED', message: 'enough' } });
    await cancelled;
    const aborted = AbortSignal.abort();
    expect(await remote.call('wait', {}, { signal: aborted })).toMatchObject({
      error: { code: 'CALL_CANCELLED' },
    });
    const limited = await remote.call('wait', {}, { timeoutMs: 20 });
    expect(limited).toMatchObject({ ok: false, error: { code: 'CALL_TIMEOUT' } });
  });

  test('commands are listed, completed and run', async () => {
    const { remote } = await open();
    expect(await remote.commands()).toMatchObject([
      { name: 'greeter__hello', plugin: 'greeter', command: { parameters: [{ name: 'who' }] } },
    ]);
    expect(await remote.complete('hello', 'who', 'a&=b ')).toEqual(['a&=b 1', 'a&=b 2']);
    await expect(remote.complete('helo', 'who', '')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
    expect(await remote.run('hello', { who: 'Bo' })).toMatchObject({ ok: true, text: 'hello Bo' });
    expect(await remote.run('helo')).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL' } });
  });

  test('a tool or command is found by its name, also with that of its plugin', async () => {
    const { remote } = await open();
    for (const name of ['greet', 'greeter__greet'])
      expect(await remote.tool(name)).toMatchObject({
        name: 'greeter__greet',
        plugin: 'greeter',
        tool: { name: 'greet' },
        enabled: true,
        clients: true,
      });
    await expect(remote.tool('gret')).rejects.toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: expect.stringContaining('greet') as string,
    });
    for (const name of ['hello', 'greeter__hello'])
      expect(await remote.command(name)).toMatchObject({ name: 'greeter__hello', plugin: 'greeter' });
    await expect(remote.command('helo')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
  });

  test('who is not exposed is asked for it, where that is wanted; what is configured now is read again', async () => {
    const { remote, runtime } = await open({ talker: true });
    const names = async (options?: { ask: boolean }) =>
      new Set((await remote.tools(options)).map(({ plugin }) => plugin));
    await runtime.registry.unexposeTool('talker');
    expect(await names()).toEqual(new Set(['greeter']));
    expect(await names({ ask: true })).toEqual(new Set(['greeter', 'talker']));
    await runtime.registry.unexposeTool('talker');
    expect(await remote.tool('talker__count')).toMatchObject({ plugin: 'talker', tool: { name: 'count' } });
    await runtime.registry.unexposeAll();
    expect(await remote.commands()).toEqual([]);
    expect(await remote.commands({ ask: true })).toMatchObject([{ name: 'greeter__hello' }]);
    expect((await remote.plugin('greeter', { ask: true })).manifest).toMatchObject({
      name: 'greeter',
      dialect: 'in-process',
    });
    expect((await remote.plugin('talker', { ask: true })).manifest).toMatchObject({ dialect: 'gassist' });
    await expect(remote.plugin('nobody', { ask: true })).rejects.toMatchObject({ code: 'UNKNOWN_PLUGIN' });

    const file = path.join(runtime.folders.state, '..', 'pluglot.json');
    const { plugins } = JSON.parse(fs.readFileSync(file, 'utf8')) as { plugins: Record<string, unknown> };
    fs.writeFileSync(file, JSON.stringify({ plugins: { ...plugins, second: plugins['talker'] } }));
    const known = async (options?: { fresh: boolean }) =>
      (await remote.plugins(options)).plugins.map(({ name }) => name);
    expect(await known()).not.toContain('second');
    expect(await known({ fresh: true })).toContain('second');
  });

  test('what was logged before somebody stops to follow is told, and nothing twice', async () => {
    const { remote } = await open({ talker: true });
    const log = () => remote.call('talker__echo', { value: 'x' });
    const seqs = async (options: object) => {
      const all: number[] = [];
      for await (const { seq } of remote.logs('talker', options)) all.push(seq);
      return all;
    };
    await log();
    const kept = await seqs({});
    expect(kept.length).toBeGreaterThan(1);
    expect(kept).toEqual(kept.map((_, index) => index + 1));
    expect(await seqs({ after: 1 })).toEqual(kept.slice(1));
    for (let round = 0; round < 20; round += 1) {
      const over = new AbortController();
      const followed = seqs({ follow: true, signal: over.signal });
      await log();
      over.abort();
      expect(await followed).toEqual(await seqs({}));
    }
  });

  test('a question is seen, told of, and answered', async () => {
    const { remote } = await open();
    const told = new Promise<readonly string[]>((resolve) => {
      remote.approvals.onChanged((pending) => {
        if (pending.length > 0) resolve(pending.map(({ tool }) => tool));
      });
    });
    const events: RuntimeEvent[] = [];
    remote.onEvent((event) => void events.push(event));
    // Over a connection, nothing is heard before it is there.
    const asModel = { caller: { kind: 'model', name: 'm' } } as const;
    const call = remote.call('greet', { name: 'Cy', token: 'sk-1234567890abcdef1234' }, asModel);
    await expect.poll(() => remote.approvals.pending()).toHaveLength(1);
    const [question] = await remote.approvals.pending();
    expect(question).toMatchObject({
      tool: 'greeter__greet',
      plugin: 'greeter',
      caller: { kind: 'model', name: 'm' },
    });
    expect(JSON.stringify(question)).not.toContain('sk-1234567890abcdef1234');
    expect(await remote.approvals.answer('no-such', { kind: 'deny', scope: 'once', by: 'me' })).toBe(false);
    expect(
      await remote.approvals.answer(question?.id ?? '', { kind: 'allow', scope: 'once', by: 'me' }),
    ).toBe(true);
    expect(await call).toMatchObject({ ok: true, text: 'Hello Cy' });
    const next = remote.call('greet', { name: 'Di' }, asModel);
    expect(await told).toEqual(['greeter__greet']);
    await expect.poll(() => remote.approvals.pending()).toHaveLength(1);
    const [other] = await remote.approvals.pending();
    await remote.approvals.answer(other?.id ?? '', { kind: 'deny', scope: 'once', by: 'me', comment: 'no' });
    expect(await next).toMatchObject({ ok: false, error: { code: 'PERMISSION_DENIED' } });
    await expect.poll(() => events.map(({ kind }) => kind)).toContain('approvals');
  });

  test('the audit is read, filtered and verified; a call’s trace stands in it', async () => {
    const { remote } = await open();
    await remote.call('greet', { name: 'Ada' }, { trace: { traceparent } });
    await remote.call('count', {}, { caller: { kind: 'client', name: 'c' } });
    await remote.call('nothing');
    const { records, verified } = await remote.audit({ verify: true });
    expect(verified).toMatchObject({ ok: true });
    const decided = records.flatMap(({ event }) => (event.kind === 'decided' ? [event] : []));
    expect(decided.map(({ name, allowed }) => `${name} ${allowed}`)).toEqual([
      'greeter__greet true',
      'greeter__count true',
      'nothing false',
    ]);
    expect(decided[0]?.trace).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
    expect(decided[1]?.trace).toMatch(/^[\da-f]{32}$/);
    const names = async (filter: Parameters<typeof remote.audit>[0]) =>
      (await remote.audit(filter)).records.flatMap(({ event }) =>
        event.kind === 'decided' ? [event.name] : [],
      );
    expect(await names({ tool: 'greet' })).toEqual(['greeter__greet']);
    expect(await names({ denied: true })).toEqual(['nothing']);
    expect(await names({ caller: 'client' })).toEqual(['greeter__count']);
    expect(await names({ limit: 1 })).toEqual(['nothing']);
    expect(await names({ since: Date.now() + 60_000 })).toEqual([]);
  });

  test('plugins are stopped and started, and that is told', async () => {
    const { remote } = await open();
    const events: RuntimeEvent[] = [];
    const end = remote.onEvent((event) => void events.push(event));
    expect(await remote.stop('greeter')).toMatchObject({ state: 'stopped' });
    expect(await remote.call('greet', { name: 'x' })).toMatchObject({ ok: false });
    expect(await remote.start('greeter')).toMatchObject({ state: 'ready' });
    expect(await remote.restart('greeter')).toMatchObject({ state: 'ready' });
    expect(await remote.call('greet', { name: 'x' })).toMatchObject({ ok: true });
    // A connection for events may come after the first of them.
    await expect
      .poll(async () => {
        await remote.restart('greeter');
        return events.map(({ kind }) => kind);
      })
      .toEqual(expect.arrayContaining(['plugin', 'tools']) as string[]);
    for (const action of ['start', 'stop', 'restart'] as const)
      await expect(remote[action]('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_PLUGIN' });
    end();
  });

  test('a plugin with a process: its state, traffic, logs, recordings and conversations', async () => {
    const { remote, state } = await open({ talker: true });
    const entries: TrafficEntry[] = [];
    remote.traffic.onEntry((entry) => void entries.push(entry));
    const view = (await remote.plugins()).plugins.find(({ name }) => name === 'talker');
    expect(view).toMatchObject({
      origin: 'process',
      dialect: 'gassist',
      state: 'ready',
      tools: 6,
      talks: true,
    });
    expect(view?.pids).toHaveLength(1);
    expect(view?.command).toContain('well-behaved.mjs');
    expect(view?.from).toContain('pluglot.json');
    expect(JSON.stringify(await remote.plugin('talker'))).not.toContain('sk-very-secret');

    const recording = await remote.recordings.start('talker', 'mine');
    expect(recording).toMatchObject({ plugin: 'talker', isLive: true, messages: 0 });
    expect(recording.file.startsWith(state)).toBe(true);
    await expect(remote.recordings.start('talker', '../mine')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    await expect(remote.recordings.start('greeter')).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(await remote.call('talker__count', { to: 2 })).toMatchObject({ ok: true });
    expect(await remote.call('talker__echo', { value: 'x' })).toMatchObject({ ok: true, text: 'x' });
    expect((await remote.recordings.list()).map(({ id }) => id)).toEqual([recording.id]);
    const done = await remote.recordings.stop(recording.id);
    expect(done.messages).toBeGreaterThan(1);
    expect(parseCassette(fs.readFileSync(done.file, 'utf8'), 'f').entries.length).toBeGreaterThan(1);
    await expect(remote.recordings.stop(recording.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });

    const page = await remote.traffic.since(0, { plugin: 'talker' });
    expect(page.entries[0]).toMatchObject({ seq: 1, plugin: 'talker', from: 'host', method: 'initialize' });
    expect(page.last).toBe(page.entries.at(-1)?.seq);
    expect((await remote.traffic.since(1, { limit: 1 })).entries.map(({ seq }) => seq)).toEqual([2]);
    const cassette = parseCassette(await remote.traffic.cassette('talker'), 'f');
    expect(cassette.header).toMatchObject({ plugin: 'talker', dialect: 'gassist' });
    expect(cassette.entries.length).toBe(page.entries.length);
    await expect
      .poll(async () => {
        await remote.call('talker__echo', { value: 'y' });
        return entries.map(({ method }) => method);
      })
      .toContain('execute');

    const logs: LogRecord[] = [];
    for await (const entry of remote.logs('talker')) logs.push(entry);
    expect(logs).toContainEqual(expect.objectContaining({ source: 'plugin', message: 'echo begins' }));
    const following = new AbortController();
    const followed: string[] = [];
    const reading = (async () => {
      for await (const { message } of remote.logs('talker', {
        follow: true,
        since: Date.now() + 1,
        signal: following.signal,
      }))
        followed.push(message);
    })();
    await expect
      .poll(async () => {
        await remote.call('surroundings');
        return followed;
      })
      .toContain('surroundings begins');
    following.abort();
    await reading;
    await expect(remote.logs('nobody')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'UNKNOWN_PLUGIN',
    });

    const talk = remote.talk('chat');
    expect(await talk.opening).toMatchObject({ ok: true, text: 'Go on.', keepSession: true });
    await expect.poll(() => talk.isOpen).toBe(true);
    const said = talk.say('hello');
    const texts: string[] = [];
    for await (const event of said) if (event.kind === 'text') texts.push(event.text);
    expect(texts.join('')).toBe('You said ');
    expect(await said).toMatchObject({ ok: true, text: 'You said hello', keepSession: true });
    expect(await talk.say('bye')).toMatchObject({ ok: true });
    expect(await talk.ended).toEqual({ reason: 'finished' });
    expect(await talk.say('more')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
    const left = remote.talk('chat');
    await left.opening;
    left.end();
    expect(await left.ended).toEqual({ reason: 'left' });
    expect(await remote.talk('greet', { name: 'x' }).opening).toMatchObject({
      error: { code: 'NOT_TALKING' },
    });
    expect(await remote.talk('nothing').ended).toMatchObject({
      reason: 'failed',
      error: { code: 'UNKNOWN_TOOL' },
    });
    // Nobody is left in the conversation, so the plugin works for others.
    expect(await remote.call('talker__echo', { value: 'z' })).toMatchObject({ ok: true });

    expect(await remote.stop('talker')).toMatchObject({ state: 'stopped', pids: [] });
    expect(await remote.restart('talker')).toMatchObject({ state: 'ready' });
  });

  test('conversations with a plugin of the host itself', async () => {
    const { remote, runtime } = await open();
    runtime.registry.registerPlugin(quiz());
    await runtime.registry.exposeTool('quiz');
    const { plugins } = await remote.plugins();
    expect(plugins.map(({ name, talks }) => [name, talks])).toEqual([
      ['greeter', false],
      ['quiz', true],
    ]);
    const talk = remote.talk('quiz');
    expect(await talk.opening).toMatchObject({ ok: true, text: 'What is 6 times 7?', keepSession: true });
    await expect.poll(() => talk.isOpen).toBe(true);
    const said = talk.say('41');
    const texts: string[] = [];
    for await (const event of said) if (event.kind === 'text') texts.push(event.text);
    expect(texts.join('')).toBe('Hm. ');
    expect(await said).toMatchObject({ ok: true, text: 'Hm. Try again.', keepSession: true });
    expect(await talk.say('42')).toMatchObject({ ok: true, text: 'Right.' });
    expect(await talk.ended).toEqual({ reason: 'finished' });
    const left = remote.talk('quiz');
    await left.opening;
    left.end();
    expect(await left.ended).toEqual({ reason: 'left' });
    // Nobody is in a conversation with it any more.
    expect(await remote.talk('quiz').opening).toMatchObject({ ok: true, keepSession: true });
    expect((await remote.plugin('quiz')).stats).toMatchObject({ calls: 5, failures: 0 });
  });

  test('what is closed ends what was begun', async () => {
    const { remote, waiting } = await open();
    const call = remote.call('wait');
    await waiting;
    const closed = remote.close();
    if (remote.approvals.pending === undefined) throw new Error('never');
    call.cancel();
    expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
    await closed;
  });
});

function quiz() {
  return definePlugin({
    name: 'quiz',
    version: '1.0.0',
    tools: { quiz: { handler: () => result({ text: 'What is 6 times 7?', keepSession: true }) } },
    onInput(content, { keepSession, stream }) {
      if (content === '42') return 'Right.';
      stream('Hm. ');
      keepSession();
      return 'Try again.';
    },
  });
}
