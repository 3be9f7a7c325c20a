// The last of the audit log that fits, and whether the log is as it was written.
import { existsSync } from 'node:fs';
import { readAudit, type AuditRecord } from '../../gate/audit/read-audit.ts';
import { verifyAudit } from '../../gate/audit/verify-audit.ts';
import type { ApiAuditFilter, AuditPage } from '../api.ts';

const USUAL = 200;
const MOST = 5000;

export async function auditPage(folder: string, filter: ApiAuditFilter = {}): Promise<AuditPage> {
  const { tool, plugin, caller, since, denied, limit = USUAL, verify = false } = filter;
  const records: AuditRecord[] = [];
  for await (const record of readAudit(folder, {
    ...(tool !== undefined && { tool }),
    ...(plugin !== undefined && { plugin }),
    ...(caller !== undefined && { caller }),
    ...(since !== undefined && { since: new Date(since) }),
    ...(denied === true && { deniedOnly: true }),
    last: Math.min(limit, MOST),
  }))
    records.push(record);
  // Where nothing was called yet there is nothing to verify.
  return verify && existsSync(folder) ? { records, verified: await verifyAudit(folder) } : { records };
}
