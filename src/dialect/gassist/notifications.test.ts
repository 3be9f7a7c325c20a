import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import { ended, logged, streamed } from './author-calls.ts';
import type { SizedNotification } from '../sender.ts';
import { MESSAGE_BYTES } from './schema.ts';

/** Characters that JSON and UTF-8 make the most of. */
const widest = ['\u0000', '\ud800', '😀'];

// requirement: gassist:author:size
test.each(widest)(
  'a text of any length is told in messages under 10 MiB, and nothing of it is lost: %j',
  (character) => {
    const text = character.repeat(Math.ceil((1.75 * MiB) / character.length));
    for (const notifications of [
      streamed(3, text),
      ended(3, { ok: true, text }, 0),
      ended(3, { ok: false, text, error: { code: 'INTERNAL', message: text } }, 0),
      [logged({ level: 'info', message: text, data: text })],
    ]) {
      for (const notification of notifications) expect(bytesOf(notification)).toBeLessThan(MESSAGE_BYTES);
    }
    expect(textOf(streamed(3, text))).toBe(text);
    expect(textOf(ended(3, { ok: true, text }, 0))).toBe(text);
    expect(ended(3, { ok: true, text }, 0).map(({ method }) => method)).toEqual([
      ...streamed(3, text).map(({ method }) => method),
      'complete',
    ]);
  },
);

test('no character is torn', () => {
  const text = `x${'😀'.repeat(0.8 * MiB)}`;
  for (const { params } of streamed(3, text)) expect((params as { data: string }).data).toMatch(/^x?(😀)+$/u);
});

test('data that is too large goes along with no failure and no log', () => {
  const data = { much: 'x'.repeat(2 * MiB) };
  expect(ended(3, { ok: false, error: { code: 'TOOL_FAILED', message: 'no', data } }, 0)).toMatchObject([
    { method: 'error', params: { request_id: 3, code: -1, message: 'no' } },
  ]);
  expect(logged({ level: 'info', message: 'm', data }).params).toEqual({ level: 'info', message: 'm' });
});

test('what was streamed and what comes with the end make the text, wherever it was cut', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (text, at) => {
      const cut = at % (text.length + 1);
      const said = [...streamed(3, text.slice(0, cut)), ...ended(3, { ok: true, text }, cut)];
      expect(textOf(said)).toBe(text);
    }),
  );
});

test('whatever the data is, it comes as text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // What fast-check calls unknown is JSON.
      const [end] = ended(3, { ok: true, data: value as Json }, 0);
      expect(end?.params).toMatchObject({ success: true, data: expect.any(String) as unknown });
    }),
  );
});

function bytesOf({ method, params }: SizedNotification): number {
  return Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', method, params }));
}

function textOf(notifications: readonly SizedNotification[]): string {
  return notifications.map(({ params }) => (params as { data: string }).data).join('');
}
