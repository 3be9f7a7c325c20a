// `pluglot audit [verify]`: what was called, how that was decided and what came of it; and whether the log is as it was written.
import { existsSync } from 'node:fs';
import { Argument, InvalidArgumentError } from 'commander';
import { describeCaller } from '../../../base/describe.ts';
import { parseDuration } from '../../../base/units.ts';
import type { JsonObject } from '../../../base/json.ts';
import { printableLine } from '../../../base/printable.ts';
import { fullName, isNameOf, ownPart } from '../../../definition/plugin-spec.ts';
import type { AuditEvent } from '../../../gate/audit/audit.ts';
import { readAudit } from '../../../gate/audit/read-audit.ts';
import { verifyAudit, type AuditVerdict } from '../../../gate/audit/verify-audit.ts';
import { gateSettings, type AuditSettings } from '../../../runtime/gate-settings.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { timeOf } from '../log-lines.ts';
import { printTable } from '../table.ts';
import { confirm, warn } from '../terminal.ts';
import type { CommandContext } from '../context.ts';

export const commands = {
  audit: defineCommand<RowFilter, [action: 'verify' | undefined]>({
    description: 'Show what was called, by whom, how it was decided and how it ended',
    examples: [
      'pluglot audit',
      'pluglot audit --denied --since 1h',
      'pluglot audit --tool cli_based_tool -n 5 --json',
      'pluglot audit verify',
    ],
    uses: 'file',
    declare: (command) =>
      command
        .addArgument(
          new Argument('[action]', 'verify: check that the log is unchanged (default: list calls)').choices([
            'verify',
          ]),
        )
        .option('--tool <name>', 'Only calls of this tool or command')
        .option('--plugin <name>', 'Only calls of this plugin')
        .option('--since <time>', 'Only calls since then: a duration such as 2h, or a date', momentOption)
        .option('--denied', 'Only calls that were denied')
        .option('-n, --last <number>', 'Number of calls to show; 0: all', numberOption, 20),
    async run(context, filter, action) {
      const { audit: settings } = await gateSettings(context);
      return action === 'verify' ? verify(context, settings) : list(context, settings.folder, filter);
    },
  }),
};

/** A date, or how long ago; in milliseconds since 1970. */
function momentOption(text: string): number {
  const duration = parseDuration(text);
  if ('ms' in duration) return Date.now() - duration.ms;
  const moment = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(moment))
    throw new InvalidArgumentError('Write how long ago, such as 2h, or a date such as 2026-11-17.');
  return moment;
}

