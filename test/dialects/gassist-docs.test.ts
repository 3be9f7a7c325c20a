// docs/migrate-from-v1.md follows the specification, and what it shows is what comes of it.
import { expect, test } from 'vitest';
import { blocksOf, read } from '../support/markdown.ts';

const page = 'docs/migrate-from-v1.md';

// requirement: gassist:migration:install-sdk, gassist:migration:replace-code, gassist:migration:protocol-version
// requirement: gassist:migration:no-heartbeats, gassist:migration:no-pipes
test('the five steps, in their order', () => {
  const steps = [...read(page).matchAll(/^## \d\. (.*)$/gm)].map(([, step = '']) => step);
  const words = [
    /install the SDK/i,
    /replace the code/i,
    /protocol_version": "2\.0"/,
    /heartbeats and threads/,
    /pipes/,
  ];
  expect(steps).toHaveLength(words.length);
  for (const [index, word] of words.entries()) expect(steps[index]).toMatch(word);
});

test('the plugin before and after, and a manifest that names the plugin and its functions', () => {
  const blocks = blocksOf(page);
  const [before] = blocks;
  const after = blocks.find(({ label }) => label === 'plugin.ts')?.text ?? '';
  // Our own page.
  const manifest = JSON.parse(blocks.find(({ label }) => label === 'manifest.json')?.text ?? '{}') as {
    name: string;
    version: string;
    functions: { name: string }[];
  };
  expect(before?.text).toContain('<<END>>');
  expect(after).not.toMatch(/<<END>>|heartbeat|stdin|stdout/);
  for (const word of [manifest.name, manifest.version, ...manifest.functions.map(({ name }) => name)])
    expect(after).toContain(word);
});
