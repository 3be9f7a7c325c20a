import { expect, test } from 'vitest';
import { outputTail } from './child-process.ts';

test('keeps everything below the limit', () => {
  const tail = outputTail(16);
  tail.push(Buffer.from('one\n'));
  tail.push(Buffer.from('two\n'));
  expect(tail.text()).toBe('one\ntwo\n');
});

test('keeps the last whole lines above the limit', () => {
  const tail = outputTail(10);
  for (let line = 0; line < 100; line += 1) tail.push(Buffer.from(`line ${line}\n`));
  expect(tail.text()).toBe('line 99\n');
});

test('keeps the end of a line longer than the limit', () => {
  const tail = outputTail(4);
  tail.push(Buffer.from('abcdefgh'));
  expect(tail.text()).toBe('efgh');
});

test('holds at most twice the limit, whatever the size of the chunks', () => {
  const tail = outputTail(1000);
  for (let index = 0; index < 10_000; index += 1) tail.push(Buffer.from('x'));
  tail.push(Buffer.alloc(1_000_000, 'y'));
  expect(tail.text()).toBe('y'.repeat(1000));
});
