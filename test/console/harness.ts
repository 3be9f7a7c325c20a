// The page in a browser, with a fake host. Errors, policy violations and requests to other origins fail the test.
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { Page } from 'playwright-core';
import { openBrowser, watch, type TestBrowser } from './browser.ts';
import { startFakeApi, type FakeApi } from './fake-api.ts';

export interface ConsoleUnderTest {
  readonly api: FakeApi;
  readonly browser: TestBrowser;
  /** A new tab that is let in; the test fails where it did what it must not. */
  open(path?: string, options?: OpenOptions): Promise<Page>;
}

interface OpenOptions {
  readonly isLetIn?: boolean;
  readonly width?: number;
  /** Errors that the test brings about itself, such as those of a host that is gone. */
  readonly expected?: RegExp;
}

/** For all tests of a file: one browser and one host. */
export function useConsole(): ConsoleUnderTest {
  let api: FakeApi | undefined;
  let browser: TestBrowser | undefined;
  beforeAll(async () => {
    [api, browser] = await Promise.all([startFakeApi(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.stop();
  });
  const present = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('The tests have not begun.');
    return part;
  };
  return {
    get api() {
      return present(api);
    },
    get browser() {
      return present(browser);
    },
    async open(path = '/', { isLetIn = true, width = 1280, expected = /^$/ } = {}) {
      const { address, cookie } = present(api);
      const page = await present(browser).context.newPage();
      const watched = watch(page, address);
      onTestFinished(async () => {
        await page.close();
        expect(watched.errors.filter((error) => !expected.test(error))).toEqual([]);
        expect(watched.elsewhere).toEqual([]);
      });
      await page.setViewportSize({ width, height: 800 });
      if (isLetIn)
        await present(browser).context.addCookies([
          { name: 'pluglot', value: cookie, url: address, httpOnly: true, sameSite: 'Strict' },
        ]);
      await page.goto(address + path);
      return page;
    },
  };
}
