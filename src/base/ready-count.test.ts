import { expect, test } from 'vitest';
import { readyCount } from './describe.ts';

test('counts what somebody brought and what is to run from the beginning', () => {
  const views = [
    { origin: 'process', state: 'ready' },
    { origin: 'process', state: 'busy' },
    { origin: 'in-process', state: 'ready' },
    { origin: 'process', state: 'failed' },
    { origin: 'process', state: 'disabled' },
    { origin: 'process', state: 'stopped', lazy: true },
    { origin: 'built-in', state: 'ready' },
  ] as const;
  expect(readyCount(views)).toEqual({ ready: 3, total: 4, later: 1 });
  expect(readyCount([])).toEqual({ ready: 0, total: 0, later: 0 });
});
