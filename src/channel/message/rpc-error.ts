// The error that travels: thrown by a handler to answer with it, and what a request fails with when it was answered so.
import type { ErrorObject } from './message.ts';

/** The five codes that JSON-RPC 2.0 reserves, and the messages it gives them. */
export const standardErrors = {
  parseError: { code: -32700, message: 'Parse error' },
  invalidRequest: { code: -32600, message: 'Invalid Request' },
  methodNotFound: { code: -32601, message: 'Method not found' },
  invalidParams: { code: -32602, message: 'Invalid params' },
  internalError: { code: -32603, message: 'Internal error' },
} as const satisfies Record<string, ErrorObject>;

/** The first of the codes that JSON-RPC 2.0 leaves to implementations; ours for "not now". */
export const SERVER_BUSY = -32000;

export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** What a thrown value looks like on the wire. */
export function toErrorObject(thrown: unknown): ErrorObject {
  if (thrown instanceof RpcError) {
    const { code, message, data } = thrown;
    return data === undefined ? { code, message } : { code, message, data };
  }
  const { code, message } = standardErrors.internalError;
  return { code, message: thrown instanceof Error && thrown.message !== '' ? thrown.message : message };
}
