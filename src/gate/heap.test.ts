// Thousands of calls leave nothing behind.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { runs } from '../../test/support/runs.ts';
import { createGate } from './gate.ts';
import { fakeAudit, fakePolicy, fakeSource } from '../../test/support/gate/gate.ts';

test('the heap stays as it is over thousands of gated calls', async () => {
  const source = fakeSource();
  source.add(
    { name: 'echo', inputSchema: { type: 'object', properties: { n: { type: 'number' } } } },
    { origin: 'process' },
  );
  const policy = fakePolicy();
  const audit = fakeAudit();
  const gate = createGate({
    source,
    policy,
    audit,
    limits: { perMinute: { caller: 100_000 }, concurrent: { tool: 50 }, budget: { tool: 1e6 } },
  });
  // One signal for all, as a session has it.
  const { signal } = new AbortController();
  const calls = async (count: number) => {
    for (let n = 0; n < count; n += 100) {
      const batch = Array.from({ length: 100 }, (_, index) =>
        gate.call('echo', { n: n + index }, { caller: { kind: 'model' }, signal, timeoutMs: 60_000 }),
      );
      for (const outcome of await Promise.all(batch)) if (!outcome.ok) throw new Error(outcome.error.message);
      // What the fakes remember is theirs.
      source.made.length = 0;
      policy.decided.length = 0;
      audit.events.length = 0;
    }
  };
  const many = runs(40_000, 5000);
  await calls(2000);
  const before = heapUsed();
  await calls(many);
  // Less for each than the smallest thing that could be left of it.
  expect((heapUsed() - before) / many).toBeLessThan(150);
  await gate.close();
}, 120_000);

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  // A global function of V8 that only exists with the flag above.
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
