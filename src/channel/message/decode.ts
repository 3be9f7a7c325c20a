// From the text of one body to a Received message. fast-decode.ts takes the common forms first; this file is the rule.
import { fastDecoder } from './fast-decode.ts';
import { canBeJson, parseJson, parseJsonWithNaN } from './json.ts';
import type { ErrorObject, Id, Invalid, Received, Single } from './message.ts';
import { strict, type Tolerances } from './tolerances.ts';

/** Each item of a batch may cost an answer of its own: a few bytes of input must not become a hundred times as many. */
const BATCH_MAX = 65_536;

export type Decode = (text: string, start: number, end: number) => Received;

export function messageDecoder(tolerances: Tolerances = strict): Decode {
  const decodeFast = fastDecoder(tolerances);
  return (text, start, end) => decodeFast(text, start, end) ?? decodeAny(text.slice(start, end), tolerances);
}

/** Any body, by the letter of JSON-RPC 2.0 but for the tolerances. */
export function decodeAny(body: string, tolerances: Tolerances): Received {
  if (!canBeJson(body)) return notJson(body);
  let value: unknown;
  try {
    value = parseBody(body, tolerances);
  } catch {
    return notJson(body);
  }
  if (!Array.isArray(value)) return withText(decodeSingle(value, tolerances), body);
  if (value.length === 0) return withText(invalid('request', null, 'a batch is empty'), body);
  if (value.length > BATCH_MAX) {
    const reason = `a batch has ${value.length} items, which is over the limit of ${BATCH_MAX}`;
    return withText(invalid('request', null, reason), body);
  }
  return { kind: 'batch', items: value.map((item) => withText(decodeSingle(item, tolerances), body)) };
}

/** One message that was parsed elsewhere. */
export function decodeValue(value: unknown, tolerances: Tolerances = strict): Single | Invalid {
  return withText(decodeSingle(value, tolerances), '');
}

function notJson(text: string): Invalid {
  return { kind: 'invalid', as: 'parse', id: null, reason: 'it is not JSON', text };
}

function withText(decoded: Single | Problem, text: string): Single | Invalid {
  return decoded.kind === 'invalid' ? { ...decoded, text } : decoded;
}

/** An Invalid before the body it stood in is added. */
type Problem = Omit<Invalid, 'text'>;

function parseBody(body: string, tolerances: Tolerances): unknown {
  const text = body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
  if (!tolerances.nan) return parseJson(text);
  try {
    return parseJson(text);
  } catch (error) {
    if (!text.includes('NaN') && !text.includes('Infinity')) throw error;
    return parseJsonWithNaN(text);
  }
}

function decodeSingle(value: unknown, tolerances: Tolerances): Single | Problem {
  if (!isObject(value)) return invalid('request', null, 'it is not an object');
  const id = isId(value['id']) ? value['id'] : null;
  const as = lookOf(value, id);
  if (value['jsonrpc'] !== '2.0' && !(tolerances.missingVersion && value['jsonrpc'] === undefined)) {
    return invalid(as, id, '"jsonrpc" is not "2.0"');
  }
  if (value['id'] !== undefined && !isId(value['id'])) {
    return invalid(as, null, '"id" is not a string, null or a number that can be sent back exactly');
  }
  if (as === 'either') return invalid(as, id, 'it has no "method", "result" or "error"');
  return as === 'request' ? decodeCall(value, id, tolerances) : decodeResponse(value, id, tolerances);
}

function lookOf(value: Record<string, unknown>, id: Id): 'request' | 'response' | 'either' {
  if ('method' in value) return 'request';
  if ('result' in value || 'error' in value) return 'response';
  return id === null ? 'request' : 'either';
}

function decodeCall(value: Record<string, unknown>, id: Id, tolerances: Tolerances): Single | Problem {
  const { method } = value;
  const params = value['params'] === null && tolerances.nullParams ? undefined : value['params'];
  if (typeof method !== 'string') return invalid('request', id, '"method" is not a string');
  if (params !== undefined && (typeof params !== 'object' || params === null)) {
    return invalid('request', id, '"params" is not an object or array');
  }
  return value['id'] === undefined
    ? { kind: 'notification', method, params }
    : { kind: 'request', id, method, params };
}

function decodeResponse(
  value: Record<string, unknown>,
  wireId: Id,
  tolerances: Tolerances,
): Single | Problem {
  if (value['id'] === undefined) return invalid('response', null, 'a response has no "id"');
  const id = tolerances.stringIds ? numericId(wireId) : wireId;
  const { result, error } = value;
  const isFailure =
    error !== undefined && !(error === null && result !== undefined && tolerances.nullErrorBesideResult);
  if (!isFailure) return { kind: 'success', id, result };
  if (result !== undefined && !(result === null && tolerances.nullResultBesideError)) {
    return invalid('response', id, 'a response has both "result" and "error"');
  }
  if (!isErrorObject(error)) {
    return invalid('response', id, '"error" has no integer "code" and string "message"');
  }
  return { kind: 'failure', id, error };
}

function numericId(id: Id): Id {
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id;
}

function invalid(as: Invalid['as'], id: Id, reason: string): Problem {
  return { kind: 'invalid', as, id, reason };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is Id {
  // Numbers above that lose digits when they are parsed, and an answer under another id would be lost.
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value === 'string' || value === null;
}

function isErrorObject(value: unknown): value is ErrorObject {
  return isObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string';
}
