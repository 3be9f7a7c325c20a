import { expect, test } from 'vitest';
import type { RecordingView } from '../../api/types.ts';
import { followed } from './followed-recordings.ts';

function recording(id: string, messages = 0): RecordingView {
  return { id, plugin: 'dice', file: `/r/${id}.jsonl`, startedAt: 1, messages, isLive: true };
}

test('follows those of others too, and keeps those that ended', () => {
  const first = followed([], [recording('a'), recording('b')]);
  const second = followed(first, [recording('b', 7), recording('c')]);
  expect(second.map(({ id, isOver, messages }) => [id, isOver, messages])).toEqual([
    ['b', false, 7],
    ['c', false, 0],
    ['a', true, 0],
  ]);
  expect(followed(second, []).every(({ isOver }) => isOver)).toBe(true);
});
