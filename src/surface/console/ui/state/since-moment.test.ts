import { expect, test } from 'vitest';
import { sinceMoment } from './since-moment.ts';

test('a duration becomes the moment it began; a moment stays', () => {
  const now = 1_800_000_000_000;
  expect(sinceMoment({ name: 'x', sinceMs: 5000 }, now)).toEqual({ name: 'x', sinceMs: now - 5000 });
  expect(sinceMoment({ sinceMs: now - 7 }, now).sinceMs).toBe(now - 7);
  expect(sinceMoment({ sinceMs: 0 }, now).sinceMs).toBe(0);
});
