// A tool of each dialect, called from the page.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';

/** Of the examples that come with the package: a tool, its arguments, and what its result says. */
const calls: readonly (readonly [tool: string, args: JsonObject, result: RegExp])[] = [
  ['countdown', { from: 2 }, /2[\s\S]*1/],
  ['markdown.outline', { text: '# One' }, /One/],
  ['contains', { file: 'notes.md', text: 'milk' }, /notes\.md/],
  ['execute_task', { task_type: 'analysis', prompt: 'two words' }, /2 words/],
  ['roll', { dice: '2d6' }, /\d/],
];

export async function callEachDialect(page: Page, url: string): Promise<void> {
  for (const [tool, args, result] of calls) {
    await page.goto(`${url}/#/tools/${encodeURIComponent(tool)}`);
    await page.locator('.tool-name', { hasText: tool }).waitFor();
    await page.getByRole('tab', { name: 'JSON' }).first().click();
    await page.getByLabel('Arguments as JSON').fill(JSON.stringify(args));
    await page.getByRole('button', { name: /^Call/ }).click();
    const answer = page.getByRole('region', { name: 'Result' });
    await answer.getByText(/Done|Failed/).waitFor();
    expect(await answer.innerText(), tool).toMatch(result);
  }
}
