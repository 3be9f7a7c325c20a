// Records in the audit log what was decided on a call, before it is made, and how it ended.
import { PluglotError, toError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import { traceIdOf } from '../../base/trace.ts';
import { late, within } from '../../base/async.ts';
import type { Clock } from '../../base/clock.ts';
import { over, type GatedCall } from '../gated-call.ts';
import type { Audit, AuditEvent } from './audit.ts';
import type { Redact } from './redact.ts';
import { Denial } from '../denial.ts';
import type { CallObservers } from '../observer.ts';

const WRITE_MS = 10_000;
/** Clients choose the names that they call. */
const NAME_MAX = 200;

export class CallRecords {
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

  /** A call that cannot be recorded is not made. */
  allowed(call: GatedCall): Promise<Denial | undefined> {
    const { subject, allowance } = call;
    return this.#allowed(call, {
      // The full name, whichever form the caller used.
      name: subject.name,
      plugin: subject.plugin,
      args: subject.args,
      method: allowance.method,
      reason: allowance.reason,
      ...(allowance.askedOf === undefined ? {} : { approval: allowance.askedOf }),
    });
  }

  /** The caller reads a result of its own call. */
  allowedResult(call: GatedCall): Promise<Denial | undefined> {
    const { name, args } = call.request;
    return this.#allowed(call, {
      name,
      plugin: '',
      args,
      method: 'own-result',
      reason: 'it is a result of its own call',
    });
  }

  async #allowed(call: GatedCall, fields: AllowedFields): Promise<Denial | undefined> {
    try {
      const writing = this.#write({ ...headOf(call), ...fields, allowed: true });
      const written = await call.wait(writing, WRITE_MS);
      if (written === over) return call.cancelled();
      return written === late ? failed(`it took longer than ${WRITE_MS / 1000} s`) : undefined;
    } catch (thrown) {
      const why = toError(thrown).message.slice(0, 1000).replace(/[.]$/, '');
      // Our own errors say how to fix it.
      return thrown instanceof PluglotError ? failed(why, '') : failed(why);
    }
  }

  /** The denial stands, whether it can be recorded or not. */
  denied(
    call: GatedCall,
    { method, reason, askedOf }: Denial,
    { name, plugin }: { readonly name: string; readonly plugin: string },
    args: AuditedArguments,
  ): void {
    this.#writeAndForget({
      ...headOf(call),
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

  /** Resolves when everything is written, or at the limit. */
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
      // The next call meets the same fault, and is denied.
    });
  }

  async #write(event: AuditEvent): Promise<void> {
    // A copy of an event, of the same form, only shorter.
    if (this.#observers.wantAudit)
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

type AllowedFields = Omit<
  Extract<AuditEvent, { kind: 'decided' }>,
  'kind' | 'id' | 'what' | 'caller' | 'trace' | 'allowed'
>;

type AuditedArguments = Extract<AuditEvent, { kind: 'decided' }>['args'];

function headOf({ id, caller, request: { kind, name, trace } }: GatedCall) {
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
