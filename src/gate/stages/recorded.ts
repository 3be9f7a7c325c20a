// Seventh and last stage: what was decided is written down before the call begins, and what came of it when it has ended.
import { PluglotError, toError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { sentence } from '../../base/sentence.ts';
import { traceIdOf } from '../../base/trace.ts';
import { late, within } from '../../base/within.ts';
import type { Clock } from '../../base/clock.ts';
import { over, type Attempt } from '../attempt.ts';
import type { Audit, AuditEvent } from '../audit/audit.ts';
import type { Redact } from '../audit/redact.ts';
import { Denial } from '../denial.ts';
import type { CallObservers } from '../observer.ts';
import { cancelled } from '../step.ts';
import type { Permit } from './approved.ts';

const WRITE_MS = 10_000;
/** Names may come from strangers. */
const NAME_MAX = 200;

export class Records {
  readonly #audit: Audit;
  readonly #clock: Clock;
  readonly #observers: CallObservers;
  readonly #redact: Redact;
  #underWay = 0;
  #whenNone: (() => void) | undefined;

  constructor(audit: Audit, clock: Clock, observers: CallObservers, redact: Redact) {
    this.#audit = audit;
    this.#clock = clock;
    this.#observers = observers;
    this.#redact = redact;
  }

  /** Nothing may be called that is not written down. */
  async allowed(
    attempt: Attempt,
    { subject, method, reason, askedOf }: Allowed,
  ): Promise<Denial | undefined> {
    try {
      const written = await attempt.wait(
        this.#write({
          ...headOf(attempt),
          // However it was asked for.
          name: subject.name,
          plugin: subject.plugin,
          args: subject.args,
          allowed: true,
          method,
          reason,
          ...(askedOf === undefined ? {} : { approval: askedOf }),
        }),
        WRITE_MS,
      );
      if (written === over) return cancelled(attempt);
      return written === late ? failed(`it took longer than ${WRITE_MS / 1000} s`) : undefined;
    } catch (thrown) {
      const why = toError(thrown).message.slice(0, 1000).replace(/[.]$/, '');
      // Ours say the way out themselves.
      return thrown instanceof PluglotError ? failed(why, '') : failed(why);
    }
  }

  /** A refusal stands, whether it is written down or not. */
  denied(
    attempt: Attempt,
    { method, reason, askedOf }: Denial,
    { name, plugin }: { readonly name: string; readonly plugin: string },
    args: AuditedArguments,
  ): void {
    this.#writeAndForget({
      ...headOf(attempt),
      name: name.slice(0, NAME_MAX),
      plugin,
      args,
      allowed: false,
      method,
      reason: reason.slice(0, 2000),
      ...(askedOf === undefined ? {} : { approval: askedOf }),
    });
  }

  ended(event: Omit<Extract<AuditEvent, { kind: 'ended' }>, 'kind'>): void {
    this.#writeAndForget({ kind: 'ended', ...event });
  }

  noted(what: string, data: Readonly<Record<string, string>>): void {
    this.#writeAndForget({ kind: 'noted', what, data });
  }

  /** All is written, or that takes too long. */
  async settled(limitMs: number): Promise<void> {
    if (this.#underWay === 0) return;
    await within(
      new Promise<void>((resolve) => {
        this.#whenNone = resolve;
      }),
      limitMs,
      this.#clock,
    );
  }

  #writeAndForget(event: AuditEvent): void {
    this.#write(event).catch(() => {
      // The next call finds out, and is denied.
    });
  }

  async #write(event: AuditEvent): Promise<void> {
    // A copy of an event, of the same form, only shorter.
    if (this.#observers.hearAudit)
      this.#observers.audited(this.#redact({ ...event } as unknown as Json) as unknown as AuditEvent);
    this.#underWay += 1;
    try {
      await this.#audit.write(event);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenNone?.();
    }
  }
}

interface Allowed extends Pick<Permit, 'reason' | 'askedOf'> {
  readonly subject: Pick<Permit['subject'], 'name' | 'plugin' | 'args'>;
  readonly method: Permit['method'] | 'own-result';
}

type AuditedArguments = Extract<AuditEvent, { kind: 'decided' }>['args'];

function headOf({ id, kind, name, caller, trace }: Attempt) {
  const head = { kind: 'decided', id, what: kind, name: name.slice(0, NAME_MAX), caller } as const;
  return trace === undefined ? head : { ...head, trace: traceIdOf(trace) };
}

function failed(why: string, wayOut = ' Make the log writable, then call again.'): Denial {
  return new Denial('audit', {
    code: 'AUDIT_FAILED',
    message: `The call was not made, since it could not be written to the audit log: ${sentence(why)}${wayOut}`,
    reason: 'audit',
  });
}
