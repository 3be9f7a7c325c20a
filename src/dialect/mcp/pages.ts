// Lists that come in pages, from servers that may never stop paging.
import type { Json, JsonObject } from '../../base/json.ts';
import { shortened, shown } from '../../base/shown.ts';
import type { Tool } from '../../definition/tool.ts';
import type { HostServices } from '../host-dialect.ts';
import { unexpected } from '../reply.ts';
import { methods, readPage, readTool } from './schema.ts';

/** Asks the server and hands out its result. */
export type Ask = (method: string, params?: JsonObject) => Promise<unknown>;

export type Trouble = HostServices['trouble'];

const MAX_PAGES = 64;
const MAX_ITEMS = 4096;

/**
 * All items of a list; beyond the limits what came so far, and trouble.
 * @throws PluglotError PROTOCOL_VIOLATION when an answer has no such list
 */
export async function allPages(
  method: string,
  key: string,
  pluginName: string,
  ask: Ask,
  trouble: Trouble,
): Promise<Json[]> {
  const items: Json[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const result = await ask(method, cursor === undefined ? undefined : { cursor });
    const { items: more, nextCursor } = readPage(result, key) ?? noList(method, key, pluginName, result);
    items.push(...more.slice(0, MAX_ITEMS - items.length));
    if (nextCursor === undefined && items.length < MAX_ITEMS) return items;
    const stop = reasonToStop(items.length, page, nextCursor, seen);
    if (stop !== undefined) {
      trouble({
        kind: 'invalid',
        reason: `${method} does not end: ${stop}`,
        text: shortened(nextCursor ?? ''),
      });
      return items;
    }
    cursor = nextCursor;
  }
}

/** The tools of a server; what is no tool, or one of a name that was there before, is left out with a word. */
export async function listTools(
  pluginName: string,
  ask: Ask,
  trouble: Trouble,
): Promise<{ tools: readonly Tool[]; raw: ReadonlyMap<string, Json> }> {
  const tools: Tool[] = [];
  const raw = new Map<string, Json>();
  for (const item of await allPages(methods.listTools, 'tools', pluginName, ask, trouble)) {
    const tool = readTool(item);
    const problem = typeof tool === 'string' ? tool : raw.has(tool.name) ? 'the name is taken' : undefined;
    if (typeof tool === 'string' || problem !== undefined) {
      trouble({
        kind: 'invalid',
        reason: `a tool was left out: ${problem}`,
        text: shown(item, 500),
      });
    } else {
      tools.push(tool);
      raw.set(tool.name, item);
    }
  }
  return { tools, raw };
}

function reasonToStop(
  count: number,
  page: number,
  cursor: string | undefined,
  seen: Set<string>,
): string | undefined {
  if (count >= MAX_ITEMS) return `${MAX_ITEMS} items are the limit`;
  if (page >= MAX_PAGES) return `${MAX_PAGES} pages are the limit`;
  if (cursor === undefined || seen.has(cursor)) return 'a cursor came for the second time';
  seen.add(cursor);
  return undefined;
}

function noList(method: string, key: string, pluginName: string, result: unknown): never {
  throw unexpected({ pluginName, method }, result, `{ ${key}: [ … ] }`);
}
