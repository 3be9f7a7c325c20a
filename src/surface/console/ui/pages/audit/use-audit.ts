// What the log says, read again when something was written to it.
import { useEffect, useState } from 'preact/hooks';
import { wordsOf } from '../../api/client.ts';
import type { AuditPage } from '../../api/types.ts';
import { useHost } from '../../state/host-context.ts';
import { auditPath, type AuditFilters } from './rows.ts';

export interface AuditRead {
  readonly answer: AuditPage | undefined;
  readonly verdict: AuditPage['verified'];
  readonly problem: string | undefined;
  verify(): void;
}

export const AUDIT_LIMIT = 400;
/** Many calls in a row are read once. */
const PATIENCE_MS = 400;

export function useAudit(filters: AuditFilters): AuditRead {
  const host = useHost();
  const [answer, setAnswer] = useState<AuditPage>();
  const [verdict, setVerdict] = useState<AuditPage['verified']>();
  const [problem, setProblem] = useState<string>();
  const audited = host.audited.value;
  const isOpen = host.connection.value === 'open';
  const names = new Set(host.tools.value.map(({ name }) => name));
  // What is searched for by a part of its name is found in what is there.
  const path = auditPath(filters, 0, { limit: AUDIT_LIMIT, isVerified: false, names });
  useEffect(() => {
    const stop = new AbortController();
    // Verifying reads all of the log: once, and when somebody asks for it.
    const isVerified = verdict === undefined;
    const read = async () => {
      try {
        const asked = auditPath(filters, Date.now(), { limit: AUDIT_LIMIT, isVerified, names });
        const next = await host.api.get<AuditPage>(asked, stop.signal);
        setAnswer(next);
        if (next.verified !== undefined) setVerdict(next.verified);
        setProblem(undefined);
      } catch (error) {
        if (!stop.signal.aborted) setProblem(wordsOf(error));
      }
    };
    const timer = setTimeout(() => void read(), answer === undefined ? 0 : PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [host, path, audited, isOpen, verdict === undefined]);
  return { answer, verdict, problem, verify: () => setVerdict(undefined) };
}
