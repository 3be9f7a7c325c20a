import { expect, test } from 'vitest';
import { running } from '../../../test/support/running-definition.ts';
import type { JsonObject } from '../../base/json.ts';
import { definePlugin } from '../define-plugin.ts';
import type { Handler } from '../definition.ts';
import { fail } from '../failure.ts';
import { result } from '../result.ts';

test('a text is text, anything else is data, a result says more', async () => {
  const plugin = open({
    text: { handler: () => 'hello' },
    data: { handler: async () => ({ a: [1] }) },
    nothing: { handler: () => {} },
    more: { handler: () => result({ text: 'done', data: 1, outputs: { path: '/x' } }) },
  });
  expect(await plugin.call('text')).toMatchObject({ answer: { ok: true, text: 'hello' } });
  expect(await plugin.call('data')).toMatchObject({ answer: { ok: true, data: { a: [1] } } });
  expect(await plugin.call('nothing')).toEqual({ answer: { ok: true }, events: [] });
  expect(await plugin.call('more')).toMatchObject({
    answer: { ok: true, text: 'done', data: 1, outputs: { path: '/x' } },
  });
});

test('what a generator yields is streamed, and its end follows', async () => {
  const plugin = open({
    count: {
      async *handler({ to }) {
        for (let i = 1; i <= Number(to); i++) yield `${i} `;
        return 'over';
      },
    },
  });
  const { answer, events } = await plugin.call('count', { to: 3 });
  expect(events.map((event) => event.kind === 'text' && event.text)).toEqual(['1 ', '2 ', '3 ']);
  expect(answer).toEqual({ ok: true, text: '1 2 3 over' });
});

test('failures keep their words; errors tell their message alone', async () => {
  const plugin = open({
    failing: { handler: () => fail({ code: 'UNAVAILABLE', message: 'closed', recoverable: true }) },
    throwing: {
      handler: () => {
        throw new TypeError('oops');
      },
    },
  });
  expect((await plugin.call('failing')).answer).toEqual({
    ok: false,
    error: { code: 'UNAVAILABLE', message: 'closed', recoverable: true },
  });
  expect((await plugin.call('throwing')).answer).toEqual({
    ok: false,
    error: { code: 'INTERNAL', message: 'oops' },
  });
  expect((await plugin.call('faling')).answer).toMatchObject({
    ok: false,
    error: { code: 'UNKNOWN_TOOL', suggestions: ['Did you mean "failing"?'] },
  });
});

function open(tools: Readonly<Record<string, { handler: Handler<JsonObject> }>>) {
  return running(definePlugin({ name: 'sample', version: '1.0.0', tools }));
}
