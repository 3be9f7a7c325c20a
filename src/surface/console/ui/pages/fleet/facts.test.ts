import { expect, test } from 'vitest';
import type { PluginView } from '../../api/types.ts';
import { aboutFacts } from './about-facts.ts';
import { commandIn, inOrderOfNeed, isRunning, shownState, stateAge, troubleOf } from './facts.ts';
import { StableOrder } from './stable-order.ts';

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
  expect(stateAge(plugin, 6000)).toBeUndefined();
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

test('what happened is told of those that do not work', () => {
  const reason = 'It ended.';
  expect(troubleOf({ ...plugin, reason })).toBeUndefined();
  expect(troubleOf({ ...plugin, reason, state: 'backoff' })).toBe(reason);
  expect(troubleOf({ ...plugin, reason, state: 'failed' })).toBe(reason);
  // That was asked for.
  expect(troubleOf({ ...plugin, reason, state: 'stopping' })).toBeUndefined();
  expect(troubleOf({ ...plugin, reason, state: 'stopped' })).toBeUndefined();
});

test('who is stopped keeps its place while somebody looks; who comes later stands at the end', () => {
  const order = new StableOrder();
  const named = (name: string, state: string): PluginView => ({ ...plugin, name, state });
  const names = (list: readonly PluginView[]) => order.of(list).map(({ name }) => name);
  expect(names([named('a', 'ready'), named('b', 'ready'), named('c', 'failed')])).toEqual(['c', 'a', 'b']);
  expect(names([named('a', 'stopped'), named('b', 'failed'), named('c', 'ready')])).toEqual(['c', 'a', 'b']);
  expect(names([named('d', 'failed'), named('b', 'ready'), named('c', 'ready')])).toEqual(['c', 'b', 'd']);
});

test('a plugin is told of in a table', () => {
  const facts = aboutFacts({
    ...plugin,
    version: '1.2.0',
    from: '/p/pluglot.json:3',
    pids: [7, 8],
    talks: true,
    tools: [{ name: 'echo', plugin: 'echo', tool: { name: 'echo' }, enabled: true, clients: true }],
    commands: [],
    health: { status: 'degraded', message: 'It is slow.' },
    manifest: {
      name: 'echo',
      version: '1.2.0',
      dialect: 'mcp',
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, logging: null },
      tools: [],
      raw: {},
    },
  });
  expect(facts.map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Version: 1.2.0',
    'Dialect: mcp 2025-11-25',
    'Runs: in a process of its own',
    'Command: node echo.js',
    'Found in: /p/pluglot.json:3',
    'Processes: 7, 8',
    'Health: degraded: It is slow.',
    'Offers: 1 tool, conversations',
    'Capabilities: tools',
  ]);
  expect(facts.filter(({ isCode }) => isCode).map(({ label }) => label)).toEqual(['Command', 'Found in']);
});
