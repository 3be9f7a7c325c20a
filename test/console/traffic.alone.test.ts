// A busy wire does not stop the page: measured alone, since a task that waits for the processor counts as a long one.
import os from 'node:os';
import { describe, expect, test } from 'vitest';
import { noBrowser } from './browser.ts';
import { useConsole } from './harness.ts';
import { traceTasks } from './task-times.ts';
import { underTraffic, type TrafficLoad } from './traffic-load.ts';

const ATTEMPTS = 3;

describe.skipIf(noBrowser !== undefined)(noBrowser ?? 'traffic', () => {
  const here = useConsole();

  test('2,000 messages a second: no task over 50 ms, and no more elements', async () => {
    const loads: TrafficLoad[] = [];
    do {
      const page = await here.open('/#/fleet');
      await page.getByText('plugins ready').waitFor();
      loads.push(await underTraffic(page, here.api, 2000, 3));
    } while (loads.at(-1)?.longTasks.length !== 0 && loads.length < ATTEMPTS);
    for (const { longestMs, mostElements, messages } of loads) {
      expect(longestMs).toBeGreaterThan(0);
      expect(longestMs).toBeLessThan(50);
      expect(mostElements).toBeLessThan(1500);
      expect(messages).toBeGreaterThan(2000);
    }
    // A task that waits for the processor is a long one too, so that this can be said of a quiet machine alone.
    if ((os.loadavg()[0] ?? 0) <= os.cpus().length)
      expect(loads.at(-1)?.longTasks, JSON.stringify(loads)).toEqual([]);
  });

  test('100,000 messages: scrolled, searched and cleared without a long task', async () => {
    const page = await here.open('/#/traffic');
    await page.getByRole('listbox', { name: 'Messages' }).waitFor();
    await expect.poll(() => here.api.asked.some((one) => one.startsWith('GET /events?traffic=1'))).toBe(true);
    let sent = 0;
    await expect
      .poll(
        async () => {
          here.api.burst(10_000);
          sent += 10_000;
          return page.locator('.head .sub').innerText();
        },
        { interval: 400 },
      )
      .toBe('100\u{202f}000 messages');
    expect(sent).toBeGreaterThanOrEqual(100_000);
    const endTrace = await traceTasks(page.context(), page);
    const list = page.getByRole('listbox', { name: 'Messages' });
    for (const part of [0, 0.5, 0.1, 0.9])
      await list.evaluate((element, at) => {
        element.scrollTop = at * element.scrollHeight;
      }, part);
    await page.getByRole('searchbox', { name: 'Text in messages' }).fill('did not work');
    await expect
      .poll(() => page.locator('.head .sub').innerText())
      .toMatch(/^[23][\d\u{202f}]+ of 100\u{202f}000 messages$/u);
    expect(await endTrace()).toBeLessThan(50);
    expect(await page.evaluate(() => document.getElementsByTagName('*').length)).toBeLessThan(1500);
  });
});
