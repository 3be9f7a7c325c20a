// The page Fleet, used as a person uses it.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';

describe.skipIf(!hasBrowser)('Fleet', () => {
  const here = useConsole();

  test('Fleet shows the numbers of each plugin, and stops and starts it', async () => {
    const page = await here.open('/#/fleet');
    const row = page.getByRole('row', { name: /gpu-helper/ });
    await expect
      .poll(() => row.innerText())
      .toMatch(/gassist[\s\S]*ready[\s\S]*244[\s\S]*3\.2 ms[\s\S]*48 ms/);
    for (const dialect of ['yams', 'gevals', 'planner', 'mcp'])
      await page.getByRole('row', { name: dialect }).first().waitFor();
    await page.getByText('4 of 7 plugins ready').waitFor();
    await page.getByRole('button', { name: 'Stop gpu-helper' }).click();
    await page.getByText('gpu-helper stopped').waitFor();
    await page.getByText('3 of 7 plugins ready').waitFor();
    // That was asked for, and is no trouble.
    await row.getByText('stopped', { exact: true }).waitFor();
    expect(await row.innerText()).not.toContain('was stopped');
    await page.getByRole('link', { name: 'gpu-helper' }).click();
    const detail = page.getByRole('region', { name: 'Plugin gpu-helper' });
    await detail.getByText('stopped').first().waitFor();
    expect(await page.locator('.callout', { hasText: 'What happened' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Close' }).click();
    // It has a button of the same name.
    await detail.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Start gpu-helper' }).click();
    await page.getByText('4 of 7 plugins ready').waitFor();
    expect(here.api.asked).toContain('POST /plugins/gpu-helper/stop');
  });

  test('a stopped plugin keeps its row, so that a second click does not hit another plugin', async () => {
    const page = await here.open('/#/fleet');
    await page.getByText('4 of 7 plugins ready').waitFor();
    const names = () => page.locator('.plugin-row a').allInnerTexts();
    const before = await names();
    expect(before.at(0)).toBe('weather');
    await page.getByRole('button', { name: 'Stop cluster-checks' }).click();
    await page.getByRole('button', { name: 'Start cluster-checks' }).waitFor();
    expect(await names()).toEqual(before);
    await page.getByRole('button', { name: 'Start cluster-checks' }).click();
    await page.getByRole('button', { name: 'Stop cluster-checks' }).waitFor();
  });

  test('Fleet shows problems and how to fix them', async () => {
    const page = await here.open('/#/fleet');
    await page.getByText('unknown key "comand"').waitFor();
    await page.getByRole('link', { name: 'newcomer' }).click();
    await page.getByText('Not started until you trust it').waitFor();
    expect(await page.locator('.command code').innerText()).toBe('pluglot trust add /home/ada/project');
    await page.goto(`${here.api.address}/#/fleet/weather`);
    const trouble = page.locator('.callout', { hasText: 'What happened' });
    await trouble.getByText('Install what it needs, then start it.').waitFor();
    // And what it printed before that.
    await trouble.locator('figure', { hasText: 'Last output' }).getByText('warning 11').waitFor();
  });

  test('the logs of a plugin are live, and filtered by source', async () => {
    const page = await here.open('/#/fleet/github');
    const log = page.getByRole('log', { name: 'Logs of github' });
    await log.getByText('github was started').waitFor();
    await page.getByRole('button', { name: 'stderr' }).click();
    await expect.poll(() => log.locator('.log-line').count()).toBe(4);
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText('Use it kindly.', { exact: true }).waitFor();
    const about = page.locator('.facts');
    expect(await about.innerText()).toMatch(/Version\s+1\.2\.0[\s\S]*Command\s+node examples\/github/);
    await page.getByText('As JSON').click();
    await page.getByText('manifest:').waitFor();
    await page.getByRole('tab', { name: 'Tools' }).click();
    await page.getByRole('link', { name: 'create_issue' }).click();
    await page.getByRole('heading', { name: 'create_issue' }).waitFor();
  });
});
