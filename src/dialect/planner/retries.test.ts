// Tasks that an executor refuses for now are attempted again; all else ends as it was answered.
import { describe, expect, test } from 'vitest';
import { hear, type Heard } from '../../../test/support/dialect/dialect-host.ts';
import { both, discovered, plain } from '../../../test/support/dialect/planner/ends.ts';
import type { RawEnd } from '../../../test/support/channel/raw-end.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import type { TaskRequest } from '../../definition/plan.ts';
import type { WirePort } from '../host-dialect.ts';

const task: TaskRequest = { type: 'analysis', prompt: 'look' };
const busy = { code: -32002, message: 'Slow down.' };

interface Sent {
  readonly id: number | string;
  readonly params: { readonly context?: { readonly idempotency_key?: string } };
}

describe('a task that is refused for now', () => {
  // requirement: planner:performance:retry, planner:performance:retry-key, planner:performance:retry-id
  test('is attempted again, later each time, as the same task', async () => {
    const clock = fakeClock();
    const { end, raw } = await discovered(both, { clock });
    const { answer, events } = execute(end);
    const attempts = [await refuse(raw, busy)];
    for (const delayMs of [500, 1000]) {
      await settled();
      clock.advance(delayMs / 2 - 1);
      await settled();
      expect(raw.received).toHaveLength(attempts.length + 1);
      clock.advance(delayMs / 2 + 1);
      attempts.push(await refuse(raw, busy));
    }
    expect(await answer).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED', message: 'Slow down.' } });
    const [first] = attempts;
    expect(attempts.map(({ id }) => id)).toEqual([first?.id, `${first?.id}#2`, `${first?.id}#3`]);
    for (const { params } of attempts) expect(params).toEqual(first?.params);
    expect(first?.params.context?.idempotency_key).toMatch(/^[\da-f-]{36}$/);
    expect(events).toEqual([
      {
        kind: 'log',
        level: 'warn',
        message: expect.stringMatching(
          /^Attempt 1 of execute_task failed with RATE_LIMITED \(Slow down\.\); retrying in \d+ ms\.$/,
        ) as string,
      },
      expect.objectContaining({ kind: 'log', message: expect.stringMatching(/^Attempt 2/) as string }),
    ]);
    expect(clock.waiting).toBe(0);
  });

  test('and then done ends well, with what the last attempt streamed', async () => {
    const clock = fakeClock();
    const { end, raw } = await discovered(both, { clock });
    const { answer } = execute(end, { ...task, context: { idempotencyKey: 'mine' } });
    await refuse(raw, { code: -32001, message: 'No disk yet.' });
    await settled();
    clock.advance(500);
    const { id, params } = (await raw.next()) as Sent;
    expect(params.context).toEqual({ idempotency_key: 'mine' });
    raw.notify('stream_start', { stream_id: 's', task_id: id });
    raw.notify('stream_data', { stream_id: 's', chunk: 'done', sequence: 1 });
    raw.notify('stream_end', { stream_id: 's', total_chunks: 1 });
    raw.answer(id, { status: 'success', output: { code: 'done' } });
    expect(await answer).toMatchObject({ ok: true, text: 'done' });
  });

  test('waits as long as the executor wants it to', async () => {
    const clock = fakeClock();
    const { end, raw } = await discovered(both, { clock });
    execute(end);
    await refuse(raw, { ...busy, data: { retry_after_ms: 7000 } });
    await settled();
    clock.advance(6999);
    await settled();
    expect(raw.received).toHaveLength(2);
    clock.advance(1);
    expect(await raw.next()).toMatchObject({ id: '2#2' });
  });

  test('is not retried after its deadline', async () => {
    const clock = fakeClock();
    const { end, raw } = await discovered(both, { clock });
    const { answer } = execute(end, task, 240);
    await refuse(raw, busy);
    expect(await answer).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
    expect(clock.waiting).toBe(0);
  });

  test('is over at once when it is given up meanwhile', async () => {
    const clock = fakeClock();
    const { end, raw } = await discovered(both, { clock });
    const { wireCall } = execute(end);
    await refuse(raw, busy);
    await settled();
    expect(wireCall.cancel('Enough.')).toBe('free');
    expect(clock.waiting).toBe(0);
  });

  test('that was given up before the refusal is not attempted again', async () => {
    const { end, raw } = await discovered(both, { clock: fakeClock() });
    const { wireCall, answer } = execute(end);
    const { id } = await raw.nextRequest();
    expect(wireCall.cancel('Enough.')).toBe('occupied');
    raw.send({ jsonrpc: '2.0', id, error: busy });
    expect(await answer).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
  });

  test.each(['the plugin ends', 'the host closes'])(
    'is answered with the refusal when %s meanwhile',
    async (how) => {
      const clock = fakeClock();
      const { end, raw } = await discovered(both, { clock });
      const { answer } = execute(end);
      await refuse(raw, busy);
      await settled();
      if (how === 'the host closes') end.close();
      else raw.destroy();
      expect(await answer).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
      expect(clock.waiting).toBe(0);
    },
  );

  test('is attempted again by itself when it was refused in a batch', async () => {
    const clock = fakeClock();
    const { end, raw } = await discovered({ ...both, batch: true }, { clock });
    const { answer } = hear((sink) => {
      const [call] = end.executor?.batch?.([{ kind: 'task', request: task, sink }]) ?? [];
      if (call === undefined) throw new Error('It takes batches.');
      return call;
    });
    const [{ id }] = (await raw.next()) as [Sent];
    raw.send([{ jsonrpc: '2.0', id, error: busy }]);
    await settled();
    clock.advance(500);
    const again = (await raw.next()) as Sent;
    expect(again.id).toBe(`${id}#2`);
    raw.answer(again.id, 'done');
    expect(await answer).toMatchObject({ ok: true, text: 'done' });
  });
});

