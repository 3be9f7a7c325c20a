// The page Audit, used as a person uses it.
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';

describe.skipIf(!hasBrowser)('Audit', () => {
  const here = useConsole();

  test('Audit shows each decision, and whether the log is intact', async () => {
    const page = await here.open('/#/audit');
    await page.getByText(/chain verified, \d+ lines/).waitFor();
    await page.getByLabel('Denied only').check();
    await expect
      .poll(async () => new Set(await page.locator('.audit-verdict .tag').allInnerTexts()))
      .toEqual(new Set(['denied']));
    await page.getByRole('button', { name: 'create_issue' }).first().click();
    await page.getByText('"create_issue" is forbidden by a rule', { exact: true }).first().waitFor();
    await page.getByRole('searchbox', { name: 'Tool or command' }).fill('nothing');
    await page.getByLabel('Denied only').uncheck();
    await page.getByText('No matching entries').waitFor();
  });

  test('it is read every so often while calls go on and on', async () => {
    const page = await here.open('/#/audit');
    await page.getByText(/chain verified, \d+ lines/).waitFor();
    const reads = () => here.api.asked.filter((one) => one.startsWith('GET /audit')).length;
    const before = reads();
    const calls = setInterval(() => here.api.audited(), 100);
    onTestFinished(() => clearInterval(calls));
    await expect.poll(reads).toBeGreaterThan(before + 2);
  });
});
