// What has to go on while a call runs is tried while one runs: a quick tool must not hide what a slow one does.
import { expect, test } from 'vitest';
import { checkPlugin, type CheckPluginOptions } from '../../src/testing/check-plugin.ts';
import { fixture } from '../support/surface/command-line.ts';

function check(file: string, options: Omit<CheckPluginOptions, 'command'>) {
  return checkPlugin({ command: ['node', fixture(file)], ...options });
}

test.for([
  ['mcp', 'mcp/blocks-in-its-second-tool.mjs', 'read_all'],
  ['gassist', 'gassist/blocks-in-its-second-function.mjs', 'check_disk'],
] as const)('%s: a handler that blocks is found behind one that does not', async ([dialect, file, tool]) => {
  const { results } = await check(file, { dialect, only: ['ping-during-call'] });
  expect(results[0]).toMatchObject({ verdict: 'failed' });
  expect(results[0]?.seen).toMatch(
    new RegExp(`^The handler of "${tool}" blocks: .* ms or longer, and came when the call was over\\.$`),
  );
});

test('a long call that is lost is found behind quick ones that are not', async () => {
  const { results } = await check('mcp/leaves-at-eof-whatever-runs.mjs', {
    dialect: 'mcp',
    only: ['eof-in-call', 'long-call'],
  });
  expect(results).toMatchObject([
    { id: 'fault:long-call', verdict: 'passed' },
    { id: 'fault:eof-in-call', verdict: 'failed' },
  ]);
});

test('where only one tool may be called, what is left untested is reported, with how to test it', async () => {
  const { results, grade } = await check('mcp/leaves-at-eof-whatever-runs.mjs', {
    dialect: 'mcp',
    only: ['eof-in-call', 'long-call'],
    tool: { tool: 'list', args: {} },
  });
  expect(results).toMatchObject([
    { id: 'fault:long-call', verdict: 'failed', severity: 'info' },
    { id: 'fault:eof-in-call', verdict: 'passed' },
  ]);
  expect(results[0]?.seen).toMatch(
    /^The longest call that was made, of "list", took \d+ ms\. Not called: read_all\.$/,
  );
  expect(results[0]?.fix).toContain('--slow-tool');
  expect(results[1]?.seen).toMatch(/^16 calls of "list", each of \d+ ms, were sent just before\. /);
  expect(grade).toBe('A');
});

test('a slow tool that is named is what the others are tried with', async () => {
  const { results } = await check('mcp/leaves-at-eof-whatever-runs.mjs', {
    dialect: 'mcp',
    only: ['eof-in-call', 'host-gone'],
    tool: { tool: 'list', args: {} },
    slowTool: { tool: 'read_all', args: {} },
  });
  expect(results).toMatchObject([
    { id: 'fault:eof-in-call', verdict: 'failed' },
    {
      id: 'fault:host-gone',
      verdict: 'passed',
      seen: expect.stringMatching(/^A call of "read_all", which takes \d+ ms, was under way\. /) as string,
    },
  ]);
});
