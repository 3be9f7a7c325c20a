// What the audit shows: a call is one row, its decision and its end together.
import { describeCaller } from '../../../../../base/describe-caller.ts';
import type { AuditPage, AuditRecord } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';

export interface ShownRow {
  /** Which line of which file. */
  readonly key: string;
  readonly at: number;
  readonly what: string;
  readonly plugin: string;
  readonly caller: string;
  readonly verdict: 'allowed' | 'denied' | 'noted';
  /** By which rule or whom. */
  readonly how: string;
  readonly reason: string;
  readonly result?: { readonly ok: boolean; readonly words: string; readonly durationMs: number };
  readonly record: AuditRecord;
}

/** The newest first. The end of a call whose decision is not among them has no row. */
export function shownRows(records: readonly AuditRecord[]): ShownRow[] {
  const ends = new Map<string, Extract<AuditRecord['event'], { kind: 'ended' }>>();
  for (const { event } of records) if (event.kind === 'ended') ends.set(event.id, event);
  return records
    .flatMap((record): ShownRow[] => {
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
            result: { ok: end.ok, words: end.ok ? 'ok' : (end.code ?? 'failed'), durationMs: end.durationMs },
          }),
          record,
        },
      ];
    })
    .toReversed();
}

/** By a part of the name, of the plugin or of whoever asked. */
export function fittingRows(rows: readonly ShownRow[], query: string): readonly ShownRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ what, plugin, caller }) => {
    const said = `${what} ${plugin} ${caller}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
}

export type ChainWord = { readonly state: 'whole' | 'broken' | 'unknown'; readonly words: string };

export function chainWord(verified: AuditPage['verified']): ChainWord {
  if (verified === undefined) return { state: 'unknown', words: 'not verified' };
  if (verified.ok) return { state: 'whole', words: `chain verified, ${counted(verified.lines, 'line')}` };
  const [first, ...others] = verified.problems;
  const { file = '', line, problem = '' } = first ?? {};
  const more = others.length === 0 ? '' : ` (${counted(others.length, 'more problem')})`;
  return { state: 'broken', words: `${file}${line === undefined ? '' : `:${line}`}: ${problem}${more}` };
}

export interface AuditFilters {
  /** What is searched for. The host looks for whole names; the page finds parts of them in what it has. */
  readonly tool: string;
  readonly plugin: string;
  readonly deniedOnly: boolean;
  /** Of the last so many milliseconds; 0: of any time. */
  readonly withinMs: number;
}

export function auditPath(
  { tool, plugin, deniedOnly, withinMs }: AuditFilters,
  now: number,
  options: { limit: number; isVerified: boolean; names: ReadonlySet<string> },
): string {
  const query = new URLSearchParams({ limit: String(options.limit) });
  if (options.names.has(tool.trim())) query.set('tool', tool.trim());
  if (plugin !== '') query.set('plugin', plugin);
  if (deniedOnly) query.set('denied', '1');
  if (withinMs > 0) query.set('since', String(now - withinMs));
  if (options.isVerified) query.set('verify', '1');
  return `/audit?${query.toString()}`;
}
