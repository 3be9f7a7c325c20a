// The writing end of the audit log: events of all calls, one after the other, those of one moment in one write.
import { mkdir } from 'node:fs/promises';
import { PluglotError, toError } from '../../base/error.ts';
import { type Deferred, deferred } from '../../base/deferred.ts';
import type { Json } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Audit, AuditEvent } from './audit.ts';
import { BATCH_MAX, type Entry, Journal } from './journal.ts';
import { FolderLock } from './lock.ts';
import { jsonRedactor } from './redact.ts';

export interface AuditOptions {
  /** Made when it is not there; all processes that share it share one log. */
  readonly folder: string;
  /** Knows the values that must never be seen in the log. @default what looks like a secret is masked, and no more */
  readonly secrets?: Pick<Secrets, 'mask' | 'isClean'>;
  /**
   * A file that would grow over this is followed by the next.
   * @default 16 MiB
   */
  readonly rotateBytes?: number;
  /**
   * Waits for the disk at every write, so that the log survives the loss of power too. Costs milliseconds.
   * @default false
   */
  readonly sync?: boolean;
  /** Hears, for people, of a write that was cut by a crash. */
  readonly report?: (message: string) => void;
  /** @default the time of the system */
  readonly now?: () => Date;
}

/** Number, time and hashes. */
const LINE_OVERHEAD = 256;
/** Nobody waits for the line that a call has ended: so it goes with the next that somebody waits for, while the lock of the last is still held. */
const PATIENT_MS = 3;
/** Calls wait for their lines, so that more than this means a disk that does not move. */
const WAITING_MAX = 10_000;

/**
 * Looks at the end of the log, and mends what a crash left there.
 * @throws PluglotError AUDIT_FAILED when the log cannot be written, or is not as it was left
 */
export async function openAudit(options: AuditOptions): Promise<Audit> {
  const {
    folder,
    secrets,
    rotateBytes = 16 * MiB,
    sync = false,
    report = () => {},
    now = () => new Date(),
  } = options;
  const journal = new Journal({ folder, rotateBytes, sync, report });
  const lock = new FolderLock(folder, () => journal.settle());
  const redact = jsonRedactor(secrets);
  const waiting: { readonly entry: Entry; readonly size: number; readonly written: Deferred<void> }[] = [];
  let isClosed = false;
  let writing: Promise<void> | undefined;
  let later: NodeJS.Timeout | undefined;

  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await lock.run((turn) => journal.append([], turn));
  } catch (thrown) {
    throw failure(thrown, folder);
  }

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch: typeof waiting = [];
      // All calls of one turn of the loop share one write: to lock and to seal cost more than any number of lines.
      await new Promise<void>((resolve) => setImmediate(resolve));
      try {
        await lock.run((turn) => {
          // What came while it waited for its turn goes with it.
          let size = 0;
          for (let one = waiting[0]; one !== undefined; one = waiting[0]) {
            if (batch.length > 0 && size + one.size > BATCH_MAX) break;
            batch.push(one);
            waiting.shift();
            size += one.size;
          }
          journal.append(
            batch.map(({ entry }) => entry),
            turn,
          );
        });
        for (const { written } of batch) written.resolve();
      } catch (thrown) {
        // A lock that could not be had is nobody's in particular: all that wait would wait for it again.
        const failed = batch.length > 0 ? batch : waiting.splice(0);
        for (const { written } of failed) written.reject(failure(thrown, folder));
      }
    }
    writing = undefined;
  };

  const writeNow = (): void => {
    if (waiting.length > 0) writing ??= writeAll();
  };
  const writeLater = (): void => {
    later ??= setTimeout(() => {
      later = undefined;
      writeNow();
    }, PATIENT_MS);
  };

  return {
    write(event: AuditEvent) {
      if (isClosed) return Promise.reject(new PluglotError('AUDIT_FAILED', 'The audit log is closed.'));
      if (waiting.length >= WAITING_MAX)
        return Promise.reject(
          new PluglotError(
            'AUDIT_FAILED',
            `${WAITING_MAX} events wait to be written to ${folder}; the disk does not keep up.`,
          ),
        );
      // At once: whoever holds the arguments may change them.
      // Of an end, nothing comes from anybody else.
      const kept = event.kind === 'ended' ? JSON.stringify(event) : redact({ ...event } as unknown as Json);
      const entry: Entry = { at: now().toISOString(), event: kept };
      const written = deferred<void>();
      waiting.push({ entry, size: Buffer.byteLength(kept) + LINE_OVERHEAD, written });
      if (event.kind === 'ended') writeLater();
      else writeNow();
      return written.promise;
    },

    async close() {
      isClosed = true;
      clearTimeout(later);
      writeNow();
      await writing;
      lock.release();
      journal.close();
    },
  };
}

function failure(thrown: unknown, folder: string): PluglotError {
  if (thrown instanceof PluglotError) return thrown;
  return new PluglotError(
    'AUDIT_FAILED',
    `The audit log in ${folder} cannot be written: ${toError(thrown).message}. Make room, or make the folder writable.`,
    { cause: thrown },
  );
}
