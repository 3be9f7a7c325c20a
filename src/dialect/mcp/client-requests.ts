// Params of the requests of clients, and lists in pages.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';

/** MCP has params only as an object. @throws RpcError -32602 */
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

/** Undefined when the client did not ask for progress. */
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

/** Many clients never ask for a second page, so a page is long. */
const PAGE_SIZE = 500;

/** A cursor is the place where the page begins; clients do not know that. @throws RpcError -32602 */
export function pageOf(
  key: string,
  items: readonly Json[],
  { cursor }: JsonObject,
  size = PAGE_SIZE,
): JsonObject {
  const start = startOf(cursor, size, items.length);
  const end = start + size;
  return {
    [key]: items.slice(start, end),
    ...(end < items.length ? { nextCursor: String(end) } : {}),
  };
}

function startOf(cursor: Json | undefined, size: number, count: number): number {
  if (cursor === undefined || cursor === null) return 0;
  const start = typeof cursor === 'string' && /^\d{1,9}$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (start > 0 && start % size === 0 && start < count) return start;
  throw invalidParams('cursor', cursor, 'a nextCursor of this list');
}
