// The host of G-Assist with real programs that break the specification, one misbehaviour each.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { gassist } from '../../src/dialect/gassist/host.ts';
import type { WirePort } from '../../src/dialect/host-dialect.ts';
import type { TalkPort } from '../../src/definition/plugin-port.ts';
import { callAndHear, hear, hostAndProgram, type HostOptions } from '../support/dialect/dialect-host.ts';
import { hasPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('at the start', () => {
  test('crashes-at-start.mjs', async () => {
    const { connected, running } = hostAndProgram(gassist, 'gassist/crashes-at-start.mjs');
    await expect(connected).rejects.toMatchObject({ code: 'PIPE_ENDED' });
    expect(await running.exited).toMatchObject({ exitCode: 3, stderr: 'config.json is missing\n' });
  });

  test('never-answers-initialize.mjs', async () => {
    const start = new AbortController();
    const { connected, told } = hostAndProgram(gassist, 'gassist/never-answers-initialize.mjs', {
      signal: start.signal,
    });
    expect(told.wire).toMatchObject([{ direction: 'sent', message: { method: 'initialize' } }]);
    start.abort();
    await expect(connected).rejects.toMatchObject({ code: 'START_FAILED' });
  });

  test('refuses-to-start.py', async ({ skip }) => {
    skip(!hasPython, 'there is no python3');
    const { connected } = hostAndProgram(gassist, 'gassist/refuses-to-start.py');
    await expect(connected).rejects.toMatchObject({
      code: 'START_FAILED',
      message: 'Plugin "the-plugin" answered initialize with error -32603: no API key.',
    });
  });

  // requirement: gassist:overview:v1-refused
  test('speaks-v1.py', async ({ skip }) => {
    skip(!hasPython, 'there is no python3');
    const { connected } = hostAndProgram(gassist, 'gassist/speaks-v1.py');
    await expect(connected).rejects.toMatchObject({
      code: 'UNSUPPORTED_PROTOCOL',
      message: expect.stringContaining('To migrate a V1 plugin') as string,
    });
  });

  test('logs-before-initialize.mjs', async () => {
    const { told } = await started('logs-before-initialize.mjs');
    expect(told.logs).toEqual([{ level: 'warn', message: 'no API key' }]);
  });
});

describe('in a call', () => {
  test('crashes-in-execute.mjs', async () => {
    const { end, running } = await started('crashes-in-execute.mjs');
    const { answer, events } = callAndHear(end, { tool: 'work' });
    expect(await answer).toMatchObject({
      ok: false,
      text: 'half',
      error: { code: 'PIPE_ENDED', message: expect.stringContaining('code 7') as string },
    });
    expect(events).toEqual([{ kind: 'text', text: 'half' }]);
    expect(await running.exited).toMatchObject({ exitCode: 7, stderr: 'out of luck\n' });
  });

  test('exits-0-in-execute.py', async ({ skip }) => {
    skip(!hasPython, 'there is no python3');
    const { end } = await started('exits-0-in-execute.py');
    expect(await callAndHear(end, { tool: 'work' }).answer).toMatchObject({
      ok: false,
      error: { code: 'PIPE_ENDED', message: expect.stringContaining('code 0') as string },
    });
  });

  test('ends-twice.mjs', async () => {
    const { end, told } = await started('ends-twice.mjs');
    for (let count = 0; count < 3; count += 1) {
      expect(await callAndHear(end, { tool: 'work' }).answer).toEqual({
        ok: false,
        error: { code: 'TOOL_FAILED', wireCode: -1, message: 'the first end' },
      });
    }
    await end.ping?.(10_000);
    expect(told.troubles).toHaveLength(3);
  });

  test('wrong-request-ids.mjs', async () => {
    const { end } = await started('wrong-request-ids.mjs');
    const { answer, events } = callAndHear(end, { tool: 'work' });
    expect(await answer).toEqual({ ok: true, text: 'right' });
    expect(events).toEqual([]);
  });

  test('leaves-out-request-ids.py', async ({ skip }) => {
    skip(!hasPython, 'there is no python3');
    const { end } = await started('leaves-out-request-ids.py');
    expect(await callAndHear(end, { tool: 'work' }).answer).toEqual({ ok: true, text: 'work done' });
    expect(await hear((sink) => talkOf(end).input('hello', sink)).answer).toEqual({ ok: true });
  });

  test('completes-with-nan.py', async ({ skip }) => {
    skip(!hasPython, 'there is no python3');
    const { end } = await started('completes-with-nan.py');
    expect(await callAndHear(end, { tool: 'work' }).answer).toEqual({
      ok: true,
      data: { ratio: null, limit: null, word: 'NaN' },
    });
  });

  test('answers-by-result.mjs', async () => {
    const { end } = await started('answers-by-result.mjs');
    expect(await callAndHear(end, { tool: 'work' }).answer).toEqual({
      ok: true,
      text: 'work done',
      keepSession: true,
    });
    expect(await hear((sink) => talkOf(end).input('hello', sink)).answer).toEqual({
      ok: true,
      text: 'hello',
      keepSession: false,
    });
  });

  test('completes-with-12-mib.mjs', async () => {
    const { end } = await started('completes-with-12-mib.mjs');
    expect(await callAndHear(end, { tool: 'work' }).answer).toMatchObject({
      ok: false,
      error: { code: 'FRAME_TOO_LARGE' },
    });
    expect(await callAndHear(end, { tool: 'work' }).answer).toEqual({
      ok: true,
      text: 'little',
    });
  });

  test('floods-streams.mjs', async () => {
    const { end } = await started('floods-streams.mjs');
    const { answer, events } = callAndHear(end, { tool: 'work' });
    expect((await answer).text).toHaveLength(10 * 1024 * 1024 + 'done'.length);
    expect(events.filter(({ kind }) => kind === 'text')).toHaveLength(320);
    expect(events.filter(({ kind }) => kind === 'log')).toHaveLength(1);
  });

  test('prints-between-frames.py', async ({ skip }) => {
    skip(!hasPython, 'there is no python3');
    const { end, told } = await started('prints-between-frames.py');
    for (let count = 0; count < 2; count += 1)
      expect(await callAndHear(end, { tool: 'work' }).answer).toEqual({ ok: true, text: 'one two' });
    expect(new Set(told.troubles.map(({ kind }) => kind))).toEqual(new Set(['noise']));
  });

  test('drips-bytes.mjs', async () => {
    const { end } = await started('drips-bytes.mjs');
    expect(await callAndHear(end, { tool: 'work' }).answer).toEqual({ ok: true, text: 'drop é😀' });
  });

  test('never-completes.mjs', async () => {
    const { end } = await started('never-completes.mjs');
    const { wireCall, answer } = callAndHear(end, { tool: 'work' });
    await end.ping?.(10_000);
    expect(wireCall.cancel('enough')).toBe('occupied');
    end.close();
    expect(await answer).toMatchObject({ ok: false, text: '.', error: { code: 'PEER_CLOSED' } });
  });
});

describe('between calls', () => {
  // requirement: gassist:ping:within-1s
  test('never-pongs.mjs', async () => {
    const { end } = await started('never-pongs.mjs');
    await expect(end.ping?.(50)).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
    expect(await callAndHear(end, { tool: 'work' }).answer).toMatchObject({ ok: true });
  });

  test('pongs-after-work.py', async ({ skip }) => {
    skip(!hasPython, 'there is no python3');
    const file = path.join(temporaryFolder(), 'go-on');
    const { end } = await started('pongs-after-work.py');
    const { answer } = callAndHear(end, { tool: 'work', args: { file } });
    await expect(end.ping?.(50)).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
    const pong = end.ping?.(30_000);
    fs.writeFileSync(file, '');
    expect(await answer).toEqual({ ok: true, text: 'working done' });
    await expect(pong).resolves.toBeUndefined();
  });
});

describe('in a session', () => {
  // requirement: gassist:input:acknowledged-first, gassist:timeouts:ack
  test('never-acknowledges.mjs', async () => {
    const { end } = await started('never-acknowledges.mjs', { spec: { limits: { ackMs: 50 } } });
    expect(await callAndHear(end, { tool: 'work' }).answer).toMatchObject({ ok: true, keepSession: true });
    expect(await hear((sink) => talkOf(end).input('hello', sink)).answer).toMatchObject({
      ok: false,
      error: { code: 'ACK_TIMEOUT' },
    });
  });

  test('crashes-after-ack.mjs', async () => {
    const { end } = await started('crashes-after-ack.mjs');
    expect(await hear((sink) => talkOf(end).input('hello', sink)).answer).toMatchObject({
      ok: false,
      error: { code: 'PIPE_ENDED', message: expect.stringContaining('SIGKILL') as string },
    });
  });

  test('keeps-session-for-ever.mjs', async () => {
    const { end } = await started('keeps-session-for-ever.mjs');
    for (const words of ['exit', 'bye', 'please'])
      expect(await hear((sink) => talkOf(end).input(words, sink)).answer).toEqual({
        ok: true,
        text: 'Stay.',
        keepSession: true,
      });
    // A session is nothing but the wish of the plugin: another call is taken all the same.
    expect(await callAndHear(end, { tool: 'work' }).answer).toMatchObject({ ok: true });
  });
});

describe('at the end', () => {
  test('ignores-shutdown.mjs', async () => {
    const { end, running } = await started('ignores-shutdown.mjs');
    await end.shutdown(50);
    end.close();
    await end.ended;
    expect(await running.stop({ stdinMs: 20, termMs: 20 })).toMatchObject({ signal: 'SIGKILL' });
  });

  test('answers-shutdown.mjs', async () => {
    const { end, running } = await started('answers-shutdown.mjs');
    await end.shutdown(50);
    expect(await running.exited).toMatchObject({ exitCode: 0 });
  });
});

async function started(file: string, options?: HostOptions) {
  const { running, connected, told } = hostAndProgram(gassist, `gassist/${file}`, options);
  return { running, told, end: await connected };
}

function talkOf({ talk }: WirePort): TalkPort {
  if (talk === undefined) throw new Error('A G-Assist plugin can be talked with.');
  return talk;
}
