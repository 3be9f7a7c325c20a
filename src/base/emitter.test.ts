import { expect, test } from 'vitest';
import { Emitter } from './emitter.ts';

test('listeners come and go, also while they are told, and harm nobody', () => {
  const emitter = new Emitter<string>();
  const heard: string[] = [];
  emitter.add(() => {
    throw new Error('a bad listener');
  });
  const listener = (event: string) => void heard.push(event);
  const endFirst = emitter.add(listener);
  const endSecond = emitter.add((event) => {
    listener(event);
    endFirst();
  });
  expect(emitter.isHeard).toBe(true);
  emitter.emit('a');
  emitter.emit('b');
  endSecond();
  emitter.emit('c');
  expect(heard).toEqual(['a', 'a', 'b']);
});
