// The page Talks, used as a person uses it.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';

describe.skipIf(!hasBrowser)('Talks', () => {
  const here = useConsole();

  test('a talk goes on until somebody leaves it', async () => {
    const page = await here.open('/#/talks');
    await page.getByLabel('Tool').selectOption('advise_settings (gpu-helper)');
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

  test('no tool is taken for the right one before somebody has chosen', async () => {
    const page = await here.open('/#/talks');
    await page.getByText('Choose what to begin with.').waitFor();
    expect(await page.getByLabel('Tool').inputValue()).toBe('');
    expect(await page.getByRole('button', { name: 'Start the conversation' }).count()).toBe(0);
    await page.getByLabel('Tool').selectOption('benchmark (gpu-helper)');
    // As the page Tools says it.
    const words = 'It does not say which arguments it takes.';
    await page.getByText(words).waitFor();
    await page.goto(`${here.api.address}/#/tools/benchmark`);
    await page.getByText(words).waitFor();
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('Waits for you').waitFor();
    await page.goto(`${here.api.address}/#/talks`);
    await page.getByLabel('Tool').selectOption('fan_curve');
    await page.goto(`${here.api.address}/#/tools/benchmark`);
    await page.getByRole('link', { name: 'Go on in Talks' }).click();
    await page.getByRole('heading', { name: 'Talks' }).waitFor();
    await expect.poll(() => page.getByLabel('Tool').inputValue()).toBe('benchmark');
    expect(new URL(page.url()).hash).toBe('#/talks');
  });

  test('what is needed is asked for before anything begins', async () => {
    const page = await here.open('/#/talks');
    await page.getByLabel('Tool').selectOption('advise_settings');
    const before = here.api.asked.length;
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('One field needs you').waitFor();
    expect(here.api.asked.slice(before).filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  test('a conversation goes on while other pages are shown, and can be left from there', async () => {
    const page = await here.open('/#/talks');
    await page.getByLabel('Tool').selectOption('advise_settings (gpu-helper)');
    await page.getByLabel('game').fill('Portal');
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('Which settings do you use').waitFor();
    await page.getByLabel('What you say').fill('not said yet');
    await page.goto(`${here.api.address}/#/fleet`);
    const tray = page.getByRole('region', { name: 'Under way' });
    await tray.getByRole('link', { name: 'Talk: advise_settings' }).click();
    await page.getByText('Which settings do you use').waitFor();
    expect(await page.getByLabel('What you say').inputValue()).toBe('not said yet');
    await page.goto(`${here.api.address}/#/audit`);
    await tray.getByRole('button', { name: 'Leave Talk: advise_settings' }).click();
    await tray.waitFor({ state: 'detached' });
    await page.goto(`${here.api.address}/#/talks`);
    await page.getByText('You have left the conversation.').waitFor();
  });

  test('a conversation ends with its host, and says so', async () => {
    const page = await here.open('/#/talks', { expected: /ERR_|Failed to (load|fetch)|network/i });
    await page.getByLabel('Tool').selectOption('advise_settings (gpu-helper)');
    await page.getByLabel('game').fill('Portal');
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('Which settings do you use').waitFor();
    await page.goto(`${here.api.address}/#/fleet`);
    const tray = page.getByRole('region', { name: 'Under way' });
    await tray.waitFor();
    await here.api.goAway();
    await tray.waitFor({ state: 'detached' });
    await here.api.comeBack();
    await page.getByText('The host does not answer.').waitFor({ state: 'detached' });
    await page.goto(`${here.api.address}/#/talks`);
    await page.getByText('The host went away, and the conversation ended with it.').waitFor();
    expect(await page.getByLabel('What you say').count()).toBe(0);
    await page.getByRole('button', { name: 'Another conversation' }).click();
    await page.getByRole('button', { name: 'Start the conversation' }).waitFor();
  });

  test('who waits for a plugin that somebody else talks with is told so', async () => {
    here.api.setTaken('gpu-helper', true);
    const page = await here.open('/#/talks');
    await page.getByLabel('Tool').selectOption('advise_settings (gpu-helper)');
    await page.getByLabel('game').fill('Portal');
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('Somebody else is in a conversation with gpu-helper.').waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You have left the conversation.').waitFor();
    await expect.poll(() => here.api.asked).toContain('DELETE /talks/talk-2');
    here.api.setTaken('gpu-helper', false);
  });
});
