// Half a minute of a busy wire.
import { describe, expect, test } from 'vitest';
import { noBrowser } from './browser.ts';
import { useConsole } from './harness.ts';
import { underTraffic } from './traffic-load.ts';

describe.skipIf(noBrowser !== undefined)(noBrowser ?? 'traffic', () => {
  const here = useConsole();

  test('30 s at 2,000 messages a second: no task over 50 ms, and a bounded number of elements', async () => {
    const page = await here.open('/#/fleet');
    await page.getByText('plugins ready').waitFor();
    const load = await underTraffic(page, here.api, 2000, 30);
    console.log(JSON.stringify(load));
    expect(load.longestMs).toBeLessThan(50);
    expect(load.longTasks).toEqual([]);
    expect(load.mostElements).toBeLessThan(1500);
    expect(load.messages).toBeGreaterThan(50_000);
  });
});
