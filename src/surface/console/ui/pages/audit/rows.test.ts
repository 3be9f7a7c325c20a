import { expect, test } from 'vitest';
import type { AuditRecord } from '../../api/types.ts';
import { auditPath, chainStatus, matchingRows, auditRows, type AuditRow } from './rows.ts';

const at = '2026-11-17T09:00:00.000Z';
const file = 'audit.jsonl';
const decided = {
  kind: 'decided',
  id: 'c1',
  what: 'tool',
  name: 'echo',
  plugin: 'p',
  caller: { kind: 'model' },
  args: {},
  method: 'allow-rule',
  reason: 'r',
} as const;

test('a call is one row, the newest first', () => {
  const records: AuditRecord[] = [
    { seq: 1, at, file, line: 1, event: { kind: 'noted', what: 'started' } },
    { seq: 2, at, file, line: 2, event: { ...decided, allowed: true } },
    {
      seq: 1,
      at,
      file: 'other.jsonl',
      line: 1,
      event: { ...decided, id: 'c2', allowed: false, approval: { by: 'console', scope: 'once' } },
    },
    {
      seq: 3,
      at,
      file,
      line: 3,
      event: { kind: 'ended', id: 'c1', ok: false, code: 'TIMEOUT', durationMs: 5, bytes: 1 },
    },
    { seq: 4, at, file, line: 4, event: { kind: 'ended', id: 'gone', ok: true, durationMs: 5, bytes: 1 } },
  ];
  expect(auditRows(records)).toMatchObject([
    { key: 'other.jsonl:1', verdict: 'denied', how: 'console, once' },
    {
      key: 'audit.jsonl:2',
      verdict: 'allowed',
      how: 'allow-rule',
      caller: 'model',
      result: { ok: false, text: 'TIMEOUT' },
    },
    { key: 'audit.jsonl:1', verdict: 'noted', what: 'started' },
  ]);
});

test('whether the chain verifies', () => {
  expect(chainStatus(undefined).state).toBe('unknown');
  const whole = { ok: true, lines: 7, files: 1, problems: [], torn: [], unfinished: 0, isEndChecked: true };
  expect(chainStatus(whole).text).toBe('chain verified, 7 lines');
  const problems = [{ file: 'x', line: 3, problem: 'The line was changed.' }];
  expect(chainStatus({ ...whole, ok: false, problems })).toEqual({
    state: 'broken',
    text: 'x:3: The line was changed.',
  });
  expect(chainStatus({ ...whole, ok: false, problems: [...problems, ...problems] }).text).toBe(
    'x:3: The line was changed. (1 more problem)',
  );
});

test('filters are asked of the host', () => {
  const all = { tool: '', plugin: '', deniedOnly: false, withinMs: 0 };
  expect(
    auditPath({ tool: ' a b ', plugin: 'p', deniedOnly: true, withinMs: 1000 }, 5000, {
      limit: 10,
      isVerified: true,
      names: new Set(['a b']),
    }),
  ).toBe('/audit?limit=10&tool=a+b&plugin=p&denied=1&since=4000&verify=1');
  const plain = { limit: 10, isVerified: false, names: new Set(['roll']) };
  expect(auditPath(all, 5000, plain)).toBe('/audit?limit=10');
  // A part of a name is found in what is there.
  expect(auditPath({ ...all, tool: 'ro' }, 5000, plain)).toBe('/audit?limit=10');
});

test('parts of names are found', () => {
  const row = (what: string, plugin: string, caller: string) => ({ what, plugin, caller }) as AuditRow;
  const rows = [row('roll', 'dice', 'user'), row('create_issue', 'github', 'claude')];
  expect(matchingRows(rows, '')).toBe(rows);
  expect(matchingRows(rows, 'ISS git')).toEqual([rows[1]]);
  expect(matchingRows(rows, 'user')).toEqual([rows[0]]);
  expect(matchingRows(rows, 'nothing')).toEqual([]);
});
