// The page Talks, used as a person uses it.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';

describe.skipIf(!hasBrowser)('Talks', () => {
  const here = useConsole();

  test('a conversation goes on until the user leaves it', async () => {
    const page = await here.open('/#/talks');
    await page.getByLabel('Tool').selectOption('advise_settings (gpu-helper)');
    await page.getByLabel('game').fill('Portal');
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('Which settings do you use').waitFor();
    await page.getByLabel('Your message').fill('All on high');
    await page.getByLabel('Your message').press('Enter');
    await page.getByText('You said: All on high').waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You left the conversation.').waitFor();
    await expect.poll(() => here.api.asked).toContain('DELETE /talks/talk-1');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('button', { name: 'Start the conversation' }).waitFor();
  });

  test('no tool is preselected where there are several', async () => {
    const page = await here.open('/#/talks');
    await page.getByText('Choose the tool to start with.').waitFor();
    expect(await page.getByLabel('Tool').inputValue()).toBe('');
    expect(await page.getByRole('button', { name: 'Start the conversation' }).count()).toBe(0);
    await page.getByLabel('Tool').selectOption('benchmark (gpu-helper)');
    // As the page Tools says it.
    const words = 'The tool does not describe its arguments.';
    await page.getByText(words).waitFor();
    await page.goto(`${here.api.address}/#/tools/benchmark`);
    await page.getByText(words).waitFor();
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByText('Waiting for you').waitFor();
    await page.goto(`${here.api.address}/#/talks`);
    await page.getByLabel('Tool').selectOption('fan_curve');
    await page.goto(`${here.api.address}/#/tools/benchmark`);
    await page.getByRole('link', { name: 'Continue in Talks' }).click();
    await page.getByRole('heading', { name: 'Talks' }).waitFor();
    await expect.poll(() => page.getByLabel('Tool').inputValue()).toBe('benchmark');
    expect(new URL(page.url()).hash).toBe('#/talks');
  });

  test('missing arguments are reported before the conversation starts', async () => {
    const page = await here.open('/#/talks');
    await page.getByLabel('Tool').selectOption('advise_settings');
    const before = here.api.asked.length;
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('1 field is invalid').waitFor();
    expect(here.api.asked.slice(before).filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  test('a conversation goes on while other pages are shown, and can be left from there', async () => {
    const page = await here.open('/#/talks');
    await page.getByLabel('Tool').selectOption('advise_settings (gpu-helper)');
    await page.getByLabel('game').fill('Portal');
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('Which settings do you use').waitFor();
    await page.getByLabel('Your message').fill('not said yet');
    await page.goto(`${here.api.address}/#/fleet`);
    const tray = page.getByRole('region', { name: 'Running' });
    await tray.getByRole('link', { name: 'Talk: advise_settings' }).click();
    await page.getByText('Which settings do you use').waitFor();
    expect(await page.getByLabel('Your message').inputValue()).toBe('not said yet');
    await page.goto(`${here.api.address}/#/audit`);
    await tray.getByRole('button', { name: 'Leave Talk: advise_settings' }).click();
    await tray.waitFor({ state: 'detached' });
    await page.goto(`${here.api.address}/#/talks`);
    await page.getByText('You left the conversation.').waitFor();
  });

  test('a conversation ends with its host, and says so', async () => {
    const page = await here.open('/#/talks', { expected: /ERR_|Failed to (load|fetch)|network/i });
    await page.getByLabel('Tool').selectOption('advise_settings (gpu-helper)');
    await page.getByLabel('game').fill('Portal');
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('Which settings do you use').waitFor();
    await page.goto(`${here.api.address}/#/fleet`);
    const tray = page.getByRole('region', { name: 'Running' });
    await tray.waitFor();
    await here.api.goAway();
    await tray.waitFor({ state: 'detached' });
    await here.api.comeBack();
    await page.getByText('The host does not respond.').waitFor({ state: 'detached' });
    await page.goto(`${here.api.address}/#/talks`);
    await page.getByText('The connection to the host was lost, which ended the conversation.').waitFor();
    expect(await page.getByLabel('Your message').count()).toBe(0);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('button', { name: 'Start the conversation' }).waitFor();
  });

  test('the page says that the plugin is in another conversation', async () => {
    here.api.setTaken('gpu-helper', true);
    const page = await here.open('/#/talks');
    await page.getByLabel('Tool').selectOption('advise_settings (gpu-helper)');
    await page.getByLabel('game').fill('Portal');
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('gpu-helper is in another conversation.').waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You left the conversation.').waitFor();
    await expect.poll(() => here.api.asked).toContain('DELETE /talks/talk-2');
    here.api.setTaken('gpu-helper', false);
  });
});
