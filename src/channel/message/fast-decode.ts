// The three forms that most ends write, read by their known prefix, so that only the payload goes through the JSON parser.
// Sound because prefix + valid JSON + `}` is exactly one object with exactly these members; all else is left to decode.ts.
import { parseJson } from './json.ts';
import type { Received } from './message.ts';

const WITH_ID = '{"jsonrpc":"2.0","id":';
const RESULT = ',"result":';
const METHOD_AFTER_ID = ',"method":"';
const NOTIFICATION = '{"jsonrpc":"2.0","method":"';
const PARAMS = '","params":';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const BRACE_OPEN = 0x7b;
const BRACKET_OPEN = 0x5b;
const BRACE_CLOSE = 0x7d;

/** The message, or undefined when the body has another form. */
export function decodeFast(text: string, start: number, end: number): Received | undefined {
  if (text.charCodeAt(end - 1) !== BRACE_CLOSE) return undefined;
  // A comparison of slices is faster here than startsWith.
  const idStart = start + WITH_ID.length;
  if (text.slice(start, idStart) === WITH_ID) return withId(text, idStart, end);
  const methodStart = start + NOTIFICATION.length;
  if (text.slice(start, methodStart) === NOTIFICATION) return withMethod(text, methodStart, end, undefined);
  return undefined;
}

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
  const resultStart = at + RESULT.length;
  if (text.slice(at, resultStart) === RESULT) {
    const result = parsed(text, resultStart, end - 1);
    return result === undefined ? undefined : { kind: 'success', id, result };
  }
  const methodStart = at + METHOD_AFTER_ID.length;
  if (text.slice(at, methodStart) === METHOD_AFTER_ID) return withMethod(text, methodStart, end, id);
  return undefined;
}

function withMethod(
  text: string,
  methodStart: number,
  end: number,
  id: number | undefined,
): Received | undefined {
  let at = methodStart;
  let code = text.charCodeAt(at);
  while (code !== QUOTE) {
    // Escapes and raw control characters are for the full parser; at the end of the text the code is NaN.
    if (code === BACKSLASH || !(code >= SPACE)) return undefined;
    at += 1;
    code = text.charCodeAt(at);
  }
  const method = text.slice(methodStart, at);
  let params: unknown;
  if (at + 2 !== end) {
    const paramsStart = at + PARAMS.length;
    if (text.slice(at, paramsStart) !== PARAMS) return undefined;
    const opening = text.charCodeAt(paramsStart);
    if (opening !== BRACE_OPEN && opening !== BRACKET_OPEN) return undefined;
    params = parsed(text, paramsStart, end - 1);
    if (params === undefined) return undefined;
  }
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
