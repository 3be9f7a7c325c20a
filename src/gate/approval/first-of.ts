// Several who may answer: the first who does wins, and the question is withdrawn from the others.
import { toError } from '../../base/error.ts';
import { approvalOf } from './approval-of.ts';
import type { Approval, Approver } from './approver.ts';

const USUAL_MS = 30_000;

/** Approvers that fail do not count; it fails when all of them do. */
export function firstOf(...approvers: readonly Approver[]): Approver {
  return {
    limitMs: Math.max(0, ...approvers.map(({ limitMs = USUAL_MS }) => limitMs)),
    async ask(question, signal) {
      const withdrawn = new AbortController();
      const withdraw = () => withdrawn.abort(new Error('The question is settled.'));
      if (signal.aborted) withdraw();
      signal.addEventListener('abort', withdraw, { once: true });
      try {
        return await Promise.any(approvers.map((approver) => askOne(approver, question, withdrawn.signal)));
      } catch (thrown) {
        const errors: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
        throw new Error(
          errors.map((error) => toError(error).message).join('; ') || 'there is no one to ask',
          {
            cause: thrown,
          },
        );
      } finally {
        signal.removeEventListener('abort', withdraw);
        withdraw();
      }
    },
  };
}

async function askOne(approver: Approver, ...asked: Parameters<Approver['ask']>): Promise<Approval> {
  return approvalOf(await approver.ask(...asked));
}
