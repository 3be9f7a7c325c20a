// Half a minute of a busy wire.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';
import { ownLongTasks, underTraffic } from './traffic-load.ts';

describe.skipIf(!hasBrowser)('traffic', () => {
  const here = useConsole();

  test('30 s at 2,000 messages a second: no task over 50 ms, and a bounded number of elements', async () => {
    const page = await here.open('/#/fleet');
    await page.getByText('plugins ready').waitFor();
    const load = await underTraffic(page, here.api, 2000, 30);
    console.log(JSON.stringify(load));
    expect(ownLongTasks(load)).toEqual([]);
    expect(load.mostElements).toBeLessThan(1500);
    expect(load.messages).toBeGreaterThan(50_000);
  });
});
