// The last of the audit log that fits, and whether the log is as it was written.
import { readAudit, type AuditRecord } from '../../gate/audit/read-audit.ts';
import { verifyAudit } from '../../gate/audit/verify-audit.ts';
import type { ApiAuditFilter, AuditPage } from '../api.ts';
import type { RuntimeParts } from '../runtime-parts.ts';

const USUAL = 200;
const MOST = 5000;

export async function auditPage(
  { audit, auditIndex: index, sentHeads }: RuntimeParts['folders'],
  filter: ApiAuditFilter = {},
): Promise<AuditPage> {
  const { tool, plugin, caller, since, denied, limit = USUAL, verify = false } = filter;
  const records: AuditRecord[] = [];
  for await (const record of readAudit(audit, {
    ...(tool !== undefined && { tool }),
    ...(plugin !== undefined && { plugin }),
    ...(caller !== undefined && { caller }),
    ...(since !== undefined && { since: new Date(since) }),
    ...(denied === true && { deniedOnly: true }),
    last: Math.min(limit, MOST),
  }))
    records.push(record);
  if (!verify) return { records };
  const verified = await verifyAudit(audit, { index, sentHeads });
  return verified.ok && verified.files === 0 ? { records } : { records, verified };
}
