// Resources of all MCP plugins that a client sees, as one list. An address that two of them have is told apart by the plugin.
import { PluglotError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { KiB } from '../../base/limits.ts';
import type { ResourcesFacet } from '../../dialect/host-dialect.ts';
import type { PluginContent } from '../../gate/plugin-content.ts';
import type { ServedPlugins } from './served-plugins.ts';

export interface PassedResource {
  readonly plugin: string;
  /** As its plugin has it. */
  readonly uri: string;
}

interface Listed {
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  /** By the address that clients have. */
  readonly byUri: ReadonlyMap<string, PassedResource>;
  /** By the template that clients have. */
  readonly byTemplate: ReadonlyMap<string, PassedResource>;
}

/** Gets it once the gate lets it. */
export type ThroughGate = (content: PluginContent) => Promise<Json>;

const PREFIX = 'pluglot:plugin:';
/** Rules and the audit log look at every address as a whole. */
const ADDRESS_MAX = 16 * KiB;

export class PassedResources {
  readonly #plugins: ServedPlugins;
  #last: Listed | undefined;

  constructor(plugins: ServedPlugins) {
    this.#plugins = plugins;
  }

  async list(): Promise<Listed> {
    const lists = await this.#plugins.each('resources', (facet) => facet.list());
    const resources = new Joined('uri');
    const templates = new Joined('uriTemplate');
    for (const { plugin, value } of lists) {
      if (!isJsonObject(value)) continue;
      resources.add(plugin, value['resources']);
      templates.add(plugin, value['resourceTemplates']);
    }
    this.#last = {
      resources: resources.items,
      templates: templates.items,
      byUri: resources.byKey,
      byTemplate: templates.byKey,
    };
    return this.#last;
  }

  /** @throws PluglotError UNSUPPORTED when nobody has it, or why the gate does not let it be read */
  async read(uri: string, through: ThroughGate): Promise<Json> {
    if (uri.length > ADDRESS_MAX)
      throw new PluglotError(
        'INVALID_ARGUMENTS',
        `The address has ${uri.length} characters; at most ${ADDRESS_MAX} are taken.`,
      );
    const known = await this.find(uri);
    if (known !== undefined) return renamed(await through(this.contentOf(known)), known.uri, uri);
    return this.#readUnlisted(uri, through);
  }

  /** One resource, as the gate decides on it. */
  contentOf(resource: PassedResource): PluginContent {
    const { plugin, uri } = resource;
    return this.#plugins.content('resource', { plugin, id: uri }, () =>
      this.#facet(resource, (facet) => facet.read(uri)),
    );
  }

  /** Who has it, by the lists. */
  async find(uri: string): Promise<PassedResource | undefined> {
    const own = unprefixed(uri);
    if (own !== undefined) return own;
    const last = this.#last ?? (await this.list());
    return last.byUri.get(uri) ?? (await this.list()).byUri.get(uri);
  }

  async findTemplate(template: string): Promise<PassedResource | undefined> {
    return (this.#last ?? (await this.list())).byTemplate.get(template);
  }

  async complete(params: JsonObject, template: string): Promise<Json | undefined> {
    const known = await this.findTemplate(template);
    if (known === undefined) return undefined;
    const ref = { type: 'ref/resource', uri: known.uri };
    return this.#facet(known, async (facet) => facet.complete?.({ ...params, ref }));
  }

  async follow(resource: PassedResource, how: 'subscribe' | 'unsubscribe'): Promise<void> {
    await this.#facet(resource, async (facet) => {
      const act = facet[how];
      if (act === undefined)
        throw new PluglotError('UNSUPPORTED', `Plugin "${resource.plugin}" tells no news of its resources.`);
      await act(resource.uri);
    });
  }

  #facet<Value>({ plugin }: PassedResource, use: (facet: ResourcesFacet) => Promise<Value>): Promise<Value> {
    return this.#plugins.one(plugin, 'resources', use);
  }

  /** Templates make addresses that no list has: whoever knows it first has it. */
  async #readUnlisted(uri: string, through: ThroughGate): Promise<Json> {
    let failure: unknown = new PluglotError(
      'UNSUPPORTED',
      `No plugin has a resource "${uri.slice(0, 200)}".`,
    );
    for (const plugin of this.#plugins.having('resources'))
      try {
        return await through(this.contentOf({ plugin, uri }));
      } catch (thrown) {
        failure = thrown;
      }
    throw failure;
  }
}

/** Lists of several plugins as one: who comes first keeps its key. */
class Joined {
  readonly items: JsonObject[] = [];
  readonly byKey = new Map<string, PassedResource>();
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  add(plugin: string, list: Json | undefined): void {
    if (!isJsonArray(list)) return;
    for (const item of list) {
      const own = isJsonObject(item) ? item[this.#name] : undefined;
      if (!isJsonObject(item) || typeof own !== 'string') continue;
      const key = this.byKey.has(own) ? prefixed(plugin, own) : own;
      if (this.byKey.has(key)) continue;
      this.byKey.set(key, { plugin, uri: own });
      this.items.push(key === own ? item : { ...item, [this.#name]: key });
    }
  }
}

function prefixed(plugin: string, uri: string): string {
  return `${PREFIX}${encodeURIComponent(plugin)}:${uri}`;
}

function unprefixed(uri: string): PassedResource | undefined {
  const found = uri.startsWith(PREFIX) ? /^([^:]+):(.*)$/s.exec(uri.slice(PREFIX.length)) : undefined;
  const [, plugin, own] = found ?? [];
  if (plugin === undefined || own === undefined) return undefined;
  try {
    return { plugin: decodeURIComponent(plugin), uri: own };
  } catch {
    return undefined;
  }
}

/** What was read is called as it was asked for. */
function renamed(result: Json, own: string, asked: string): Json {
  const contents = isJsonObject(result) ? result['contents'] : undefined;
  if (own === asked || !isJsonObject(result) || !isJsonArray(contents)) return result;
  return {
    ...result,
    contents: contents.map((part) =>
      isJsonObject(part) && part['uri'] === own ? { ...part, uri: asked } : part,
    ),
  };
}
