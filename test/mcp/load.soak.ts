import { expect, test } from 'vitest';
import { seed } from '../support/seed.ts';
import { recordSoak } from '../support/soak-results.ts';
import { problemsIn, runLoad } from './load.ts';

test('two hundred clients at once and killed plugins: every call ends, and nothing is left of them', async () => {
  const begin = performance.now();
  const report = await runLoad({ seed: seed(), clients: 200, callsEach: 50, sessionIdleMs: 30_000 });
  expect(problemsIn(report, 16 * 1024), JSON.stringify(report)).toEqual([]);
  const { calls, kills, restarts, left, outcomes, before, after, survivors } = report;
  const ok = Math.round((100 * (outcomes['ok'] ?? 0)) / calls);
  recordSoak({
    what: 'endpoint: calls of 200 clients at once, MCP of both eras and HTTP API, to plugins of all dialects that are killed at random',
    count: calls,
    details: `seed ${seed()}, ${kills} killed, ${restarts} restarts, ${left} clients left in mid-call, ${ok} % succeeded and all others ended with a stable code; heap ${after.heapKiB - before.heapKiB >= 0 ? '+' : ''}${((after.heapKiB - before.heapKiB) / 1024).toFixed(1)} MiB, 0 sessions, sockets or calls left, ${survivors} survivors`,
    durationMs: performance.now() - begin,
  });
});
