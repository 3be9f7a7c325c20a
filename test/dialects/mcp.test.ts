// The host's end of MCP on real programs: raw servers in Node and Python, and one on the official SDK.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PluglotError } from '../../src/base/error.ts';
import type { WirePort } from '../../src/dialect/host-dialect.ts';
import { mcp } from '../../src/dialect/mcp/host.ts';
import { callAndHear, hostAndProgram } from '../support/dialect/dialect-host.ts';
import { hasPython } from '../support/python.ts';

describe('well behaved', () => {
  test('a raw server in Node', async () => {
    const { connected, told } = hostAndProgram(mcp, 'mcp/well-behaved.mjs');
    const end = await connected;
    expect(end.manifest).toMatchObject({
      name: 'well-behaved',
      description: 'Does it all.',
      instructions: 'Add before you count.',
      protocolVersion: '2025-11-25',
    });
    expect(end.manifest.tools.map(({ name }) => name)).toEqual([
      'add',
      'count',
      'wait',
      'grow',
      'fail',
      'picture',
    ]);
    expect(end.manifest.tools[0]).toMatchObject({
      title: 'Adder',
      hints: { readOnly: true, idempotent: true },
    });

    expect(await callAndHear(end, { tool: 'add', args: { a: 1, b: 2 } }).answer).toEqual({
      ok: true,
      text: '3',
      data: { sum: 3 },
    });
    const count = callAndHear(end, { tool: 'count' });
    expect(await count.answer).toEqual({ ok: true, text: 'three' });
    expect(count.events).toEqual([
      { kind: 'progress', progress: 1, total: 3, message: 'step 1' },
      { kind: 'progress', progress: 2, total: 3, message: 'step 2' },
      { kind: 'progress', progress: 3, total: 3, message: 'step 3' },
      { kind: 'log', level: 'info', message: 'counter: counted' },
    ]);
    expect(await callAndHear(end, { tool: 'fail' }).answer).toMatchObject({
      ok: false,
      error: { code: 'TOOL_FAILED', message: 'That did not work.' },
    });
    expect(await callAndHear(end, { tool: 'picture' }).answer).toMatchObject({ data: [{ type: 'image' }] });
    expect(await callAndHear(end, { tool: 'nope' }).answer).toMatchObject({
      error: { code: 'UNKNOWN_TOOL', wireCode: -32602 },
    });
    await callAndHear(end, { tool: 'grow' }).answer;
    await expect.poll(() => told.toolLists.at(-1)?.at(-1)).toMatchObject({ name: 'grown-6' });

    const wait = callAndHear(end, { tool: 'wait' });
    await expect.poll(() => wait.events).toHaveLength(1);
    expect(wait.wireCall.cancel('no more time')).toBe('free');
    expect(await wait.answer).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
    await expect.poll(() => told.logs.at(-1)?.message).toBe('cancelled: no more time');

    expect(await end.resources?.list()).toEqual({
      resources: [{ uri: 'note:1', name: 'one' }],
      resourceTemplates: [{ uriTemplate: 'note:{n}', name: 'note' }],
    });
    expect(await end.resources?.read('note:1')).toEqual({ contents: [{ uri: 'note:1', text: 'first' }] });
    await expect(end.resources?.read('note:2')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(await end.prompts?.list()).toMatchObject({ prompts: [{ name: 'greet' }] });
    expect(await end.prompts?.get('greet', { who: 'Ada' })).toMatchObject({ messages: [{ role: 'user' }] });
    await end.ping?.(5000);
    expect(told.troubles).toEqual([]);
  });

  test.runIf(hasPython)('a raw server in Python', async () => {
    const { connected, told } = hostAndProgram(mcp, 'mcp/well-behaved.py');
    const end = await connected;
    expect(end.manifest).toMatchObject({ name: 'plain-python', protocolVersion: '2025-06-18' });
    expect(await callAndHear(end, { tool: 'reverse', args: { text: 'où là' } }).answer).toEqual({
      ok: true,
      text: 'àl ùo',
    });
    const steps = callAndHear(end, { tool: 'steps' });
    expect(await steps.answer).toEqual({ ok: true, text: 'three steps', data: { steps: 3 } });
    expect(steps.events).toMatchObject([
      { progress: 1 / 3 },
      { progress: 2 / 3 },
      { progress: 1 },
      { kind: 'log', level: 'warn', data: { taken: 3 } },
    ]);
    expect(await callAndHear(end, { tool: 'nope' }).answer).toMatchObject({
      error: { code: 'UNKNOWN_TOOL' },
    });
    expect(told.troubles).toEqual([]);
  });

  test.each([
    ['of both eras', [], '2025-11-25'],
    ['that knows only 2026-07-28', ['modern-only'], '2026-07-28'],
  ])('a server on the official SDK %s', async (_, args, protocolVersion) => {
    const { connected, told } = hostAndProgram(mcp, 'mcp/on-the-official-sdk.mjs', { args });
    const end = await connected;
    expect(end.manifest).toMatchObject({
      name: 'official',
      version: '2.4.0',
      instructions: 'Shout.',
      protocolVersion,
    });
    expect(end.manifest.tools).toMatchObject([{ name: 'shout', title: 'Shout' }, { name: 'break' }]);
    const shout = callAndHear(end, { tool: 'shout' });
    expect(await shout.answer).toEqual({ ok: true, text: 'HELLO' });
    expect(shout.events).toEqual([{ kind: 'progress', progress: 1, total: 1 }]);
    expect(await callAndHear(end, { tool: 'break' }).answer).toMatchObject({
      ok: false,
      error: { code: 'TOOL_FAILED', message: 'broken' },
    });
    expect(await callAndHear(end, { tool: 'nope' }).answer).toMatchObject({
      error: { code: 'UNKNOWN_TOOL' },
    });
    await end.ping?.(5000);
    expect(told.troubles).toEqual([]);
  });

  test('the dice of examples/mcp-dice', async () => {
    const { connected, told } = hostAndProgram(mcp, path.join('../..', 'examples/mcp-dice/server.mjs'));
    const end = await connected;
    expect(end.manifest.tools).toMatchObject([{ name: 'roll', hints: { readOnly: true, openWorld: false } }]);
    const answer = await callAndHear(end, { tool: 'roll', args: { dice: '3d6+2' } }).answer;
    expect(answer).toMatchObject({
      ok: true,
      text: expect.stringMatching(/^\d \+ \d \+ \d \+ 2 → \d+$/) as unknown,
    });
    const { rolls, total } = answer.data as { rolls: number[]; total: number };
    expect(rolls).toHaveLength(3);
    expect(total).toBe(rolls.reduce((sum, one) => sum + one, 2));
    expect(await callAndHear(end, { tool: 'roll', args: { dice: 'many' } }).answer).toMatchObject({
      error: { code: 'TOOL_FAILED', message: '"many" is no dice; try "2d6+1".' },
    });
    expect(await callAndHear(end, { tool: 'flip' }).answer).toMatchObject({
      error: { code: 'UNKNOWN_TOOL' },
    });
    expect(told.troubles).toEqual([]);
  });
});

describe('starts that fail', () => {
  test.each([
    ['refuses-initialize.mjs', 'START_FAILED', /API_KEY is not set/],
    ['speaks-another-version.mjs', 'UNSUPPORTED_PROTOCOL', /"1999-12-31"/],
    ['crashes-before-hello.mjs', 'PIPE_ENDED', /exited with code 1/],
  ])('%s', async (file, code, message) => {
    const { connected } = hostAndProgram(mcp, `mcp/${file}`);
    await expect(connected).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as unknown,
    });
  });

  test.each([
    ['never-answers-initialize.mjs', 'initialize'],
    ['never-answers-tools-list.mjs', 'tools/list'],
  ])('%s is given up', async (file, method) => {
    const controller = new AbortController();
    const { connected, told } = hostAndProgram(mcp, `mcp/${file}`, { signal: controller.signal });
    await expect.poll(() => told.wire.at(-1)).toMatchObject({ message: { method } });
    controller.abort(new PluglotError('START_TIMEOUT', 'too late'));
    await expect(connected).rejects.toMatchObject({ code: 'START_TIMEOUT' });
  });

  test('exits-at-anything-before-initialize.mjs starts', async () => {
    const { connected } = hostAndProgram(mcp, 'mcp/exits-at-anything-before-initialize.mjs');
    expect((await connected).manifest.name).toBe('strict');
  });

  test('pages-without-end.mjs starts with the tools of 64 pages', async () => {
    const { connected, told } = hostAndProgram(mcp, 'mcp/pages-without-end.mjs');
    expect((await connected).manifest.tools).toHaveLength(64);
    expect(told.troubles).toMatchObject([
      { kind: 'invalid', reason: expect.stringContaining('64 pages') as unknown },
    ]);
  });
});

