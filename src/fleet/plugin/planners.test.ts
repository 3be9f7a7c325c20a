// What a fleet does for planners and executors: limits, work that is handed up, batches, attempts, and a log of requests.
import { describe, expect, test } from 'vitest';
import { playedFleet } from '../../../test/support/fleet/played-fleet.ts';
import type { Outcome } from '../../definition/outcome.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { planner } from '../../dialect/planner/host.ts';
import type { FleetOptions } from '../fleet.ts';

const task = { type: 'analysis', prompt: 'look' };
const done = (code: string) => ({ status: 'success', output: { code } });

describe('the time limit of a request', () => {
  // requirement: planner:performance:timeout-default
  test('is 30 s', async () => {
    const { clock, introduced } = plannerFleet();
    const { plugin } = await introduced('coder');
    const call = watched(plugin.executeTask(task));
    clock.advance(29_999);
    expect(await call.sofar()).toBeUndefined();
    clock.advance(1);
    expect(await call.outcome).toMatchObject({ ok: false, error: { code: 'CALL_TIMEOUT' } });
  });

  // requirement: planner:performance:timeout-per-request
  test('is what the configuration says, or the request itself', async () => {
    const { clock, introduced } = plannerFleet([{ limits: { callMs: 5000 } }]);
    const { plugin, raw } = await introduced('coder');
    const configured = watched(plugin.createPlan({ userRequest: 'u' }));
    const shorter = watched(plugin.executeTask(task, { timeoutMs: 1000 }));
    const longer = watched(plugin.executeTask(task, { timeoutMs: 60_000 }));
    const ids = ((await raw.take(3)) as { id: number }[]).map(({ id }) => id);
    clock.advance(1000);
    expect(await shorter.outcome).toMatchObject({ ok: false, error: { code: 'CALL_TIMEOUT' } });
    expect(await configured.sofar()).toBeUndefined();
    clock.advance(4000);
    expect(await configured.outcome).toMatchObject({ ok: false, error: { code: 'CALL_TIMEOUT' } });
    // Both finish what they were given up for, so that the process lives.
    for (const id of ids.slice(0, 2)) raw.answer(id, { tasks: [] });
    clock.advance(54_999);
    expect(await longer.sofar()).toBeUndefined();
    raw.answer(ids[2], done('slow but sure'));
    expect(await longer.outcome).toMatchObject({ ok: true, text: 'slow but sure' });
  });
});

describe('work that a planner asks for', () => {
  test('is done by whoever the host says, streams included', async () => {
    const { fleet, introduced } = plannerFleet([{ name: 'boss' }, { name: 'coder' }], {
      work: {
        executeTask: (request, { plugin }) => {
          asked.push(plugin);
          return fleet.plugin('coder').executeTask(request);
        },
        validateCode: (request) => fleet.plugin('coder').validateCode(request),
      },
    });
    const asked: string[] = [];
    const boss = await introduced('boss');
    const coder = await introduced('coder');
    boss.raw.send({
      jsonrpc: '2.0',
      id: 'task_001',
      method: 'execute_task',
      params: { task_type: 'analysis', prompt: 'look' },
    });
    const { id } = await coder.raw.nextRequest();
    coder.raw.notify('stream_start', { stream_id: 's', task_id: id });
    coder.raw.notify('stream_data', { stream_id: 's', chunk: 'half', sequence: 1 });
    coder.raw.notify('stream_end', { stream_id: 's', total_chunks: 1 });
    coder.raw.answer(id, done('half and half'));
    expect(await boss.raw.take(4)).toMatchObject([
      { method: 'stream_start', params: { task_id: 'task_001' } },
      { method: 'stream_data', params: { chunk: 'half', sequence: 1 } },
      { method: 'stream_end', params: { total_chunks: 1 } },
      { id: 'task_001', result: { status: 'success', output: { code: 'half and half' } } },
    ]);
    expect(asked).toEqual(['boss']);
    boss.raw.send({ jsonrpc: '2.0', id: 'v', method: 'validate_code', params: { code: 'c' } });
    coder.raw.answer((await coder.raw.nextRequest()).id, { valid: true, findings: [] });
    expect(await boss.raw.next()).toEqual({ jsonrpc: '2.0', id: 'v', result: { valid: true, findings: [] } });
  });

  test('fails as the one who does it fails, or is not there', async () => {
    const { fleet, introduced } = plannerFleet([{ name: 'boss' }, { name: 'coder' }], {
      work: {
        executeTask: (request) =>
          fleet.plugin(request.type === 'testing' ? 'tester' : 'coder').executeTask(request),
      },
    });
    const boss = await introduced('boss');
    const coder = await introduced('coder');
    const ask = (id: string, task_type: string) =>
      boss.raw.send({ jsonrpc: '2.0', id, method: 'execute_task', params: { task_type, prompt: 'p' } });
    ask('a', 'analysis');
    const { id } = await coder.raw.nextRequest();
    coder.raw.send({ jsonrpc: '2.0', id, error: { code: -32003, message: 'No key.' } });
    expect(await boss.raw.next()).toMatchObject({ id: 'a', error: { code: -32003, message: 'No key.' } });
    ask('b', 'testing');
    expect(await boss.raw.next()).toMatchObject({
      id: 'b',
      error: { message: 'There is no plugin "tester".' },
    });
    boss.raw.send({ jsonrpc: '2.0', id: 'c', method: 'validate_code', params: { code: 'c' } });
    expect(await boss.raw.next()).toMatchObject({ id: 'c', error: { code: -32601 } });
  });
});

