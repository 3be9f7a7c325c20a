// What a client asks of a server, read once at the door.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';

/** MCP has no params but objects. @throws RpcError -32602 */
export function readParams(params: unknown): JsonObject {
  if (params === undefined) return {};
  if (isJsonObject(params)) return params;
  throw invalidParams('params', params, 'an object');
}

/** @throws RpcError -32602 */
export function readText(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw invalidParams(name, value, 'a string');
}

/** An object that may be left out. @throws RpcError -32602 */
export function readObject(params: JsonObject, name: string): JsonObject {
  const value = params[name];
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw invalidParams(name, value, 'an object');
}

/** Undefined when nobody asked for progress. */
export function progressTokenIn({ _meta }: JsonObject): string | number | undefined {
  const token = isJsonObject(_meta) ? _meta['progressToken'] : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

export function invalidParams(name: string, got: unknown, expected: string): RpcError {
  const is = got === undefined ? 'missing' : shown(got);
  return new RpcError(
    standardErrors.invalidParams.code,
    `Invalid params: "${name}" is ${is}; expected ${expected}.`,
  );
}
