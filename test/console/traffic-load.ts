// The page under load: its longest task, its largest number of elements, and how many messages arrived.
import os from 'node:os';
import type { Page } from 'playwright-core';
import type { FakeApi } from './fake-api.ts';
import { traceTasks } from './task-times.ts';

export interface TrafficLoad {
  /** Tasks over 50 ms, by the browser's own measure. */
  readonly longTasks: readonly number[];
  /** What the longest task took of the processor. */
  readonly longestMs: number;
  readonly mostElements: number;
  readonly framesPerSecond: number;
  readonly messages: number;
}

/** The page has to be open already; loading it is not what is measured. */
export async function underTraffic(
  page: Page,
  api: FakeApi,
  perSecond: number,
  seconds: number,
): Promise<TrafficLoad> {
  await page.goto(`${api.address}/#/traffic`);
  await page.getByRole('listbox', { name: 'Messages' }).waitFor();
  await page.evaluate(() => {
    const seen = { longTasks: [] as number[], mostElements: 0, frames: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longTasks.push(Math.round(duration));
    }).observe({ type: 'longtask' });
    const frame = () => {
      seen.frames += 1;
      if (seen.frames % 10 === 0)
        seen.mostElements = Math.max(seen.mostElements, document.getElementsByTagName('*').length);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const endTrace = await traceTasks(page.context(), page);
  api.setTraffic(perSecond);
  // The load is a length of time; nothing is waited for.
  await page.waitForTimeout(seconds * 1000);
  api.setTraffic(0);
  const longestMs = await endTrace();
  const messages = Number((await page.locator('.head .sub').innerText()).replaceAll(/\D/g, ''));
  const seen = await page.evaluate(
    () => (window as unknown as { seen: { longTasks: number[]; mostElements: number; frames: number } }).seen,
  );
  return {
    longTasks: seen.longTasks,
    longestMs,
    mostElements: seen.mostElements,
    framesPerSecond: Math.round(seen.frames / seconds),
    messages,
  };
}

/**
 * Tasks over 50 ms that are the page's own fault. One that waits for the processor is a long one too, so that on a busy machine only
 * what it took of the processor counts.
 */
export function ownLongTasks({ longTasks, longestMs }: TrafficLoad): readonly number[] {
  if (longestMs > 50) return [longestMs];
  return (os.loadavg()[0] ?? 0) > os.cpus().length ? [] : longTasks;
}