describe('a batch', () => {
  const questions = [
    { kind: 'task', request: task },
    { kind: 'code', request: { code: 'c' } },
    { kind: 'task', request: { ...task, prompt: 'write' } },
  ] as const;

  // requirement: planner:performance:batching
  test('is one message, and every question in it a call of its own', async () => {
    const { introduced } = plannerFleet();
    const { plugin, raw } = await introduced('coder');
    const calls = plugin.executeBatch(questions);
    const batch = (await raw.next()) as { id: number; method: string }[];
    expect(batch.map(({ method }) => method)).toEqual(['execute_task', 'validate_code', 'execute_task']);
    const [first, second, third] = batch.map(({ id }) => id);
    raw.send([
      { jsonrpc: '2.0', id: third, error: { code: -32003, message: 'No.' } },
      { jsonrpc: '2.0', id: first, result: done('seen') },
    ]);
    raw.answer(second, { valid: true, findings: [] });
    expect(await Promise.all(calls)).toMatchObject([
      { ok: true, text: 'seen' },
      { ok: true, text: 'The code is valid.' },
      { ok: false, error: { code: 'UNAUTHENTICATED' } },
    ]);
  });

  test('goes one by one to an executor that takes none', async () => {
    const { introduced } = plannerFleet();
    const { plugin, raw } = await introduced('coder', { roles: ['executor'] });
    const calls = plugin.executeBatch(questions);
    const asked = (await raw.take(3)) as { id: number; method: string }[];
    expect(asked.map(({ method }) => method)).toEqual(['execute_task', 'validate_code', 'execute_task']);
    for (const { id } of asked) raw.answer(id, { valid: true, findings: [], output: { code: 'x' } });
    expect((await Promise.all(calls)).map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  test('that is too large for one message goes in several', async () => {
    const { introduced } = plannerFleet();
    const { plugin, raw } = await introduced('coder');
    const prompt = 'x'.repeat(600_000);
    const calls = plugin.executeBatch([0, 1].map(() => ({ kind: 'task', request: { ...task, prompt } })));
    for (const _ of calls) raw.answer((await raw.nextRequest()).id, done('read'));
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(['read', 'read']);
  });

  test('leaves out what was given up before it was sent, and fails where there is no executor', async () => {
    const { introduced } = plannerFleet([{}, { name: 'boss' }]);
    const { plugin, raw } = await introduced('coder');
    const calls = plugin.executeBatch(questions);
    calls[1]?.cancel();
    expect(await raw.next()).toHaveLength(2);
    expect(await calls[1]).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
    const boss = await introduced('boss', { roles: ['planner'] });
    const outcomes = await Promise.all(boss.plugin.executeBatch(questions));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ ok: false, error: { code: 'UNSUPPORTED' } });
    expect(boss.plugin.executeBatch([])).toEqual([]);
  });
});

test('another attempt is not made when the call would be over by then', async () => {
  const { clock, introduced } = plannerFleet();
  const { plugin, raw } = await introduced('coder');
  const call = plugin.executeTask(task, { timeoutMs: 1000 });
  const { id } = await raw.nextRequest();
  clock.advance(900);
  raw.send({ jsonrpc: '2.0', id, error: { code: -32002, message: 'Slow down.' } });
  expect(await call).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED', message: 'Slow down.' } });
});

test('a call that is over while it waits for its next attempt leaves the process alone', async () => {
  const { clock, introduced } = plannerFleet();
  const { plugin, raw } = await introduced('coder');
  const call = plugin.executeTask(task);
  const { id } = await raw.nextRequest();
  raw.send({ jsonrpc: '2.0', id, error: { code: -32001, message: 'Later.' } });
  for await (const event of call) if (event.kind === 'log') call.cancel();
  expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  clock.advance(60_000);
  expect(plugin.status).toMatchObject({ state: 'ready', restarts: 0, running: 0 });
  expect(raw.received).toHaveLength(2);
});

// requirement: planner:monitoring:latency, planner:monitoring:error-rates, planner:monitoring:request-volume
// requirement: planner:monitoring:payload-sizes, planner:monitoring:retry-counts, planner:monitoring:log-timestamp
// requirement: planner:monitoring:log-level, planner:monitoring:log-message, planner:monitoring:log-data-method
// requirement: planner:monitoring:log-data-id, planner:monitoring:log-data-duration-ms
// requirement: planner:monitoring:log-data-status, planner:monitoring:log-example
test('every request is in the log of the plugin, where the configuration wants that', async () => {
  const { clock, introduced } = plannerFleet([{ config: { log_requests: true } }]);
  const { plugin, raw } = await introduced('coder');
  const context = { idempotencyKey: 'k' };
  const call = plugin.executeTask({ ...task, context });
  const params = { task_type: 'analysis', prompt: 'look', context: { idempotency_key: 'k' } };
  const { id } = await raw.nextRequest();
  clock.advance(234);
  const data = { type: 'EXECUTION_ERROR', details: 'Slow down.' };
  raw.send({ jsonrpc: '2.0', id, error: { code: -32002, message: 'Rate limit exceeded', data } });
  for await (const event of call)
    if (event.kind === 'log') {
      clock.advance(500);
      const { id: second } = await raw.nextRequest();
      clock.advance(1234);
      raw.answer(second, done('seen'));
    }
  expect(await call).toMatchObject({ ok: true, text: 'seen' });
  const common = { method: 'execute_task', params_bytes: JSON.stringify(params).length };
  const requests = plugin.logs.entries.filter(({ message }) => message === 'RPC Request');
  const at = expect.any(Number) as number;
  expect(requests).toMatchObject([
    {
      at,
      source: 'host',
      level: 'error',
      data: { ...common, id, duration_ms: 234, status: 'error', code: -32002, type: 'EXECUTION_ERROR' },
    },
    {
      at,
      source: 'host',
      level: 'info',
      data: { ...common, id: `${id}#2`, status: 'success', attempt: 2 },
    },
  ]);
  // The second was sent at some moment of the half second.
  const { duration_ms: durationMs } = (requests[1]?.data ?? {}) as { duration_ms?: number };
  expect(durationMs).toBeGreaterThanOrEqual(1234);
  expect(durationMs).toBeLessThanOrEqual(1234 + 250);
});

function plannerFleet(specs: readonly Partial<PluginSpec>[] = [{}], options?: Partial<FleetOptions>) {
  const named = specs.map((spec) => ({ name: 'coder', ...spec }));
  const { introduced, ...played } = playedFleet(planner, named, options);
  const all = { roles: ['planner', 'executor'], batch: true };
  return { ...played, introduced: (name: string, discovery: object = all) => introduced(name, discovery) };
}

/** What there is of a call when all that can happen by itself has happened. */
function watched(call: PromiseLike<Outcome>) {
  let outcome: Outcome | undefined;
  void call.then((ended) => (outcome = ended));
  return {
    outcome: call,
    async sofar() {
      for (let round = 0; round < 3; round++) await new Promise(setImmediate);
      return outcome;
    },
  };
}
