// What responses have in common in all dialects.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { CallEnd } from './driver.ts';

/** A call that ends with the response to its request, as everywhere but in G-Assist. */
export function endByResponse(
  id: number,
  message: JsonObject,
  isGood: (result: unknown) => boolean,
): CallEnd | undefined {
  if (message['id'] !== id || 'method' in message) return undefined;
  const code = codeOf(message);
  if (isJsonObject(message['error'])) return { ok: false, ...(code === undefined ? {} : { code }), message };
  return { ok: isGood(message['result']), message };
}

/** The number of the error in a response. */
export function codeOf(message: JsonObject): number | undefined {
  const { error } = message;
  const code = isJsonObject(error) ? error['code'] : undefined;
  return typeof code === 'number' ? code : undefined;
}

export function request(id: number, method: string, params?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
}

/** A field, only where there is something in it. */
export function padded(padding: string | undefined, field = 'padding'): JsonObject {
  return padding === undefined ? {} : { [field]: padding };
}
