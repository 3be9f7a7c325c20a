// Makes docs/console.png: starts `pluglot up` with the bundled plugins, makes some calls, and takes a picture of the Tools page.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './prepare.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-screenshot-'));
const up = spawn(
  process.execPath,
  [path.join(root, 'dist/surface/cli/main.js'), 'up', '--bundled', '--port', '0'],
  { cwd: folder, env: { ...process.env, PLUGLOT_HOME: folder }, stdio: ['ignore', 'pipe', 'inherit'] },
);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 640 }, colorScheme: 'light' });
  await page.goto(await consoleLink());
  await page.getByText(/(\d+) of \1 plugins ready/).waitFor();
  await page.goto(`${new URL(page.url()).origin}/#/tools/dice__roll`);
  await page.getByRole('textbox', { name: /^dice/ }).fill('3d6+2');
  await page.getByRole('button', { name: /^Call/ }).click();
  await page.getByRole('status').getByText('Done').waitFor();
  await page.screenshot({ path: path.join(root, 'docs/console.png') });
} finally {
  await browser.close();
  const ended = up.exitCode === null ? new Promise((resolve) => up.once('exit', resolve)) : undefined;
  up.kill('SIGINT');
  await ended;
  fs.rmSync(folder, { recursive: true, force: true });
}

/**
 * The one-time link that `pluglot up` prints.
 * @returns {Promise<string>}
 */
function consoleLink() {
  return new Promise((resolve, reject) => {
    let output = '';
    up.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const link = /http:\/\/\S+#\/enter\/[\w-]+/.exec(output)?.[0];
      if (link !== undefined) resolve(link);
    });
    up.once('exit', () =>
      reject(new Error(`\`pluglot up\` ended without a link to the console:\n${output}`)),
    );
  });
}
