// docs/dialects/planner.md and the sources say the same.
import { expect, test } from 'vitest';
import { errorCodes } from '../../src/base/error.ts';
import { canonicalJson } from '../../src/base/json.ts';
import { MESSAGE_LIMIT, REPLAY_WINDOW_SECONDS } from '../../src/dialect/planner/wire.ts';
import { wireErrors } from '../../src/dialect/planner/codes.ts';
import { planner } from '../../src/dialect/planner/host.ts';
import * as schema from '../../src/dialect/planner/schema.ts';
import type { AnyShape } from '../../src/dialect/shape.ts';
import { read } from '../support/markdown.ts';
import { vectors } from '../support/dialect/planner/vectors.ts';

const page = read('docs/dialects/planner.md');

test('every number has its row, and every row its number', () => {
  const rows = [...page.matchAll(/^\| (-\d+) \| (.+?) \| (?:`(\w+)` )?\| `(\w+)` \|$/gm)];
  expect(
    rows.map(([, wireCode, name, type, code]) => ({
      wireCode: Number(wireCode),
      name,
      code,
      ...(type && { type }),
    })),
  ).toEqual(wireErrors);
});

test('every code that is named exists', () => {
  const types = wireErrors.flatMap(({ type }) => type ?? []);
  const named = [...page.matchAll(/`([A-Z]+_[A-Z_]+|INTERNAL|TIMEOUT)`/g)].map(([, code = '']) => code);
  expect(named.filter((code) => !(code in errorCodes) && !types.some((type) => type === code))).toEqual([]);
});

test('the limits are those of the dialect', () => {
  const { limits } = planner.traits;
  expect(page).toContain(`| a message to the plugin | ${MESSAGE_LIMIT.toLocaleString('en-US')} bytes |`);
  expect(page).toContain(`| ${limits.messageBytes / 1024 / 1024} MiB (\`limits.messageBytes\`)`);
  expect(page).toContain(`more than ${REPLAY_WINDOW_SECONDS} s away`);
  for (const name of ['startMs', 'callMs'] as const)
    expect(page).toContain(`| ${limits[name] / 1000} s (\`limits.${name}\`) |`);
  expect(page).toContain(`(${planner.traits.concurrency} unless \`concurrency\` says otherwise)`);
});

test('every field of the wire is named, with what it is called inside', () => {
  const shapes: readonly AnyShape[] = Object.values(schema).filter(
    (value) => typeof value === 'object' && 'fields' in value,
  );
  const fields = shapes.flatMap(({ fields }) => Object.entries(fields));
  expect(fields.length).toBeGreaterThan(20);
  for (const [neutral, { wire }] of fields) {
    expect(page).toContain(`\`${wire}\``);
    expect(page).toContain(`\`${neutral}\``);
  }
});

test('the canonical texts of the vectors are right', () => {
  expect(vectors.length).toBeGreaterThan(2);
  for (const { message, canonical } of vectors) expect(canonicalJson(message)).toBe(canonical);
});
