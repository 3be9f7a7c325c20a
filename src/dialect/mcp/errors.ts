// What the official client rejects with, as the failure of a call or of a start.
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/client';
import { PluglotError, toError, type ErrorCode } from '../../base/error.ts';
import { isJsonObject, textsIn, type Json } from '../../base/json.ts';
import { shortened } from '../../base/shown.ts';
import { sentence } from '../../base/sentence.ts';
import { describeEnding, type Ending } from '../../channel/bytes/pipe.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import { reasonGiven } from '../failure.ts';
import { refusal } from '../reply.ts';
import { codeOfStatus, neutralCode } from './codes.ts';
import { ownErrorIn, type Line } from './line.ts';
import { methods } from './schema.ts';

/** Why a request failed. */
export function failureOf(thrown: unknown, pluginName: string, ending: Ending | undefined): CallFailure {
  const error = toError(thrown);
  const own =
    error instanceof PluglotError ? error : error instanceof ProtocolError && ownErrorIn(error.data);
  if (own) return { code: own.code, message: own.message };
  if (error instanceof ProtocolError) return refusedCall(error);
  if (error instanceof SdkHttpError) return httpFailure(error, pluginName, ending);
  if (error instanceof InsufficientScopeError) return tooFewRights(error, pluginName);
  if (ending !== undefined) return pipeEnded(pluginName, ending);
  if (error instanceof SdkError) return sdkFailure(error, pluginName);
  if (error.cause instanceof PluglotError) return { code: error.cause.code, message: error.cause.message };
  return {
    code: 'UNAVAILABLE',
    message: `Plugin "${pluginName}" could not be asked: ${sentence(describe(error))}`,
  };
}

/** Why a server could not be started up. */
export function startError(thrown: unknown, pluginName: string, line: Line): PluglotError {
  const error = toError(thrown);
  if (error instanceof PluglotError) return startFailure(error.code, error.message, error, line);
  const own = error instanceof ProtocolError ? ownErrorIn(error.data) : undefined;
  if (own !== undefined) return startFailure(own.code, own.message, own, line);
  const version = /protocol version is not supported: (.*)/.exec(error.message)?.[1];
  if (version !== undefined) return wrongVersion(pluginName, `"${shortened(version, 40)}"`);
  if (error instanceof ProtocolError) {
    const versions = supportedIn(error.data);
    if (versions.length > 0)
      return wrongVersion(pluginName, versions.map((one) => shortened(one, 40)).join(', '));
    const question = { pluginName, method: methods.initialize };
    return refusal(question, error, 'START_FAILED');
  }
  const { code, message } = failureOf(error, pluginName, line.ending);
  return startFailure(code, message, error, line);
}

/** What may come out of a start is said by the contract of host ends; all else means that it failed. */
function startFailure(code: ErrorCode, message: string, cause: Error, line: Line): PluglotError {
  switch (code) {
    case 'INVALID_RESPONSE':
    case 'FRAME_TOO_LARGE':
    case 'PROTOCOL_VIOLATION':
      return new PluglotError('PROTOCOL_VIOLATION', message, { cause });
    // The end of a pipe is the end of a process, of which the fleet knows more.
    case 'PIPE_ENDED':
    case 'PEER_CLOSED':
      return new PluglotError(line.kind === 'pipe' ? code : 'START_FAILED', message, { cause });
    case 'UNSUPPORTED_PROTOCOL':
    case 'UNAUTHENTICATED':
      return new PluglotError(code, message, { cause });
    default:
      return new PluglotError('START_FAILED', message, { cause });
  }
}

/** The versions that a server names when it refuses ours. */
export function supportedIn(data: unknown): readonly string[] {
  return isJsonObject(data) ? textsIn(data['supported']) : [];
}

function wrongVersion(pluginName: string, spoken: string): PluglotError {
  const ours = [...SUPPORTED_PROTOCOL_VERSIONS].toReversed().join(', ');
  return new PluglotError(
    'UNSUPPORTED_PROTOCOL',
    `Plugin "${pluginName}" speaks MCP ${spoken}; this host speaks ${ours} and 2026-07-28. Use another version of the plugin, or update the host.`,
  );
}

function refusedCall({ code, message, data }: ProtocolError): CallFailure {
  return {
    code: neutralCode(code, message),
    message: reasonGiven(message),
    wireCode: code,
    // It came as JSON.
    ...(data === undefined ? {} : { data: data as Json }),
  };
}

function httpFailure(error: SdkHttpError, pluginName: string, ending: Ending | undefined): CallFailure {
  if (error.status === 404 && ending !== undefined) return pipeEnded(pluginName, ending);
  const { text } = error.data;
  const said = typeof text === 'string' && text !== '' ? `: ${shortened(text)}` : '';
  return {
    code: codeOfStatus(error.status),
    message: `Plugin "${pluginName}" answered with HTTP ${error.status}${said}.`,
    data: { status: error.status },
  };
}

function tooFewRights({ requiredScope }: InsufficientScopeError, pluginName: string): CallFailure {
  const wanted = requiredScope === undefined ? '' : ` (${shortened(requiredScope, 200)})`;
  return {
    code: 'UNAUTHENTICATED',
    message: `Plugin "${pluginName}" wants more rights${wanted} than what we are let in with has.`,
    data: { status: 403 },
  };
}

function sdkFailure(error: SdkError, pluginName: string): CallFailure {
  switch (error.code) {
    case SdkErrorCode.UnsupportedResultType:
      return {
        code: 'UNSUPPORTED',
        message: `Plugin "${pluginName}" asks for something in the middle of the call, which this host cannot give: ${shortened(error.message)}`,
      };
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
      return pipeEnded(pluginName, { kind: 'ended' });
    default:
      return {
        code: 'PROTOCOL_VIOLATION',
        message: `Plugin "${pluginName}" does not keep to MCP: ${shortened(error.message)}`,
      };
  }
}

function pipeEnded(pluginName: string, ending: Ending): CallFailure {
  if (ending.kind === 'closed')
    return {
      code: 'PEER_CLOSED',
      message: `The connection to plugin "${pluginName}" was closed by this end.`,
    };
  const { error } = ending.kind === 'failed' ? ending : { error: undefined };
  const message =
    error instanceof PluglotError
      ? error.message
      : `The pipe to plugin "${pluginName}" is over: ${sentence(describeEnding(ending))}`;
  return { code: 'PIPE_ENDED', message };
}

function describe(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause.message : '';
  return cause === '' || error.message.includes(cause) ? error.message : `${error.message} (${cause})`;
}
