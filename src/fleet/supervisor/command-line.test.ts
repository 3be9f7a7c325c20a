import { expect, test } from 'vitest';
import { splitCommandLine } from './program.ts';

test.each([
  ['node plugin.js', ['node', 'plugin.js']],
  ['  node\t plugin.js  ', ['node', 'plugin.js']],
  ['node "my plugin.js" --x=\'a b\'', ['node', 'my plugin.js', '--x=a b']],
  ['run "" last', ['run', '', 'last']],
  [String.raw`C:\Tools\node.exe .\plugin.js`, [String.raw`C:\Tools\node.exe`, String.raw`.\plugin.js`]],
  [String.raw`say \"hello\"`, ['say', '"hello"']],
  ['an open "quote stays', ['an', 'open', 'quote stays']],
  ['', []],
])('%j', (line, words) => {
  expect(splitCommandLine(line)).toEqual(words);
});
