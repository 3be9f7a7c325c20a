// A real browser for a test, and whether there is one.
import fs from 'node:fs';
import path from 'node:path';
import os from 'node:os';
import { chromium, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/** Whether there is one. Where not, the tests that need it are skipped, and say so. */
export const hasBrowser: boolean = fs.existsSync(CHROMIUM);

if (!hasBrowser) console.warn(`Skipped: there is no ${CHROMIUM}. apt-get install chromium`);

export interface TestBrowser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

export async function openBrowser(options: BrowserContextOptions = {}): Promise<TestBrowser> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-browser-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM,
    headless: true,
    chromiumSandbox: false,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  return {
    context,
    async close() {
      await context.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a page must not do: write errors, break its policy, ask anybody but its own host. */
export interface Watched {
  readonly errors: string[];
  readonly elsewhere: string[];
}

export function watch(page: Page, origin: string): Watched {
  const watched: Watched = { errors: [], elsewhere: [] };
  // Violations of the policy come as errors of the console too.
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') watched.errors.push(message.text());
  });
  page.on('pageerror', (error) => watched.errors.push(error.message));
  page.on('request', (request) => {
    const { url } = { url: request.url() };
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) watched.elsewhere.push(url);
  });
  return watched;
}
