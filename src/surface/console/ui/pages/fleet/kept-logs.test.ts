import { expect, test } from 'vitest';
import type { LogRecord } from '../../api/types.ts';
import { KeptLogs } from './kept-logs.ts';

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
  logs.clear();
  expect(logs.of('all')).toEqual([]);
  logs.add(record(1));
  expect(logs.of('all')[0]?.key).toBe(5000);
});
