import { expect, test } from 'vitest';
import type { PluginView, Question } from '../../api/types.ts';
import { whyWaiting } from './why-waiting.ts';

const talk = { tool: 'launch', plugin: 'rocket' };

function plugin(more: Partial<PluginView> = {}, waiting = 0): PluginView {
  return {
    name: 'rocket',
    origin: 'process',
    dialect: 'gassist',
    state: 'ready',
    sinceMs: 0,
    restarts: 0,
    pids: [],
    command: '',
    stats: { calls: 0, failures: 0, running: 0, waiting, p50Ms: 0, p99Ms: 0, perSecond: [] },
    ...more,
  };
}

function words(view: PluginView, waitedMs = 0): string | undefined {
  const why = whyWaiting(talk, [view], [], waitedMs);
  return why === undefined || why.for === 'yes' ? why?.for : why.words;
}

test('says who or what it waits for', () => {
  expect(words(plugin())).toBeUndefined();
  // It is this very conversation.
  expect(words(plugin({ talking: true }))).toBeUndefined();
  expect(words(plugin({ talking: true }, 1))).toContain('Somebody else is in a conversation with rocket');
  expect(words(plugin({}, 2))).toContain('busy with other calls');
  expect(words(plugin({ state: 'backoff' }))).toContain('rocket is backoff');
  expect(words(plugin(), 6000)).toContain('takes its time');
  expect(whyWaiting(talk, [], [], 0)).toBeUndefined();
});

test('a question to somebody comes first', () => {
  const question = { tool: 'launch', caller: { kind: 'user' } } as Question;
  expect(whyWaiting(talk, [plugin({}, 1)], [question], 0)).toEqual({ for: 'yes' });
});
