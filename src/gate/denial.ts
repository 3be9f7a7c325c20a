// Why a call is denied: for its caller, and for the audit log.
import { toError } from '../base/error.ts';
import { shortened } from '../base/text.ts';
import type { CallFailure } from '../definition/outcome.ts';
import type { Approval } from './approval/approver.ts';
import type { Method } from './policy/policy.ts';

/** Who was asked, for the audit. */
export type AskedOf = Pick<Approval, 'by' | 'scope'>;

/** What decided: the policy by one of its methods, or another stage of the pipeline. */
export type DenialMethod =
  | Method
  | 'approval'
  | 'rate'
  | 'budget'
  | 'concurrency'
  | 'audit'
  | 'cancelled'
  | 'closed'
  /** A stage failed. */
  | 'broken';

export class Denial {
  readonly method: DenialMethod;
  readonly failure: CallFailure;
  /** One sentence or two, without "Permission denied" and without the way out. */
  readonly reason: string;
  readonly askedOf: AskedOf | undefined;

  constructor(method: DenialMethod, failure: CallFailure, reason = failure.message, askedOf?: AskedOf) {
    this.method = method;
    this.failure = failure;
    this.reason = reason;
    this.askedOf = askedOf;
  }
}

export interface DenialDetails {
  /** How to have it allowed. */
  readonly wayOut?: string | undefined;
  /** For the caller, from the person who denied it. */
  readonly comment?: string | undefined;
  readonly askedOf?: AskedOf | undefined;
}

/** Characters of a comment that reach a model. */
const COMMENT_MAX = 4000;

export function permissionDenied(
  method: DenialMethod,
  reason: string,
  { wayOut, comment, askedOf }: DenialDetails = {},
): Denial {
  const shown = comment === undefined || comment === '' ? undefined : shortened(comment, COMMENT_MAX);
  const message = [
    `Permission denied: ${sentence(reason)}`,
    ...(shown === undefined ? [] : [`They say: ${sentence(shown)}`]),
    ...(wayOut === undefined ? [] : [wayOut]),
  ].join(' ');
  const failure: CallFailure = {
    code: 'PERMISSION_DENIED',
    message,
    reason: method,
    ...(shown === undefined ? {} : { details: { comment: shown } }),
  };
  return new Denial(method, failure, shown === undefined ? reason : `${sentence(reason)} ${shown}`, askedOf);
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** What cannot be decided is denied. */
export function broken(what: string, thrown: unknown): Denial {
  const why = toError(thrown).message.slice(0, 300);
  return permissionDenied('broken', `${what} does not work (${why}), and what cannot be decided is denied`);
}
