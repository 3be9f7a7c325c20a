// docs/dialects/yams.md says what the code does.
import { expect, test } from 'vitest';
import { reasons, wireErrors } from '../../src/dialect/yams/codes.ts';
import { yams } from '../../src/dialect/yams/host.ts';
import { methods } from '../../src/dialect/yams/schema.ts';
import { read } from '../support/markdown.ts';

const page = read('docs/dialects/yams.md');

test('the table of errors is that of the code', () => {
  const rows = [...page.matchAll(/^\| (-\d+) \| ([^|]+) \| `(\w+)` \|$/gm)];
  expect(rows.map(([, wireCode, name, code]) => ({ wireCode: Number(wireCode), name, code }))).toEqual(
    wireErrors,
  );
});

test('the table of reasons is that of the code', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| `([A-Z_]+)` \|$/gm)];
  expect(Object.fromEntries(rows.map(([, reason, code]) => [reason, code]))).toEqual(reasons);
});

test('the limits are those of the code', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)];
  const { ackMs: _, talkMs: __, ...limits } = yams.traits.limits;
  expect(Object.fromEntries(rows.map(([, limit, value]) => [limit, Number(value)]))).toEqual(limits);
});

test('every method has its row', () => {
  for (const method of Object.values(methods)) expect(page).toContain(`| \`${method}\` |`);
});
