// Run it with: npm test
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('it greets', () => {
  assert.equal(call('greet', { name: 'Ada' }).result?.message, 'Hello, Ada!');
});

test('it says what is missing', () => {
  assert.match(call('greet', {}).error?.message ?? '', /name/);
});

test('it fails with a reason', () => {
  assert.match(call('greet', { name: ' ' }).result?.error ?? '', /empty name/);
});

/** @typedef {{ id?: number, result?: { message?: string, error?: string }, error?: { message: string } }} Message */

/**
 * One call, as gevals makes it: a line in, a line out. Hosts of other dialects get the same in their own words.
 * @param {string} operation
 * @param {object} args
 * @returns {Message}
 */
function call(operation, args) {
  const main = fileURLToPath(new URL('main.js', import.meta.url));
  const params = { operation, args, context: { workdir: '.', phase: 'setup' } };
  const request = { jsonrpc: '2.0', id: 1, method: 'execute', params };
  const { stdout } = spawnSync(process.execPath, [main], {
    input: `${JSON.stringify(request)}\n`,
    encoding: 'utf8',
  });
  const messages = stdout
    .trim()
    .split('\n')
    .map((line) => /** @type {Message} */ (JSON.parse(line)));
  // What it logs comes before.
  return messages.find(({ id }) => id === 1) ?? {};
}
