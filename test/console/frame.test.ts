// What all pages share: access, connection, colours, keys, sizes and policy.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { consoleFiles } from '../../src/surface/console/console-files.ts';
import { root } from '../support/project.ts';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';
import { faintTexts, nameless } from './looks.ts';

const built = path.join(root, 'dist/surface/console/ui');
const paths = [
  'fleet',
  'fleet/weather',
  'tools',
  'tools/create_issue',
  'traffic',
  'talks',
  'approvals',
  'audit',
];

test('the first load is small', () => {
  const html = readFileSync(path.join(built, 'index.html'), 'utf8');
  const files = readdirSync(built, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({
      size: gzipSync(readFileSync(path.join(parentPath, name))).length,
      isFirst: name === 'index.html' || html.includes(name),
    }));
  expect(files.length).toBeGreaterThanOrEqual(3);
  const sum = (some: typeof files) => some.reduce((total, { size }) => total + size, 0);
  expect(sum(files)).toBeLessThan(100_000);
  expect(sum(files.filter(({ isFirst }) => isFirst))).toBeLessThan(64_000);
});

test('nothing is inline, and no other origin is named', () => {
  const html = readFileSync(path.join(built, 'index.html'), 'utf8');
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=/i);
  expect(html).not.toMatch(/https?:/);
  const sheets = [...consoleFiles(built)].filter(([name]) => name.endsWith('.css'));
  expect(sheets.map(([, { body }]) => body.toString()).join('')).not.toMatch(
    /@import|url\((?!data:)['"]?(https?:)?\/\//,
  );
});

describe.skipIf(!hasBrowser)('the frame', () => {
  const here = useConsole();

  test('without a cookie the page explains how to get access; a link works once, and its code does not stay in the address', async () => {
    await here.browser.context.clearCookies();
    const page = await here.open('/', { isLetIn: false, expected: /401/ });
    await page.getByRole('heading', { name: 'This console is locked' }).waitFor();
    await page.getByText('pluglot console', { exact: true }).waitFor();
    const link = here.api.link();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    // Where the page is shown already, only the end of the address changes.
    await page.goto(link);
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    expect(page.url()).toBe(`${here.api.address}/`);
    expect(await page.evaluate(() => document.cookie)).toBe('');
    expect(await page.content()).not.toContain(here.api.cookie);
    expect(addresses.join(' ')).not.toContain('code-');
    await here.browser.context.clearCookies();
    const again = await here.open(link.slice(here.api.address.length), { isLetIn: false, expected: /401/ });
    await again.getByText('This link was used before, or has expired.').waitFor();
  });

  test('the page explains why a link does not work, and takes a pasted one', async () => {
    await here.browser.context.clearCookies();
    const page = await here.open('/#/enter/wrong', { isLetIn: false, expected: /401/ });
    await page.getByRole('heading', { name: 'This console is locked' }).waitFor();
    const told = page.getByText('This link was used before, or has expired.');
    await told.waitFor();
    expect(page.url()).toBe(`${here.api.address}/`);
    // The field has the focus, and takes the whole link or its code.
    await page.keyboard.insertText('another wrong one');
    await told.waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await told.waitFor();
    await page.getByLabel('Open the link, or paste it here').fill(here.api.link());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  });

  test.each(['/?token=of-before', '/#token=of-before'])('%s is refused with an explanation', async (old) => {
    await here.browser.context.clearCookies();
    const page = await here.open(old, { isLetIn: false, expected: /401/ });
    await page.getByText('Links with a token no longer open the console.').waitFor();
    expect(page.url()).toBe(`${here.api.address}/`);
  });

  test('the page says that the host is gone, and reconnects by itself', async () => {
    const page = await here.open('/#/fleet', { expected: /ERR_|Failed to (load|fetch)|network/i });
    await page.getByText('4 of 7 plugins ready').waitFor();
    await here.api.goAway();
    await page.getByText('The host does not respond.').waitFor();
    // What was known stays.
    expect(await page.getByRole('row', { name: /gpu-helper/ }).count()).toBe(1);
    await here.api.comeBack();
    await page.getByText('The host does not respond.').waitFor({ state: 'detached' });
    await page.getByText('4 of 7 plugins ready').waitFor();
  });

  test('light and dark follow the system or the switch', async () => {
    const page = await here.open('/#/fleet');
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(ground).toBe('rgb(246, 246, 244)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(ground).toBe('rgb(16, 17, 20)');
    await page.getByRole('button', { name: /^Theme: system/ }).click();
    await expect.poll(ground).toBe('rgb(246, 246, 244)');
    await page.reload();
    await expect.poll(ground).toBe('rgb(246, 246, 244)');
    await page.getByRole('button', { name: /^Theme: light/ }).click();
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(ground).toBe('rgb(16, 17, 20)');
    await page.getByRole('button', { name: /^Theme: dark/ }).click();
  });

  test.each(['light', 'dark'] as const)('every text can be read in %s', async (colorScheme) => {
    const page = await here.open('/#/fleet');
    await page.emulateMedia({ colorScheme });
    for (const one of paths) {
      await page.goto(`${here.api.address}/#/${one}`);
      await page.locator('main h1').waitFor();
      expect(await page.evaluate(faintTexts), one).toEqual([]);
    }
  });

  test('everything that can be used has a name, and every focus is seen', async () => {
    const page = await here.open('/#/fleet');
    for (const one of paths) {
      await page.goto(`${here.api.address}/#/${one}`);
      await page.locator('main h1').waitFor();
      expect(await page.evaluate(nameless), one).toEqual([]);
    }
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(
      () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
    );
    expect(outline).toBe('solid');
  });

  test('its policy refuses inline code', async () => {
    const page = await here.open('/#/fleet', { expected: /Content Security Policy|inline script/i });
    await page.getByText('4 of 7 plugins ready').waitFor();
    const isRun = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.isRun = true';
      document.head.append(script);
      return 'isRun' in window;
    });
    expect(isRun).toBe(false);
  });
});
