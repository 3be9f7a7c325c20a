// The three forms that most ends write, read by their known prefix, so that only the payload goes through the JSON parser.
// Sound because prefix + valid JSON + `}` is exactly one object with exactly these members; all else is left to decode.ts.
import { parseJson } from './json.ts';
import type { Received } from './message.ts';
import { strict, type Tolerances } from './tolerances.ts';

const VERSION = '{"jsonrpc":"2.0",';
const VERSION_AND_ID = `${VERSION}"id":`;
const RESULT = ',"result":';
const NULL_ERROR_END = ',"error":null}';
const METHOD = '"method":"';
const PARAMS = '","params":';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const BRACE_OPEN = 0x7b;
const BRACKET_OPEN = 0x5b;
const BRACE_CLOSE = 0x7d;
const LETTER_I = 0x69;
const LETTER_L = 0x6c;
const LETTER_M = 0x6d;
const LETTER_R = 0x72;

/** Methods that come over and over are known by their whole head, in a table that cannot grow without end. */
const KNOWN_MAX = 256;
const KNOWN_METHOD_LENGTH_MAX = 100;
type Known = { readonly method: string; readonly head: string; readonly versionAndHead: string };

const NONE = knownMethod('');

/** The message, or undefined when the body has another form. */
export type FastDecode = (text: string, start: number, end: number) => Received | undefined;

export function fastDecoder({ nullErrorBesideResult = false }: Tolerances = strict): FastDecode {
  const known = new Map<string, Known>();
  // Most messages have the method of the last one: then a single comparison takes the whole head.
  let last = NONE;

  // Comparing a slice is faster than startsWith; comparing a character first saves a slice that cannot match.
  return function decodeFast(text, start, end) {
    if (text.charCodeAt(end - 1) !== BRACE_CLOSE) return undefined;
    const at = start + VERSION.length;
    const letter = text.charCodeAt(at + 1);
    if (letter === LETTER_I) {
      const idStart = start + VERSION_AND_ID.length;
      return text.slice(start, idStart) === VERSION_AND_ID ? withId(text, idStart, end) : undefined;
    }
    if (letter !== LETTER_M) return undefined;
    const headEnd = start + last.versionAndHead.length;
    if (text.slice(start, headEnd) === last.versionAndHead)
      return called(text, headEnd, end, undefined, last.method);
    return text.slice(start, at) === VERSION ? withMethod(text, at, end, undefined) : undefined;
  };

  /** A result or a request with a whole number of up to 15 digits as id, which is exact. */
  function withId(text: string, idStart: number, end: number): Received | undefined {
    let at = idStart;
    let id = 0;
    let digit = text.charCodeAt(at) - 0x30;
    while (digit >= 0 && digit <= 9) {
      id = id * 10 + digit;
      at += 1;
      digit = text.charCodeAt(at) - 0x30;
    }
    const digits = at - idStart;
    if (digits === 0 || digits > 15 || (digits > 1 && text.charCodeAt(idStart) === 0x30)) return undefined;
    const letter = text.charCodeAt(at + 2);
    if (letter === LETTER_R) {
      const resultStart = at + RESULT.length;
      if (text.slice(at, resultStart) !== RESULT) return undefined;
      const resultEnd = endOfResult(text, end);
      const result = resultEnd === undefined ? undefined : parsed(text, resultStart, resultEnd);
      return result === undefined ? undefined : { kind: 'success', id, result };
    }
    if (letter === LETTER_M && text.charCodeAt(at) === 0x2c) return withMethod(text, at + 1, end, id);
    return undefined;
  }

  /** Found before parsing: a parse that fails costs thirty times as much as one that does not. No JSON value ends like this. */
  function endOfResult(text: string, end: number): number | undefined {
    if (text.charCodeAt(end - 2) !== LETTER_L) return end - 1;
    const errorStart = end - NULL_ERROR_END.length;
    if (text.slice(errorStart, end) !== NULL_ERROR_END) return end - 1;
    return nullErrorBesideResult ? errorStart : undefined;
  }

  function withMethod(
    text: string,
    start: number,
    end: number,
    id: number | undefined,
  ): Received | undefined {
    const lastEnd = start + last.head.length;
    if (text.slice(start, lastEnd) === last.head) return called(text, lastEnd, end, id, last.method);
    const methodStart = start + METHOD.length;
    if (text.slice(start, methodStart) !== METHOD) return undefined;
    let at = methodStart;
    let code = text.charCodeAt(at);
    while (code !== QUOTE) {
      // Escapes and raw control characters are for the full parser; at the end of the text the code is NaN.
      if (code === BACKSLASH || !(code >= SPACE)) return undefined;
      at += 1;
      code = text.charCodeAt(at);
    }
    const method = text.slice(methodStart, at);
    if (at + 2 === end) return message(id, method, undefined);
    const paramsStart = at + PARAMS.length;
    if (text.slice(at, paramsStart) !== PARAMS) return undefined;
    const decoded = called(text, paramsStart, end, id, method);
    if (decoded !== undefined) remember(method);
    return decoded;
  }

  function remember(method: string): void {
    const found = known.get(method);
    if (found !== undefined) last = found;
    else if (known.size < KNOWN_MAX && method.length <= KNOWN_METHOD_LENGTH_MAX) {
      // A copy: a slice would keep the whole chunk in memory.
      const copy = Buffer.from(method).toString();
      last = knownMethod(copy);
      known.set(copy, last);
    }
  }
}

function knownMethod(method: string): Known {
  const head = METHOD + method + PARAMS;
  return { method, head, versionAndHead: VERSION + head };
}

function called(
  text: string,
  paramsStart: number,
  end: number,
  id: number | undefined,
  method: string,
): Received | undefined {
  const opening = text.charCodeAt(paramsStart);
  if (opening !== BRACE_OPEN && opening !== BRACKET_OPEN) return undefined;
  const params = parsed(text, paramsStart, end - 1);
  return params === undefined ? undefined : message(id, method, params);
}

function message(id: number | undefined, method: string, params: unknown): Received {
  return id === undefined
    ? { kind: 'notification', method, params }
    : { kind: 'request', id, method, params };
}

/** Undefined when it does not parse: then there is more to the message than this form has. */
function parsed(text: string, start: number, end: number): unknown {
  try {
    return parseJson(text.slice(start, end));
  } catch {
    return undefined;
  }
}
