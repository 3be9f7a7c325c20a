import { expect, test } from 'vitest';
import { ApiError } from '../../api/client.ts';
import type { CallOutcome } from '../../api/types.ts';
import type { CallApi } from '../../state/running-call.ts';
import { startTalk } from './talk.ts';

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

test('is held while it goes on; what ends it meanwhile is told', async () => {
  const { talk, held } = world({ ok: true, keepSession: true, durationMs: 1 });
  await settled();
  expect(held.map(({ signal }) => signal.aborted)).toEqual([false]);
  held[0]?.onEvent('ended', { reason: 'failed', error: { code: 'TALK_TIMEOUT', message: 'Too long.' } });
  expect(talk.state.value).toMatchObject({ status: 'ended', said: [{ by: 'page', text: 'Too long.' }] });
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
    said: [{ by: 'plugin' }, { by: 'page', text: 'The host went away, and the conversation ended with it.' }],
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
  expect(talk.state.value.said.map(({ text }) => text)).toEqual([
    'Guess!',
    'The host has ended the conversation.',
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
  expect(talk.state.value.said.map(({ by, text }) => `${by}: ${text}`)).toEqual([
    'plugin: Guess!',
    'user: 1',
    'plugin: Too low',
    'user: 2',
    'plugin: Right',
    'page: The plugin has ended the conversation.',
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
  expect(talk.state.value.said).toHaveLength(1);
});

test('a refusal and a failure are told', async () => {
  const refused = world(new Error('No such tool.'));
  await settled();
  expect(refused.talk.state.value.said).toMatchObject([{ by: 'page', text: 'No such tool.', isBad: true }]);
  const failed = world({ ok: false, error: { code: 'TOOL_FAILED', message: 'broken' }, durationMs: 1 });
  await settled();
  expect(failed.talk.state.value).toMatchObject({ status: 'ended', said: [{ text: 'broken' }] });
});
