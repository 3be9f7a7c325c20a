import { expect, test } from 'vitest';
import type { LogRecord } from '../../api/types.ts';
import { KeptLogs } from './plugin-logs.tsx';

function record(at: number): LogRecord {
  return { at, source: at % 2 === 0 ? 'stderr' : 'host', level: 'info', message: '' };
}

test('shows the last of each source, and keeps no more than it should', () => {
  const logs = new KeptLogs();
  for (let at = 1; at <= 5000; at++) logs.add(record(at));
  expect(logs.of('all')).toHaveLength(300);
  expect(logs.of('all').at(-1)?.record.at).toBe(5000);
  expect(logs.of('stderr')[0]?.record.at).toBe(4402);
  expect(logs.of('plugin')).toEqual([]);
  expect(logs.of('stderr', 2).map(({ record: { at } }) => at)).toEqual([4998, 5000]);
  expect([logs.has('stderr'), logs.has('plugin')]).toEqual([true, false]);
  logs.clear();
  expect(logs.of('all')).toEqual([]);
  logs.add(record(1));
  expect(logs.of('all')[0]?.key).toBe(5000);
});

test('what was printed last is that of the last start that printed something', () => {
  const logs = new KeptLogs();
  const say = (source: LogRecord['source'], message: string) =>
    logs.add({ at: 1, source, level: 'info', message });
  expect(logs.printedLast(8)).toEqual([]);
  for (const message of ['first', 'second']) {
    say('host', 'starting');
    say('stderr', `${message}, one`);
    say('stderr', `${message}, two`);
    say('host', 'backoff: it ended');
  }
  expect(logs.printedLast(8).map(({ message }) => message)).toEqual(['second, one', 'second, two']);
  say('host', 'starting');
  say('host', 'failed: it is not there any more');
  expect(logs.printedLast(1).map(({ message }) => message)).toEqual(['second, two']);
});
