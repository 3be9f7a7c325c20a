import { expect, test } from 'vitest';
import { sparkPaths } from './plugin-marks.tsx';

test('the highest touches the top, zero the ground', () => {
  expect(sparkPaths([0, 5, 10], 100, 20)).toEqual({
    line: 'M0 19L50 10L100 1',
    area: 'M0 19L50 10L100 1L100 20L0 20Z',
  });
});

test('nothing happened: nothing to draw', () => {
  expect(sparkPaths([], 100, 20)).toBeUndefined();
  expect(sparkPaths([0, 0], 100, 20)).toBeUndefined();
  expect(sparkPaths([1], 100, 20)).toBeUndefined();
  expect(sparkPaths([1, Number.NaN], 100, 20)).toBeUndefined();
});
