import { expect, test } from 'vitest';
import { LogRing as LogBookOfOne } from '../../fleet/plugin/logs/log-book.ts';
import { logRing } from './fleet-servers.ts';
import { LOG_MAX } from './servers.ts';

const entry = (message: string) => ({ source: 'stderr', level: 'info', message }) as const;

test('the last 500 of all servers are kept, long ones cut', () => {
  const ring = logRing();
  const [one, two] = [new LogBookOfOne(), new LogBookOfOne()];
  one.write(entry('before'));
  ring.follow('one', one);
  ring.follow('two', two);
  // Again: nothing is told twice.
  ring.follow('one', one);
  expect(ring.entries.map(({ server, message }) => `${server} ${message}`)).toEqual(['one before']);
  for (let count = 0; count < 2 * LOG_MAX + 7; count += 1)
    (count % 2 === 0 ? one : two).write(entry(`${count}`));
  expect(ring.entries).toHaveLength(500);
  expect(ring.entries.at(-1)).toMatchObject({ server: 'one', message: String(2 * LOG_MAX + 6) });
  expect(ring.entries[0]?.message).toBe(String(LOG_MAX + 7));
  two.write(entry('x'.repeat(10_000)));
  expect(ring.entries.at(-1)?.message).toHaveLength(2000);
});

test('who is not followed any more is not heard, and what was said stays until it is cleared', () => {
  const ring = logRing();
  const book = new LogBookOfOne();
  ring.follow('one', book);
  book.write(entry('a'));
  ring.unfollow('one');
  book.write(entry('b'));
  expect(ring.entries.map(({ message }) => message)).toEqual(['a']);
  ring.clear();
  expect(ring.entries).toEqual([]);
});
