// Commands of the user and prompts of MCP plugins, as one list of prompts: `plugin__command` and `plugin__prompt`, as clients take them.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isHashed, safeName } from '../../base/safe-name.ts';
import { wirePrompt } from '../../dialect/mcp/server-prompts.ts';
import { fullName, ownPart, readingsOf } from '../../definition/full-name.ts';
import type { PluginContent } from '../../gate/plugin-content.ts';
import type { ServedPlugins } from './served-plugins.ts';
import type { OfferedCommand, View } from './view.ts';

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
