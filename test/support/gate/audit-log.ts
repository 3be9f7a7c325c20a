// Audit logs for tests.
import path from 'node:path';
import fs from 'node:fs';
import type { AuditEvent } from '../../../src/gate/audit/audit.ts';
import { type AuditOptions, openAudit } from '../../../src/gate/audit/open-audit.ts';
import { type AuditFilter, type AuditRecord, readAudit } from '../../../src/gate/audit/read-audit.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export const decided = (
  id: string,
  more: Partial<Extract<AuditEvent, { kind: 'decided' }>> = {},
): AuditEvent & { readonly id: string } => ({
  kind: 'decided',
  id,
  what: 'tool',
  name: 'cli_based_tool',
  plugin: 'cli',
  caller: { kind: 'model' },
  args: { command: 'git status' },
  allowed: true,
  method: 'allow-rule',
  reason: 'git * is allowed',
  ...more,
});

export const ended = (id: string): AuditEvent => ({ kind: 'ended', id, ok: true, durationMs: 3, bytes: 20 });

export interface AuditPlace {
  readonly folder: string;
  readonly index: string;
}

/** Where nothing is written yet. */
export function auditPlace(): AuditPlace {
  const folder = path.join(temporaryFolder(), 'audit');
  return { folder, index: `${folder}-index` };
}

/** With the files of its first log. */
export interface WrittenPlace extends AuditPlace {
  log(): string;
  file(): string;
  head(): string;
}

export async function written(
  events: readonly AuditEvent[],
  options: Partial<AuditOptions> = {},
  place: AuditPlace = auditPlace(),
): Promise<WrittenPlace> {
  const { folder, index } = place;
  const audit = openAudit({ folder, ...options });
  for (const event of events) await audit.write(event);
  await audit.close();
  const log = () =>
    fs
      .readdirSync(index)
      .find((name) => /^audit-.*[.]head$/.test(name))
      ?.slice(0, -5) ?? '';
  return {
    ...place,
    log,
    file: () => path.join(folder, `${log()}-000001.jsonl`),
    head: () => path.join(index, `${log()}.head`),
  };
}

export async function recordsIn(folder: string, filter?: AuditFilter): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const record of readAudit(folder, filter)) records.push(record);
  return records;
}
