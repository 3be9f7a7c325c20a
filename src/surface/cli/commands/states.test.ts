import { expect, test } from 'vitest';
import { describeState } from './lists.ts';

const view = { name: 'dice', dialect: 'mcp', restarts: 0, pids: [], command: 'dice' };

test.each([
  [{ state: 'ready', sinceMs: 61_000 }, 'ready for 1 min'],
  [{ state: 'ready', sinceMs: 1000 }, 'ready for 1 s'],
  [{ state: 'ready', sinceMs: 999 }, 'ready'],
  [{ state: 'stopped', sinceMs: 0 }, 'stopped'],
  [{ state: 'stopped', sinceMs: 5000, reason: 'Plugin "dice" was stopped.' }, 'stopped'],
  [{ state: 'stopped', sinceMs: 5000, reason: 'It said goodbye.' }, 'stopped: It said goodbye.'],
  [{ state: 'disabled', sinceMs: 0 }, 'disabled'],
  [{ state: 'ready', sinceMs: 1000, sandbox: { network: false, folders: {} } }, 'ready for 1 s, confined'],
  [{ state: 'ready', sinceMs: 0, sandbox: { network: true, folders: {} } }, 'ready, confined with network'],
  [{ state: 'failed', sinceMs: 5000, reason: 'x'.repeat(300) }, `failed for 5 s: ${'x'.repeat(300)}`],
])('%o: %s', (part, text) => {
  expect(describeState({ ...view, ...part })).toBe(text);
});
