import { expect, test } from 'vitest';
import type { PluginView } from '../../api/types.ts';
import { idleOwners } from './idle-owners.ts';

const plugin = (name: string, state: string, more: Partial<PluginView> = {}): PluginView => ({
  name,
  origin: 'process',
  dialect: 'mcp',
  state,
  sinceMs: 0,
  restarts: 0,
  pids: [],
  command: '',
  stats: { calls: 0, failures: 0, running: 0, waiting: 0, p50Ms: 0, p99Ms: 0, perSecond: [] },
  ...more,
});
const untrusted = { reason: 'It is new.', wayOut: '' };
const plugins = [
  plugin('dice', 'stopped'),
  plugin('clock', 'failed'),
  plugin('words', 'ready'),
  plugin('off', 'disabled'),
  plugin('new', 'stopped', { untrusted }),
];
const owners = (name: string, owner: string, listed: readonly string[] = []) =>
  idleOwners(
    { name, plugin: owner },
    listed.map((one) => ({ name: one })),
    plugins,
  ).map((one) => one.name);

test('the plugin of a tool that is listed no more, where it does not run', () => {
  expect(owners('roll', 'dice')).toEqual(['dice']);
  expect(owners('count', 'words')).toEqual([]);
  expect(owners('x', 'off')).toEqual(['off']);
});

test('a tool that is listed can be called, whatever its plugin does', () => {
  expect(owners('roll', 'dice', ['roll'])).toEqual([]);
});

test('where nobody knows whose tool it is, all that may be started', () => {
  expect(owners('roll', '')).toEqual(['dice', 'clock']);
});
