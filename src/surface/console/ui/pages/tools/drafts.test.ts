import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import type { PluginView, ToolView } from '../../api/types.ts';
import type { CallState, RunningCall } from '../../state/calls.ts';
import { idleOwners, ownFirst, ToolDrafts } from './drafts.ts';

function call(status: CallState['status']): RunningCall {
  const state: CallState = { status, text: '', logs: [], startedAt: 0 };
  return { state: signal(state), ended: Promise.resolve(state), cancel: () => {} };
}

test('a draft is kept as it was left', () => {
  const drafts = new ToolDrafts();
  drafts.of('echo', () => ({ text: 'begun' })).draft.value = { value: { text: 'mine' }, tab: 'json' };
  expect(drafts.of('echo', () => ({ text: 'new' })).draft.value).toEqual({
    value: { text: 'mine' },
    tab: 'json',
  });
});

test('only so many are kept, those looked at last; what runs is kept anyway', () => {
  const drafts = new ToolDrafts();
  const running = call('running');
  drafts.begin(
    drafts.of('slow', () => 1),
    running,
  );
  for (let index = 0; index < 100; index++) drafts.of(`tool ${index}`, () => index);
  expect(drafts.callOf('slow')).toBe(running);
  expect(drafts.of('tool 99', () => 'forgotten').draft.value.value).toBe(99);
  expect(drafts.of('tool 0', () => 'forgotten').draft.value.value).toBe('forgotten');
});

test('of fewer the results are', () => {
  const drafts = new ToolDrafts();
  const works = Array.from({ length: 20 }, (_, index) => drafts.of(`tool ${index}`, () => ({ index })));
  for (const work of works) drafts.begin(work, call('ended'));
  expect(works.map((work) => work.call.value !== undefined).filter(Boolean)).toHaveLength(12);
  expect(works[0]?.call.value).toBeUndefined();
  expect(works[0]?.draft.value.value).toEqual({ index: 0 });
  expect(works[19]?.call.value).toBeDefined();
});

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

test('for a tool of an unknown plugin, all plugins that can be started', () => {
  expect(owners('roll', '')).toEqual(['dice', 'clock']);
});

test('tools of the user come before built-in ones, each in their own order', () => {
  const tool = (plugin: string, name: string): ToolView => ({
    name,
    plugin,
    tool: { name },
    enabled: true,
    clients: true,
  });
  const tools = [tool('cli', 'run'), tool('dice', 'roll'), tool('todo', 'list'), tool('dice', 'again')];
  const plugins = [
    { name: 'cli', origin: 'built-in' },
    { name: 'dice', origin: 'process' },
    { name: 'todo', origin: 'built-in' },
  ] as const;
  expect(ownFirst(tools, plugins).map(({ name }) => name)).toEqual(['roll', 'again', 'run', 'list']);
});
