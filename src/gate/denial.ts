// Why a call does not happen, as its caller and the audit hear it.
import { shortened } from '../base/shown.ts';
import type { CallFailure } from '../definition/outcome.ts';
import type { Approval } from './approval/approver.ts';
import type { Method } from './policy/policy.ts';

/** Who was asked, for the audit. */
export type AskedOf = Pick<Approval, 'by' | 'scope'>;

/** Where on the way a call was refused, beside the methods of the policy. */
export type Stage =
  | 'approval'
  | 'rate'
  | 'budget'
  | 'concurrency'
  | 'audit'
  | 'cancelled'
  | 'closed'
  /** Something that decides does not work. */
  | 'broken';

export class Denial {
  readonly method: Method | Stage;
  readonly failure: CallFailure;
  /** In one sentence or two, without the words around it. */
  readonly reason: string;
  readonly askedOf: AskedOf | undefined;

  constructor(method: Method | Stage, failure: CallFailure, reason = failure.message, askedOf?: AskedOf) {
    this.method = method;
    this.failure = failure;
    this.reason = reason;
    this.askedOf = askedOf;
  }
}

export interface DenialWords {
  /** What somebody could do to have it allowed. */
  readonly wayOut?: string | undefined;
  /** What the one who denied it wants the caller to read. */
  readonly comment?: string | undefined;
  readonly askedOf?: AskedOf | undefined;
}

/** More than a model has to read of somebody's reasons. */
const COMMENT_MAX = 4000;

export function permissionDenied(
  method: Method | Stage,
  reason: string,
  { wayOut, comment, askedOf }: DenialWords = {},
): Denial {
  const said = comment === undefined || comment === '' ? undefined : shortened(comment, COMMENT_MAX);
  const message = [
    `Permission denied: ${sentence(reason)}`,
    ...(said === undefined ? [] : [`They say: ${sentence(said)}`]),
    ...(wayOut === undefined ? [] : [wayOut]),
  ].join(' ');
  const failure: CallFailure = {
    code: 'PERMISSION_DENIED',
    message,
    reason: method,
    ...(said === undefined ? {} : { details: { comment: said } }),
  };
  return new Denial(method, failure, said === undefined ? reason : `${sentence(reason)} ${said}`, askedOf);
}

function sentence(words: string): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}
