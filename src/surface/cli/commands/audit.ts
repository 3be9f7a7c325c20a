// `pluglot audit [verify]`: what was called, how that was decided and what came of it; and whether the log is as it was written.
import { existsSync } from 'node:fs';
import { printableLine } from '../../../base/printable.ts';
import { readAudit } from '../../../gate/audit/read-audit.ts';
import { verifyAudit } from '../../../gate/audit/verify-audit.ts';
import { auditFolder } from '../../../runtime/audit-folder.ts';
import { auditRows, type AuditRow, type RowFilter } from '../audit-rows.ts';
import { ExitCode } from '../exit-code.ts';
import { timeOf } from '../local-time.ts';
import { table, tableWidth } from '../table.ts';
import type { CommandContext } from './context.ts';

export type AuditOptions = RowFilter;

export async function audit(
  context: CommandContext,
  action: 'verify' | undefined,
  options: AuditOptions,
): Promise<ExitCode> {
  const folder = await auditFolder(context);
  return action === 'verify' ? verify(context, folder) : list(context, folder, options);
}

async function list(context: CommandContext, folder: string, options: AuditOptions): Promise<ExitCode> {
  const { out, err, json } = context;
  const rows = await rowsOf(folder, options);
  if (json) {
    for (const row of rows) out.line(JSON.stringify(row));
    return ExitCode.ok;
  }
  if (rows.length === 0) {
    err.line(existsSync(folder) ? 'Nothing like that was called.' : 'Nothing was called yet.');
    return ExitCode.ok;
  }
  const { cyan, dim, bold } = out.colours;
  const columns = [
    // The month is enough to tell the days apart.
    { title: 'TIME', style: dim, spare: 2, short: (time: string) => time.slice(5, 16) },
    { title: 'CALLER', spare: 3 },
    { title: 'TOOL', style: cyan },
    { title: 'PLUGIN', style: dim, spare: 1 },
    { title: 'OUTCOME' },
    // That it was denied is an outcome too.
    { title: 'DECISION', spare: 4 },
  ];
  const cells = rows.map((row) => [
    timeOf(Date.parse(row.at)).slice(0, 19),
    printableLine(row.caller, 30),
    printableLine(row.name, 50),
    printableLine(row.plugin, 30),
    outcomeOf(row),
    `${row.allowed ? 'allowed' : 'denied'} (${row.method}${approvalOf(row)}): ${row.reason}`,
  ]);
  for (const line of table(columns, cells, tableWidth(context), bold)) out.line(line);
  return ExitCode.ok;
}

/** The last few are at the end of the log; only where that is not enough is all of it read. */
async function rowsOf(folder: string, options: AuditOptions): Promise<readonly AuditRow[]> {
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

async function verify({ out, err, json }: CommandContext, folder: string): Promise<ExitCode> {
  if (!existsSync(folder)) {
    const problem = 'There is no log: nothing was called yet, or somebody has removed it.';
    if (json) out.line(JSON.stringify({ ok: false, lines: 0, file: folder, problem }));
    else err.line(`${err.colours.red('✗')} ${folder}: ${problem}`);
    return ExitCode.broken;
  }
  const verdict = await verifyAudit(folder);
  if (json) out.line(JSON.stringify(verdict));
  if (!verdict.ok) {
    const { file, line, problem, lines } = verdict;
    const place = line === undefined ? file : `${file}:${line}`;
    if (!json) {
      err.line(`${err.colours.red('✗')} ${printableLine(place, 1000)}: ${printableLine(problem, 1000)}`);
      err.line(`  ${lines} lines before it are as they were written.`);
    }
    return lines === 0 && line === undefined ? ExitCode.broken : ExitCode.failed;
  }
  if (json) return ExitCode.ok;
  const { lines, torn, unfinished = 0 } = verdict;
  out.line(`${out.colours.green('✓')} ${lines} lines are as they were written.`);
  for (const { file, line, lost } of torn)
    err.line(`! ${file}:${line}: ${lost} lines before it were cut off by a crash.`);
  if (unfinished > 0) err.line(`! The last ${unfinished} lines are still being written, or were cut off.`);
  return ExitCode.ok;
}
