// One contract that every dialect's host end keeps.
import { describe, expect, test } from 'vitest';
import { plainManifest } from '../../test/support/dialect/gevals/host-end.ts';
import { introduceServer } from '../../test/support/dialect/mcp/raw-server.ts';
import { extractorManifest, reply } from '../../test/support/dialect/yams/host-end.ts';
import { gassist } from './gassist/host.ts';
import { gevals } from './gevals/host.ts';
import { hostDialects } from './hosts.ts';
import { mcp } from './mcp/host.ts';
import { planner } from './planner/host.ts';
import { yams } from './yams/host.ts';
import { PluglotError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import type { HostDialect, WirePort } from './host-dialect.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import {
  callAndHear,
  hear,
  hostAndRawEnd,
  type HostOptions,
  type Told,
} from '../../test/support/dialect/dialect-host.ts';
import type { FramingName, RawEnd } from '../../test/support/channel/raw-end.ts';

const kits: Readonly<Record<string, DialectKit>> = {
  gassist: {
    dialect: gassist,
    framing: 'length-prefix',
    tool: 'greet',
    cancels: 'occupied',
    introduce: async (raw) => void (await reply(raw, 'initialize', { name: 'greeter', version: '1.0.0' })),
    succeed(raw, id, text) {
      raw.answer(id, { acknowledged: true });
      raw.notify('complete', { request_id: id, success: true, data: text });
    },
  },
  gevals: {
    dialect: gevals,
    framing: 'lines',
    tool: 'apply',
    cancels: 'occupied',
    introduce: async (raw) => void (await reply(raw, 'initialize', plainManifest)),
    succeed: (raw, id, text) => raw.answer(id, { success: true, message: text }),
  },
  mcp: {
    dialect: mcp,
    framing: 'lines',
    tool: 'echo',
    cancels: 'free',
    introduce: (raw) => introduceServer(raw),
    succeed: (raw, id, text) => raw.answer(id, { content: [{ type: 'text', text }] }),
  },
  planner: {
    dialect: planner,
    framing: 'lines',
    tool: 'execute_task',
    cancels: 'occupied',
    introduce: async (raw) =>
      void (await reply(raw, 'rpc.discover', { roles: ['executor'], methods: ['execute_task'] })),
    succeed: (raw, id, text) => raw.answer(id, { status: 'success', output: { code: text } }),
  },
  yams: {
    dialect: yams,
    framing: 'lines',
    tool: 'extractor.extract',
    cancels: 'occupied',
    async introduce(raw) {
      await reply(raw, 'handshake.manifest', extractorManifest);
      await reply(raw, 'plugin.init', { status: 'initialized' });
    },
    succeed: (raw, id, text) => raw.answer(id, { success: true, content: text }),
  },
};

describe.each(Object.keys(hostDialects))('%s', (name) => {
  const kit = kits[name];
  if (kit === undefined) throw new Error(`${name} needs a kit here, so that the contract is held.`);
  hostContract(kit);
});

// What every dialect's host end promises, whatever its words: played against a raw end that speaks as its kit says.

/** How a plugin of the dialect speaks. */
interface DialectKit {
  readonly dialect: HostDialect;
  readonly framing: FramingName;
  /** A tool that the introduced plugin has. */
  readonly tool: string;
  /** Plays the plugin until it has introduced itself. */
  introduce(raw: RawEnd): Promise<void>;
  /** Ends the call of this id well, with this text. */
  succeed(raw: RawEnd, id: number, text: string): void;
  /** What giving a call up comes to. */
  readonly cancels: 'free' | 'occupied';
}

const name = 'Plugin "the-plugin"';

