import { expect, test } from 'vitest';
import { deferred } from '../../base/deferred.ts';
import { Connection, type Things } from './connection.ts';
import type { PluginNews } from './plugin-news.ts';

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

function world() {
  const asked = deferred<void>();
  let count = 0;
  const news = {
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
  const connection = new Connection(news as unknown as PluginNews, things as unknown as Things, {
    id: '',
    isModern: true,
    number: 0,
    access: {},
    open: { calls: 0 },
  });
  return { connection, answer: () => asked.resolve(), followed: () => count };
}
