// Commands of the user and prompts of MCP plugins, as one list of prompts. Commands keep their names.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { wirePrompt } from '../../dialect/mcp/server-prompts.ts';
import type { CommandProfile } from '../../definition/backend.ts';
import type { ServedPlugins } from './served-plugins.ts';
import type { View } from './view.ts';

export type PassedPrompt =
  | { readonly kind: 'command'; readonly command: CommandProfile }
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
    for (const command of this.#view.commands) {
      byName.set(command.name, { kind: 'command', command });
      prompts.push(wirePrompt(command));
    }
    for (const { plugin, value } of await this.#plugins.each('prompts', (facet) => facet.list()))
      for (const prompt of promptsIn(value)) {
        const { name: own } = prompt;
        const name = byName.has(own) ? `${plugin}__${own}` : own;
        if (byName.has(name)) continue;
        byName.set(name, { kind: 'prompt', plugin, name: own });
        prompts.push({ ...prompt, name });
      }
    return { prompts, byName };
  }

  async find(name: string): Promise<PassedPrompt | undefined> {
    const command = this.#view.commands.find((known) => known.name === name);
    if (command !== undefined) return { kind: 'command', command };
    return (await this.list()).byName.get(name);
  }

  get(
    { plugin, name }: Extract<PassedPrompt, { kind: 'prompt' }>,
    args: Readonly<Record<string, string>>,
  ): Promise<Json> {
    return this.#plugins.one(plugin, 'prompts', (facet) => facet.get(name, args));
  }

  complete(
    { plugin, name }: Extract<PassedPrompt, { kind: 'prompt' }>,
    params: JsonObject,
  ): Promise<Json | undefined> {
    const ref = { type: 'ref/prompt', name };
    return this.#plugins.one(plugin, 'prompts', async (facet) => facet.complete?.({ ...params, ref }));
  }
}

function promptsIn(value: Json): readonly (JsonObject & { readonly name: string })[] {
  const list = isJsonObject(value) ? value['prompts'] : undefined;
  if (!isJsonArray(list)) return [];
  return list.filter(
    (item): item is JsonObject & { name: string } => isJsonObject(item) && typeof item['name'] === 'string',
  );
}
