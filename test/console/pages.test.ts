// Every page of the console, used as a person uses it.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';

describe.skipIf(!hasBrowser)('the pages', () => {
  const here = useConsole();

  test('Fleet tells what each plugin does, and stops and starts it', async () => {
    const page = await here.open('/#/fleet');
    const row = page.getByRole('row', { name: /gpu-helper/ });
    await expect.poll(() => row.innerText()).toMatch(/gassist[\s\S]*ready[\s\S]*244[\s\S]*3 ms[\s\S]*48 ms/);
    for (const dialect of ['yams', 'gevals', 'planner', 'mcp'])
      await page.getByRole('row', { name: dialect }).first().waitFor();
    await page.getByText('5 of 9 plugins ready').waitFor();
    await page.getByRole('button', { name: 'Stop gpu-helper' }).click();
    await page.getByText('gpu-helper stopped').waitFor();
    await page.getByText('4 of 9 plugins ready').waitFor();
    await page.getByRole('button', { name: 'Start gpu-helper' }).click();
    await page.getByText('5 of 9 plugins ready').waitFor();
    expect(here.api.asked).toContain('POST /plugins/gpu-helper/stop');
  });

  test('Fleet gives the way out of what is wrong', async () => {
    const page = await here.open('/#/fleet');
    await page.getByText('unknown key "comand"').waitFor();
    await page.getByRole('link', { name: 'newcomer' }).click();
    await page.getByText('Not run until you trust it').waitFor();
    expect(await page.locator('.command code').innerText()).toBe('pluglot trust add /home/ada/project');
    await page.goto(`${here.api.address}/#/fleet/weather`);
    await page.getByText('Install what it needs, then start it.').last().waitFor();
  });

  test('the logs of a plugin come live, by their source', async () => {
    const page = await here.open('/#/fleet/github');
    const log = page.getByRole('log', { name: 'Logs of github' });
    await log.getByText('github was started').waitFor();
    await page.getByRole('button', { name: 'stderr' }).click();
    await expect.poll(() => log.locator('.log-line').count()).toBe(4);
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText('Use it kindly.', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Tools' }).click();
    await page.getByRole('link', { name: 'create_issue' }).click();
    await page.getByRole('heading', { name: 'create_issue' }).waitFor();
  });

  test('a tool is found, filled in and called', async () => {
    const page = await here.open('/#/tools');
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('issue github');
    await page.getByRole('link', { name: /create_issue/ }).click();
    await page.getByRole('button', { name: /^Call/ }).click();
    // What is missing is said before anything is called.
    await page.getByText('2 fields need you').waitFor();
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
      },
    });
    await page.getByRole('tab', { name: 'JSON' }).last().click();
    await page.getByText('heard:').waitFor();
  });

  test('a tool that is not listed is called by its name', async () => {
    const page = await here.open('/#/tools');
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('execute_task');
    await page.getByRole('link', { name: 'Call it by this name' }).click();
    await page.getByText('not listed', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByRole('status').getByText('Done').waitFor();
    expect(here.api.asked).toContain('POST /tools/execute_task/call {"args":{}}');
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
    const copied = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' });
      return text;
    };
    expect(await copied('CLI')).toBe(String.raw`pluglot call echo '{"text":"it'\''s"}'`);
    expect(await copied('curl')).toContain('$PLUGLOT_TOKEN');
    expect(await copied('TypeScript')).toContain('connectRuntime');
  });

  test('what a call says comes as it says it, and a call can be cancelled', async () => {
    const page = await here.open('/#/tools/wait');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('It takes its time …').waitFor();
    await page.getByText('3 of 10 · still at it').waitFor();
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

  test('a failure says what, why and what to do', async () => {
    const page = await here.open('/#/tools/fail');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('TOOL_FAILED').waitFor();
    expect(await page.getByRole('region', { name: 'Result' }).innerText()).toMatch(
      /The token may not write here\.[\s\S]*Use a token with write access\./,
    );
  });

  test('a hostile schema does not stop the page', async () => {
    const page = await here.open('/#/tools/hostile');
    await page.getByText('2804 more fields are not shown').first().waitFor();
    expect(await page.getByText('19500 more choices are not shown').count()).toBeGreaterThan(0);
    expect(await page.evaluate(() => document.getElementsByTagName('*').length)).toBeLessThan(6000);
    await page.getByRole('link', { name: /echo/ }).first().click();
    await page.getByRole('heading', { name: 'echo' }).waitFor();
  });

  test('Traffic shows both directions with their timing, filtered and held up', async () => {
    const page = await here.open('/#/traffic');
    await page.getByText('The wires are quiet').waitFor();
    await expect.poll(() => here.api.asked.some((one) => one.startsWith('GET /events?traffic=1'))).toBe(true);
    await expect
      .poll(async () => {
        here.api.burst(20);
        return page.getByRole('option').count();
      })
      .toBeGreaterThan(19);
    await page
      .getByRole('option', { name: /tools\/call/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'its response' }).click();
    const detail = page.getByRole('region', { name: 'The chosen message' });
    await detail.getByText('Took').waitFor();
    await detail.getByText('3 ms').waitFor();
    await page.getByLabel('Direction').selectOption('plugin');
    await page.getByLabel('Plugin', { exact: true }).selectOption('documents');
    await expect
      .poll(async () => new Set(await page.locator('.wire-list .wire-plugin').allInnerTexts()))
      .toEqual(new Set(['documents']));
    await page.getByRole('searchbox', { name: 'Text in messages' }).fill('nothing says this');
    await page.getByText('No message fits').waitFor();
    await page.getByRole('searchbox', { name: 'Text in messages' }).fill('');
    await page.getByRole('button', { name: 'Pause' }).click();
    here.api.burst(7);
    await page.getByText('7 held up').waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('7 held up').waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe(
      '/api/v1/traffic/cassette?plugin=documents',
    );
    await page.getByRole('button', { name: 'Record' }).click();
    await page.getByRole('button', { name: 'Recording' }).click();
    await page.getByText('Recorded /state/recordings/r1.jsonl').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('The wires are quiet').waitFor();
  });

  test('a talk goes on until somebody leaves it', async () => {
    const page = await here.open('/#/talks');
    await page.getByLabel('game').fill('Portal');
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('Which settings do you use').waitFor();
    await page.getByLabel('What you say').fill('All on high');
    await page.getByLabel('What you say').press('Enter');
    await page.getByText('You said: All on high').waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You have left the conversation.').waitFor();
    await expect.poll(() => here.api.asked).toContain('DELETE /talks/talk-1');
    await page.getByRole('button', { name: 'Another conversation' }).click();
    await page.getByRole('button', { name: 'Start the conversation' }).waitFor();
  });

  test('a question is answered with its arguments changed, or denied with words', async () => {
    const page = await here.open('/#/approvals');
    await page.getByRole('heading', { name: 'A model (claude) wants to call a tool of github' }).waitFor();
    await expect.poll(() => page.title()).toBe('(2) Approvals · pluglot');
    // Words of the plugin stand in their frame, and what hides in them is seen.
    await page
      .locator('figure.quoted', { hasText: 'nobody has checked that' })
      .getByText(/\\x202eevas si siht/)
      .waitFor();
    await page.locator('.diff .added', { hasText: 'Crash on start, see issue.' }).waitFor();
    await page.getByRole('button', { name: /^Edit/ }).click();
    await page.getByLabel('Arguments to allow instead').fill('{ "title": "Better" }');
    await page.getByRole('button', { name: 'Allow once with these' }).click();
    await page
      .getByRole('heading', { name: 'A connected program (cursor) wants to run a command of cli' })
      .waitFor();
    await page.getByText('This tool is not what was allowed before').waitFor();
    await page.getByRole('button', { name: /Deny, and say why/ }).click();
    await page.getByLabel('Why not').fill('Never with force.');
    await page.getByRole('button', { name: 'Deny with this comment' }).click();
    await page.getByText('Nothing waits for you').waitFor();
    await expect.poll(() => page.title()).toBe('Approvals · pluglot');
    expect(here.api.asked).toContain(
      'POST /approvals/q-1 {"kind":"allow","scope":"once","by":"console","args":{"title":"Better"}}',
    );
    expect(here.api.asked).toContain(
      'POST /approvals/q-2 {"kind":"deny","scope":"once","by":"console","comment":"Never with force."}',
    );
    here.api.setQuestions(true);
  });

  test('keys answer, but not those that were typed when the question came', async () => {
    here.api.setQuestions(false);
    const page = await here.open('/#/approvals');
    await page.getByText('Nothing waits for you').waitFor();
    const before = here.api.asked.length;
    here.api.setQuestions(true);
    await page.getByRole('heading', { name: /wants to call a tool/ }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: /wants to call a tool/ }).waitFor();
    // Later the same key counts.
    await expect
      .poll(async () => {
        await page.keyboard.press('s');
        return here.api.asked.slice(before).filter((one) => one.startsWith('POST /approvals/q-1'));
      })
      .toEqual(['POST /approvals/q-1 {"kind":"allow","scope":"session","by":"console"}']);
    here.api.setQuestions(true);
  });

  test('Audit says what was decided, and whether the log is whole', async () => {
    const page = await here.open('/#/audit');
    await page.getByText(/chain verified, \d+ lines/).waitFor();
    await page.getByLabel('Denied only').check();
    await expect
      .poll(async () => new Set(await page.locator('.audit-verdict .tag').allInnerTexts()))
      .toEqual(new Set(['denied']));
    await page.getByRole('button', { name: 'create_issue' }).first().click();
    await page.getByText('"create_issue" is in the blacklist', { exact: true }).first().waitFor();
    await page.getByRole('searchbox', { name: 'Tool or command, by its name' }).fill('nothing');
    await page.getByLabel('Denied only').uncheck();
    await page.getByText('Nothing written that fits').waitFor();
  });
});
