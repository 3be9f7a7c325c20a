// From a Message to the text of one body: never a line break, always `jsonrpc`, id before the payload.
import { PluglotError, toError } from '../../base/error.ts';
import type { ErrorObject, Id, Message } from './message.ts';

const BRACE_OPEN = 0x7b;
const BRACKET_OPEN = 0x5b;

export type Encode = (message: Message) => string;

/** Few methods are sent over and over: their quoted form is kept, in a table that cannot grow without end. */
const QUOTED_METHODS_MAX = 256;

/**
 * The returned function throws PluglotError UNENCODABLE when a value in the message has no JSON form (a cycle, a BigInt)
 * or one that JSON-RPC does not allow there.
 */
export function messageEncoder(): Encode {
  const quotedMethods = new Map<string, string>();

  function encodeMethod(method: string): string {
    let quoted = quotedMethods.get(method);
    if (quoted === undefined) {
      quoted = JSON.stringify(method);
      if (quotedMethods.size < QUOTED_METHODS_MAX) quotedMethods.set(method, quoted);
    }
    return quoted;
  }

  return function encode(message: Message): string {
    switch (message.kind) {
      case 'request':
        return `{"jsonrpc":"2.0","id":${encodeId(message.id)},"method":${encodeMethod(message.method)}${encodeParams(message.params)}}`;
      case 'notification':
        return `{"jsonrpc":"2.0","method":${encodeMethod(message.method)}${encodeParams(message.params)}}`;
      case 'success':
        return `{"jsonrpc":"2.0","id":${encodeId(message.id)},"result":${encodeValue(message.result) ?? 'null'}}`;
      case 'failure':
        return `{"jsonrpc":"2.0","id":${encodeId(message.id)},"error":${encodeError(message.error)}}`;
      case 'batch':
        return `[${message.items.map(encode).join(',')}]`;
    }
  };
}

function encodeId(id: Id): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id);
}

function encodeParams(params: unknown): string {
  if (params === undefined) return '';
  const text = encodeValue(params) ?? '';
  // By the text and not by the type: toJSON() can make a string of an object.
  const first = text.charCodeAt(0);
  if (first === BRACE_OPEN || first === BRACKET_OPEN) return `,"params":${text}`;
  throw new PluglotError(
    'UNENCODABLE',
    `The params of a call are an object or an array, or left out; got ${text.slice(0, 40) || typeof params}.`,
  );
}

function encodeError(error: ErrorObject): string {
  const { code, message, data } = error;
  if (!Number.isInteger(code)) {
    throw new PluglotError(
      'UNENCODABLE',
      `The code of an error is an integer; got ${code} for "${message}".`,
    );
  }
  return encodeValue(data === undefined ? { code, message } : { code, message, data }) ?? 'null';
}

function encodeValue(value: unknown): string | undefined {
  try {
    return JSON.stringify(value); // undefined for functions and undefined itself, whatever its type says
  } catch (thrown) {
    const cause = toError(thrown);
    throw new PluglotError('UNENCODABLE', `A value cannot be sent as JSON: ${cause.message}.`, { cause });
  }
}
