// From a Message to the text of one body: never a line break, always `jsonrpc`, id before the payload.
import { PluglotError, toError } from '../../base/error.ts';
import { sentence } from '../../base/text.ts';
import { textOf, type Body } from '../frame/body.ts';
import type { ErrorObject, Id, Message } from './message.ts';

const BRACE_OPEN = 0x7b;
const BRACKET_OPEN = 0x5b;

export type Encode = (message: Message) => Body;

/** Few methods are sent over and over: their quoted form is kept, in a table that cannot grow without end. */
const QUOTED_METHODS_MAX = 256;

/**
 * The returned function throws PluglotError UNENCODABLE when a value in the message has no JSON form (a cycle, a BigInt)
 * or one that JSON-RPC does not allow there.
 */
export function messageEncoder(): Encode {
  const quotedMethods = new Map<string, string>();

  function quoted(method: string): string {
    let text = quotedMethods.get(method);
    if (text === undefined) {
      text = asciiQuoted(method);
      if (quotedMethods.size < QUOTED_METHODS_MAX) quotedMethods.set(method, text);
    }
    return text;
  }

  return function encode(message: Message): Body {
    switch (message.kind) {
      case 'request':
        return call(
          `{"jsonrpc":"2.0","id":${encodeId(message.id)},"method":${quoted(message.method)}`,
          message.params,
        );
      case 'notification':
        return call(`{"jsonrpc":"2.0","method":${quoted(message.method)}`, message.params);
      case 'success':
        return body(
          `{"jsonrpc":"2.0","id":${encodeId(message.id)},"result":`,
          encodeValue(message.result) ?? 'null',
          '}',
        );
      case 'failure':
        return body(
          `{"jsonrpc":"2.0","id":${encodeId(message.id)},"error":`,
          encodeError(message.error),
          '}',
        );
      case 'batch':
        return body('[', message.items.map((item) => textOf(encode(item))).join(','), ']');
    }
  };
}

function call(head: string, params: unknown): Body {
  return params === undefined ? body(head, '', '}') : body(head + ',"params":', encodeParams(params), '}');
}

function body(head: string, payload: string, tail: string): Body {
  return { head, payload, tail };
}

function encodeId(id: Id): string {
  return typeof id === 'string' ? asciiQuoted(id) : String(id);
}

/** Escapes keep what stands in a head to one byte a character. */
function asciiQuoted(text: string): string {
  return JSON.stringify(text).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function encodeParams(params: unknown): string {
  const text = encodeValue(params) ?? '';
  // By the text and not by the type: toJSON() can make a string of an object.
  const first = text.charCodeAt(0);
  if (first === BRACE_OPEN || first === BRACKET_OPEN) return text;
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
    throw new PluglotError('UNENCODABLE', `A value cannot be sent as JSON: ${sentence(cause.message)}`, {
      cause,
    });
  }
}
