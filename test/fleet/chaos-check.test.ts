// Whoever judges the chaos is judged: each thing that can go wrong in it is told.
import { expect, test } from 'vitest';
import { dialectNames } from '../../src/definition/plugin-spec.ts';
import { problemsIn } from './chaos-check.ts';
import type { ChaosReport } from './chaos.ts';

const reason =
  'CRASH_LOOP: Plugin "yams-3" failed after 2 restarts within 180 s and is not restarted automatically. The last time: it exited.';
const ready = { name: 'yams-0', state: 'ready', reason: undefined, hasSmallBudget: false };
const failed = { name: 'yams-3', state: 'failed', reason, hasSmallBudget: true };
const late = {
  call: 'echo of yams-0',
  limitMs: 2000,
  waitedMs: 0,
  tookMs: 12_000,
  heldUpMs: 20,
  overMs: 9690,
  code: 'ok',
};
const grown = { heapMiB: 1, externalMiB: 0, residentMiB: 20 };
const good: ChaosReport = {
  calls: 100,
  blows: 40,
  restarts: 20,
  unsettled: 0,
  over: [],
  outcomes: { ok: 50 },
  succeeded: new Set(dialectNames),
  states: [ready, failed],
  givenUp: [{ name: 'yams-3', reason }],
  grown,
  survivors: 0,
};

test('where all is well there is nothing to tell', () => {
  expect(problemsIn(good)).toEqual([]);
});

test.each<[Partial<ChaosReport>, RegExp]>([
  [{ unsettled: 1 }, /1 calls never ended/],
  [{ over: [late] }, /echo of yams-0, ok.* took 12000 ms, its limit was 2000 ms/],
  [{ states: [{ ...ready, state: 'backoff' }] }, /yams-0 did not come back: it is backoff/],
  [{ states: [{ ...ready, state: 'failed', reason }] }, /yams-0 did not come back: it is failed/],
  [{ states: [{ ...failed, reason: undefined }] }, /yams-3 did not come back/],
  [{ givenUp: [] }, /no plugin used its budget up/],
  [{ givenUp: [{ name: 'yams-3', reason: '' }] }, /yams-3 was given up, and the reason is no help/],
  [{ givenUp: [{ name: 'mcp-3', reason }] }, /mcp-3 was given up, and the reason is no help/],
  [{ grown: { ...grown, heapMiB: 9 } }, /the heap grew by 9\.0 MiB, more than 8/],
  [{ grown: { ...grown, externalMiB: 9 } }, /what is outside of it grew by 9\.0 MiB/],
  [{ grown: { ...grown, residentMiB: 65 } }, /the process grew by 65\.0 MiB/],
  [{ survivors: 2 }, /2 processes outlived the fleet/],
  [{ succeeded: new Set(['yams', 'mcp', 'gassist', 'gevals']) }, /no call of planner succeeded/],
])('%#: what is wrong is told', (wrong, told) => {
  expect(problemsIn({ ...good, ...wrong })).toEqual([expect.stringMatching(told)]);
});
