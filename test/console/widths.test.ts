// Every page at every width: a phone, a tablet, a laptop, and what lies between. Nothing sticks out, nothing is cut off.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';
import { cutOff, tooWide } from './looks.ts';

/** A page, and what is done there first. */
const places: readonly (readonly [path: string, prepare?: (page: Page) => Promise<unknown>])[] = [
  ['fleet', (page) => page.getByText('gpu-helper').first().waitFor()],
  ['fleet/weather', (page) => page.getByText('What happened').waitFor()],
  [
    'fleet/github',
    async (page) => {
      await page.getByRole('tab', { name: 'About' }).click();
      await page.getByText('in its own process').waitFor();
    },
  ],
  ['tools', (page) => page.getByRole('searchbox', { name: 'Search tools' }).waitFor()],
  [
    'tools/create_issue',
    async (page) => {
      for (const name of ['Add votes', 'Add to votes', 'Add to links'])
        await page.getByRole('button', { name, exact: true }).click();
    },
  ],
  [
    'tools/report',
    async (page) => {
      await page.getByRole('button', { name: /^Call/ }).click();
      await page.getByRole('status').getByText('Done').waitFor();
    },
  ],
  ['traffic', (page) => page.locator('.wire-list .wire-row').first().waitFor()],
  [
    'traffic',
    async (page) => {
      await page.locator('.wire-list .wire-row').first().waitFor();
      await page.keyboard.press('k');
      await page.getByRole('region', { name: 'Message' }).waitFor();
    },
  ],
  [
    'talks',
    async (page) => {
      await page.getByLabel('Tool').selectOption('advise_settings');
      await page.getByRole('button', { name: 'Start the conversation' }).waitFor();
    },
  ],
  [
    'tools/benchmark',
    async (page) => {
      await page.getByRole('button', { name: /^Call/ }).click();
      await page.getByRole('link', { name: 'Continue in Talks' }).waitFor();
    },
  ],
  ['approvals', (page) => page.getByRole('heading', { name: /wants to/ }).waitFor()],
  ['audit', (page) => page.locator('.audit-row').nth(3).waitFor()],
];

describe.skipIf(!hasBrowser)('widths', () => {
  const here = useConsole();

  test.each([320, 360, 390, 768, 900, 1280])('at %i px all of it is seen', async (width) => {
    here.api.burst(60);
    here.api.record('github');
    const page = await here.open('/#/fleet', { width });
    await page.getByText('plugins ready').waitFor();
    for (const [path, prepare] of places) {
      // Anew each time: what was opened before is closed.
      await page.goto('about:blank');
      await page.goto(`${here.api.address}/#/${path}`);
      await prepare?.(page);
      await expect.poll(() => page.evaluate(tooWide), { message: `${path} is too wide` }).toEqual([]);
      await expect.poll(() => page.evaluate(cutOff), { message: `${path} is cut off` }).toEqual([]);
    }
  });

  test.each([360, 1280])('at %i px the list of plugins has all of its numbers', async (width) => {
    const page = await here.open('/#/fleet', { width });
    const row = page.getByRole('row', { name: /documents/ });
    await expect.poll(() => row.innerText()).toMatch(/549[\s\S]*3\.2 ms[\s\S]*48 ms/);
    expect(await row.innerText()).toMatch(/\b1\b/);
    expect(await row.locator('.spark').isVisible()).toBe(true);
    await row.getByRole('link', { name: 'documents' }).click();
    const detail = page.getByRole('region', { name: 'Plugin documents' });
    await expect.poll(() => detail.innerText()).toMatch(/Calls\s+549[\s\S]*p50\s+3\.2 ms[\s\S]*Restarts\s+1/);
    expect(await detail.locator('.spark').isVisible()).toBe(true);
  });

  test('lists that scroll are closed at the bottom', async () => {
    const page = await here.open('/#/fleet');
    await page.getByText('gpu-helper').first().waitFor();
    const isInside = (inner: string, outer: string) =>
      page.evaluate(
        ([one = '', other = '']) => {
          const [box, around] = [one, other].map((name) =>
            document.querySelector(name)?.getBoundingClientRect(),
          );
          return box !== undefined && around !== undefined && box.bottom <= around.bottom + 1;
        },
        [inner, outer],
      );
    await page.setViewportSize({ width: 1280, height: 420 });
    expect(await isInside('.plugins', '.body')).toBe(true);
    await page.goto(`${here.api.address}/#/tools/create_issue`);
    await page.getByRole('heading', { name: 'create_issue' }).waitFor();
    expect(await isInside('.tool-detail', '.body')).toBe(true);
    expect(await isInside('.call-bar', '.tool-detail')).toBe(true);
    // The chosen one is in sight, however long the list is.
    await page.goto(`${here.api.address}/#/tools/hostile`);
    await page.getByRole('heading', { name: 'hostile' }).waitFor();
    await expect
      .poll(() =>
        page.evaluate(() => {
          const chosen = document.querySelector('[aria-current="true"].tool-link')?.getBoundingClientRect();
          const list = document.querySelector('.tools > .list')?.getBoundingClientRect();
          return (
            chosen !== undefined &&
            list !== undefined &&
            chosen.top >= list.top &&
            chosen.bottom <= list.bottom
          );
        }),
      )
      .toBe(true);
  });
});
