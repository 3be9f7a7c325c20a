// The writing end of the audit: the events of all calls, one after the other, those of one moment in one write.
import { PluglotError, toError } from '../../base/error.ts';
import { type Deferred, deferred } from '../../base/async.ts';
import type { Json } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { sentences } from '../../base/text.ts';
import type { Audit, AuditEvent } from './audit.ts';
import { createHeadSender, type HeadTarget } from './head-sender.ts';
import { defaultIndex } from './heads.ts';
import { type Entry, type LogEnd, LogWriter } from './log-writer.ts';
import { jsonRedactor } from './redact.ts';

export interface AuditOptions {
  /** Made when it is not there. Processes that share it each write a log of their own in it. */
  readonly folder: string;
  /** Where it is kept how each log ends, outside of `folder`. @default beside it, with `-index` behind its name */
  readonly index?: string;
  /** Knows the values that must never be seen in the log. @default what looks like a secret is masked, and no more */
  readonly secrets?: Pick<Secrets, 'mask' | 'isClean'>;
  /**
   * A file that would grow over this is followed by the next.
   * @default 16 MiB
   */
  readonly rotateBytes?: number;
  /**
   * Waits for the disk at every write, so that the log survives a loss of power. Costs milliseconds.
   * @default false
   */
  readonly sync?: boolean;
  /** Where else it is kept how the log ends. @default nowhere */
  readonly sendHead?: HeadTarget;
  /** Called with what a person should know: a log that is not as it was left, a head that cannot be sent. */
  readonly report?: (message: string) => void;
  /** @default the time of the system */
  readonly now?: () => Date;
}

/** Number, time and hashes. */
const LINE_OVERHEAD = 256;
/** How much is written at a time. */
const BATCH_MAX = 1 * MiB;
/** No caller waits for the line about the end of a call, so it is written with the next line that a caller waits for. */
const PATIENT_MS = 3;
/** Calls come in bursts: opening and sealing for each of their lines would cost more than writing them. */
const BURST_MS = 5;
/** So often the files are looked at by their names even in a burst that goes on, and the head is sent. */
const BURST_MAX_MS = 500;
/** Calls wait for their lines, so more than this means a disk that does not move. */
const WAITING_MAX = 10_000;

/** Touches no file before the first event: then it takes over a log that no process writes to, or begins one. */
export function openAudit(options: AuditOptions): Audit {
  const { folder, secrets, sendHead, report = () => {}, now = () => new Date() } = options;
  const log = new LogWriter({
    folder,
    index: options.index ?? defaultIndex(folder),
    rotateBytes: options.rotateBytes ?? 16 * MiB,
    sync: options.sync ?? false,
    report,
  });
  const redact = jsonRedactor(secrets);
  const waiting: { readonly entry: Entry; readonly size: number; readonly written: Deferred<void> }[] = [];
  let isClosed = false;
  let writing: Promise<void> | undefined;
  let later: NodeJS.Timeout | undefined;
  let settling: NodeJS.Timeout | undefined;
  let writtenAt = 0;
  let burstSince = 0;

  const sender =
    sendHead &&
    createHeadSender(sendHead, folder, (reason) => {
      report(
        sentences(
          `The head of the audit log could not be sent: ${reason}`,
          'The log goes on, and it is tried again.',
        ),
      );
      if (!isClosed) void add({ kind: 'noted', what: 'head-not-sent', data: { reason } }).catch(() => {});
    });

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      // All calls of one turn of the event loop share one write.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = nextBatch();
      try {
        log.append(batch.map(({ entry }) => entry));
        settleSoon();
        if (sender !== undefined && sendHead?.required === true) await sender.send(settled());
        for (const { written } of batch) written.resolve();
      } catch (thrown) {
        for (const { written } of batch) written.reject(failure(thrown, folder));
      }
    }
    writing = undefined;
  };

  const nextBatch = (): typeof waiting => {
    let size = 0;
    const end = waiting.findIndex((one, at) => (size += one.size) > BATCH_MAX && at > 0);
    return waiting.splice(0, end === -1 ? waiting.length : end);
  };

  const settled = (): LogEnd | undefined => {
    clearTimeout(settling);
    settling = undefined;
    return log.settle();
  };
  /** One timer for many writes: setting one for each costs more than looking again. */
  const settleSoon = (): void => {
    writtenAt = performance.now();
    if (settling !== undefined) return;
    burstSince = writtenAt;
    settling = setTimeout(settleUnused, BURST_MS);
  };
  const settleUnused = (): void => {
    const now = performance.now();
    const left = Math.min(writtenAt + BURST_MS, burstSince + BURST_MAX_MS) - now;
    if (left > 0) {
      settling = setTimeout(settleUnused, left);
      return;
    }
    const end = settled();
    sender?.offer(end);
  };

  const writeNow = (): void => {
    if (waiting.length > 0) writing ??= writeAll();
  };
  const add = (event: AuditEvent): Promise<void> => {
    if (waiting.length >= WAITING_MAX)
      return Promise.reject(
        new PluglotError(
          'AUDIT_FAILED',
          `${WAITING_MAX} events wait to be written to ${folder}; the disk does not keep up.`,
        ),
      );
    // At once: the caller may change its arguments later. An end holds only our own values.
    const kept = event.kind === 'ended' ? JSON.stringify(event) : redact({ ...event } as unknown as Json);
    const entry: Entry = { at: now().toISOString(), event: kept };
    const written = deferred<void>();
    waiting.push({ entry, size: Buffer.byteLength(kept) + LINE_OVERHEAD, written });
    if (event.kind !== 'ended') writeNow();
    else
      later ??= setTimeout(() => {
        later = undefined;
        writeNow();
      }, PATIENT_MS);
    return written.promise;
  };

  return {
    write: (event) =>
      isClosed ? Promise.reject(new PluglotError('AUDIT_FAILED', 'The audit log is closed.')) : add(event),

    async close() {
      isClosed = true;
      clearTimeout(later);
      writeNow();
      await writing;
      clearTimeout(settling);
      const end = log.close();
      await sender?.close(end);
    },
  };
}

function failure(thrown: unknown, folder: string): PluglotError {
  if (thrown instanceof PluglotError) return thrown;
  return new PluglotError(
    'AUDIT_FAILED',
    sentences(
      `The audit log in ${folder} cannot be written: ${toError(thrown).message}`,
      'Free some space, or make the folder writable.',
    ),
    { cause: thrown },
  );
}
