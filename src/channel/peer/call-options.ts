// What callers can say, and what both calling and waiting to call need.
import { PluglotError } from '../../base/error.ts';
import type { Message } from '../message/message.ts';

export interface CallOptions {
  /** Counts from sending, or from when the pipe had no room for it. Replaces the peer's own. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /**
   * For protocols whose ids say something. It must not be in use; a batch has none.
   * @default the next number
   */
  readonly id?: string;
}

/** What calling needs of the peer. */
export interface CallPort {
  send(message: Message): boolean;
  readonly hasRoom: boolean;
  drained(): Promise<void>;
}

export function callCancelled(signal: AbortSignal): PluglotError {
  return new PluglotError('CALL_CANCELLED', 'The call was given up by its caller.', {
    cause: signal.reason,
  });
}
