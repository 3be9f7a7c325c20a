// Resources of all MCP plugins that a client sees, as one list. An address that two of them have gets the name of the plugin.
import { PluglotError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isHashed, safeName } from '../../base/names.ts';
import { KiB } from '../../base/units.ts';
import type { ResourcesPort } from '../../definition/plugin-port.ts';
import { fullName, ownPart, readingsOf } from '../../definition/plugin-spec.ts';
import { wirePrompt } from '../../dialect/mcp/server-prompts.ts';
import type { PluginContent } from '../../gate/plugin-content.ts';
import type { ServedPlugins } from './served-plugins.ts';
import type { OfferedCommand, View } from './view.ts';

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

/** How a client reads what the gate allows. */
export interface GatedReading {
  /** Asks a person where the rules say so. */
  get(content: PluginContent): Promise<Json>;
  /** Whether the rules allow it without a question. */
  isAllowed(content: PluginContent): Promise<boolean>;
}

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

  /** @throws PluglotError UNSUPPORTED when no plugin has it, or why the gate does not let it be read */
  async read(uri: string, gated: GatedReading): Promise<Json> {
    const known = await this.find(uri);
    if (known !== undefined) return renamed(await gated.get(this.contentOf(known)), known.uri, uri);
    return this.#readUnlisted(uri, gated);
  }

  /** One resource, as the gate decides on it. */
  contentOf(resource: PassedResource): PluginContent {
    const { plugin, uri } = resource;
    return this.#plugins.content('resource', { plugin, id: uri }, () =>
      this.#facet(resource, (facet) => facet.read(uri)),
    );
  }

  /** Who has it, by the lists. @throws PluglotError INVALID_ARGUMENTS when it is too long */
  async find(uri: string): Promise<PassedResource | undefined> {
    if (uri.length > ADDRESS_MAX)
      throw new PluglotError(
        'INVALID_ARGUMENTS',
        `The address has ${uri.length} characters; at most ${ADDRESS_MAX} are accepted.`,
      );
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
        throw new PluglotError(
          'UNSUPPORTED',
          `Plugin "${resource.plugin}" does not report changes of its resources.`,
        );
      await act(resource.uri);
    });
  }

  #facet<Value>({ plugin }: PassedResource, use: (facet: ResourcesPort) => Promise<Value>): Promise<Value> {
    return this.#plugins.one(plugin, 'resources', use);
  }

  /**
   * Reads an address that no list has from the first plugin that knows it; plugins with a matching template come first. At most one question
   * is asked, about a plugin with a matching template or the only one with resources, and a no ends the request.
   */
  async #readUnlisted(uri: string, gated: GatedReading): Promise<Json> {
    const { byTemplate } = this.#last ?? (await this.list());
    const plugins = this.#plugins.having('resources');
    const matching = new Set(
      [...byTemplate.values()].filter((one) => fitsTemplate(uri, one.uri)).map(({ plugin }) => plugin),
    );
    const contents = plugins.map((plugin) => this.contentOf({ plugin, uri }));
    const allowed = await Promise.all(contents.map((content) => gated.isAllowed(content)));
    const isMatching = ({ plugin }: PluginContent) => matching.has(plugin) || plugins.length === 1;
    const free = contents.filter((_, at) => allowed[at]);
    const [asked] = contents.filter((content, at) => allowed[at] === false && isMatching(content));
    const order = [
      ...free.filter(isMatching),
      ...(asked === undefined ? [] : [asked]),
      ...free.filter((content) => !isMatching(content)),
    ];
    let failure: unknown = new PluglotError(
      'UNSUPPORTED',
      `No plugin has a resource "${uri.slice(0, 200)}".`,
    );
    for (const content of order)
      try {
        return await gated.get(content);
      } catch (thrown) {
        if (thrown instanceof PluglotError && thrown.code === 'PERMISSION_DENIED') throw thrown;
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

/** Whether the template can make this address. Each expression stands for any text: the plugin has the last word. */
function fitsTemplate(uri: string, template: string): boolean {
  const [first = '', ...rest] = template.split(/\{[^{}]*\}/);
  const last = rest.pop();
  if (last === undefined) return uri === template;
  if (!uri.startsWith(first)) return false;
  let at = first.length;
  for (const literal of rest) {
    const found = uri.indexOf(literal, at);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return uri.length - last.length >= at && uri.endsWith(last);
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

export type PassedPrompt =
  | { readonly kind: 'command'; readonly offered: OfferedCommand }
  | { readonly kind: 'prompt'; readonly plugin: string; readonly name: string };

export class PassedPrompts {
  readonly #view: View;
  readonly #plugins: ServedPlugins;

  constructor(view: View, plugins: ServedPlugins) {
    this.#view = view;
    this.#plugins = plugins;
  }

  async list(): Promise<{
    readonly prompts: readonly JsonObject[];
    readonly byName: ReadonlyMap<string, PassedPrompt>;
  }> {
    const prompts: JsonObject[] = [];
    const byName = new Map<string, PassedPrompt>();
    for (const offered of this.#view.commands) {
      const { name, command } = offered;
      byName.set(name, { kind: 'command', offered });
      prompts.push(named(wirePrompt(command), name, command.name));
    }
    for (const { plugin, value } of await this.#plugins.each('prompts', (facet) => facet.list()))
      for (const prompt of promptsIn(value)) {
        const full = fullName(plugin, prompt.name);
        const name = safeName(full);
        if (byName.has(name)) continue;
        byName.set(name, { kind: 'prompt', plugin, name: prompt.name });
        prompts.push(named(prompt, name, full));
      }
    return { prompts, byName };
  }

  async find(name: string): Promise<PassedPrompt | undefined> {
    const offered = this.#view.findCommand(name);
    if (offered !== undefined) return { kind: 'command', offered };
    const { byName } = await this.list();
    const listed = byName.get(name) ?? byName.get(safeName(name));
    // What reads as a prompt of one plugin, or as a mapped name, is never one of another.
    if (listed !== undefined || readingsOf(name).length > 0 || isHashed(name)) return listed;
    const [only, ...others] = [...byName.values()].filter(
      (one) => one.kind === 'prompt' && one.name === name,
    );
    return others.length === 0 ? only : undefined;
  }

  /** As the gate decides on it. */
  contentOf(
    { plugin, name }: Extract<PassedPrompt, { kind: 'prompt' }>,
    args: Readonly<Record<string, string>>,
  ): PluginContent {
    return this.#plugins.content('prompt', { plugin, id: name }, () =>
      this.#plugins.one(plugin, 'prompts', (facet) => facet.get(name, args)),
    );
  }

  complete(
    { plugin, name }: Extract<PassedPrompt, { kind: 'prompt' }>,
    params: JsonObject,
  ): Promise<Json | undefined> {
    const ref = { type: 'ref/prompt', name };
    return this.#plugins.one(plugin, 'prompts', async (facet) => facet.complete?.({ ...params, ref }));
  }
}

/** A name that clients do not take stays as its title, unless it has one. */
function named(prompt: JsonObject, name: string, full: string): JsonObject {
  const title = name === full ? {} : { title: prompt['title'] ?? ownPart(full) };
  return { ...prompt, name, ...title };
}

function promptsIn(value: Json): readonly (JsonObject & { readonly name: string })[] {
  const list = isJsonObject(value) ? value['prompts'] : undefined;
  if (!isJsonArray(list)) return [];
  return list.filter(
    (item): item is JsonObject & { name: string } => isJsonObject(item) && typeof item['name'] === 'string',
  );
}
