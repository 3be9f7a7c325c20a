// Builds the console's page into dist: a script, a style sheet, and a script for Markdown that is loaded when it is needed.
import fs from 'node:fs';
import path from 'node:path';

/** @param {string} root the folder of the project */
export async function buildConsole(root) {
  const page = path.join(root, 'src/surface/console/ui');
  if (!fs.existsSync(path.join(page, 'index.html'))) return;
  // It is installed by now, but was not when this file was read.
  const { build } = await import('vite');
  await build({
    root: page,
    configFile: false,
    logLevel: 'warn',
    base: './',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: path.join(root, 'dist/surface/console/ui'),
      emptyOutDir: true,
      // The page is served under a policy that allows nothing inline.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2022',
      // Both colours of everything stand in one line each; these know how to read that.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      reportCompressedSize: false,
    },
  });
}
