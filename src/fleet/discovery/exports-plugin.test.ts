import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namesFactory } from './module-files.ts';

test.for([
  'export function createPlugin() {}',
  'export async function createPlugin() {}',
  'export  const\n createPlugin = () => 1',
  'let a; export let createPlugin;',
  'function createPlugin() {}\nexport { createPlugin };',
  'export{other,make as createPlugin}',
  'export {\n  other,\n  createPlugin,\n};',
  "export { createPlugin } from './elsewhere.js';",
  'exports.createPlugin = () => 1;',
  'module.exports.createPlugin = make;',
  'module.exports = { createPlugin };',
  'module.exports={ createPlugin: make }',
])('%s', (text) => {
  expect(namesFactory(text)).toBe(true);
});

test.for([
  '',
  'function createPlugin() {}',
  'export function createPlugins() {}',
  'export function recreatePlugin() {}',
  'export const other = createPlugin();',
  'export { createPlugin as other };',
  "import { createPlugin } from './a.js';\nexport { other };",
  'export { other }; { createPlugin }',
  'exports.createPlugin === 1',
  'const plugin = { createPlugin };',
  'serve(createPlugin());',
])('not: %s', (text) => {
  expect(namesFactory(text)).toBe(false);
});

test('whatever stands before it, an export is found', () => {
  const words = fc.constantFrom(
    'export',
    ' ',
    '{',
    '}',
    'createPlugin',
    'const',
    'exports.',
    '=',
    '\n',
    'as',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
      expect(namesFactory(`${parts.join('')}\nexport function createPlugin() {}`)).toBe(true);
    }),
  );
});

test('a text that is made to keep a reader busy does not', () => {
  const started = performance.now();
  for (const piece of ['export{', 'createPlugin', 'export { createPlugin as ', 'export \n', '{'.repeat(50)])
    namesFactory(piece.repeat((4 * 1024 * 1024) / piece.length));
  // Quadratic work would take hours.
  expect(performance.now() - started).toBeLessThan(20_000);
});
