// What a newcomer does first: `pluglot up`, the printed address in a browser, a tool of each dialect, and what went over the wires.
import { describe, expect, onTestFinished, test } from 'vitest';
import { startCli } from '../support/surface/command-line.ts';
import { servedAt } from '../support/surface/running-up.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hasBrowser, openBrowser, watch } from './browser.ts';
import { callEachDialect } from './call-each-dialect.ts';

describe.skipIf(!hasBrowser)('pluglot up', () => {
  test('the printed address leads to the console, where a tool of each dialect works', async () => {
    const up = startCli(['up', '--port', '0'], {
      home: temporaryFolder(),
      cwd: temporaryFolder({ 'note.txt': 'hello', '.git/HEAD': '' }),
    });
    await up.until('stdout', /plugins? (?:is|are) ready/);
    const { url, link = '' } = servedAt(up.stdout);
    const browser = await openBrowser();
    const page = await browser.context.newPage();
    const watched = watch(page, url);
    onTestFinished(() => browser.close());

    await page.goto(link);
    await page.getByText(/(\d+) of \1 plugins ready/).waitFor();
    expect(page.url()).toBe(`${url}/`);
    await callEachDialect(page, url);
    await page.goto(`${url}/#/traffic`);
    const messages = page.getByRole('listbox', { name: 'Messages' });
    for (const name of ['countdown', 'markdown', 'workspace', 'words', 'dice']) {
      await page.getByLabel('Plugin', { exact: true }).selectOption(name);
      await messages.getByRole('option', { name }).first().waitFor();
    }
    expect(watched).toEqual({ errors: [], elsewhere: [] });
    up.child.kill('SIGINT');
    expect(await up.ended).toBe(130);
  });
});
