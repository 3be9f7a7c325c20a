// Why a request to a server, or its start, failed: with the codes that all dialects share.
import { type ErrorCode, PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { sentence, shortened } from '../../base/text.ts';
import { parseJson } from '../../channel/message/json.ts';
import type { ErrorObject, Id } from '../../channel/message/message.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import { RAISE_MESSAGE_BYTES, reasonGiven, unanswered } from '../failure.ts';
import { refusal } from '../host-base.ts';
import { codeOfStatus, neutralCode } from './codes.ts';
import { readChallenge } from './oauth/challenge.ts';
import { methods } from './schema.ts';

export function failureOf(thrown: unknown, pluginName: string): CallFailure {
  const error = toError(thrown);
  if (error instanceof RpcError) return rpcFailure(error, pluginName);
  if (error instanceof HttpError) return httpFailure(error, pluginName);
  if (!(error instanceof PluglotError))
    return {
      code: 'UNAVAILABLE',
      message: `Plugin "${pluginName}" could not be asked: ${sentence(withCause(error))}`,
    };
  // Over HTTP the connection itself knows best why it is over.
  if (error.code === 'PIPE_ENDED' && error.cause instanceof PluglotError)
    return { code: error.code, message: error.cause.message };
  return error.message.endsWith(RAISE_MESSAGE_BYTES)
    ? { code: error.code, message: error.message }
    : unanswered(error);
}

/** The error of a server, as the failure of a call. */
export function rpcFailure({ code, message, data }: ErrorObject, pluginName: string): CallFailure {
  if (!Number.isSafeInteger(code)) return unanswered(unreadable(pluginName));
  return {
    code: neutralCode(code, message),
    message: reasonGiven(message),
    wireCode: code,
    // It came as JSON.
    ...(data === undefined ? {} : { data: data as Json }),
  };
}

export function unreadable(pluginName: string): PluglotError {
  return new PluglotError(
    'INVALID_RESPONSE',
    `Plugin "${pluginName}" answered with what MCP does not allow; expected an object for the result, or an error with an integer and a message.`,
  );
}

/** @param isPipe the end of a pipe is the end of a process, of which the fleet knows more */
export function startError(thrown: unknown, pluginName: string, isPipe: boolean): PluglotError {
  const cause = toError(thrown);
  if (cause instanceof RpcError && Number.isSafeInteger(cause.code))
    return refusal({ pluginName, method: methods.initialize }, cause, 'START_FAILED');
  const { code, message } = failureOf(cause, pluginName);
  return new PluglotError(startCode(code, isPipe), message, { cause });
}

/** What a start may fail with is part of the contract of host ends; all else means that it failed. */
function startCode(code: ErrorCode, isPipe: boolean): ErrorCode {
  switch (code) {
    case 'INVALID_RESPONSE':
    case 'FRAME_TOO_LARGE':
    case 'PROTOCOL_VIOLATION':
      return 'PROTOCOL_VIOLATION';
    case 'PIPE_ENDED':
    case 'PEER_CLOSED':
      return isPipe ? code : 'START_FAILED';
    case 'UNSUPPORTED_PROTOCOL':
    case 'UNAUTHENTICATED':
      return code;
    default:
      return 'START_FAILED';
  }
}

function httpFailure({ status, text, missingScope }: HttpError, pluginName: string): CallFailure {
  if (missingScope !== undefined) {
    const wanted = missingScope === '' ? '' : ` (${shortened(missingScope, 200)})`;
    return {
      code: 'UNAUTHENTICATED',
      message: `Plugin "${pluginName}" wants more rights${wanted} than the ones that it was given.`,
      data: { status },
    };
  }
  const body = text === '' ? '' : `: ${shortened(text)}`;
  return {
    code: codeOfStatus(status),
    message: sentence(`Plugin "${pluginName}" answered with HTTP ${status}${body}`),
    data: { status },
  };
}

function withCause(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause.message : '';
  return cause === '' || error.message.includes(cause) ? error.message : `${error.message} (${cause})`;
}

/** An answer of an HTTP server that is not a success. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  /** The body. */
  readonly text: string;
  /** What the token would have to be good for; undefined where that is not the reason. */
  readonly missingScope: string | undefined;

  constructor(status: number, text: string, missingScope?: string) {
    super(`HTTP ${status}`);
    this.status = status;
    this.text = text;
    this.missingScope = missingScope;
  }

  /** The JSON-RPC error that the body holds. */
  get rpcError(): Pick<ErrorObject, 'code' | 'data'> | undefined {
    const { error } = this.#body();
    if (!isJsonObject(error) || typeof error['code'] !== 'number') return undefined;
    return { code: error['code'], data: error['data'] };
  }

  isAnswerTo(id: Id): boolean {
    return this.rpcError !== undefined && this.#body()['id'] === id;
  }

  #body(): Readonly<Record<string, unknown>> {
    try {
      const body = parseJson(this.text);
      return isJsonObject(body) ? body : {};
    } catch {
      return {};
    }
  }
}

export async function readHttpError(response: Response): Promise<HttpError> {
  const text = await response.text().catch(() => '');
  const challenge = response.status === 403 ? readChallenge(response.headers.get('www-authenticate')) : {};
  const missing = challenge.error === 'insufficient_scope' ? (challenge.scope ?? '') : undefined;
  return new HttpError(response.status, text, missing);
}
