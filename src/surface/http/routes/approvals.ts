// Questions whether a call may happen, and their answers.
import { approvalOf } from '../../../gate/approval/approval-of.ts';
import type { Approval } from '../../../gate/approval/approver.ts';
import { toError } from '../../../base/error.ts';
import { sentence } from '../../../base/sentence.ts';
import { badRequest, notFound } from '../problem.ts';
import type { Route } from '../router.ts';
import type { RouteParts } from './parts.ts';

export function approvalRoutes({ api }: RouteParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/approvals',
      needs: 'api-read',
      handle: async (exchange) => exchange.json({ pending: await api.approvals.pending() }),
    },
    {
      method: 'POST',
      path: '/api/v1/approvals/{id}',
      needs: 'user',
      async handle(exchange) {
        const approval = read({ by: 'console', ...(await exchange.body()) });
        if (!(await api.approvals.answer(exchange.param('id'), approval)))
          throw notFound('Nobody waits for an answer to this question any more.');
        exchange.empty();
      },
    },
  ];
}

/** What is no answer is told, and does not settle the question. */
function read(body: unknown): Approval {
  try {
    return approvalOf(body);
  } catch (thrown) {
    throw badRequest(`This is no answer to a question: ${sentence(toError(thrown).message)}`);
  }
}
