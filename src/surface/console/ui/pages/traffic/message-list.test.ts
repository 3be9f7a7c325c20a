import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowWindow, scrolledTo } from './message-list.tsx';

test('what is seen is drawn, and not much more', () => {
  fc.assert(
    fc.property(
      fc.nat(200_000),
      fc.nat(2000),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (count, height, part) => {
        const scrollTop = part * Math.max(0, count * 26 - height);
        const { first, end, offset } = rowWindow(count, 26, scrollTop, height);
        expect(offset).toBe(first * 26);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(count);
        expect(first * 26).toBeLessThanOrEqual(scrollTop);
        expect(end * 26).toBeGreaterThanOrEqual(Math.min(count * 26, scrollTop + height));
        expect(end - first).toBeLessThanOrEqual(height / 26 + 20);
      },
    ),
  );
});

test('scrolled beyond its end, the last rows are drawn', () => {
  const { first, end } = rowWindow(10, 26, 100_000, 260);
  expect([first, end]).toEqual([0, 10]);
});

test('a row is brought into sight by the shortest way', () => {
  expect(scrolledTo(5, 10, 0, 30)).toBe(30);
  expect(scrolledTo(5, 10, 100, 30)).toBe(50);
  expect(scrolledTo(5, 10, 40, 30)).toBe(40);
});
