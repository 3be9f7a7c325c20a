import { expect, test } from 'vitest';
import type { RecordingView } from '../../api/types.ts';
import { mergeRecordings } from './recordings.tsx';

function recording(id: string, messages = 0): RecordingView {
  return { id, plugin: 'dice', file: `/r/${id}.jsonl`, startedAt: 1, messages, isLive: true };
}

test('follows those of others too, and keeps those that ended', () => {
  const first = mergeRecordings([], [recording('a'), recording('b')]);
  const second = mergeRecordings(first, [recording('b', 7), recording('c')]);
  expect(second.map(({ id, isOver, messages }) => [id, isOver, messages])).toEqual([
    ['b', false, 7],
    ['c', false, 0],
    ['a', true, 0],
  ]);
  expect(mergeRecordings(second, []).every(({ isOver }) => isOver)).toBe(true);
});
