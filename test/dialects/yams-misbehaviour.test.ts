// YAMS plugins with one fault each: what the host end makes of it.
import fs from 'node:fs';
import { expect, test } from 'vitest';
import type { WirePort } from '../../src/dialect/host-dialect.ts';
import { yams } from '../../src/dialect/yams/host.ts';
import { callAndHear, hear, hostAndProgram } from '../support/dialect/dialect-host.ts';
import { hasPython } from '../support/python.ts';

function extract(end: WirePort, options = {}) {
  return hear((sink) => end.extractor!.extract({ source: { kind: 'path', path: '/a.txt' }, options }, sink));
}

// requirement: yams:overview:isolation, yams:process:crash
test.each(['handshake', 'init'])('one that crashes at %s ends its start at once', async (stage) => {
  const { running, connected } = hostAndProgram(yams, `yams/crashes-at-${stage}.mjs`);
  await expect(connected).rejects.toMatchObject({
    code: 'PIPE_ENDED',
    message: expect.stringContaining('exited with code 7') as string,
  });
  expect(await running.exited).toMatchObject({ exitCode: 7, stderr: `out of luck at ${stage}\n` });
});

// requirement: yams:process:crash, yams:host:recovery
test('one that crashes in an extraction ends all its calls at once', async () => {
  const { running, connected } = hostAndProgram(yams, 'yams/crashes-at-extract.mjs');
  const end = await connected;
  const calls = [extract(end), callAndHear(end, { tool: 'other' })];
  for (const { answer } of calls) {
    expect(await answer).toMatchObject({ ok: false, error: { code: 'PIPE_ENDED' } });
  }
  await expect(end.health!(3000)).rejects.toMatchObject({ code: 'PIPE_ENDED' });
  await end.shutdown(3000);
  expect(await end.ended).toMatchObject({ kind: 'exited', exitCode: 7 });
  expect(running.stderr()).toBe('out of luck at extract\n');
});

// requirement: yams:host:timeouts
test.each(['handshake', 'init'])('one that hangs at %s is given up with its start', async (stage) => {
  const start = new AbortController();
  const { running, connected, told } = hostAndProgram(yams, `yams/hangs-at-${stage}.mjs`, {
    signal: start.signal,
  });
  const asked = stage === 'handshake' ? 1 : 2;
  const sent = () => told.wire.filter(({ direction }) => direction === 'sent').length;
  await expect.poll(sent, { interval: 5 }).toBe(asked);
  start.abort();
  await expect(connected).rejects.toMatchObject({ code: 'START_FAILED' });
  // The end of its input is enough for it.
  expect(await running.exited).toMatchObject({ exitCode: 0 });
});

test('one that hangs in an extraction still answers other questions', async () => {
  const { connected } = hostAndProgram(yams, 'yams/hangs-at-extract.mjs');
  const end = await connected;
  const { answer, wireCall } = extract(end);
  expect(await end.health!(3000)).toMatchObject({ status: 'ok' });
  expect(wireCall.cancel('too slow')).toBe('occupied');
  end.close();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'PEER_CLOSED' } });
});

// requirement: yams:shutdown:limit
test('one that hangs at the shutdown is left to the end of its input', async () => {
  const { running, connected } = hostAndProgram(yams, 'yams/hangs-at-shutdown.mjs');
  const end = await connected;
  await end.shutdown(50);
  expect(await running.stop()).toMatchObject({ exitCode: 0, signal: null });
});

test('one that leaves at the shutdown without an answer has shut down', async () => {
  const { running, connected } = hostAndProgram(yams, 'yams/ends-at-shutdown-without-an-answer.mjs');
  const end = await connected;
  await end.shutdown(5000);
  expect(await running.exited).toMatchObject({ exitCode: 0 });
});

// requirement: yams:host:timeouts
test('one that ignores shutdown and SIGTERM is killed', async () => {
  const { running, connected } = hostAndProgram(yams, 'yams/ignores-sigterm.mjs');
  const end = await connected;
  await end.shutdown(50);
  expect(await running.stop({ stdinMs: 50, termMs: 50 })).toMatchObject({ signal: 'SIGKILL' });
});

test('one that refuses its configuration says why', async () => {
  const { connected } = hostAndProgram(yams, 'yams/refuses-init.mjs', { spec: { config: { depth: -1 } } });
  await expect(connected).rejects.toMatchObject({
    code: 'START_FAILED',
    message: 'Plugin "the-plugin" answered plugin.init with an error: depth has to be positive',
  });
});

test.runIf(hasPython)('one that misses a dependency says which', async () => {
  const { connected } = hostAndProgram(yams, 'yams/misses-a-dependency.py');
  await expect(connected).rejects.toMatchObject({
    code: 'REQUIREMENT_MISSING',
    message: expect.stringContaining('Set GHIDRA_INSTALL_DIR') as string,
  });
});

