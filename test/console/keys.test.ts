// The whole page with keys alone.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';

describe.skipIf(!hasBrowser)('keys', () => {
  const here = useConsole();

  test('lead to every page, and are all in the help', async () => {
    const page = await here.open('/#/fleet');
    await page.getByText('4 of 7 plugins ready').waitFor();
    for (const [letter, title] of [
      ['t', 'Tools'],
      ['w', 'Traffic'],
      ['c', 'Talks'],
      ['a', 'Approvals'],
      ['l', 'Audit'],
      ['f', 'Fleet'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
    }
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.waitFor();
    for (const title of ['Everywhere', 'Pages', 'Tools', 'Traffic', 'Talks', 'Approvals'])
      await help.getByRole('heading', { name: title, exact: true }).waitFor();
    expect(await help.innerText()).toMatch(/Enter[\s\S]*open the first match/i);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
  });

  test('a plugin: searched, opened, left, and the next one', async () => {
    const page = await here.open('/#/fleet');
    await page.getByText('4 of 7 plugins ready').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('git');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Plugin github' }).waitFor();
    await page.keyboard.press('Escape');
    // Once out of the words, once out of the field, once out of the plugin.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Plugin github' }).waitFor({ state: 'detached' });
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toBe('github');
    await page.keyboard.press('ArrowUp');
    const before = await focused();
    expect(before).not.toBe('github');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('github');
    await page.keyboard.press('Home');
    expect(await focused()).toBe('weather');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Plugin weather' }).waitFor();
  });

  test('a tool: searched, opened into its form, called, and back', async () => {
    const page = await here.open('/#/tools');
    await page.getByRole('link', { name: /echo/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('says what');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'echo' }).waitFor();
    const field = page.getByLabel('text');
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type('hello');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('status').getByText('Done').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url()).toBe(`${here.api.address}/#/tools`);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('href')))
      .toBe('#/tools/echo');
    // One without arguments is called at once.
    await page.goto(`${here.api.address}/#/tools/report`);
    await page.getByText('No arguments.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Done').waitFor();
  });

  test('messages: found, opened, and the ones beside them', async () => {
    here.api.burst(40);
    const page = await here.open('/#/traffic');
    await page.getByText(/^4\d messages$/).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('message 7');
    await expect.poll(() => page.locator('.head .sub').innerText()).toMatch(/^2 of 4\d messages$/);
    await page.keyboard.press('Enter');
    const detail = page.getByRole('region', { name: 'Message' });
    await detail.getByText('number 16').waitFor();
    await page.keyboard.press('ArrowUp');
    await detail.getByText('number 15').waitFor();
    await page.keyboard.press('o');
    await detail.getByText('number 16').waitFor();
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowUp');
    await detail.waitFor();
  });

  test('the audit: opened and left', async () => {
    const page = await here.open('/#/audit');
    await page.locator('.audit-row').nth(3).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('fan');
    await expect
      .poll(async () => new Set(await page.locator('.audit-open').allInnerTexts()))
      .toEqual(new Set(['fan_curve']));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const open = page.locator('.audit-detail');
    await open.waitFor();
    await page.keyboard.press('Escape');
    await open.waitFor({ state: 'detached' });
  });
});
