// What holds for every page: the way in, the connection, colours, keys, sizes, and what the browser is told about it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { consoleFiles } from '../../src/surface/console/console-files.ts';
import { root } from '../support/project.ts';
import { hasBrowser } from './browser.ts';
import { useConsole } from './harness.ts';

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
  const sizes = readdirSync(built, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => gzipSync(readFileSync(path.join(entry.parentPath, entry.name))).length);
  expect(sizes.length).toBeGreaterThanOrEqual(3);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
});

test('nothing of it is inline, and it names nobody else', () => {
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

  test('without a cookie the page says how to get in; with it the address is clean', async () => {
    await here.browser.context.clearCookies();
    const page = await here.open('/', { isLetIn: false, expected: /401/ });
    await page.getByRole('heading', { name: 'This console is locked' }).waitFor();
    await page.getByText('pluglot up', { exact: true }).waitFor();
    await page.goto(`${here.api.address}/?token=${here.api.token}`);
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    expect(page.url()).toBe(`${here.api.address}/`);
    expect(await page.evaluate(() => document.cookie)).toBe('');
    expect(await page.content()).not.toContain(here.api.token);
  });

  test('a host that goes away is told calmly, and comes back by itself', async () => {
    const page = await here.open('/#/fleet', { expected: /ERR_|Failed to (load|fetch)|network/i });
    await page.getByText('5 of 9 plugins ready').waitFor();
    await here.api.goAway();
    await page.getByText('The host does not answer.').waitFor();
    // What was known stays.
    expect(await page.getByRole('row', { name: /gpu-helper/ }).count()).toBe(1);
    await here.api.comeBack();
    await page.getByText('The host does not answer.').waitFor({ state: 'detached' });
    await page.getByText('5 of 9 plugins ready').waitFor();
  });

  test('light and dark, as the system says or as somebody chose', async () => {
    const page = await here.open('/#/fleet');
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(ground).toBe('rgb(246, 246, 244)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(ground).toBe('rgb(16, 17, 20)');
    await page.getByRole('button', { name: /^Colours: system/ }).click();
    await expect.poll(ground).toBe('rgb(246, 246, 244)');
    await page.reload();
    await expect.poll(ground).toBe('rgb(246, 246, 244)');
    await page.getByRole('button', { name: /^Colours: light/ }).click();
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(ground).toBe('rgb(16, 17, 20)');
    await page.getByRole('button', { name: /^Colours: dark/ }).click();
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

  test('a phone shows all of it without scrolling sideways', async () => {
    const page = await here.open('/#/fleet', { width: 360 });
    for (const one of paths) {
      await page.goto(`${here.api.address}/#/${one}`);
      await page.locator('main h1').waitFor();
      await expect.poll(() => page.evaluate(tooWide), { message: one }).toEqual([]);
    }
  });

  test('all of it by keys', async () => {
    const page = await here.open('/#/fleet');
    await page.getByText('5 of 9 plugins ready').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Plugin weather' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Plugin weather' }).waitFor({ state: 'detached' });
    for (const [letter, title] of [
      ['t', 'Tools'],
      ['w', 'Traffic'],
      ['c', 'Talks'],
      ['a', 'Approvals'],
      ['l', 'Audit'],
      ['f', 'Fleet'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('link', { name: /echo/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('echo');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'echo' }).waitFor();
    expect(page.url()).toBe(`${here.api.address}/#/tools/echo`);
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

  test('its policy refuses what is inline', async () => {
    const page = await here.open('/#/fleet', { expected: /Content Security Policy|inline script/i });
    await page.getByText('5 of 9 plugins ready').waitFor();
    const isRun = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.isRun = true';
      document.head.append(script);
      return 'isRun' in window;
    });
    expect(isRun).toBe(false);
  });
});

/** Elements that stand out of the page, and whether the page itself scrolls. */
function tooWide(): string[] {
  const { innerWidth } = window;
  const wide = [...document.querySelectorAll<HTMLElement>('body *')].filter((element) => {
    const { right, width } = element.getBoundingClientRect();
    if (width === 0 || right <= innerWidth + 1 || element.closest('svg, .unseen') !== null) return false;
    // What scrolls in a place of its own is meant to.
    for (let around = element.parentElement; around !== null; around = around.parentElement)
      if (
        ['auto', 'scroll', 'hidden'].includes(getComputedStyle(around).overflowX) &&
        around !== document.body
      )
        return false;
    return true;
  });
  return [
    ...wide.map((element) => `${element.tagName} ${element.className}`),
    ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
  ];
}

/** Texts whose contrast to what is behind them is less than 4.5 to 1. */
function faintTexts(): string[] {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color: string): [number, number, number, number] => {
    if (canvas === null) return [0, 0, 0, 0];
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha];
  };
  const light = (color: string) => {
    const [red, green, blue] = rgba(color).map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
  };
  const behind = (element: Element | null): string => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (rgba(backgroundColor)[3] === 255) return backgroundColor;
    }
    return 'white';
  };
  const faint: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>('body *')) {
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === 3 && node.textContent?.trim() !== '',
    );
    if (
      !hasText ||
      element.offsetParent === null ||
      element.matches(':disabled, :disabled *, option, .unseen, .unseen *')
    )
      continue;
    const [one, other] = [light(getComputedStyle(element).color), light(behind(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5)
      faint.push(`${contrast.toFixed(2)} ${element.className} ${element.textContent?.slice(0, 30)}`);
  }
  return faint;
}

/** What can be used but has no name for those who listen. */
function nameless(): string[] {
  return [
    ...document.querySelectorAll<HTMLElement>(
      'button, a[href], input, select, textarea, [role="listbox"], [role="log"]',
    ),
  ]
    .filter((element) => {
      if (element.offsetParent === null) return false;
      const labels =
        element instanceof HTMLInputElement ||
        element instanceof HTMLSelectElement ||
        element instanceof HTMLTextAreaElement
          ? (element.labels?.length ?? 0)
          : 0;
      const isField = element.matches('input, select, textarea');
      const words = element.getAttribute('aria-label') ?? (isField ? '' : element.textContent) ?? '';
      return labels === 0 && words.trim() === '';
    })
    .map((element) => element.outerHTML.slice(0, 120));
}
