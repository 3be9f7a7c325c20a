import { expect, test } from 'vitest';
import { ApiError } from '../../api/client.ts';
import type { CallOutcome, PluginView, Question, ToolView } from '../../api/types.ts';
import type { CallApi } from '../../state/calls.ts';
import { chosenTool, startTalk, talkingTools, toolLabel, waitReason } from './talk.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function world(opening: CallOutcome | Error, ...answers: CallOutcome[]) {
  const asked: string[] = [];
  const held: {
    signal: AbortSignal;
    onEvent(name: string, data: unknown): void;
    end(error?: Error): void;
  }[] = [];
  const api: CallApi = {
    send: (method, path) => {
      asked.push(`${method} ${path}`);
      return Promise.reject(new Error('gone'));
    },
    stream: (path, { onEvent, body, signal }) => {
      if (path === '/talks/t1') {
        return new Promise((resolve, reject) => {
          const end = (error?: Error) => (error === undefined ? resolve() : reject(error));
          held.push({ onEvent, signal, end });
        });
      }
      asked.push(`${path} ${JSON.stringify(body)}`);
      if (path !== '/talks') onEvent('outcome', answers.shift());
      else if (opening instanceof Error) return Promise.reject(opening);
      else {
        onEvent('talk', { talk: 't1' });
        onEvent('outcome', opening);
      }
      return Promise.resolve();
    },
  };
  // Drawing is not what this is about.
  Object.assign(globalThis, { requestAnimationFrame: (step: () => void) => step() });
  return { talk: startTalk(api, { name: 'game', plugin: 'games' }, { level: 1 }), asked, held };
}

test('an open stream holds it, and reports its end', async () => {
  const { talk, held } = world({ ok: true, keepSession: true, durationMs: 1 });
  await settled();
  expect(held.map(({ signal }) => signal.aborted)).toEqual([false]);
  held[0]?.onEvent('ended', { reason: 'failed', error: { code: 'TALK_TIMEOUT', message: 'Too long.' } });
  expect(talk.state.value).toMatchObject({ status: 'ended', lines: [{ by: 'page', text: 'Too long.' }] });
  expect(held[0]?.signal.aborted).toBe(true);
});

test.each([
  ['its connection breaks', new TypeError('network error')],
  ['it is not reached', new ApiError(0, 'NOT_REACHED', '')],
  ['it ends without a word', undefined],
])('ends with the host: %s', async (_, error) => {
  const { talk, held, asked } = world({ ok: true, text: 'Guess!', keepSession: true, durationMs: 1 });
  await settled();
  held[0]?.end(error);
  await talk.ended;
  expect(talk.state.value).toMatchObject({
    status: 'ended',
    lines: [
      { by: 'plugin' },
      { by: 'page', text: 'The connection to the host was lost, which ended the conversation.' },
    ],
  });
  await talk.say('1');
  expect(asked).toHaveLength(1);
});

test('goes on where the host only refuses to have it held', async () => {
  const { talk, held } = world({ ok: true, text: 'Guess!', keepSession: true, durationMs: 1 });
  await settled();
  held[0]?.end(new ApiError(429, 'TOO_MANY_STREAMS', 'Too many.'));
  await settled();
  expect(talk.state.value.status).toBe('listening');
});

test('ends where the host has ended it', async () => {
  const { talk, held } = world({ ok: true, text: 'Guess!', keepSession: true, durationMs: 1 });
  await settled();
  held[0]?.onEvent('ended', { reason: 'left' });
  held[0]?.end();
  await settled();
  expect(talk.state.value.lines.map(({ text }) => text)).toEqual([
    'Guess!',
    'The host ended the conversation.',
  ]);
});

test('goes on while the plugin listens, and ends when it does not', async () => {
  const { talk, asked } = world(
    { ok: true, text: 'Guess!', keepSession: true, durationMs: 1 },
    { ok: true, text: 'Too low', keepSession: true, durationMs: 1 },
    { ok: true, text: 'Right', durationMs: 1 },
  );
  await settled();
  expect(talk.state.value.status).toBe('listening');
  await talk.say('1');
  await talk.say('   ');
  await talk.say('2');
  expect(talk.state.value.status).toBe('ended');
  expect(talk.state.value.lines.map(({ by, text }) => `${by}: ${text}`)).toEqual([
    'plugin: Guess!',
    'user: 1',
    'plugin: Too low',
    'user: 2',
    'plugin: Right',
    'page: The plugin ended the conversation.',
  ]);
  expect(asked).toEqual([
    '/talks {"tool":"game","args":{"level":1}}',
    '/talks/t1/say {"content":"1"}',
    '/talks/t1/say {"content":"2"}',
  ]);
});

test('there is always a way out', async () => {
  const { talk, asked } = world({ ok: true, keepSession: true, durationMs: 1 });
  await settled();
  await talk.end();
  await talk.ended;
  expect(talk.state.value.status).toBe('ended');
  expect(asked.at(-1)).toBe('DELETE /talks/t1');
  await talk.say('hello?');
  expect(talk.state.value.lines).toHaveLength(1);
});

test('a refusal and a failure are shown', async () => {
  const refused = world(new Error('No such tool.'));
  await settled();
  expect(refused.talk.state.value.lines).toMatchObject([{ by: 'page', text: 'No such tool.', isBad: true }]);
  const failed = world({ ok: false, error: { code: 'TOOL_FAILED', message: 'broken' }, durationMs: 1 });
  await settled();
  expect(failed.talk.state.value).toMatchObject({ status: 'ended', lines: [{ text: 'broken' }] });
});

const tool = (plugin: string, name: string, enabled = true): ToolView => ({
  name,
  plugin,
  tool: { name },
  enabled,
  clients: true,
});
const count = tool('countdown', 'countdown');
const launch = tool('countdown', 'launch');

test('those of plugins that talk, and that are on', () => {
  const plugins = [{ name: 'countdown', talks: true }, { name: 'dice', talks: false }, { name: 'new' }];
  const all = [count, launch, tool('countdown', 'off', false), tool('dice', 'roll'), tool('new', 'x')];
  expect(talkingTools(all, plugins)).toEqual([count, launch]);
});

test('none of several tools is chosen by itself', () => {
  expect(chosenTool([count, launch], '')).toBeUndefined();
  expect(chosenTool([count, launch], 'launch')).toBe(launch);
  expect(chosenTool([launch], '')).toBe(launch);
  expect(chosenTool([], 'launch')).toBeUndefined();
});

test('a label says which of both is the plugin', () => {
  expect(toolLabel(launch)).toBe('launch (countdown)');
});

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

function reason(view: PluginView, waitedMs = 0): string | undefined {
  const why = waitReason(talk, [view], [], waitedMs);
  return why === undefined || why.for === 'approval' ? why?.for : why.text;
}

test('says who or what it waits for', () => {
  expect(reason(plugin())).toBeUndefined();
  // It is this very conversation.
  expect(reason(plugin({ talking: true }))).toBeUndefined();
  expect(reason(plugin({ talking: true }, 1))).toContain('rocket is in another conversation');
  expect(reason(plugin({}, 2))).toContain('busy with other calls');
  expect(reason(plugin({ state: 'backoff' }))).toContain('rocket is backoff');
  expect(reason(plugin(), 6000)).toContain('has not answered yet');
  expect(waitReason(talk, [], [], 0)).toBeUndefined();
});

test('a pending approval comes first', () => {
  const question = { tool: 'launch', caller: { kind: 'user' } } as Question;
  expect(waitReason(talk, [plugin({}, 1)], [question], 0)).toEqual({ for: 'approval' });
});
