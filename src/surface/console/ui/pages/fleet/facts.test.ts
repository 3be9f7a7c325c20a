import { expect, test } from 'vitest';
import type { PluginView } from '../../api/types.ts';
import {
  aboutFacts,
  commandInHint,
  byUrgency,
  isRunning,
  displayState,
  stateAge,
  problemOf,
  StableOrder,
} from './facts.ts';

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
  expect(displayState(plugin)).toBe('ready');
  expect(displayState({ ...plugin, untrusted })).toBe('untrusted');
  expect(isRunning({ ...plugin, state: 'failed' })).toBe(false);
  expect(isRunning({ ...plugin, state: 'backoff' })).toBe(true);
});

test('the way out can be pasted', () => {
  expect(commandInHint('Run `pluglot trust add .` first')).toBe('pluglot trust add .');
  expect(commandInHint('pluglot trust add .')).toBe('pluglot trust add .');
  expect(commandInHint('Edit the file')).toBeUndefined();
});

test('problems come first', () => {
  const all: PluginView[] = [
    { ...plugin, name: 'off', state: 'disabled' },
    { ...plugin, name: 'ours', origin: 'built-in' },
    plugin,
    { ...plugin, name: 'new', untrusted },
    { ...plugin, name: 'broken', state: 'failed' },
  ];
  expect(byUrgency(all).map(({ name }) => name)).toEqual(['broken', 'new', 'echo', 'ours', 'off']);
});

test('a plugin that does not work has a problem', () => {
  const reason = 'It ended.';
  expect(problemOf({ ...plugin, reason })).toBeUndefined();
  expect(problemOf({ ...plugin, reason, state: 'backoff' })).toBe(reason);
  expect(problemOf({ ...plugin, reason, state: 'failed' })).toBe(reason);
  // That was asked for.
  expect(problemOf({ ...plugin, reason, state: 'stopping' })).toBeUndefined();
  expect(problemOf({ ...plugin, reason, state: 'stopped' })).toBeUndefined();
});

test('a stopped plugin keeps its place; a new one comes last', () => {
  const order = new StableOrder();
  const named = (name: string, state: string): PluginView => ({ ...plugin, name, state });
  const names = (list: readonly PluginView[]) => order.of(list).map(({ name }) => name);
  expect(names([named('a', 'ready'), named('b', 'ready'), named('c', 'failed')])).toEqual(['c', 'a', 'b']);
  expect(names([named('a', 'stopped'), named('b', 'failed'), named('c', 'ready')])).toEqual(['c', 'a', 'b']);
  expect(names([named('d', 'failed'), named('b', 'ready'), named('c', 'ready')])).toEqual(['c', 'b', 'd']);
});

test('the facts of a plugin', () => {
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
    'Runs: in its own process',
    'Command: node echo.js',
    'Found in: /p/pluglot.json:3',
    'Processes: 7, 8',
    'Health: degraded: It is slow.',
    'Offers: 1 tool, conversations',
    'Capabilities: tools',
  ]);
  expect(facts.filter(({ isCode }) => isCode).map(({ label }) => label)).toEqual(['Command', 'Found in']);
});
