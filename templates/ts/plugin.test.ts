// Run it with: npm test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTool } from 'pluglot/testing';
import { plugin } from './plugin.js';

test('it greets', async () => {
  const { text } = await callTool(plugin, 'greet', { name: 'Ada' });
  assert.equal(text, 'Hello, Ada!');
});

test('it says what is missing', async () => {
  const { error } = await callTool(plugin, 'greet', {});
  assert.match(error?.message ?? '', /name/);
});

test('it fails with a reason', async () => {
  const { error } = await callTool(plugin, 'greet', { name: ' ' });
  assert.equal(error?.message, 'Nobody has an empty name.');
});
