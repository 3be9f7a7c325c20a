// What came of a question whose answer the host itself reads, and the words for answers that it cannot use.
import { PluglotError, type ErrorCode } from '../base/error.ts';
import { sentence, sentences } from '../base/sentence.ts';
import { shortened, shown } from '../base/shown.ts';
import { RpcError } from '../channel/message/rpc-error.ts';
import type { Peer } from '../channel/peer/peer.ts';

/** Who was asked what. */
export interface Question {
  readonly pluginName: string;
  readonly method: string;
}

export type Reply = { readonly result: unknown } | { readonly error: RpcError };

/**
 * Rejects when there is no answer, or none that can be read.
 * @throws PluglotError PROTOCOL_VIOLATION, PIPE_ENDED, CALL_TIMEOUT; why the start was given up, else START_FAILED
 */
export async function replyTo(question: Question, answer: Promise<unknown>): Promise<Reply> {
  try {
    return { result: await answer };
  } catch (error) {
    if (error instanceof RpcError) return { error };
    throw error instanceof PluglotError ? reasonOf(error, question) : error;
  }
}

/** Any answer is a sign of life: a refusal is one, and one that cannot be read. */
export async function signOfLife(
  peer: Peer,
  question: Question,
  params: unknown,
  timeoutMs: number,
): Promise<void> {
  try {
    await replyTo(question, peer.request(question.method, params, { timeoutMs }));
  } catch (error) {
    if (!(error instanceof PluglotError && error.code === 'PROTOCOL_VIOLATION')) throw error;
  }
}

export function unexpected(question: Question, got: unknown, expected: string): PluglotError {
  return new PluglotError(
    'PROTOCOL_VIOLATION',
    `${asked(question)} with ${shown(got, 200)}; expected ${expected}.`,
  );
}

/** The error is one that came over the wire. */
export function refusal(
  question: Question,
  error: Error & { readonly code: number },
  code: ErrorCode,
  wayOut = '',
): PluglotError {
  const said = `${asked(question)} with error ${error.code}: ${sentence(shortened(error.message, 1000))}`;
  return new PluglotError(code, sentences(said, wayOut), { cause: error });
}

/** The start was given up. Whoever did it knows best why. */
export function givenUp({ pluginName, method }: Question, cause: Error, reason: unknown): PluglotError {
  if (reason instanceof PluglotError) return reason;
  return new PluglotError(
    'START_FAILED',
    `The start of plugin "${pluginName}" was given up before it answered ${method}.`,
    { cause },
  );
}

function reasonOf(error: PluglotError, question: Question): PluglotError {
  switch (error.code) {
    case 'INVALID_RESPONSE':
      return new PluglotError('PROTOCOL_VIOLATION', error.message, { cause: error });
    case 'FRAME_TOO_LARGE':
      return new PluglotError('PROTOCOL_VIOLATION', sentences(error.message, MORE_ROOM), { cause: error });
    // Only starts have a signal that gives them up.
    case 'CALL_CANCELLED':
      return givenUp(question, error, error.cause);
    default:
      return error;
  }
}

/** The way out where a message is over the limit. */
export const MORE_ROOM = 'limits.messageBytes is what may be raised.';

function asked({ pluginName, method }: Question): string {
  return `Plugin "${pluginName}" answered ${method}`;
}
