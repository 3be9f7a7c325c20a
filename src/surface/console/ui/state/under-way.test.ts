import { expect, test } from 'vitest';
import { underWayList, type UnderWay } from './under-way.ts';

function one(key: string): UnderWay {
  return { key, label: key, href: '#/tools', startedAt: 0, endLabel: 'Cancel', end: () => {} };
}

test('lists what goes on until it is over, however it ends', async () => {
  const list = underWayList();
  const ends: (() => void)[] = [];
  list.add(one('a'), new Promise<void>((resolve) => ends.push(resolve)));
  list.add(one('b'), new Promise<void>((_, reject) => ends.push(() => reject(new Error('broken')))));
  expect(list.all.value.map(({ key }) => key)).toEqual(['a', 'b']);
  ends[0]?.();
  await expect.poll(() => list.all.value.map(({ key }) => key)).toEqual(['b']);
  ends[1]?.();
  await expect.poll(() => list.all.value).toEqual([]);
});

test('what takes the place of another is not ended with it', async () => {
  const list = underWayList();
  const first = Promise.resolve();
  list.add(one('a'), first);
  list.add(one('a'), new Promise(() => {}));
  await first;
  await Promise.resolve();
  expect(list.all.value).toHaveLength(1);
});
