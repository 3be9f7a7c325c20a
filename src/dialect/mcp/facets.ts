// Resources and prompts of a server, passed through as they came: lists in pages, and changes that a server of 2026-07-28 reports.
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shortened, shown } from '../../base/text.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { PromptsPort, ResourcesPort } from '../../definition/plugin-port.ts';
import type { Tool } from '../../definition/tool.ts';
import { unexpected } from '../host-base.ts';
import type { HostServices } from '../host-dialect.ts';
import { methods, readPage, readTool } from './schema.ts';
import { LOGS_META, metaKey } from './stateless.ts';

export interface FacetPorts {
  /** What the server can do, as it says. */
  readonly capabilities: JsonObject;
  readonly pluginName: string;
  readonly ask: Ask;
  readonly trouble: Trouble;
}

/** @param listening how resources are followed since 2026-07-28 */
export function resourcesFacet(ports: FacetPorts, listening?: Listening): ResourcesPort {
  const { resources } = ports.capabilities;
  const canSubscribe = isJsonObject(resources) && resources['subscribe'] === true;
  return {
    list: async () => ({
      resources: await list(ports, methods.listResources, 'resources'),
      resourceTemplates: await templates(ports),
    }),
    read: (uri) => passOn(ports, methods.readResource, { uri }),
    ...(canSubscribe &&
      listening === undefined && {
        subscribe: async (uri) => void (await passOn(ports, methods.subscribe, { uri })),
        unsubscribe: async (uri) => void (await passOn(ports, methods.unsubscribe, { uri })),
      }),
    ...(canSubscribe &&
      listening !== undefined && {
        subscribe: (uri) => listening.subscribe(uri),
        unsubscribe: (uri) => listening.unsubscribe(uri),
      }),
    ...completing(ports),
  };
}

export function promptsFacet(ports: FacetPorts): PromptsPort {
  return {
    list: async () => ({ prompts: await list(ports, methods.listPrompts, 'prompts') }),
    get: (name, args) => passOn(ports, methods.getPrompt, { name, arguments: args }),
    ...completing(ports),
  };
}

function completing(ports: FacetPorts): Pick<PromptsPort, 'complete'> {
  if (ports.capabilities['completions'] === undefined) return {};
  return { complete: (params) => passOn(ports, methods.complete, params) };
}

/** Many servers with resources have no templates. */
async function templates(ports: FacetPorts): Promise<readonly Json[]> {
  try {
    return await list(ports, methods.listResourceTemplates, 'resourceTemplates');
  } catch (thrown) {
    if (thrown instanceof PluglotError && thrown.code === 'UNSUPPORTED') return [];
    throw thrown;
  }
}

function list(
  { pluginName, ask, trouble }: FacetPorts,
  method: string,
  key: string,
): Promise<readonly Json[]> {
  return allPages(method, key, pluginName, ask, trouble);
}

async function passOn({ ask }: FacetPorts, method: string, params: JsonObject): Promise<Json> {
  return (await ask(method, params)) as Json; // it came as JSON
}

export interface ListeningPorts {
  readonly capabilities: JsonObject;
  open(method: string, params: JsonObject): Exchange;
  failed(error: Error): void;
}

/** A request that the server has not acknowledged yet, and those who wait for that. */
interface Opening {
  readonly exchange: Exchange;
  readonly waiting: readonly PromiseWithEnds[];
}

interface PromiseWithEnds {
  resolve(): void;
  reject(error: Error): void;
}

export class Listening {
  readonly #ports: ListeningPorts;
  readonly #uris = new Set<string>();
  #current: Exchange | undefined;
  #opening: Opening | undefined;

  constructor(ports: ListeningPorts) {
    this.#ports = ports;
  }

  /** Asks for changes of the lists that the server says may change. */
  start(): void {
    if (Object.keys(this.#filter()).length === 0) return;
    this.#listen().catch((thrown: unknown) => this.#ports.failed(toError(thrown)));
  }

  /** Rejects when the server refuses. */
  async subscribe(uri: string): Promise<void> {
    this.#uris.add(uri);
    try {
      await this.#listen();
    } catch (thrown) {
      this.#uris.delete(uri);
      throw thrown;
    }
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.#uris.delete(uri)) await this.#listen();
  }

  /** The server now reports what the request asked for that these params name. */
  acknowledged(params: unknown): void {
    const meta = isJsonObject(params) ? params['_meta'] : undefined;
    const id = isJsonObject(meta) ? meta[metaKey('subscriptionId')] : undefined;
    const opening = this.#opening;
    if (opening === undefined || id !== opening.exchange.wireId) return;
    this.#opening = undefined;
    const before = this.#current;
    this.#current = opening.exchange;
    // Only now, so that nothing is missed in between.
    before?.abandon(new Error(REPLACED));
    for (const one of opening.waiting) one.resolve();
  }

  /** One request asks for all that is wanted, in place of the one before. */
  async #listen(): Promise<void> {
    const params = { notifications: this.#filter(), _meta: { [LOGS_META]: true } };
    const exchange = this.#ports.open(methods.listen, params);
    const before = this.#opening;
    const acknowledged = new Promise<void>((resolve, reject) => {
      this.#opening = { exchange, waiting: [...(before?.waiting ?? []), { resolve, reject }] };
    });
    before?.exchange.abandon(new Error(REPLACED));
    exchange.result.then(
      () => this.#ended(exchange, new Error('The server ended the subscription.')),
      (error: Error) => this.#ended(exchange, error),
    );
    await acknowledged;
  }

  #ended(exchange: Exchange, error: Error): void {
    const opening = this.#opening;
    if (opening?.exchange === exchange) {
      this.#opening = undefined;
      for (const one of opening.waiting) one.reject(error);
    } else if (this.#current === exchange) {
      this.#current = undefined;
      this.#ports.failed(error);
    }
  }

  #filter(): JsonObject {
    const { tools, prompts, resources } = this.#ports.capabilities;
    const changes = (capability: unknown) => isJsonObject(capability) && capability['listChanged'] === true;
    return {
      ...(changes(tools) && { toolsListChanged: true }),
      ...(changes(prompts) && { promptsListChanged: true }),
      ...(changes(resources) && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
  }
}

const REPLACED = 'Replaced by another subscription.';

/** Asks the server and hands out its result. */
export type Ask = (method: string, params?: JsonObject) => Promise<unknown>;

export type Trouble = HostServices['trouble'];

const MAX_PAGES = 64;
const MAX_ITEMS = 4096;

/**
 * All items of a list; beyond the limits what came so far, and trouble.
 * @throws PluglotError PROTOCOL_VIOLATION when an answer has no such list
 */
async function allPages(
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

/** The tools of a server. One that cannot be read, has the name of another, or has a problem is left out and reported. */
export async function listTools(
  pluginName: string,
  ask: Ask,
  trouble: Trouble,
  problemOf: (tool: Tool) => string | undefined,
): Promise<readonly Tool[]> {
  const tools = new Map<string, Tool>();
  for (const item of await allPages(methods.listTools, 'tools', pluginName, ask, trouble)) {
    const tool = readTool(item);
    const problem =
      typeof tool === 'string' ? tool : tools.has(tool.name) ? 'the name is taken' : problemOf(tool);
    if (typeof tool === 'string' || problem !== undefined)
      trouble({ kind: 'invalid', reason: `a tool was left out: ${problem}`, text: shown(item, 500) });
    else tools.set(tool.name, tool);
  }
  return [...tools.values()];
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