function numberOption(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

async function list(
  { out, err, json }: CommandContext,
  folder: string,
  options: RowFilter,
): Promise<ExitCode> {
  const rows = await rowsOf(folder, options);
  if (json) {
    for (const row of rows) out.line(JSON.stringify(row));
    return ExitCode.ok;
  }
  if (rows.length === 0) {
    err.line(existsSync(folder) ? 'Nothing like that was called.' : 'Nothing was called yet.');
    return ExitCode.ok;
  }
  const { cyan, dim } = out.colours;
  printTable(out, rows, [
    {
      title: 'TIME',
      style: dim,
      spare: 2,
      // The month is enough to tell the days apart.
      short: (time) => time.slice(5, 16),
      cell: ({ at }) => timeOf(Date.parse(at)).slice(0, 19),
    },
    { title: 'CALLER', spare: 3, cell: ({ caller }) => printableLine(caller, 30) },
    { title: 'TOOL', style: cyan, cell: ({ name }) => printableLine(name, 50) },
    { title: 'ARGUMENTS', spare: 5, cell: ({ args }) => printableLine(JSON.stringify(args), 60) },
    { title: 'PLUGIN', style: dim, spare: 1, cell: ({ plugin }) => printableLine(plugin, 30) },
    { title: 'OUTCOME', cell: outcomeOf },
    // That it was denied is an outcome too.
    {
      title: 'DECISION',
      spare: 4,
      cell: (row) => `${row.allowed ? 'allowed' : 'denied'} (${row.method}${approvalOf(row)}): ${row.reason}`,
    },
  ]);
  return ExitCode.ok;
}

/** The last few are at the end of the log; only where that is not enough is all of it read. */
async function rowsOf(folder: string, options: RowFilter): Promise<readonly AuditRow[]> {
  const { last = 0, since } = options;
  const filter = since === undefined ? {} : { since: new Date(since) };
  if (last > 0) {
    const rows = await auditRows(readAudit(folder, { ...filter, last: last * RECORDS_EACH }), options);
    if (rows.length === last) return rows;
  }
  return auditRows(readAudit(folder, filter), options);
}

/** A decision and an end, and some room for calls at once. */
const RECORDS_EACH = 4;

function outcomeOf({ outcome, durationMs }: AuditRow): string {
  return durationMs === undefined ? outcome : `${outcome} ${Math.round(durationMs)} ms`;
}

function approvalOf({ approval }: AuditRow): string {
  return approval === undefined ? '' : `, ${approval.by} for ${approval.scope}`;
}

async function verify(context: CommandContext, settings: AuditSettings): Promise<ExitCode> {
  const { out, err, json } = context;
  const { folder, index, sendHead } = settings;
  const verdict = orNone(folder, await verifyAudit(folder, { index, sentHeads: sendHead?.file }));
  const { ok, lines, problems } = verdict;
  if (json) out.line(JSON.stringify(verdict));
  else if (ok) confirm(out, `${lines} lines are as they were written.`);
  else {
    for (const { file, line, problem, fix } of problems) {
      const place = line === undefined ? file : `${file}:${line}`;
      err.line(`${err.colours.red('✗')} ${printableLine(place, 1000)}: ${printableLine(problem, 1000)}`);
      if (fix !== undefined) err.line(`  ${printableLine(fix, 1000)}`);
    }
    err.line(`  ${lines} lines are as they were written.`);
  }
  if (!json) for (const remark of remarksOf(verdict)) warn(err, remark);
  if (ok) return ExitCode.ok;
  return lines === 0 && problems.every(({ line }) => line === undefined) ? ExitCode.broken : ExitCode.failed;
}

function orNone(folder: string, verdict: AuditVerdict): AuditVerdict {
  if (!verdict.ok || verdict.files > 0) return verdict;
  const problem = 'There is no log: nothing was called yet, or it was removed together with its index.';
  return { ...verdict, ok: false, problems: [{ file: folder, problem }] };
}

function remarksOf({ torn, unfinished, notSent = 0 }: AuditVerdict): string[] {
  return [
    ...torn.map(
      ({ file, line, lost }) =>
        `${file}:${line}: ${lost} lines before it could not be written, or were cut off by a crash.`,
    ),
    ...(unfinished > 0 ? [`${unfinished} lines are still being written, or were cut off by a crash.`] : []),
    ...(notSent > 0 ? [`The heads of the last ${notSent} lines were not sent yet.`] : []),
  ];
}

export interface AuditRow {
  /** An ISO date. */
  readonly at: string;
  readonly id: string;
  readonly caller: string;
  readonly what: Decided['what'];
  readonly name: string;
  readonly plugin: string;
  /** Secrets are masked. */
  readonly args: JsonObject;
  readonly allowed: boolean;
  readonly method: string;
  readonly reason: string;
  /** Who was asked, and for how long that holds. */
  readonly approval?: { readonly by: string; readonly scope: string };
  /** `ok`, the code of what went wrong, or `–` where the end was not recorded. */
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

/** Names and arguments that were mistyped: no rule decided on these. */
const MISTAKES: ReadonlySet<string> = new Set(['unknown', 'arguments']);

function rowOf(
  at: string,
  { id, what, name, plugin, caller, args, allowed, method, reason, approval }: Decided,
): AuditRow {
  return {
    at,
    id,
    caller: describeCaller(caller),
    what,
    name,
    plugin,
    args,
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
