// Lists in pages. Many clients never ask for a second one, so a page is long.
import type { Json, JsonObject } from '../../base/json.ts';
import { invalidParams } from './client-requests.ts';

const PAGE_SIZE = 500;

/** A cursor is where the page begins; for clients it is a word without meaning. @throws RpcError -32602 */
export function pageOf(key: string, items: readonly Json[], { cursor }: JsonObject): JsonObject {
  const start = startOf(cursor);
  const end = start + PAGE_SIZE;
  return {
    [key]: items.slice(start, end),
    ...(end < items.length ? { nextCursor: String(end) } : {}),
  };
}

function startOf(cursor: Json | undefined): number {
  if (cursor === undefined || cursor === null) return 0;
  const start = typeof cursor === 'string' && /^\d{1,9}$/.test(cursor) ? Number(cursor) : Number.NaN;
  // A list may have become shorter meanwhile: then nothing is left of it.
  if (start > 0 && start % PAGE_SIZE === 0) return start;
  throw invalidParams('cursor', cursor, 'a nextCursor of this list');
}
