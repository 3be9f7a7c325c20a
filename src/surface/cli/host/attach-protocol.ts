// What a command and a running `up` say to each other over the socket: the methods of Host, as JSON-RPC on lines.
import { PluglotError, toError, type ErrorCode } from '../../../base/error.ts';
import { isJsonObject } from '../../../base/json.ts';
import { RpcError } from '../../../channel/message/rpc-error.ts';
import { isErrorCode } from '../failure.ts';

const FAILED = -32000;

const gone: ReadonlySet<ErrorCode> = new Set(['PEER_CLOSED', 'PIPE_ENDED']);

/** Errors keep their code on the way through the socket. */
export function toWireError(thrown: unknown): RpcError {
  const error = toError(thrown);
  return new RpcError(
    FAILED,
    error.message,
    error instanceof PluglotError ? { code: error.code, stderr: error.stderr } : undefined,
  );
}

export function fromWireError(thrown: unknown): Error {
  if (thrown instanceof PluglotError && gone.has(thrown.code))
    return new PluglotError(thrown.code, 'The `pluglot up` of this project has ended meanwhile.', {
      cause: thrown,
    });
  if (!(thrown instanceof RpcError) || !isJsonObject(thrown.data)) return toError(thrown);
  const { code, stderr } = thrown.data;
  if (typeof code !== 'string' || !isErrorCode(code)) return thrown;
  return new PluglotError(code, thrown.message, typeof stderr === 'string' ? { stderr } : {});
}
