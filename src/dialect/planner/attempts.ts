// Retries: the second attempt at `task_001` is `task_001#2`, and all attempts have the same idempotency key.
import type { Id } from '../../channel/message/message.ts';
import type { TaskRequest } from '../../definition/plan.ts';

export interface Attempt {
  readonly task: string;
  /** From 1. */
  readonly number: number;
}

export function attemptOf(id: Id): Attempt {
  const [, task = String(id), number = '1'] = /^(.+)#(\d{1,9})$/s.exec(String(id)) ?? [];
  return { task, number: Number(number) };
}

/** The first has an id that says nothing. */
export function attemptId(first: Id, number: number): string {
  return `${first}#${number}`;
}

/** An executor can tell a retry even of a host that has no idempotency keys. */
export function withIdempotencyKey(request: TaskRequest, id: Id): TaskRequest {
  const { context } = request;
  const { task, number } = attemptOf(id);
  if (context?.idempotencyKey !== undefined || number === 1) return request;
  return { ...request, context: { ...context, idempotencyKey: task } };
}