function hostContract(kit: DialectKit): void {
  const begin = (options?: HostOptions) => hostAndRawEnd(kit.dialect, kit.framing, options);

  const connect = async (options?: HostOptions): Promise<{ raw: RawEnd; end: WirePort; told: Told }> => {
    const { raw, connected, told } = begin(options);
    await kit.introduce(raw);
    return { raw, end: await connected, told };
  };

  /** A call that the plugin has been told of. */
  const called = async (end: WirePort, raw: RawEnd) => {
    const heard = callAndHear(end, { tool: kit.tool });
    const { id } = await raw.nextRequest();
    return { ...heard, id };
  };

  /** A call that is answered: the end works. */
  const expectAlive = async (end: WirePort, raw: RawEnd) => {
    const { answer, id } = await called(end, raw);
    kit.succeed(raw, id, 'alive');
    expect(await answer).toMatchObject({ ok: true, text: 'alive' });
  };

  describe('a start', () => {
    test('has every limit, and takes at least one call', () => {
      const { limits, concurrency } = kit.dialect.traits;
      for (const limit of Object.values(limits)) expect(limit).toBeGreaterThanOrEqual(0);
      for (const key of ['startMs', 'callMs', 'shutdownMs', 'messageBytes'] as const)
        expect(limits[key]).toBeGreaterThan(0);
      expect(concurrency).toBeGreaterThan(0);
    });

    test('tells who the plugin is, in which dialect', async () => {
      const { end } = await connect();
      expect(end.manifest).toMatchObject({ dialect: kit.dialect.name, name: expect.any(String) as string });
      expect(end.manifest.version).not.toBe('');
    });

    test.each(['before it began', 'while it waits'])('that is given up %s says why', async (when) => {
      const reason = new PluglotError('START_TIMEOUT', 'Too slow.');
      const controller = new AbortController();
      if (when === 'before it began') controller.abort(reason);
      const { raw, connected } = begin({ signal: controller.signal });
      if (when === 'while it waits') {
        await raw.nextRequest();
        controller.abort(reason);
      }
      expect(await failureOf(connected)).toBe(reason);
      await raw.inputEnded;
    });

    test('that is given up without a reason of ours fails in words of ours', async () => {
      const controller = new AbortController();
      const { raw, connected } = begin({ signal: controller.signal });
      await raw.nextRequest();
      controller.abort();
      const error = await failureOf(connected);
      expect(error).toMatchObject({ code: 'START_FAILED' });
      expect(error.message).toMatch(
        /^The start of plugin "the-plugin" was given up before it answered \S+\.$/,
      );
      await raw.inputEnded;
    });

    test('fails when the pipe ends', async () => {
      const { raw, connected } = begin();
      await raw.nextRequest();
      raw.end();
      const error = await failureOf(connected);
      expect(error).toMatchObject({ code: 'PIPE_ENDED' });
      expect(error.message).toContain('plugin "the-plugin"');
      await raw.inputEnded;
    });

    test('fails when the plugin refuses it, with what it said, cut', async () => {
      const { raw, connected } = begin();
      const { id } = await raw.nextRequest();
      raw.send({ jsonrpc: '2.0', id, error: { code: -32603, message: `No key. ${'x'.repeat(100_000)}` } });
      const error = await failureOf(connected);
      expect(['START_FAILED', 'PROTOCOL_VIOLATION']).toContain(error.code);
      expect(error.message).toMatch(new RegExp(`^${name} .*-32603.*No key\\.`, 's'));
      expect(error.message.length).toBeLessThan(2000);
      expect(error.cause).toBeInstanceOf(Error);
      await raw.inputEnded;
    });

    test.each<[string, Json]>([
      ['17', 17],
      ['null', null],
      ['a list', ['x']],
      ['a long text', 'x'.repeat(100_000)],
    ])('fails when the introduction is %s', async (_, result) => {
      const { raw, connected } = begin();
      const { id } = await raw.nextRequest();
      raw.answer(id, result);
      const error = await failureOf(connected);
      expect(error.code).toBe('PROTOCOL_VIOLATION');
      expect(error.message).toMatch(new RegExp(`^${name} .*expected`));
      expect(error.message.length).toBeLessThan(1000);
      await raw.inputEnded;
    });

    test('fails when the introduction is not a JSON-RPC response', async () => {
      const { raw, connected } = begin();
      const { id } = await raw.nextRequest();
      raw.send({ jsonrpc: '2.0', id, error: 'no' });
      expect(await failureOf(connected)).toMatchObject({ code: 'PROTOCOL_VIOLATION' });
      await raw.inputEnded;
    });

    test('fails when the introduction is over the limit', async () => {
      const { raw, connected } = begin({ spec: { limits: { messageBytes: 10_000 } } });
      const { id } = await raw.nextRequest();
      raw.answer(id, { name: 'x'.repeat(20_000) });
      const error = await failureOf(connected);
      expect(error.code).toBe('PROTOCOL_VIOLATION');
      expect(error.message).toContain('messageBytes');
      await raw.inputEnded;
    });
  });

  describe('a call', () => {
    test('ends with its answer, and cannot be given up then', async () => {
      const { end, raw } = await connect();
      const { answer, wireCall, id } = await called(end, raw);
      kit.succeed(raw, id, 'done');
      expect(await answer).toMatchObject({ ok: true, text: 'done' });
      expect(wireCall.cancel('too late')).toBe('free');
    });

    test('is one of many; each gets its own answer, in any order', async () => {
      const { end, raw } = await connect();
      const calls = Array.from({ length: 200 }, () => callAndHear(end, { tool: kit.tool }));
      const ids: number[] = [];
      while (ids.length < calls.length) ids.push((await raw.nextRequest()).id);
      for (const [index, id] of [...ids.entries()].toReversed()) kit.succeed(raw, id, `answer ${index}`);
      const answers = await Promise.all(calls.map(({ answer }) => answer));
      expect(answers.map((answer) => answer.text)).toEqual(calls.map((_, index) => `answer ${index}`));
    });

    test('ends once, however often it is answered', async () => {
      const { end, raw } = await connect();
      const { answer, id } = await called(end, raw);
      for (const text of ['first', 'second', 'third']) kit.succeed(raw, id, text);
      expect(await answer).toMatchObject({ text: 'first' });
      await expectAlive(end, raw);
    });

    test('that is given up ends once, at the latest with its late answer', async () => {
      const { end, raw } = await connect();
      const { answer, wireCall, id } = await called(end, raw);
      expect(wireCall.cancel('No longer needed.')).toBe(kit.cancels);
      // Where the plugin can be told, it is.
      const word = kit.cancels === 'free' ? await raw.next() : { params: { requestId: id } };
      expect(word).toMatchObject({ params: { requestId: id } });
      kit.succeed(raw, id, 'late');
      expect(await answer).toMatchObject(
        kit.cancels === 'free'
          ? { ok: false, error: { code: 'CALL_CANCELLED' } }
          : { ok: true, text: 'late' },
      );
      expect(wireCall.cancel('Again.')).toBe('free');
      await expectAlive(end, raw);
    });

    test.each([
      [-32700, 'MESSAGE_REFUSED'],
      [-32600, 'MESSAGE_REFUSED'],
      [-32601, 'UNKNOWN_TOOL'],
      [-32602, 'INVALID_ARGUMENTS'],
      [-32603, 'INTERNAL'],
      [-7, 'TOOL_FAILED'],
    ])('that is refused with %d fails with %s; number and data are kept', async (wireCode, code) => {
      const { end, raw } = await connect();
      const { answer, id } = await called(end, raw);
      raw.send({ jsonrpc: '2.0', id, error: { code: wireCode, message: 'It broke.', data: { why: 7 } } });
      expect(await answer).toEqual({
        ok: false,
        error: { code, message: 'It broke.', wireCode, data: { why: 7 } },
      });
    });

    test('that is refused at length has a message that can be read', async () => {
      const { end, raw } = await connect();
      const { answer, id } = await called(end, raw);
      raw.send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'x'.repeat(100_000) } });
      const { error } = (await answer) as { error: { message: string } };
      expect(error.message).toMatch(/^x{4000}… \(100000 characters\)$/);
    });

    test('whose answer is not a JSON-RPC response fails', async () => {
      const { end, raw } = await connect();
      const { answer, id } = await called(end, raw);
      raw.send({ jsonrpc: '2.0', id, error: 'no' });
      expect(await answer).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE' } });
      await expectAlive(end, raw);
    });

    test('whose answer is over the limit fails', async () => {
      const { end, raw } = await connect({ spec: { limits: { messageBytes: 10_000 } } });
      const { answer, id } = await called(end, raw);
      kit.succeed(raw, id, 'x'.repeat(20_000));
      expect(await answer).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
      await expectAlive(end, raw);
    });

    test('whose arguments have no JSON form ends at once', async () => {
      const { end, raw } = await connect();
      const circle: Record<string, unknown> = {};
      circle['self'] = circle;
      const args = circle as never; // no value of the type would do
      const { answer, wireCall } = callAndHear(end, { tool: kit.tool, args });
      expect(await answer).toMatchObject({ ok: false, error: { code: 'UNENCODABLE' } });
      expect(wireCall.cancel('never sent')).toBe('free');
      await expectAlive(end, raw);
    });

    test('whose end is heard by somebody who throws harms nobody', async () => {
      const { end, raw, told } = await connect();
      const thrown = new Error('a bug of the caller');
      end.call(
        { tool: kit.tool, args: {}, timeoutMs: 1000 },
        {
          event: () => {},
          end: () => {
            throw thrown;
          },
        },
      );
      kit.succeed(raw, (await raw.nextRequest()).id, 'x');
      await expectAlive(end, raw);
      expect(told.troubles).toContainEqual(expect.objectContaining({ kind: 'thrown', error: thrown }));
    });
  });

  describe('the end of the pipe', () => {
    test('ends every call with PIPE_ENDED, and is told', async () => {
      const { end, raw } = await connect();
      const calls = [await called(end, raw), await called(end, raw)];
      raw.end();
      for (const { answer, wireCall } of calls) {
        expect(await answer).toMatchObject({
          ok: false,
          error: { code: 'PIPE_ENDED', message: expect.stringContaining('plugin "the-plugin"') as string },
        });
        expect(wireCall.cancel('it is over')).toBe('free');
      }
      expect(await end.ended).toEqual({ kind: 'ended' });
    });

    test('is told when nothing is under way; later calls end at once', async () => {
      const { end, raw } = await connect();
      raw.end();
      await end.ended;
      const { answer, wireCall } = callAndHear(end, { tool: kit.tool });
      expect(await answer).toMatchObject({ ok: false, error: { code: 'PIPE_ENDED' } });
      expect(wireCall.cancel('it is over')).toBe('free');
    });

    test('ends a goodbye and a question for signs of life', async () => {
      const { end, raw } = await connect();
      const goodbye = end.shutdown(600_000);
      const ping = end.ping?.(600_000);
      raw.end();
      await goodbye;
      const missed = ping === undefined ? { code: 'PIPE_ENDED' } : await failureOf(ping);
      expect(missed).toMatchObject({ code: 'PIPE_ENDED' });
      await end.shutdown(600_000);
    });
  });

  describe('this end', () => {
    test('closes as often as it is told to; calls fail with PEER_CLOSED', async () => {
      const { end, raw } = await connect();
      const { answer } = await called(end, raw);
      end.close();
      expect(await answer).toEqual({
        ok: false,
        error: {
          code: 'PEER_CLOSED',
          message: 'The connection to plugin "the-plugin" was closed by this end.',
        },
      });
      end.close();
      expect(await end.ended).toEqual({ kind: 'closed' });
      end.close();
      await raw.inputEnded;
      const { answer: later } = callAndHear(end, { tool: kit.tool });
      expect(await later).toMatchObject({ ok: false, error: { code: 'PEER_CLOSED' } });
      await end.shutdown(600_000);
    });

    test('waits for a goodbye no longer than the limit', async () => {
      const clock = fakeClock();
      const { end } = await connect({ clock });
      let isOver = false;
      const goodbye = end.shutdown(700).then(() => (isOver = true));
      for (let ms = 0; ms < 2000 && !isOver; ms += 100) {
        clock.advance(100);
        await new Promise(setImmediate);
      }
      expect(isOver).toBe(true);
      await goodbye;
    });

    test('takes every answer for a sign of life, and misses one that does not come', async () => {
      const clock = fakeClock();
      const { end, raw } = await connect({ clock });
      if (end.ping === undefined) return;
      for (const rest of [
        { result: {} },
        { result: 17 },
        { error: { code: -32601, message: 'What?' } },
        { error: 'no' },
      ]) {
        const ping = end.ping(700);
        raw.send({ jsonrpc: '2.0', id: (await raw.nextRequest()).id, ...rest });
        await ping;
      }
      const missed = failureOf(end.ping(700));
      await raw.nextRequest();
      clock.advance(700);
      const error = await missed;
      expect(error).toMatchObject({ code: 'CALL_TIMEOUT' });
      expect(error.message).toContain('700 ms');
    });

    test('shows every message to its observer', async () => {
      const { end, raw, told } = await connect();
      await expectAlive(end, raw);
      const sent = told.wire.filter(({ direction }) => direction === 'sent');
      expect(sent.map(({ message }) => ('method' in message ? message.method : undefined))).toEqual(
        raw.received.map((message) => (message as { method?: string }).method),
      );
      expect(told.wire.filter(({ direction }) => direction === 'received').length).toBeGreaterThan(1);
    });

    test('survives noise, and tells of it', async () => {
      const { raw, connected, told } = begin();
      const noise = () =>
        raw.sendText('Loading model…', '{"jsonrpc":"2.0"}', '[]', '{"jsonrpc":"2.0","id":99}');
      noise();
      await kit.introduce(raw);
      const end = await connected;
      noise();
      const { answer, id } = await called(end, raw);
      noise();
      kit.succeed(raw, id, 'through the noise');
      expect(await answer).toMatchObject({ ok: true, text: 'through the noise' });
      expect(told.troubles.length).toBeGreaterThanOrEqual(3);
    });

    test('refuses what a plugin asks and it has no answer to', async () => {
      const { end, raw } = await connect();
      raw.send({ jsonrpc: '2.0', id: 'mine', method: 'host/what' });
      expect(await raw.next()).toMatchObject({ id: 'mine', error: { code: -32601 } });
      await expectAlive(end, raw);
    });

    test('takes no input but in a conversation, where the dialect has them', async () => {
      const { end, raw } = await connect();
      if (end.talk === undefined) return;
      const { talk } = end;
      const { answer, wireCall } = hear((sink) => talk.input('hello', sink));
      await raw.nextRequest();
      raw.end();
      expect(await answer).toMatchObject({ ok: false, error: { code: 'PIPE_ENDED' } });
      expect(wireCall.cancel('over')).toBe('free');
    });
  });
}

async function failureOf(promise: Promise<unknown>): Promise<PluglotError> {
  try {
    await promise;
  } catch (thrown) {
    if (thrown instanceof PluglotError) return thrown;
    throw thrown;
  }
  throw new Error('It was expected to fail.');
}
