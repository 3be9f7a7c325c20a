// The page Approvals, used as a person uses it.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';

describe.skipIf(!hasBrowser)('Approvals', () => {
  const here = useConsole();

  test('a question is answered with edited arguments, or denied with a reason', async () => {
    const page = await here.open('/#/approvals');
    await page.getByRole('heading', { name: 'A model (claude) wants to call a tool of github' }).waitFor();
    await expect.poll(() => page.title()).toBe('(2) Approvals · pluglot');
    // Words of the plugin stand in their frame, and what hides in them is seen.
    await page
      .locator('figure.quoted', { hasText: 'would do, according to plugin' })
      .getByText(/\\x202eevas si siht/)
      .waitFor();
    await page.locator('.diff .added', { hasText: 'Crash on start, see issue.' }).waitFor();
    await page.getByRole('button', { name: /^Edit/ }).click();
    await page.getByLabel('Arguments to allow instead').fill('{ "title": "Better" }');
    await page.getByRole('button', { name: 'Allow once with these arguments' }).click();
    await page
      .getByRole('heading', { name: 'A connected program (cursor) wants to run a command of cli' })
      .waitFor();
    await page.getByText('This tool is not the one that was approved').waitFor();
    await page.getByRole('button', { name: /Deny with a reason/ }).click();
    await page.getByLabel('Reason').fill('Never with force.');
    await page.getByRole('button', { name: 'Deny with this reason' }).click();
    await page.getByText('No pending approvals').waitFor();
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
    await page.getByText('No pending approvals').waitFor();
    const before = here.api.asked.length;
    here.api.setQuestions(true);
    await page.getByRole('heading', { name: /wants to call a tool/ }).waitFor();
    await page.keyboard.press('y');
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

  test('the page shows what an answer covers, and which rule "Always" writes to which file', async () => {
    here.api.setQuestions(true);
    const page = await here.open('/#/approvals');
    const before = here.api.asked.length;
    await page.getByText('with exactly these arguments, by the model claude').waitFor();
    await page.getByText('github__create_issue(title="Crash on start", !*)').waitFor();
    await page.getByLabel('With any arguments').check();
    await page.getByText('with any arguments, by the model claude').waitFor();
    await page.getByRole('button', { name: /^Always/ }).click();
    await page
      .getByText('Wrote the rule allow github__create_issue to /home/ada/.config/pluglot/permissions.json')
      .waitFor();
    expect(here.api.asked.slice(before)).toContain(
      'POST /approvals/q-1 {"kind":"allow","scope":"always","by":"console","covers":"tool"}',
    );
    here.api.setQuestions(true);
  });

  test('"Allow everything" has to be confirmed, after its meaning is shown', async () => {
    here.api.setQuestions(true);
    const page = await here.open('/#/approvals');
    const before = here.api.asked.length;
    const answers = () => here.api.asked.slice(before).filter((one) => one.startsWith('POST /approvals'));
    await page.getByRole('button', { name: 'Allow everything …' }).click();
    await page.getByText('Every call of every tool by a model (claude)').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Allow once/ }).waitFor();
    expect(answers()).toEqual([]);
    await page.getByRole('button', { name: 'Allow everything …' }).click();
    await page.getByRole('button', { name: 'Yes, allow everything' }).click();
    await expect.poll(answers).toEqual(['POST /approvals/q-1 {"kind":"allow","scope":"all","by":"console"}']);
    here.api.setQuestions(true);
  });

  test('the field for the reason has the focus each time it opens', async () => {
    here.api.setQuestions(true);
    const page = await here.open('/#/approvals');
    await page.getByRole('heading', { name: /wants to/ }).waitFor();
    for (const said of ['Not ', 'now.']) {
      const field = page.getByLabel('Reason');
      await expect
        .poll(async () => {
          if ((await field.count()) === 0) await page.keyboard.press('c');
          return field.evaluate((element) => element === document.activeElement, undefined, {
            timeout: 1000,
          });
        })
        .toBe(true);
      await page.keyboard.press('End');
      await page.keyboard.type(said);
      if (said === 'Not ') await page.keyboard.press('Escape');
    }
    expect(await page.getByLabel('Reason').inputValue()).toBe('Not now.');
  });

  test('a command line is shown once', async () => {
    here.api.setQuestions(true);
    const page = await here.open('/#/approvals');
    await page.getByRole('button', { name: /run_command/ }).click();
    await page.getByRole('heading', { name: /wants to run a command of cli/ }).waitFor();
    expect(
      await page
        .getByText(/git push --force origin main/)
        .filter({ visible: true })
        .count(),
    ).toBe(1);
    await page.getByText('The same, as arguments').click();
    await page.getByText(/"git push --force origin main"/).waitFor();
  });
});
