// Planners and executors with one fault each: what the host end makes of it.
import { expect, test } from 'vitest';
import type { WirePort } from '../../src/dialect/host-dialect.ts';
import { planner } from '../../src/dialect/planner/host.ts';
import {
  callAndHear,
  hostAndProgram,
  type Heard,
  type HostOptions,
} from '../support/dialect/dialect-host.ts';
import { hasPython } from '../support/python.ts';

test('one that crashes at its start', async () => {
  const { connected, running } = hostAndProgram(planner, 'planner/crashes-at-start.mjs');
  await expect(connected).rejects.toMatchObject({
    code: 'PIPE_ENDED',
    message: expect.stringContaining('exited with code 7') as string,
  });
  expect(await running.exited).toMatchObject({ stderr: 'no model today\n' });
});

test('one that never answers is given up with its start', async () => {
  const start = new AbortController();
  const { connected, running, told } = hostAndProgram(planner, 'planner/never-answers.mjs', {
    signal: start.signal,
  });
  await expect.poll(() => told.wire.length, { interval: 5 }).toBe(1);
  start.abort();
  await expect(connected).rejects.toMatchObject({ code: 'START_FAILED' });
  expect(await running.exited).toMatchObject({ exitCode: 0 });
});

test('one that crashes in a task: what it streamed is kept', async () => {
  const { end } = await connectTo('crashes-in-execute.mjs');
  expect(await task(end).answer).toMatchObject({
    ok: false,
    text: 'half of it',
    error: { code: 'PIPE_ENDED', message: expect.stringContaining('exited with code 3') as string },
  });
});

test('one that hangs in a task answers other questions', async () => {
  const { end } = await connectTo('hangs-in-execute.mjs');
  const { wireCall, answer } = task(end);
  expect(await callAndHear(end, { tool: 'validate_code' }).answer).toMatchObject({ ok: true });
  expect(wireCall.cancel('too slow')).toBe('occupied');
  end.close();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'PEER_CLOSED' } });
});

test('one that numbers its chunks wrongly', async () => {
  const { end } = await connectTo('numbers-chunks-wrongly.mjs');
  const { answer, events } = task(end);
  expect(await answer).toMatchObject({ ok: true, text: 'abdabcd' });
  expect(warningsIn(events)).toEqual([
    'Stream "s": chunk 1 was received twice; the second was dropped.',
    'Stream "s": chunk 3 never arrived.',
    'Stream "s": its total_chunks is 4, but 3 were received.',
  ]);
});

test('one that never ends its stream', async () => {
  const { end, told } = await connectTo('never-ends-its-stream.mjs');
  const { answer, events } = task(end);
  expect(await answer).toMatchObject({ ok: true, text: 'all' });
  expect(warningsIn(events)).toEqual(['Stream "s": the task was answered before the stream ended.']);
  await expectAlive(end, 'all');
  expect(told.troubles).toContainEqual(
    expect.objectContaining({ reason: 'stream_data names a stream that is not open' }),
  );
});

test('one that streams for nobody', async () => {
  const { end, told } = await connectTo('streams-for-nobody.mjs');
  const { answer, events } = task(end);
  expect(await answer).toMatchObject({ ok: true, text: 'done' });
  expect(events).toEqual([]);
  expect(told.troubles).toHaveLength(6);
});

test.each([
  ['-32000', 'TIMEOUT'],
  ['-32001', 'UNAVAILABLE'],
  ['-32003', 'UNAUTHENTICATED'],
  ['5', 'TOOL_FAILED'],
])('one whose errors have no data: %s is %s', async (prompt, code) => {
  const { end } = await connectTo('errors-without-data.mjs');
  expect(await task(end, prompt).answer).toEqual({
    ok: false,
    error: { code, message: 'Execution timeout', wireCode: Number(prompt) },
  });
});

test('one that answers with too much, and then with much', async () => {
  const { end, told } = await connectTo('answers-with-17-mib.mjs');
  expect(await task(end).answer).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
  expect((await task(end, 'less').answer).text).toHaveLength(2_000_000);
  expect(told.troubles.map(({ kind }) => kind)).toEqual(['oversize', 'invalid']);
});

test('one that answers in batches that nobody asked for', async () => {
  const { end } = await connectTo('answers-in-batches.mjs');
  const calls = ['a', 'b', 'c'].map((prompt) => task(end, prompt));
  const answers = await Promise.all(calls.map(({ answer }) => answer));
  expect(answers.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
});

test('one that answers twice, with its ids as texts', async () => {
  const { end } = await connectTo('answers-twice.mjs');
  expect(await task(end, 'x').answer).toMatchObject({ ok: true, text: 'x first' });
  await expectAlive(end, 'p first');
});

test('one that floods', async () => {
  const { end, told } = await connectTo('floods-chunks.mjs');
  const { answer, events } = task(end);
  expect((await answer).text).toHaveLength(100_000);
  expect(events).toHaveLength(100_000);
  expect(told.troubles).toEqual([]);
});

test.runIf(hasPython)('one that prints between its messages', async () => {
  const { end, told } = await connectTo('prints-noise.py');
  expect(await task(end).answer).toMatchObject({ ok: true, text: 'done' });
  expect(told.troubles.length).toBeGreaterThan(4);
});

test('one that signs with another secret is not believed', async () => {
  await expect(connectTo('signs-wrongly.mjs', { spec: { config: { secret: 's' } } })).rejects.toMatchObject({
    code: 'START_FAILED',
    message: expect.stringContaining('its signature is wrong') as string,
  });
});

async function connectTo(file: string, options?: HostOptions) {
  const { connected, told } = hostAndProgram(planner, `planner/${file}`, options);
  return { end: await connected, told };
}

function task(end: WirePort, prompt = 'p'): Heard {
  return callAndHear(end, { tool: 'execute_task', args: { task_type: 'analysis', prompt } });
}

async function expectAlive(end: WirePort, text: string): Promise<void> {
  expect(await task(end).answer).toMatchObject({ ok: true, text });
}

function warningsIn(events: Heard['events']): string[] {
  return events.flatMap((event) => (event.kind === 'log' ? event.message : []));
}
