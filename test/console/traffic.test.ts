// The page Traffic, used as a person uses it.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';

describe.skipIf(!hasBrowser)('Traffic', () => {
  const here = useConsole();

  test('Traffic shows both directions with their timing, filtered and held up', async () => {
    const page = await here.open('/#/traffic');
    await page.getByText('No messages yet').waitFor();
    await expect.poll(() => here.api.asked.some((one) => one.startsWith('GET /events?traffic=1'))).toBe(true);
    let sent = 0;
    await expect
      .poll(async () => {
        here.api.burst(20);
        sent += 20;
        return page.getByRole('option').count();
      })
      .toBeGreaterThan(19);
    // Rows move until the last message is there. The last request is in view; the first drawn row may be above it.
    await expect.poll(() => page.locator('.head .sub').innerText()).toBe(`${sent} messages`);
    await page.locator('.wire-row.request').filter({ hasText: 'tools/call' }).last().click();
    await page.getByRole('button', { name: 'its response' }).click();
    const detail = page.getByRole('region', { name: 'Message' });
    await detail.getByText('Took').waitFor();
    await detail.getByText(/^3(\.\d)? ms$/).waitFor();
    await page.getByLabel('Direction').selectOption('plugin');
    await page.getByLabel('Plugin', { exact: true }).selectOption('documents');
    await expect
      .poll(async () => new Set(await page.locator('.wire-list .wire-plugin').allInnerTexts()))
      .toEqual(new Set(['documents']));
    await page.getByRole('searchbox', { name: 'Text in messages' }).fill('nothing says this');
    await page.getByText('No matching messages').waitFor();
    await page.getByRole('searchbox', { name: 'Text in messages' }).fill('');
    await page.getByRole('button', { name: 'Pause' }).click();
    here.api.burst(7);
    await page.getByText('7 waiting').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('7 waiting').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No messages yet').waitFor();
  });

  test('all messages that the host keeps are read in order, then live ones', async () => {
    here.api.burst(7293);
    const page = await here.open('/#/traffic');
    const count = page.locator('.head .sub');
    await expect.poll(() => count.innerText()).toMatch(/^7\u{202f}\d{3} messages$/u);
    const before = Number((await count.innerText()).replaceAll(/\D/g, ''));
    here.api.burst(5);
    await expect
      .poll(() => count.innerText())
      .toBe(`${String(before + 5).replace(/^7/, '7\u{202f}')} messages`);
    const list = page.getByRole('listbox', { name: 'Messages' });
    await list.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Home');
    await page.getByRole('region', { name: 'Message' }).getByText('number 1', { exact: false }).waitFor();
    // Left and come back to, it goes on where it was.
    await page.goto(`${here.api.address}/#/fleet`);
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    here.api.burst(3);
    await page.goto(`${here.api.address}/#/traffic`);
    await expect
      .poll(() => count.innerText())
      .toBe(`${String(before + 8).replace(/^7/, '7\u{202f}')} messages`);
  });

  test('on a phone the list follows the newest message, also after a return to the page', async () => {
    here.api.burst(100);
    const page = await here.open('/#/traffic', { width: 390 });
    await page.locator('.wire-list [role=option]').first().waitFor();
    await page.goto(`${here.api.address}/#/fleet`);
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    await page.goto(`${here.api.address}/#/traffic`);
    await page.locator('.wire-list [role=option]').first().waitFor();
    // Scrolling is told a frame later.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    const fromEnd = await page
      .locator('.wire-list')
      .evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight);
    expect(fromEnd).toBeLessThan(2);
    expect(await page.getByRole('button', { name: 'Newest' }).count()).toBe(0);
  });

  test('pings are hidden until the user shows them', async () => {
    here.api.ping(4);
    const page = await here.open('/#/traffic');
    const pings = page.getByRole('button', { name: /^Pings/ });
    await expect.poll(() => pings.innerText()).toMatch(/^Pings\s+4 hidden$/);
    await pings.click();
    await expect.poll(() => page.locator('.wire-list').innerText()).toContain('ping');
    await pings.click();
    await expect.poll(() => page.locator('.wire-list').innerText()).not.toContain('ping');
  });

  test('the shown messages are exported: all of them, or a cassette of one plugin', async () => {
    here.api.burst(40);
    const page = await here.open('/#/traffic');
    await page.getByRole('searchbox', { name: 'Text in messages' }).fill('message');
    await page.getByLabel('Direction').selectOption('host');
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog.getByText('that match the filters').waitFor();
    const lines = async (name: string) => {
      const saved = page.waitForEvent('download');
      await dialog.getByRole('button', { name }).click();
      return readFileSync(await (await saved).path(), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as JsonObject);
    };
    const all = await lines('All messages, as JSON lines');
    expect(new Set(all.map(({ from }) => from))).toEqual(new Set(['host']));
    expect(new Set(all.map(({ plugin }) => plugin)).size).toBe(5);
    const [header, first] = await lines('Cassette of github');
    expect(header).toMatchObject({ cassette: 1, plugin: 'github', dialect: 'mcp' });
    expect(first).toMatchObject({ at: 0, from: 'host', message: { method: 'tools/call' } });
  });

  test('recordings are seen with their files, also those of others, and stopped', async () => {
    const page = await here.open('/#/traffic');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Record a plugin' });
    await dialog.getByLabel('Plugin').selectOption('documents');
    await dialog.getByRole('button', { name: 'Start recording' }).click();
    const list = page.getByRole('list', { name: 'Recordings' });
    await list.getByText('/state/recordings/r1.jsonl').waitFor();
    here.api.record('github');
    await list.getByText('/state/recordings/others.jsonl').waitFor();
    await list.getByRole('button', { name: 'Stop recording documents' }).click();
    // Where it is stays, until somebody has seen that.
    await list.getByText('17 messages').waitFor();
    await list.getByText('/state/recordings/r1.jsonl').waitFor();
    await list.getByRole('button', { name: 'Dismiss the recording of documents' }).click();
    await list.getByRole('button', { name: 'Stop recording github' }).click();
    await list.getByRole('button', { name: 'Dismiss the recording of github' }).click();
    await list.waitFor({ state: 'detached' });
    expect(here.api.asked).toContain('POST /recordings {"plugin":"documents"}');
    expect(here.api.asked).toContain('DELETE /recordings/others');
  });
});
