// Questions that wait for an answer from elsewhere: a browser, a connected program.
import { Emitter } from '../../base/emitter.ts';
import { questionKey } from '../limits/limit-options.ts';
import { approvalOf } from './approval-of.ts';
import type { Approval, Approver, Question } from './approver.ts';

export interface ApprovalQueue extends Approver {
  /** The oldest first. */
  pending(): readonly Question[];
  /** Whether a question waited for it. An invalid answer denies. */
  answer(id: string, approval: Approval): boolean;
  /** Hears when a question came or is over; the returned function ends that. */
  onChanged(listener: (pending: readonly Question[]) => void): () => void;
}

export interface ApprovalQueueOptions {
  /** How long a question waits. @default 300000 */
  readonly limitMs?: number;
  /** Questions that wait at once. @default 100 */
  readonly maxPending?: number;
  /** Of them, those of one caller: of one token or profile, or of one connection without either. @default a fifth of all */
  readonly maxPendingOfCaller?: number;
}

interface Waiting {
  readonly question: Question;
  /** Whose share of the queue it takes. */
  readonly of: string;
  settle(approval: Approval): void;
  fail(error: Error): void;
}

export function createApprovalQueue({
  limitMs = 300_000,
  maxPending = 100,
  maxPendingOfCaller = Math.ceil(maxPending / 5),
}: ApprovalQueueOptions = {}): ApprovalQueue {
  const waiting = new Map<string, Waiting>();
  const changed = new Emitter<readonly Question[]>();
  const pending = () => [...waiting.values()].map(({ question }) => question);
  const tell = () => {
    if (changed.isHeard) changed.emit(pending());
  };
  const take = (id: string) => {
    const one = waiting.get(id);
    if (waiting.delete(id)) tell();
    return one;
  };
  return {
    limitMs,
    pending,
    onChanged: (listener) => changed.add(listener),
    answer(id, approval) {
      const one = take(id);
      if (one === undefined) return false;
      try {
        one.settle(approvalOf(approval));
      } catch (error) {
        one.fail(error instanceof Error ? error : new Error(String(error)));
      }
      return true;
    },
    ask(question, signal) {
      const { id } = question;
      if (signal.aborted) return Promise.reject(new Error('the caller has stopped waiting for the answer'));
      if (waiting.has(id)) return Promise.reject(new Error(`the question ${id} is asked already`));
      if (waiting.size >= maxPending)
        return Promise.reject(new Error(`${maxPending} questions wait for an answer already`));
      const of = questionKey(question.caller);
      const own = [...waiting.values()].filter((one) => one.of === of).length;
      if (own >= maxPendingOfCaller)
        return Promise.reject(new Error(`${own} questions of this caller wait for an answer already`));
      return new Promise((resolve, reject) => {
        const withdraw = () => take(id)?.fail(new Error('the caller has stopped waiting for the answer'));
        signal.addEventListener('abort', withdraw, { once: true });
        const end = () => signal.removeEventListener('abort', withdraw);
        waiting.set(id, {
          question,
          of,
          settle: (approval) => {
            end();
            resolve(approval);
          },
          fail: (error) => {
            end();
            reject(error);
          },
        });
        tell();
      });
    },
  };
}
