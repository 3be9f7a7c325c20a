import { expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import type { Backend, BackendRequest } from '../backend.ts';
import { definePlugin } from '../define-plugin.ts';
import { fail } from '../failure.ts';
import type { Answer, CallEvent } from '../outcome.ts';
import { result } from '../result.ts';
import { runDefinition } from './run-definition.ts';
import type { Surroundings } from './surroundings.ts';

test('a text is text, anything else is data, a result says more', async () => {
  const backend = open({
    text: { handler: () => 'hello' },
    data: { handler: async () => ({ a: [1] }) },
    nothing: { handler: () => {} },
    more: { handler: () => result({ text: 'done', data: 1, outputs: { path: '/x' } }) },
  });
  expect(await callTool(backend, 'text')).toMatchObject({ answer: { ok: true, text: 'hello' } });
  expect(await callTool(backend, 'data')).toMatchObject({ answer: { ok: true, data: { a: [1] } } });
  expect(await callTool(backend, 'nothing')).toEqual({ answer: { ok: true }, events: [] });
  expect(await callTool(backend, 'more')).toMatchObject({
    answer: { ok: true, text: 'done', data: 1, outputs: { path: '/x' } },
  });
});

test('what a generator yields is streamed, and its end follows', async () => {
  const backend = open({
    count: {
      async *handler({ to }) {
        for (let i = 1; i <= to; i++) yield `${i} `;
        return 'over';
      },
    },
  });
  const { answer, events } = await callTool(backend, 'count', { to: 3 });
  expect(events.map((event) => event.kind === 'text' && event.text)).toEqual(['1 ', '2 ', '3 ']);
  expect(answer).toEqual({ ok: true, text: '1 2 3 over' });
});

test('failures keep their words; errors tell their message alone', async () => {
  const backend = open({
    failing: { handler: () => fail({ code: 'UNAVAILABLE', message: 'closed', recoverable: true }) },
    throwing: {
      handler: () => {
        throw new TypeError('oops');
      },
    },
  });
  expect((await callTool(backend, 'failing')).answer).toEqual({
    ok: false,
    error: { code: 'UNAVAILABLE', message: 'closed', recoverable: true },
  });
  expect((await callTool(backend, 'throwing')).answer).toEqual({
    ok: false,
    error: { code: 'INTERNAL', message: 'oops' },
  });
  expect((await callTool(backend, 'faling')).answer).toMatchObject({
    ok: false,
    error: { code: 'UNKNOWN_TOOL', suggestions: ['Did you mean "failing"?'] },
  });
});

function open(tools: NonNullable<Parameters<typeof definePlugin>[0]['tools']>): Backend {
  return runDefinition(definePlugin({ name: 'sample', version: '1.0.0', tools }), surroundings());
}

function surroundings(): Surroundings {
  return {
    clock: systemClock,
    dataFolder: () => expect.fail('no data folder is asked for'),
    hasCommand: () => true,
    readFile: () => expect.fail('no file is asked for'),
    log: () => {},
  };
}

function callTool(backend: Backend, tool: string, args: BackendRequest['args'] = {}) {
  const events: CallEvent[] = [];
  return new Promise<{ answer: Answer; events: CallEvent[] }>((resolve) => {
    backend.call(
      { tool, args, dialect: 'in-process', timeoutMs: Infinity },
      { event: (event) => void events.push(event), end: (answer) => resolve({ answer, events }) },
    );
  });
}