describe('misbehaviours that are survived', () => {
  // requirement: mcp:stdio:only-messages-in
  test('prints-to-stdout.mjs', async () => {
    const { end, told } = await started('prints-to-stdout.mjs');
    expect(await callAndHear(end, { tool: 'echo' }).answer).toEqual({ ok: true, text: 'done' });
    const texts = told.troubles.map((trouble) => trouble.kind === 'invalid' && trouble.text);
    expect(texts).toEqual([
      'Server listening on stdio',
      'client is ready',
      'calling…',
      '{"almost": "a message"}',
    ]);
  });

  // requirement: mcp:stdio:stderr-is-no-error
  test('writes-to-stderr.mjs', async () => {
    const { end, told, running } = await started('writes-to-stderr.mjs');
    expect(await callAndHear(end, { tool: 'echo' }).answer).toEqual({ ok: true, text: '{}' });
    expect(running.stderr()).toContain('everything is fine');
    expect(told.troubles).toEqual([]);
  });

  test('answers-twice.mjs', async () => {
    const { end, told } = await started('answers-twice.mjs');
    for (const _ of [1, 2, 3])
      expect(await callAndHear(end, { tool: 'echo' }).answer).toEqual({ ok: true, text: 'first' });
    await end.ping?.(5000);
    expect(told.troubles).toEqual([]);
  });

  test('answers-with-17.mjs', async () => {
    const { end } = await started('answers-with-17.mjs');
    expect(await callAndHear(end, { tool: 'echo' }).answer).toMatchObject({
      error: { code: 'INVALID_RESPONSE' },
    });
    await end.ping?.(5000);
  });

  test('answers-with-20-mib.mjs', async () => {
    const { end } = await started('answers-with-20-mib.mjs');
    const [large, small] = [
      callAndHear(end, { tool: 'echo', args: { large: true } }),
      callAndHear(end, { tool: 'echo' }),
    ];
    expect(await large.answer).toMatchObject({ error: { code: 'FRAME_TOO_LARGE' } });
    expect(await small.answer).toEqual({ ok: true, text: 'xxxxx' });
  });

  // requirement: mcp:cancellation:late-answer
  test('ignores-cancellation.mjs', async () => {
    const { end, told } = await started('ignores-cancellation.mjs');
    const call = callAndHear(end, { tool: 'echo' });
    call.wireCall.cancel('enough');
    expect(await call.answer).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
    await end.ping?.(5000);
    expect(told.troubles).toEqual([]);
  });

  // requirement: mcp:ping:stale
  test('never-answers-ping.mjs', async () => {
    const { end } = await started('never-answers-ping.mjs');
    await expect(end.ping?.(50)).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
    expect(await callAndHear(end, { tool: 'echo' }).answer).toMatchObject({ ok: true });
  });

  test('floods-list-changed.mjs', async () => {
    const { end, told } = await started('floods-list-changed.mjs');
    await callAndHear(end, { tool: 'echo' }).answer;
    await expect.poll(() => told.toolLists.length).toBeGreaterThan(0);
    expect(told.toolLists.length).toBeLessThan(5);
  });

  test('floods-progress.mjs', async () => {
    const { end, told } = await started('floods-progress.mjs');
    const call = callAndHear(end, { tool: 'echo' });
    expect(await call.answer).toEqual({ ok: true, text: 'done' });
    expect(call.events).toHaveLength(10_000);
    expect(told.troubles).toEqual([]);
  });

  // requirement: mcp:lifecycle:maximum-timeout
  test('reports-progress-for-ever.mjs: progress does not keep a call from being given up', async () => {
    const { end } = await started('reports-progress-for-ever.mjs');
    const call = callAndHear(end, { tool: 'echo' });
    await expect.poll(() => call.events.length).toBeGreaterThan(3);
    expect(call.wireCall.cancel('over its time')).toBe('free');
    expect(await call.answer).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
    const events = call.events.length;
    await end.ping?.(5000);
    expect(call.events).toHaveLength(events);
  });

  // requirement: mcp:client:undeclared
  test('asks-the-host.mjs', async () => {
    const { end } = await started('asks-the-host.mjs');
    expect((await callAndHear(end, { tool: 'echo' }).answer).data).toEqual({
      told: expect.arrayContaining([
        { id: 'roots/list', code: -32601 },
        { id: 'sampling/createMessage', code: -32601 },
        { id: 'elicitation/create', code: -32601 },
        { id: 'ping', result: {} },
      ]) as unknown,
    });
  });

  test('lies-about-its-output.mjs', async () => {
    const { end } = await started('lies-about-its-output.mjs');
    expect(await callAndHear(end, { tool: 'number' }).answer).toMatchObject({
      ok: false,
      data: { n: 'seven' },
      error: { code: 'PROTOCOL_VIOLATION' },
    });
  });

  test.runIf(hasPython)('drips-byte-by-byte.py', async () => {
    const { end, told } = await started('drips-byte-by-byte.py');
    expect(await callAndHear(end, { tool: 'echo' }).answer).toEqual({ ok: true, text: 'é 日本 😀' });
    expect(told.troubles).toEqual([]);
  });

  test.runIf(hasPython)('writes-nan.py', async () => {
    const { end } = await started('writes-nan.py');
    expect(await callAndHear(end, { tool: 'echo' }).answer).toEqual({ ok: true, data: { mean: null } });
  });
});

