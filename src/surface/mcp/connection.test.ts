import { expect, test } from 'vitest';
import { deferred } from '../../base/async.ts';
import { Connection, type ClientContent } from './connection.ts';
import type { PluginChanges } from './plugin-changes.ts';

test('one that is closed while a plugin is asked follows nothing any more', async () => {
  const { connection, answer, followed } = world();
  const subscribing = connection.subscribe('test://a');
  await expect.poll(followed).toBe(1);
  connection.close();
  answer();
  await subscribing;
  expect(followed()).toBe(0);
});

test('one that is closed asks no plugin', async () => {
  const { connection, followed } = world();
  connection.close();
  await connection.subscribe('test://a');
  expect(followed()).toBe(0);
});

test('what it follows ends with it', async () => {
  const { connection, answer, followed } = world();
  answer();
  await connection.subscribe('test://a');
  expect(followed()).toBe(1);
  connection.close();
  expect(followed()).toBe(0);
});

test.each([
  ['1000 resources', 1100, 'test://', 1000],
  ['512 KiB of addresses', 40, `test://${'x'.repeat(16_000)}`, 32],
])('at most %s are followed, also where they are asked for at once', async (_, count, prefix, most) => {
  const { connection, answer, followed } = world();
  const asked = Array.from({ length: count }, (__, at) => connection.subscribe(`${prefix}${at}`));
  answer();
  const ended = await Promise.allSettled(asked);
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(most);
  expect(followed()).toBe(most);
});

function world() {
  const asked = deferred<void>();
  let count = 0;
  const changes = {
    async follow() {
      count += 1;
      await asked.promise;
      return () => {
        count -= 1;
      };
    },
  };
  const things = {
    view: {},
    resources: { find: (uri: string) => Promise.resolve({ plugin: 'p', uri }) },
  };
  // No more of them is used here.
  const connection = new Connection(changes as unknown as PluginChanges, things as unknown as ClientContent, {
    id: '',
    number: 0,
    access: {},
    open: { calls: 0 },
  });
  return { connection, answer: () => asked.resolve(), followed: () => count };
}
