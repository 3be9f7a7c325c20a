// `pluglot audit [verify]`: what was called, how that was decided and what came of it; and whether the log is as it was written.
import { existsSync } from 'node:fs';
import { printableLine } from '../../../base/printable.ts';
import { readAudit } from '../../../gate/audit/read-audit.ts';
import { type AuditVerdict, verifyAudit } from '../../../gate/audit/verify-audit.ts';
import { type AuditSettings, gateSettings } from '../../../runtime/gate-settings.ts';
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
  const { audit: settings } = await gateSettings(context);
  return action === 'verify' ? verify(context, settings) : list(context, settings.folder, options);
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

async function verify(context: CommandContext, settings: AuditSettings): Promise<ExitCode> {
  const { out, err, json } = context;
  const { folder, index, sendHead } = settings;
  const verdict = orNone(folder, await verifyAudit(folder, { index, sentHeads: sendHead?.file }));
  const { ok, lines, problems } = verdict;
  if (json) out.line(JSON.stringify(verdict));
  else if (ok) out.line(`${out.colours.green('✓')} ${lines} lines are as they were written.`);
  else {
    for (const { file, line, problem, fix } of problems) {
      const place = line === undefined ? file : `${file}:${line}`;
      err.line(`${err.colours.red('✗')} ${printableLine(place, 1000)}: ${printableLine(problem, 1000)}`);
      if (fix !== undefined) err.line(`  ${printableLine(fix, 1000)}`);
    }
    err.line(`  ${lines} lines are as they were written.`);
  }
  if (!json) for (const remark of remarksOf(verdict)) err.line(`! ${remark}`);
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
