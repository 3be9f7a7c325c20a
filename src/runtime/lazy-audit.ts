// The audit log, opened when something is written to it: who only looks leaves no trace.
import type { Audit } from '../gate/audit/audit.ts';
import { openAudit, type AuditOptions } from '../gate/audit/open-audit.ts';

export function lazyAudit(options: AuditOptions): Audit {
  let opened: Promise<Audit> | undefined;
  const open = () => {
    opened ??= openAudit(options).catch((error: unknown) => {
      // What is in the way may be gone at the next call.
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    write: async (event) => (await open()).write(event),
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}
