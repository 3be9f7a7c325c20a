import { expect, test } from 'vitest';
import type { PluginView } from '../../api/types.ts';
import { commandIn, inOrderOfNeed, isRunning, shownState, stateAge } from './facts.ts';

const plugin: PluginView = {
  name: 'echo',
  origin: 'process',
  dialect: 'mcp',
  state: 'ready',
  sinceMs: 0,
  restarts: 0,
  pids: [],
  command: 'node echo.js',
  stats: { calls: 0, failures: 0, running: 0, waiting: 0, p50Ms: 0, p99Ms: 0, perSecond: [] },
};
const untrusted = { reason: 'It is new.', wayOut: 'pluglot trust add .' };

test('the age of a state', () => {
  expect(stateAge({ ...plugin, sinceMs: 1000 }, 6000)).toBe(5000);
  expect(stateAge({ ...plugin, sinceMs: 1000 }, 0)).toBe(0);
});

test('states', () => {
  expect(shownState(plugin)).toBe('ready');
  expect(shownState({ ...plugin, untrusted })).toBe('untrusted');
  expect(isRunning({ ...plugin, state: 'failed' })).toBe(false);
  expect(isRunning({ ...plugin, state: 'backoff' })).toBe(true);
});

test('the way out can be pasted', () => {
  expect(commandIn('Run `pluglot trust add .` first')).toBe('pluglot trust add .');
  expect(commandIn('pluglot trust add .')).toBe('pluglot trust add .');
  expect(commandIn('Edit the file')).toBeUndefined();
});

test('what needs somebody comes first', () => {
  const all: PluginView[] = [
    { ...plugin, name: 'off', state: 'disabled' },
    { ...plugin, name: 'ours', origin: 'built-in' },
    plugin,
    { ...plugin, name: 'new', untrusted },
    { ...plugin, name: 'broken', state: 'failed' },
  ];
  expect(inOrderOfNeed(all).map(({ name }) => name)).toEqual(['broken', 'new', 'echo', 'ours', 'off']);
});
