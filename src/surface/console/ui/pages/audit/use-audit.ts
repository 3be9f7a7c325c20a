// What the log says, read again when something was written to it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../../api/client.ts';
import type { AuditPage } from '../../api/types.ts';
import { useHost } from '../../state/host-context.ts';
import { paced } from '../../state/paced.ts';
import { auditPath, type AuditFilters } from './rows.ts';

export interface AuditRead {
  readonly answer: AuditPage | undefined;
  readonly verdict: AuditPage['verified'];
  readonly problem: string | undefined;
  verify(): void;
}

export const AUDIT_LIMIT = 400;
/** Many calls in a row are read once, and steady ones every so often. */
const PATIENCE_MS = 400;

export function useAudit(filters: AuditFilters): AuditRead {
  const host = useHost();
  const [answer, setAnswer] = useState<AuditPage>();
  const [verdict, setVerdict] = useState<AuditPage['verified']>();
  const [problem, setProblem] = useState<string>();
  const [asked, setAsked] = useState(0);
  // Verifying reads all of the log: once, and when somebody asks for it.
  const isVerifying = useRef(true);
  const isOpen = host.connection.value === 'open';
  const names = new Set(host.tools.value.map(({ name }) => name));
  // What is searched for by a part of its name is found in what is there.
  const path = auditPath(filters, 0, { limit: AUDIT_LIMIT, isVerified: false, names });
  useEffect(() => {
    const stop = new AbortController();
    const reads = paced(async () => {
      const isVerified = isVerifying.current;
      try {
        const wanted = auditPath(filters, Date.now(), { limit: AUDIT_LIMIT, isVerified, names });
        const next = await host.api.get<AuditPage>(wanted, stop.signal);
        if (stop.signal.aborted) return;
        setAnswer(next);
        if (next.verified !== undefined) {
          isVerifying.current = false;
          setVerdict(next.verified);
        }
        setProblem(undefined);
      } catch (error) {
        if (!stop.signal.aborted) setProblem(wordsOf(error));
      }
    }, PATIENCE_MS);
    reads.ask(answer === undefined ? 0 : PATIENCE_MS);
    const unsubscribe = host.audited.subscribe(() => reads.ask());
    return () => {
      unsubscribe();
      reads.stop();
      stop.abort();
    };
  }, [host, path, asked, isOpen]);
  const verify = () => {
    isVerifying.current = true;
    setVerdict(undefined);
    setAsked((before) => before + 1);
  };
  return { answer, verdict, problem, verify };
}
