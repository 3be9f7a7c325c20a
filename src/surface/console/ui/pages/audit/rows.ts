// The rows of the audit page: a call is one row, with its decision and its result.
import { describeCaller } from '../../../../../base/describe.ts';
import type { AuditPage, AuditRecord } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';

export interface AuditRow {
  /** File and line. */
  readonly key: string;
  readonly at: number;
  readonly what: string;
  readonly plugin: string;
  readonly caller: string;
  readonly verdict: 'allowed' | 'denied' | 'noted';
  /** The rule, or who decided. */
  readonly how: string;
  readonly reason: string;
  readonly result?: { readonly ok: boolean; readonly text: string; readonly durationMs: number };
  readonly record: AuditRecord;
}

/** Newest first. The end of a call whose decision is not in the records has no row. */
export function auditRows(records: readonly AuditRecord[]): AuditRow[] {
  const ends = new Map<string, Extract<AuditRecord['event'], { kind: 'ended' }>>();
  for (const { event } of records) if (event.kind === 'ended') ends.set(event.id, event);
  return records
    .flatMap((record): AuditRow[] => {
      const { event } = record;
      const key = `${record.file}:${record.line}`;
      const at = Date.parse(record.at);
      if (event.kind === 'noted')
        return [
          {
            key,
            at,
            what: event.what,
            plugin: '',
            caller: '',
            verdict: 'noted',
            how: '',
            reason: event.data === undefined ? '' : JSON.stringify(event.data),
            record,
          },
        ];
      if (event.kind === 'ended') return [];
      const end = ends.get(event.id);
      const { caller, approval } = event;
      return [
        {
          key,
          at,
          what: event.name,
          plugin: event.plugin,
          caller: describeCaller(caller),
          verdict: event.allowed ? 'allowed' : 'denied',
          how: approval === undefined ? event.method : `${approval.by}, ${approval.scope}`,
          reason: event.reason,
          ...(end !== undefined && {
            result: { ok: end.ok, text: end.ok ? 'ok' : (end.code ?? 'failed'), durationMs: end.durationMs },
          }),
          record,
        },
      ];
    })
    .toReversed();
}

/** The rows with all words of the query in the tool, plugin or caller. */
export function matchingRows(rows: readonly AuditRow[], query: string): readonly AuditRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ what, plugin, caller }) => {
    const text = `${what} ${plugin} ${caller}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export type ChainStatus = { readonly state: 'intact' | 'broken' | 'unknown'; readonly text: string };

export function chainStatus(verified: AuditPage['verified']): ChainStatus {
  if (verified === undefined) return { state: 'unknown', text: 'not verified' };
  if (verified.ok) return { state: 'intact', text: `chain verified, ${counted(verified.lines, 'line')}` };
  const [first, ...others] = verified.problems;
  const { file = '', line, problem = '' } = first ?? {};
  const more = others.length === 0 ? '' : ` (${counted(others.length, 'more problem')})`;
  return { state: 'broken', text: `${file}${line === undefined ? '' : `:${line}`}: ${problem}${more}` };
}

export interface AuditFilters {
  /** The host matches whole names; the page finds parts of names in the records it has. */
  readonly tool: string;
  readonly plugin: string;
  readonly deniedOnly: boolean;
  /** 0: any time. */
  readonly withinMs: number;
}

export function auditPath(
  { tool, plugin, deniedOnly, withinMs }: AuditFilters,
  now: number,
  options: { limit: number; isVerified: boolean; names: ReadonlySet<string> },
): `/audit?${string}` {
  const query = new URLSearchParams({ limit: String(options.limit) });
  if (options.names.has(tool.trim())) query.set('tool', tool.trim());
  if (plugin !== '') query.set('plugin', plugin);
  if (deniedOnly) query.set('denied', '1');
  if (withinMs > 0) query.set('since', String(now - withinMs));
  if (options.isVerified) query.set('verify', '1');
  return `/audit?${query.toString()}`;
}
