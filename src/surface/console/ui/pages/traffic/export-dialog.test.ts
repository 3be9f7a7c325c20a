import { expect, test } from 'vitest';
import { parseCassette } from '../../../../../fleet/recording/cassette.ts';
import { cassetteHeader, cassetteLines, exportName, hasCassettes, jsonLines } from './export-dialog.tsx';
import { type LoggedMessage, TrafficLog } from './traffic-log.ts';

function messages(): LoggedMessage[] {
  const log = new TrafficLog();
  const texts = [
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"cut":',
  ];
  texts.forEach((text, index) =>
    log.add({
      seq: index + 1,
      at: 1_700_000_000_000.25 + index * 1.5,
      plugin: 'a"b',
      from: index === 1 ? 'plugin' : 'host',
      kind: 'notification',
      size: index === 2 ? 900 : text.length,
      text,
    }),
  );
  return [0, 1, 2].flatMap((position) => log.at(position) ?? []);
}

test('a cassette is one that the host reads', () => {
  const all = messages();
  const firstAt = all[0]?.at ?? 0;
  const { lines, omitted } = cassetteLines(all, firstAt);
  const text = cassetteHeader({ name: 'a"b', dialect: 'mcp', command: 'node x' }, firstAt) + lines.join('');
  expect(parseCassette(text, 'file')).toMatchObject({
    header: { plugin: 'a"b', dialect: 'mcp', command: 'node x' },
    entries: [
      { at: 0, from: 'host', message: { method: 'ping' } },
      { at: 1.5, from: 'plugin', message: { result: {} } },
    ],
  });
  expect(omitted).toBe(1);
});

test('lines of all plugins are JSON', () => {
  const { lines, omitted } = jsonLines(messages());
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { seq: 1, at: '2023-11-14T22:13:20.000Z', plugin: 'a"b', from: 'host', message: { method: 'ping' } },
    { seq: 2, from: 'plugin' },
  ]);
  expect(omitted).toBe(1);
});

test('names of files hold nothing of others that could lead elsewhere', () => {
  expect(exportName('../x', 0)).toBe('cassette-___x-1970-01-01T00-00-00.jsonl');
  expect(exportName(undefined, 0)).toBe('traffic-1970-01-01T00-00-00.jsonl');
  expect(['mcp', 'unknown', 'in-process'].map(hasCassettes)).toEqual([true, false, false]);
});
