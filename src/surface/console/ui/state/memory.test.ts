import { expect, test } from 'vitest';
import type { ToolView } from '../api/types.ts';
import { LastTools, sinceMoment, type Activity, ActivityList } from './memory.ts';

function one(key: string): Activity {
  return { key, label: key, href: '#/tools', startedAt: 0, endLabel: 'Cancel', end: () => {} };
}

test('lists an activity until it ends, however it ends', async () => {
  const list = new ActivityList();
  const ends: (() => void)[] = [];
  list.add(one('a'), new Promise<void>((resolve) => ends.push(resolve)));
  list.add(one('b'), new Promise<void>((_, reject) => ends.push(() => reject(new Error('broken')))));
  expect(list.all.value.map(({ key }) => key)).toEqual(['a', 'b']);
  ends[0]?.();
  await expect.poll(() => list.all.value.map(({ key }) => key)).toEqual(['b']);
  ends[1]?.();
  await expect.poll(() => list.all.value).toEqual([]);
});

test('a replacement does not end with the activity before it', async () => {
  const list = new ActivityList();
  const first = Promise.resolve();
  list.add(one('a'), first);
  list.add(one('a'), new Promise(() => {}));
  await first;
  await Promise.resolve();
  expect(list.all.value).toHaveLength(1);
});

const tool = (name: string, description = ''): ToolView => ({
  name,
  plugin: 'dice',
  tool: { name, description },
  enabled: true,
  clients: true,
});

test('a tool is remembered as it was listed last', () => {
  const seen = new LastTools();
  seen.add([tool('roll', 'old'), tool('again')]);
  seen.add([tool('roll', 'new')]);
  seen.add([]);
  expect(seen.of('roll')?.tool.description).toBe('new');
  expect(seen.of('again')).toBeDefined();
  expect(seen.of('other')).toBeUndefined();
});

test('keeps the tools seen last', () => {
  const seen = new LastTools();
  for (let round = 0; round < 6; round++)
    seen.add(Array.from({ length: 1000 }, (_, index) => tool(`tool ${round} ${index}`)));
  expect(seen.of('tool 0 0')).toBeUndefined();
  expect(seen.of('tool 1 0')).toBeDefined();
});

test('a duration becomes the moment it began; a moment stays', () => {
  const now = 1_800_000_000_000;
  expect(sinceMoment({ name: 'x', sinceMs: 5000 }, now)).toEqual({ name: 'x', sinceMs: now - 5000 });
  expect(sinceMoment({ sinceMs: now - 7 }, now).sinceMs).toBe(now - 7);
  expect(sinceMoment({ sinceMs: 0 }, now).sinceMs).toBe(0);
});