// requirement: yams:principle:graceful-degradation
test('one without health and supports is used all the same', async () => {
  const { connected } = hostAndProgram(yams, 'yams/has-no-health-and-no-supports.mjs');
  const end = await connected;
  await end.ping!(3000);
  expect(await end.health!(3000)).toMatchObject({ status: 'ok' });
  expect(await end.extractor!.supports({ extension: '.TXT' }, 3000)).toMatchObject({ supported: true });
  expect(await end.extractor!.supports({ extension: '.pdf' }, 3000)).toMatchObject({ supported: false });
  expect(await extract(end).answer).toEqual({ ok: true, text: 'text' });
});

test('one that is not well tells so', async () => {
  const { connected } = hostAndProgram(yams, 'yams/reports-bad-health.mjs');
  const end = await connected;
  expect(await end.health!(3000)).toEqual({
    status: 'degraded',
    message: 'The cache is cold.',
    details: { status: 'degraded', message: 'The cache is cold.', memory_mb: 512 },
  });
  await extract(end).answer;
  expect(await end.health!(3000)).toMatchObject({ status: 'error' });
});

test('one that prints everywhere is understood, and its prints are kept', async () => {
  const { connected, told } = hostAndProgram(yams, 'yams/prints-noise-everywhere.mjs');
  const end = await connected;
  expect(await extract(end).answer).toEqual({ ok: true, text: 'text' });
  expect(await extract(end).answer).toEqual({ ok: true, text: 'text' });
  const texts = told.troubles.map((trouble) => ('text' in trouble ? trouble.text : trouble.kind));
  expect(texts).toEqual(expect.arrayContaining(['loading…', '{"progress":50}', '123']));
  expect(texts.filter((text) => text === 'loading…').length).toBeGreaterThanOrEqual(4);
});

test('one that repeats old answers is heard once', async () => {
  const { connected } = hostAndProgram(yams, 'yams/answers-stale-ids.mjs');
  const end = await connected;
  for (const call of [3, 4, 5]) {
    expect(await extract(end, { call }).answer).toEqual({ ok: true, text: `fresh ${call}` });
  }
});

test('one that floods stderr is read', async () => {
  const { running, connected } = hostAndProgram(yams, 'yams/floods-stderr.mjs');
  const end = await connected;
  expect(await extract(end).answer).toEqual({ ok: true, text: 'text' });
  expect(running.stderr()).toMatch(/E\n$/);
});

// requirement: yams:host:line-buffering
test('one whose answers drip is waited for', async () => {
  const { connected } = hostAndProgram(yams, 'yams/drips-its-answers.mjs');
  const end = await connected;
  expect(await extract(end, { id: 3 }).answer).toEqual({ ok: true, text: 'süße Tröpfchen 💧' });
});

test('one that answers with more than fits fails that call alone', async () => {
  const { connected } = hostAndProgram(yams, 'yams/answers-with-20-mib.mjs');
  const end = await connected;
  expect(await extract(end).answer).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
  expect(await end.health!(3000)).toMatchObject({ status: 'ok' });
});

test('what a plugin has started ends with it', async () => {
  const { running, connected } = hostAndProgram(yams, 'yams/starts-a-grandchild.mjs');
  const end = await connected;
  const answer = await callAndHear(end, { tool: 'helper.start' }).answer;
  const { pid } = answer.data as { pid: number };
  expect(isAlive(pid)).toBe(true);
  await end.shutdown(5000);
  await running.exited;
  await expect.poll(() => isAlive(pid), { interval: 5 }).toBe(false);
});

test.runIf(hasPython)('one that dies on a blank line never sees one', async () => {
  const { running, connected } = hostAndProgram(yams, 'yams/dies-on-a-blank-line.py');
  const end = await connected;
  await end.ping!(3000);
  const answer = await callAndHear(end, { tool: 'echo', args: { text: 'a\n\nb\r\n\u2028' } }).answer;
  expect(JSON.parse(answer.text ?? '')).toMatchObject({ params: { text: 'a\n\nb\r\n\u2028' } });
  await end.shutdown(3000);
  expect(await running.stop()).toMatchObject({ exitCode: 0 });
});

test.runIf(hasPython)('one that leaves out "jsonrpc" is understood', async () => {
  const { connected } = hostAndProgram(yams, 'yams/answers-without-jsonrpc.py');
  const end = await connected;
  expect(await callAndHear(end, { tool: 'any' }).answer).toMatchObject({ ok: true, text: 'fine' });
});

/** A killed grandchild stays a zombie until its new parent reaps it, so that kill(pid, 0) is no proof of life. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
