// Half a minute of heavy traffic.
import { describe, expect, test } from 'vitest';
import { recordSoak } from '../support/soak-results.ts';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';
import { ownLongTasks, underTraffic } from './traffic-load.ts';

describe.skipIf(!hasBrowser)('traffic', () => {
  const here = useConsole();

  test('30 s at 2,000 messages a second: no task over 50 ms, and a bounded number of elements', async () => {
    const startedAt = performance.now();
    const page = await here.open('/#/fleet');
    await page.getByText('plugins ready').waitFor();
    const load = await underTraffic(page, here.api, 2000, 30);
    expect(ownLongTasks(load)).toEqual([]);
    expect(load.mostElements).toBeLessThan(1500);
    expect(load.messages).toBeGreaterThan(50_000);
    recordSoak({
      what: 'console: messages of a busy wire on its page, 2,000 a second for half a minute',
      count: load.messages,
      details: `longest task ${Math.round(load.longestMs)} ms, ${load.mostElements} elements at most, ${load.framesPerSecond} frames a second`,
      durationMs: performance.now() - startedAt,
    });
  });
});
