// What clients send, read once at the door; and what goes wrong, in the words of MCP.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';

/** @throws ProtocolError -32602 */
export function textOf(value: Json | undefined, name: string): string {
  if (typeof value === 'string') return value;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params: "${name}" has to be a string.`);
}

/** @throws ProtocolError -32602 */
export function textsOf(value: Json | undefined): Readonly<Record<string, string>> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.map(([name, text]) => [name, textOf(text, `arguments.${name}`)]));
}

/** Why it cannot be taken: the official package would leave this argument out without a word. */
export function refusedArguments(params: unknown): { code: number; message: string } | undefined {
  const args = isJsonObject(params) ? params['arguments'] : undefined;
  if (!isJsonObject(args) || !Object.hasOwn(args, '__proto__')) return undefined;
  return {
    code: ProtocolErrorCode.InvalidParams,
    message: 'Invalid params: no argument can have the name "__proto__".',
  };
}

export function wireError(thrown: unknown): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  if (thrown instanceof RpcError) return new ProtocolError(thrown.code, thrown.message, thrown.data);
  const isUnknown = thrown instanceof PluglotError && thrown.code === 'UNSUPPORTED';
  const code = isUnknown ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, toError(thrown).message);
}

/** What is asked of somebody who will not answer any more; the number that clients know for a connection that is closed. */
export function endedError(reason: string): ProtocolError {
  return new ProtocolError(ENDED, reason);
}

export const ENDED = -32_000;
