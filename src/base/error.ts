// Every failure of our own is one PluglotError with a stable code; what the other end answered is an RpcError (channel/message).

/** The codes and when they happen. docs/errors.md has a line for each, held by a test. */
export const errorCodes = {
  CALL_CANCELLED: 'the caller gave the call up',
  CALL_TIMEOUT: 'no answer came within the time limit of the call',
  FRAME_TOO_LARGE: 'a message is over the size limit of its direction',
  INVALID_RESPONSE: 'the other end answered with something that is no JSON-RPC response',
  PEER_CLOSED: 'this end is closing or closed and takes no new calls',
  PIPE_ENDED: 'the pipe to the other end is gone',
  PIPE_FULL: 'the queue of a pipe is at its limit because the other end does not read',
  TOO_MANY_CALLS: 'more calls are under way or waiting than the limit allows',
  UNENCODABLE: 'a value has no JSON form, or one that JSON-RPC does not allow there',
} as const;

export type ErrorCode = keyof typeof errorCodes;

export class PluglotError extends Error {
  override readonly name = 'PluglotError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** What was thrown, as an Error: people throw strings too. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
