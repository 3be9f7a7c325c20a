import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { lastLines } from './failure.ts';

test('a module that is missing is named, however deep Node was', () => {
  const { stderr } = spawnSync(process.execPath, ['nowhere.mjs'], { encoding: 'utf8' });
  expect(stderr).toMatch(/^ {4}at .*node:internal/m);
  const words = lastLines(stderr, 8);
  expect(words[0]).toMatch(/^Error: Cannot find module .*nowhere\.mjs'$/);
  expect(words.at(-1)).toMatch(/^Node\.js v/);
});

test('frames of the program itself stay, and all else', () => {
  const said =
    'Error: no\n    at run (/home/me/plugin.mjs:3:7)\n    at node:internal/main/run_main_module:28:49\n\n';
  expect(lastLines(said, 8)).toEqual(['Error: no', '    at run (/home/me/plugin.mjs:3:7)']);
  expect(lastLines('one\ntwo\nthree\n', 2)).toEqual(['two', 'three']);
  expect(lastLines('', 2)).toEqual([]);
});
