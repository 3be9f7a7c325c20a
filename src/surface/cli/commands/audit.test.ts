import { expect, test } from 'vitest';
import type { AuditEvent } from '../../../gate/audit/audit.ts';
import { auditRows, type RowFilter } from './audit.ts';

test('decisions are joined with how they ended', async () => {
  expect(await rows({}, [decided('1'), decided('2', { allowed: false }), ended('1', true)])).toEqual([
    {
      at: at(1),
      id: '1',
      caller: 'model',
      what: 'tool',
      name: 'roll',
      plugin: 'dice',
      args: {},
      allowed: true,
      method: 'allow-rule',
      reason: 'It is there.',
      outcome: 'ok',
      durationMs: 5,
      bytes: 10,
    },
    expect.objectContaining({ id: '2', outcome: 'denied' }),
  ]);
});

test('what was mistyped was not denied by anybody', async () => {
  const mistakes = [
    decided('1', { allowed: false, method: 'unknown' }),
    decided('2', { allowed: false, method: 'arguments' }),
    decided('3', { allowed: false, method: 'deny-rule' }),
  ];
  expect((await rows({ denied: true }, mistakes)).map(({ id }) => id)).toEqual(['3']);
});

test('of what never ended nobody knows how', async () => {
  const [row] = await rows({}, [decided('1', { caller: { kind: 'client', name: 'cursor' } })]);
  expect(row).toMatchObject({ outcome: '–', caller: 'client cursor' });
});

test.each<[RowFilter, string[]]>([
  [{}, ['1', '2', '3', '4']],
  [{ last: 2 }, ['3', '4']],
  [{ denied: true }, ['2']],
  [{ tool: 'roll' }, ['1', '2', '4']],
  [{ plugin: 'files' }, ['3']],
  [{ since: Date.parse(at(3)) }, ['3', '4']],
  [{ tool: 'roll', last: 1 }, ['4']],
])('%o', async (filter, expected) => {
  const found = await rows(filter, [
    decided('1'),
    decided('2', { allowed: false }),
    decided('3', { name: 'read', plugin: 'files' }),
    decided('4', { name: 'dice__roll' }),
    { kind: 'noted', what: 'closed' },
  ]);
  expect(found.map(({ id }) => id)).toEqual(expected);
});

function rows(filter: RowFilter, events: readonly AuditEvent[]) {
  async function* read() {
    for (const [index, event] of events.entries()) yield { at: at(index + 1), event };
  }
  return auditRows(read(), filter);
}

function at(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
}

function decided(id: string, other: Partial<Extract<AuditEvent, { kind: 'decided' }>> = {}): AuditEvent {
  return {
    kind: 'decided',
    id,
    what: 'tool',
    name: 'roll',
    plugin: 'dice',
    caller: { kind: 'model' },
    args: {},
    allowed: true,
    method: 'allow-rule',
    reason: 'It is there.',
    ...other,
  };
}

function ended(id: string, ok: boolean): AuditEvent {
  return { kind: 'ended', id, ok, durationMs: 5, bytes: 10 };
}