describe('what is attempted again', () => {
  const recoverable = { type: 'EXECUTION_ERROR', recoverable: true };
  test.each([
    ['a rate limit', -32002, undefined, true],
    ['what is not available', -32001, undefined, true],
    ['what the executor calls recoverable', -32000, recoverable, true],
    ['what it calls hopeless', -32002, { recoverable: false }, false],
    ['a program that is missing', -32001, { code: 'REQUIREMENT_MISSING' }, false],
    ['a timeout, which may have come at any point', -32000, { type: 'TIMEOUT' }, false],
    ['a failure', -32000, { type: 'EXECUTION_ERROR' }, false],
    ['wrong params', -32602, undefined, false],
    ['wrong credentials', -32003, undefined, false],
  ])('%s', async (_, code, data, isRetried) => {
    const clock = fakeClock();
    const { end, raw } = await discovered(both, { clock });
    execute(end);
    await refuse(raw, { code, message: 'm', ...(data === undefined ? {} : { data }) });
    await settled();
    expect(clock.waiting).toBe(isRetried ? 1 : 0);
  });

  test('nothing of which a part was handed out already', async () => {
    const clock = fakeClock();
    const { end, raw } = await discovered(both, { clock });
    const { answer } = execute(end);
    const { id } = await raw.nextRequest();
    raw.notify('stream_start', { stream_id: 's', task_id: id });
    raw.notify('stream_data', { stream_id: 's', chunk: 'half', sequence: 1 });
    raw.send({ jsonrpc: '2.0', id, error: busy });
    expect(await answer).toMatchObject({ ok: false, text: 'half', error: { code: 'RATE_LIMITED' } });
  });

  test('tasks alone', async () => {
    const { end, raw } = await discovered(both, { clock: fakeClock() });
    const plan = hear((sink) => end.planner!.createPlan({ userRequest: 'u' }, sink));
    await refuse(raw, busy);
    const verdict = hear((sink) => end.executor!.validateCode!({ code: 'c' }, sink));
    await refuse(raw, busy);
    for (const { answer } of [plan, verdict])
      expect(await answer).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
  });

  test('nothing, where the configuration says so, and then there is no key either', async () => {
    const { end, raw } = await discovered(both, { clock: fakeClock(), spec: { config: { retries: 0 } } });
    const { answer } = execute(end);
    const { params } = await refuse(raw, busy);
    expect(params).toEqual({ task_type: 'analysis', prompt: 'look' });
    expect(await answer).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
  });

  test('as often as the configuration says', async () => {
    const clock = fakeClock();
    const { end, raw } = await discovered(both, { clock, spec: { config: { retries: 5 } } });
    const { answer } = execute(end);
    for (let attempt = 1; attempt <= 6; attempt++) {
      await refuse(raw, busy);
      await settled();
      clock.advance(30_000);
    }
    expect(await answer).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
  });
});

test('a plain end gets what the specification has and no more, and is asked again only where nothing was begun', async () => {
  const clock = fakeClock();
  const { end, raw } = await plain({ clock });
  execute(end);
  const { params } = await refuse(raw, busy);
  expect(params).toEqual({ task_type: 'analysis', prompt: 'look' });
  await settled();
  clock.advance(500);
  const again = (await raw.next()) as Sent;
  expect(again).toMatchObject({ id: '2#2', params });
  raw.send({
    jsonrpc: '2.0',
    id: again.id,
    error: { code: -32000, message: 'm', data: { recoverable: true } },
  });
  await settled();
  expect(clock.waiting).toBe(0);
});

function execute(end: WirePort, request = task, deadline?: number): Heard {
  const { executor } = end;
  if (executor === undefined) throw new Error('It is an executor.');
  return hear((sink) => executor.executeTask(request, deadline === undefined ? sink : { ...sink, deadline }));
}

/** The next request, answered with this error. */
async function refuse(raw: RawEnd, error: object): Promise<Sent> {
  const sent = (await raw.next()) as Sent;
  raw.send({ jsonrpc: '2.0', id: sent.id, error });
  return sent;
}

/** All that was sent has come. */
async function settled(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise(setImmediate);
}
