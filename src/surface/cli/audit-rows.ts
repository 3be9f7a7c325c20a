// The audit log as calls: what was decided on each, joined with how it ended.
import { fullName, isNameOf, ownPart } from '../../definition/full-name.ts';
import { describeCaller } from '../../base/describe-caller.ts';
import type { AuditEvent } from '../../gate/audit/audit.ts';

export interface AuditRow {
  /** An ISO date. */
  readonly at: string;
  readonly id: string;
  readonly caller: string;
  readonly what: Decided['what'];
  readonly name: string;
  readonly plugin: string;
  readonly allowed: boolean;
  readonly method: string;
  readonly reason: string;
  /** Who was asked, and for how long that holds. */
  readonly approval?: { readonly by: string; readonly scope: string };
  /** `ok`, the code of what went wrong, or `–` where nobody wrote how it ended. */
  readonly outcome: string;
  readonly durationMs?: number;
  readonly bytes?: number;
  readonly spilled?: string;
}

export interface RowFilter {
  readonly tool?: string;
  readonly plugin?: string;
  /** In milliseconds since 1970. */
  readonly since?: number;
  /** What a rule, a person or a limit denied. */
  readonly denied?: boolean;
  /** The last so many; 0: all. */
  readonly last?: number;
}

export interface AuditedEvent {
  readonly at: string;
  readonly event: AuditEvent;
}

/** In the order in which they were decided. Keeps no more than it will give. */
export async function auditRows(
  events: AsyncIterable<AuditedEvent>,
  filter: RowFilter,
): Promise<readonly AuditRow[]> {
  const { last = 0 } = filter;
  const rows = new Map<string, AuditRow>();
  for await (const { at, event } of events) {
    if (event.kind === 'decided') {
      if (!isWanted(at, event, filter)) continue;
      rows.set(event.id, rowOf(at, event));
      if (last > 0 && rows.size > last) rows.delete(rows.keys().next().value ?? '');
    } else if (event.kind === 'ended') {
      const row = rows.get(event.id);
      if (row !== undefined) rows.set(event.id, ended(row, event));
    }
  }
  return [...rows.values()];
}

type Decided = Extract<AuditEvent, { kind: 'decided' }>;

function isWanted(
  at: string,
  { name, plugin, allowed, method }: Decided,
  { tool, plugin: wanted, since, denied }: RowFilter,
): boolean {
  // Logs of before have some tools without their plugin.
  const own = name.startsWith(fullName(plugin, '')) ? ownPart(name) : name;
  if (tool !== undefined && !isNameOf(tool, plugin, own)) return false;
  if (wanted !== undefined && plugin !== wanted) return false;
  if (since !== undefined && Date.parse(at) < since) return false;
  return denied !== true || (!allowed && !MISTAKES.has(method));
}

/** Names and arguments that were mistyped: nobody decided on these. */
const MISTAKES: ReadonlySet<string> = new Set(['unknown', 'arguments']);

function rowOf(
  at: string,
  { id, what, name, plugin, caller, allowed, method, reason, approval }: Decided,
): AuditRow {
  return {
    at,
    id,
    caller: describeCaller(caller),
    what,
    name,
    plugin,
    allowed,
    method,
    reason,
    ...(approval === undefined ? {} : { approval }),
    outcome: allowed ? '–' : 'denied',
  };
}

function ended(
  row: AuditRow,
  { ok, code, durationMs, bytes, spilled }: Extract<AuditEvent, { kind: 'ended' }>,
): AuditRow {
  const outcome = ok ? 'ok' : (code ?? 'failed');
  return { ...row, outcome, durationMs, bytes, ...(spilled === undefined ? {} : { spilled }) };
}