describe('ends', () => {
  // requirement: mcp:lifecycle:server-may-leave
  test('crashes-in-a-call.mjs', async () => {
    const { end, running } = await started('crashes-in-a-call.mjs');
    const calls = [1, 2, 3].map(() => callAndHear(end, { tool: 'echo' }));
    for (const { answer } of calls) {
      expect(await answer).toMatchObject({
        ok: false,
        error: { code: 'PIPE_ENDED', message: expect.stringContaining('exited with code 139') as unknown },
      });
    }
    expect(await end.ended).toEqual({ kind: 'exited', exitCode: 139, signal: null });
    expect(await running.exited).toMatchObject({
      stderr: expect.stringContaining('segmentation fault') as unknown,
    });
  });

  test.runIf(hasPython)('dies-in-mid-line.py', async () => {
    const { end, running } = await started('dies-in-mid-line.py');
    expect(await callAndHear(end, { tool: 'echo' }).answer).toMatchObject({ error: { code: 'PIPE_ENDED' } });
    expect(await running.exited).toMatchObject({ exitCode: 3, stderr: 'out of memory\n' });
  });

  // requirement: mcp:lifecycle:shutdown-stdin
  test('a server ends with its stdin', async () => {
    const { end, running } = await started('well-behaved.mjs');
    await end.shutdown(2000);
    expect(await running.stop({ stdinMs: 10_000 })).toMatchObject({ exitCode: 0, signal: null });
  });

  // requirement: mcp:lifecycle:shutdown-stdin
  test('ignores-the-end-of-stdin.mjs gets SIGTERM', async () => {
    const { end, running } = await started('ignores-the-end-of-stdin.mjs');
    await end.shutdown(2000);
    expect(await running.stop({ stdinMs: 50, termMs: 10_000 })).toMatchObject({ exitCode: 0, signal: null });
  });
});

async function started(
  file: string,
): Promise<Omit<ReturnType<typeof hostAndProgram>, 'connected'> & { end: WirePort }> {
  const { connected, ...rest } = hostAndProgram(mcp, `mcp/${file}`);
  return { ...rest, end: await connected };
}
