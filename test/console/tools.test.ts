// The page Tools, used as a person uses it.
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';

describe.skipIf(!hasBrowser)('Tools', () => {
  const here = useConsole();
  const lastCall = (): unknown => {
    const asked = here.api.asked.findLast((one) => one.startsWith('POST /tools/create_issue/call')) ?? '';
    return (JSON.parse(asked.slice(asked.indexOf('{'))) as { args: unknown }).args;
  };

  test('a tool is found, filled in and called', async () => {
    const page = await here.open('/#/tools');
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('issue github');
    await page.getByRole('link', { name: /create_issue/ }).click();
    await page.getByRole('button', { name: /^Call/ }).click();
    // What is missing is said before anything is called.
    await page.getByText('2 fields are invalid').waitFor();
    await page.getByLabel('title').fill('It crashes');
    await page.getByLabel('kind').selectOption('bug');
    await page.getByLabel('owner').fill('ada');
    await page.getByLabel(/^name/).fill('engine');
    await page.getByRole('button', { name: 'Add to labels' }).click();
    await page.getByLabel(/^1/).fill('urgent');
    await page.getByRole('button', { name: 'Add reporter' }).click();
    await page
      .getByRole('group', { name: /^reporter/ })
      .getByLabel(/^name/)
      .fill('Grace');
    await page.getByRole('button', { name: 'true' }).click();
    await page.getByRole('button', { name: 'milestone is null' }).click();
    await page.getByLabel(/^remind/).fill('2026-11-17T12:30');
    // Who adds something fills it in next.
    await page.getByRole('button', { name: 'Add votes' }).click();
    await page.getByRole('button', { name: 'Add to votes' }).click();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('2024');
    await page
      .getByRole('group', { name: /^votes/ })
      .getByLabel(/^value/)
      .fill('7');
    await page.getByRole('button', { name: 'Add to links' }).click();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Home');
    await page.getByLabel('ratio').fill('much');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('1 field is invalid').waitFor();
    await page.getByLabel('ratio').fill('');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByRole('status').getByText('Done').waitFor();
    const asked = here.api.asked.find((one) => one.startsWith('POST /tools/create_issue/call')) ?? '';
    expect(JSON.parse(asked.slice(asked.indexOf('{')))).toEqual({
      args: {
        title: 'It crashes',
        kind: 'bug',
        priority: 3,
        target: { owner: 'ada', name: 'engine' },
        labels: ['urgent'],
        reporter: { name: 'Grace' },
        notify: true,
        milestone: null,
        remind: new Date(2026, 10, 17, 12, 30).toISOString().replace('.000Z', 'Z'),
        votes: { 2024: 7 },
        links: [{ title: 'Home' }],
      },
    });
    await page.getByRole('tab', { name: 'JSON' }).last().click();
    await page.getByText('heard:').waitFor();
  });

  test('a letter typed into a row of a map stays in that row', async () => {
    const page = await here.open('/#/tools/create_issue');
    await page.getByRole('button', { name: 'Add votes' }).click();
    const votes = page.getByRole('group', { name: /^votes/ });
    const values = votes.getByLabel(/^value/);
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      await votes.getByRole('button', { name: 'Add to votes' }).click();
      await votes.locator('.map-name').nth(index).fill(name);
      await values.nth(index).fill(String(index));
    }
    await votes.getByRole('button', { name: 'Remove a from votes' }).click();
    await values.first().click();
    await page.keyboard.press('End');
    await page.keyboard.type('23');
    expect(await values.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))).toEqual([
      '123',
      '2',
    ]);
    // Who empties a value to type another keeps the row.
    await values.last().fill('');
    await votes.getByText('A value is required.').waitFor();
    await page.keyboard.type('-7');
    // One name cannot stand for two.
    await votes.locator('.map-name').last().fill('b');
    await page.getByLabel('title').fill('Rows');
    await page.getByLabel('kind').selectOption('bug');
    await page.getByRole('combobox', { name: 'Variant of target' }).selectOption('An address');
    await page
      .getByRole('group', { name: /^target/ })
      .getByRole('textbox')
      .fill('https://example.org');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('1 field is invalid').waitFor();
    expect(await votes.getByText('duplicate').count()).toBe(2);
    await votes.locator('.map-name').last().fill('d');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByRole('status').getByText('Done').waitFor();
    expect(lastCall()).toMatchObject({ votes: { b: 123, d: -7 }, target: 'https://example.org' });
  });

  test('a form sends what it shows, and removed fields do not block it', async () => {
    const page = await here.open('/#/tools/create_issue');
    const extras = page.getByRole('group', { name: /^extras/ });
    const items = extras.getByRole('textbox');
    const shown = () => items.evaluateAll((all) => all.map((one) => (one as HTMLTextAreaElement).value));
    const fill = async () => {
      await page.getByLabel('title').fill('Shown');
      await page.getByLabel('kind').selectOption('bug');
      await page.getByLabel('owner').fill('ada');
      await page.getByLabel(/^name/).fill('engine');
    };
    await fill();
    for (const text of ['{ "one": 1 }', '{ "two": 2 }', '{ "three', '{ "four":4 }']) {
      await extras.getByRole('button', { name: 'Add to extras' }).click();
      await items.last().fill(text);
    }
    await extras.getByRole('button', { name: 'Add to extras' }).click();
    await expect.poll(() => items.last().evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type('5');
    await extras.getByRole('button', { name: 'Remove extras 1' }).click();
    expect(await shown()).toEqual(['{ "two": 2 }', '{ "three', '{ "four":4 }', '5']);
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('1 field is invalid').waitFor();
    // Why is said once.
    expect(await extras.locator('.bad-text').count()).toBe(1);
    await extras.getByRole('button', { name: 'Remove extras 2' }).click();
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByRole('status').getByText('Done').waitFor();
    expect(lastCall()).toMatchObject({ extras: [{ two: 2 }, { four: 4 }, 5] });

    await page.getByRole('textbox', { name: /^ratio/ }).fill('abc');
    await page.getByText('This is not a number.').waitFor();
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('This is not a number.').waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: /^ratio/ }).inputValue()).toBe('');
    expect(await shown()).toEqual([]);
    // What was left out is no obstacle either.
    await fill();
    await page.getByRole('button', { name: 'Add votes' }).click();
    await page.getByRole('button', { name: 'Add to votes' }).click();
    await page.keyboard.type('x');
    await page
      .getByRole('group', { name: /^votes/ })
      .getByLabel(/^value/)
      .fill('many');
    await page.getByRole('button', { name: 'Remove votes' }).click();
    const before = here.api.asked.length;
    await page.getByRole('button', { name: /^Call/ }).click();
    await expect.poll(() => here.api.asked.slice(before).join('\n')).toContain('/tools/create_issue/call');
    expect(lastCall()).not.toHaveProperty('votes');
  });

  test('one of several forms that is required is open from the beginning, and its forms have names', async () => {
    const page = await here.open('/#/tools/extract_text');
    const source = page.getByRole('group', { name: /^source/ });
    await source.getByText('one of: text, path, bytes').waitFor();
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('source is required').waitFor();
    const typed = source.getByRole('textbox', { name: 'source' });
    await expect.poll(() => typed.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type('notes.md');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('status').getByText('Done').waitFor();
    expect(here.api.asked).toContain('POST /tools/extract_text/call {"args":{"source":"notes.md"}}');
    await source.getByRole('combobox', { name: 'Variant of source' }).selectOption('bytes');
    await source.getByLabel(/^data/).fill('aGk=');
    // One that is a form of itself does not stop the page.
    await page.getByRole('button', { name: 'Add circle' }).click();
    await page.getByRole('combobox', { name: 'Variant of circle' }).first().selectOption('number');
    await page.getByRole('button', { name: 'Remove circle' }).click();
    await page.getByRole('button', { name: /^Call/ }).click();
    const sent = 'POST /tools/extract_text/call {"args":{"source":{"type":"bytes","data":"aGk="}}}';
    await expect.poll(() => here.api.asked).toContain(sent);
  });

  test('a tool that is not listed is called by its name', async () => {
    const page = await here.open('/#/tools');
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('execute_task');
    await page.getByRole('link', { name: 'call it by this name' }).click();
    await page.getByText('not listed', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByRole('status').getByText('Done').waitFor();
    expect(here.api.asked).toContain('POST /tools/execute_task/call {"args":{}}');
  });

  test('a tool of a plugin that is stopped says so, and the plugin is started from there', async () => {
    const page = await here.open('/#/tools/check_pods');
    await page.getByLabel('namespace').fill('default');
    await page.goto(`${here.api.address}/#/fleet`);
    await page.getByRole('button', { name: 'Stop cluster-checks' }).click();
    await page.getByRole('button', { name: 'Start cluster-checks' }).waitFor();
    await page.goto(`${here.api.address}/#/tools/check_pods`);
    await page.getByText('The plugin cluster-checks is stopped.').waitFor();
    expect(await page.getByLabel('namespace').inputValue()).toBe('default');
    expect(await page.getByRole('button', { name: /^Call/ }).isDisabled()).toBe(true);
    // Who opens the page anew is told who may have it.
    await page.reload();
    await page.getByText('It may belong to a plugin that is not running').waitFor();
    await page.getByRole('button', { name: 'Start cluster-checks' }).click();
    await page.getByLabel('namespace').waitFor();
    expect(await page.getByText('cluster-checks is stopped').count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: /^Call/ }).isEnabled()).toBe(true);
  });

  test('the failure to reach the host is outdated once it responds', async () => {
    const page = await here.open('/#/tools/echo', { expected: /ERR_|Failed to (load|fetch)|network/i });
    await page.getByLabel('text').fill('hello');
    await here.api.goAway();
    await page.getByText('shows the last known state').waitFor();
    await page.getByRole('button', { name: /^Call/ }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('Failed').waitFor();
    await here.api.comeBack();
    await result.getByText('The host did not respond at that time. It does now: call again.').waitFor();
    expect(await result.locator('.bad').count()).toBe(0);
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByRole('status').getByText('Done').waitFor();
  });

  test('arguments are also typed as JSON, and both say the same', async () => {
    const page = await here.open('/#/tools/echo');
    await page.getByRole('tab', { name: 'JSON' }).click();
    const editor = page.getByLabel('Arguments as JSON');
    await editor.fill('{ "text": ');
    await expect.poll(() => page.getByRole('button', { name: /^Call/ }).isDisabled()).toBe(true);
    await editor.fill('{ "text": "hello" }');
    await page.getByRole('tab', { name: 'Form' }).click();
    await expect.poll(() => page.getByLabel('text').inputValue()).toBe('hello');
    await page.getByLabel('text').press('Control+Enter');
    await page.getByRole('status').getByText('Done').waitFor();
  });

  test('a call can be pasted elsewhere', async () => {
    const page = await here.open('/#/tools/echo');
    await here.browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByLabel('text').fill(`it's`);
    await page.getByRole('button', { name: 'Copy as …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy this call' });
    const copied = async (name: string) => {
      await dialog.getByRole('tab', { name, exact: true }).click();
      await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
      await dialog.getByRole('button', { name: 'Copied' }).waitFor();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      await dialog.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' });
      return text;
    };
    expect(await copied('CLI')).toBe(String.raw`pluglot call echo '{"text":"it'\''s"}'`);
    expect(await copied('curl')).toContain('$PLUGLOT_TOKEN');
    // Where that comes from is said beside it.
    await dialog.getByText('export PLUGLOT_TOKEN=$(pluglot tokens new mine --for api)').waitFor();
    expect(await copied('TypeScript')).toContain('connectRuntime');
  });

  test('output streams in, and a call can be cancelled', async () => {
    const page = await here.open('/#/tools/wait');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('It takes its time …').waitFor();
    await expect.poll(() => page.locator('.progress-text').innerText()).toMatch(/^3 of 10\s+still at it$/);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    expect(here.api.asked).toContain('DELETE /calls/call-1');
  });

  test('Markdown is elements of the page, and no trap', async () => {
    const page = await here.open('/#/tools/report');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByRole('tab', { name: 'Markdown' }).click();
    await page.getByRole('cell', { name: 'one failed' }).waitFor();
    await expect.poll(() => page.locator('.markdown a').count()).toBe(1);
    expect(await page.locator('.markdown b').count()).toBe(0);
    expect(await page.getByText('<b>hi</b>').count()).toBe(1);
  });

  test('a failure shows its code, message and suggestions', async () => {
    const page = await here.open('/#/tools/fail');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('TOOL_FAILED').waitFor();
    const said = await page.getByRole('region', { name: 'Result' }).innerText();
    expect(said).toMatch(/The token may not write here\.[\s\S]*Use a token with write access\./);
    expect(said.match(/The token may not write here/g)).toHaveLength(1);
  });

  test('a hostile schema does not stop the page', async () => {
    const page = await here.open('/#/tools/hostile');
    await page.getByText('2804 more fields not shown').first().waitFor();
    expect(await page.getByText('19\u{202f}500 more choices not shown').count()).toBeGreaterThan(0);
    expect(await page.evaluate(() => document.getElementsByTagName('*').length)).toBeLessThan(6000);
    await page.getByRole('link', { name: /echo/ }).first().click();
    await page.getByRole('heading', { name: 'echo' }).waitFor();
  });

  test('arguments, a running call and its result stay while other pages are shown', async () => {
    const page = await here.open('/#/tools/echo');
    await page.getByLabel('text').fill('half done');
    await page.goto(`${here.api.address}/#/tools/wait`);
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('It takes its time …').waitFor();
    await page.goto(`${here.api.address}/#/traffic`);
    // It goes on, and is seen from everywhere.
    const tray = page.getByRole('region', { name: 'Running' });
    await tray.getByRole('link', { name: 'wait' }).click();
    await page.getByText('It takes its time …').waitFor();
    await tray.waitFor({ state: 'detached' });
    await page.goto(`${here.api.address}/#/tools/echo`);
    expect(await page.getByLabel('text').inputValue()).toBe('half done');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByRole('status').getByText('Done').waitFor();
    await tray.getByRole('button', { name: 'Cancel wait' }).click();
    await tray.waitFor({ state: 'detached' });
    await page.goto(`${here.api.address}/#/fleet`);
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    await page.goto(`${here.api.address}/#/tools/echo`);
    await page.getByRole('status').getByText('Done').waitFor();
    await page.getByRole('button', { name: 'Reset' }).click();
    expect(await page.getByRole('textbox', { name: 'text' }).inputValue()).toBe('');
    await page.goto(`${here.api.address}/#/tools/wait`);
    await page.getByText('Cancelled', { exact: true }).waitFor();
  });

  test('images and sounds are shown, and can be taken away', async () => {
    const page = await here.open('/#/tools/picture');
    await page.getByText('No arguments.').waitFor();
    await page.getByRole('button', { name: /^Call/ }).click();
    const image = page.getByRole('img', { name: 'Image 1 of the result' });
    await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
    await page.getByLabel('Audio 2 of the result').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download result-1.png' }).click();
    expect((await saved).suggestedFilename()).toBe('result-1.png');
  });

  test('a long text is counted in groups, and downloaded whole', async () => {
    const page = await here.open('/#/tools/long');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('200\u{202f}000 more characters').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download result' }).click();
    expect(statSync(await (await saved).path()).size).toBe(300_000);
  });

  test('tools of the user come first', async () => {
    const page = await here.open('/#/tools');
    await page.getByRole('link', { name: /echo/ }).waitFor();
    const groups = await page.locator('.group-name').allInnerTexts();
    expect(groups.at(0)).toBe('gpu-helper');
    expect(groups.at(-1)).toBe('todo');
  });
});
