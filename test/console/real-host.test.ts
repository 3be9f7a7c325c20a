// The page at a real host, with a plugin of each dialect in its own process.
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Page } from 'playwright-core';
import { definePlugin } from '../../src/definition/define-plugin.ts';
import { result } from '../../src/definition/outcome.ts';
import { consoleFiles } from '../../src/surface/console/console-files.ts';
import { root } from '../support/project.ts';
import { testServer, type TestServer } from '../support/surface/test-runtime.ts';
import { hasBrowser, openBrowser, watch } from './browser.ts';
import { callEachDialect } from './call-each-dialect.ts';

const example = (file: string) => path.join(root, 'examples', file);

const plugins = {
  countdown: {
    command: process.execPath,
    args: [example('gassist-countdown/plugin.mjs')],
    dialect: 'gassist',
  },
  markdown: { command: process.execPath, args: [example('yams-markdown/plugin.mjs')], dialect: 'yams' },
  workspace: {
    command: process.execPath,
    args: [example('gevals-workspace/extension.mjs')],
    dialect: 'gevals',
  },
  words: { command: process.execPath, args: [example('planner-words/plugin.mjs')], dialect: 'planner' },
  dice: { command: process.execPath, args: [example('mcp-dice/server.mjs')], dialect: 'mcp' },
};

describe.skipIf(!hasBrowser)('a real host', () => {
  test('a tool of each dialect is called from the page, and its messages are seen', async () => {
    const { page, host } = await opened();
    await page.getByText(`6 of 6 plugins ready`).waitFor();
    for (const dialect of ['gassist', 'yams', 'gevals', 'planner', 'mcp'])
      expect(await page.getByRole('row').getByText(dialect, { exact: true }).count()).toBe(1);
    await callEachDialect(page, host.server.url);
    await page.goto(`${host.server.url}/#/traffic`);
    for (const name of Object.keys(plugins)) {
      await page.getByLabel('Plugin', { exact: true }).selectOption(name);
      await page.getByRole('listbox', { name: 'Messages' }).getByRole('option', { name }).first().waitFor();
    }
  });

  test('a question of a model is answered, and the audit log shows it', async () => {
    const { page, host } = await opened();
    await page.goto(`${host.server.url}/#/approvals`);
    await page.getByText('No pending approvals').waitFor();
    const call = host.api.call('greet', { name: 'Ada' }, { caller: { kind: 'model', name: 'm1' } });
    await page.getByRole('heading', { name: /A model \(m1\) wants to call a tool of greeter/ }).waitFor();
    await page.getByRole('button', { name: /^Edit/ }).click();
    await page.getByLabel('Arguments to allow instead').fill('{ "name": "Grace" }');
    await page.getByRole('button', { name: 'Allow once with these arguments' }).click();
    expect(await call.outcome).toMatchObject({ ok: true, text: 'Hello Grace' });
    const denied = host.api.call('greet', { name: 'Bob' }, { caller: { kind: 'model', name: 'm1' } });
    await page.getByRole('button', { name: /Deny with a reason/ }).click();
    await page.getByLabel('Reason').fill('Not today.');
    await page.getByRole('button', { name: 'Deny with this reason' }).click();
    expect(JSON.stringify(await denied.outcome)).toContain('Not today.');
    await page.goto(`${host.server.url}/#/audit`);
    await page.getByText(/chain verified, \d+ lines/).waitFor();
    await page.locator('.audit-row', { hasText: 'denied' }).first().waitFor();
  });

  test('a plugin is stopped, started, read and talked with', async () => {
    const { page, host } = await opened();
    await page.getByText('6 of 6 plugins ready').waitFor();
    await page.getByRole('button', { name: 'Stop countdown' }).click();
    await page.getByText('5 of 6 plugins ready').waitFor();
    await page.getByRole('button', { name: 'Start countdown' }).click();
    await page.getByText('6 of 6 plugins ready').waitFor();
    await page.getByRole('link', { name: 'countdown' }).click();
    await page.getByRole('log', { name: 'Logs of countdown' }).locator('.log-line').first().waitFor();
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText('gassist', { exact: true }).last().waitFor();
    await page.goto(`${host.server.url}/#/talks`);
    await page.getByLabel('Tool').selectOption('countdown__launch');
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByLabel('Your message').and(page.locator(':enabled')).waitFor();
    await page.locator('.bubble.plugin').first().waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You left the conversation.').waitFor();
    expect(page.url()).not.toContain('enter');
  });

  test('a plugin of the host itself is talked with as one with a process', async () => {
    const { page, host } = await opened();
    host.runtime.registry.registerPlugin(quiz);
    await host.runtime.registry.exposeTool('quiz');
    await page.goto(`${host.server.url}/#/talks`);
    await page.getByLabel('Tool').selectOption('quiz__quiz');
    await page.getByRole('button', { name: 'Start the conversation' }).click();
    await page.getByText('What is 6 times 7?').waitFor();
    await page.getByLabel('Your message').fill('42');
    await page.getByLabel('Your message').press('Enter');
    await page.getByText('The plugin ended the conversation.').waitFor();
    const said = page.locator('.bubble.plugin');
    expect(await said.allInnerTexts()).toEqual([
      expect.stringContaining('What is 6 times 7?'),
      expect.stringContaining('Right.'),
    ]);
  });
});

const quiz = definePlugin({
  name: 'quiz',
  version: '1.0.0',
  tools: { quiz: { handler: () => result({ text: 'What is 6 times 7?', keepSession: true }) } },
  onInput: (content) => (content === '42' ? 'Right.' : 'Wrong.'),
});

async function opened(): Promise<{ page: Page; host: TestServer }> {
  const host = await testServer(
    { console: consoleFiles(path.join(root, 'dist/surface/console/ui')) },
    { files: { 'home/pluglot/pluglot.json': { plugins } } },
  );
  const browser = await openBrowser();
  const page = await browser.context.newPage();
  const watched = watch(page, host.server.url);
  onTestFinished(async () => {
    await browser.close();
    expect(watched).toEqual({ errors: [], elsewhere: [] });
  });
  await page.goto(host.server.consoleLink().url);
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  return { page, host };
}
