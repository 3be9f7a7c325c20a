import { describe, expect, test } from 'vitest';
import { catalogues } from '../../test/requirements/catalogues.ts';
import { read } from '../../test/support/markdown.ts';
import { dialectNames } from '../definition/plugin-spec.ts';
import { checksOf } from './dialects.ts';

describe.each(dialectNames)('the checks of %s', (dialect) => {
  const checks = checksOf(dialect);

  test('have ids of their own, each a fault or a requirement of the dialect', () => {
    const ids = checks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const known = new Set((catalogues[dialect] ?? []).map(({ id }) => id));
    expect(ids.filter((id) => !id.startsWith('fault:') && !known.has(id))).toEqual([]);
    expect(ids.some((id) => id.startsWith(`${dialect}:`))).toBe(true);
  });

  test('say what a good plugin does, and how to fix one that does not', () => {
    for (const { id, title, theme, fix } of checks) {
      expect(title, id).toMatch(/[^.\s]$/);
      expect(fix, id).toMatch(/^[A-Z].*\.$/);
      expect(theme, id).not.toBe('');
    }
  });

  test('stand together by theme', () => {
    const themes = checks.map(({ theme }) => theme).filter((theme, index, all) => theme !== all[index - 1]);
    expect(new Set(themes).size).toBe(themes.length);
  });
});

test('docs/check.md names every fault, and no other', () => {
  const ids = dialectNames.flatMap((dialect) => checksOf(dialect).map(({ id }) => id));
  const named = [...read('docs/check.md').matchAll(/`(fault:[a-z-]+)`/g)].map(([, id]) => id);
  expect(new Set(named)).toEqual(new Set(ids.filter((id) => id.startsWith('fault:'))));
});
