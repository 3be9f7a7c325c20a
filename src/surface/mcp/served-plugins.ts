// The MCP plugins that a client sees, as far as they have more than tools. One that does not answer in time is left out of lists.
import type { Clock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { late, within } from '../../base/async.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { PromptsPort, ResourcesPort } from '../../definition/plugin-port.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import type { Registry } from '../../fleet/registry/registry.ts';
import type { PluginContent } from '../../gate/plugin-content.ts';
import type { View } from './view.ts';

interface Facets {
  readonly resources: ResourcesPort;
  readonly prompts: PromptsPort;
}

const LIST_MS = 10_000;

export class ServedPlugins {
  readonly #registry: Registry;
  readonly #view: View;
  readonly #clock: Clock;
  readonly #log: (entry: LogEntry) => void;

  constructor(registry: Registry, view: View, clock: Clock, log: (entry: LogEntry) => void) {
    this.#registry = registry;
    this.#view = view;
    this.#clock = clock;
    this.#log = log;
  }

  /** Names of those that say they have it. */
  having(facet: keyof Facets): readonly string[] {
    return this.#view.plugins.filter((name) => {
      const capabilities = this.#processOf(name)?.manifest?.capabilities;
      return isJsonObject(capabilities) && capabilities[facet] !== undefined;
    });
  }

  /** Of all that answer. */
  async each<Facet extends keyof Facets>(
    facet: Facet,
    ask: (facet: Facets[Facet]) => Promise<Json>,
  ): Promise<readonly { readonly plugin: string; readonly value: Json }[]> {
    const asked = this.having(facet).map(async (plugin) => {
      try {
        const value = await within(this.one(plugin, facet, ask), LIST_MS, this.#clock);
        if (value !== late) return [{ plugin, value }];
        this.#log({
          level: 'warn',
          message: `Plugin "${plugin}" did not list its ${facet} within ${LIST_MS} ms.`,
        });
      } catch (thrown) {
        const { message } = toError(thrown);
        this.#log({ level: 'warn', message: `Plugin "${plugin}" did not list its ${facet}: ${message}` });
      }
      return [];
    });
    return (await Promise.all(asked)).flat();
  }

  /** @throws PluglotError UNSUPPORTED when this client does not see it, or it has none */
  async one<Facet extends keyof Facets, Value>(
    name: string,
    facet: Facet,
    ask: (facet: Facets[Facet]) => Promise<Value>,
  ): Promise<Value> {
    const plugin = this.#view.plugins.includes(name) ? this.#processOf(name) : undefined;
    if (plugin === undefined)
      throw new PluglotError('UNSUPPORTED', `There is no plugin "${name.slice(0, 100)}" with ${facet}.`);
    const facets: { readonly [Name in keyof Facets]: () => Promise<Facets[Name]> } = {
      resources: () => plugin.resources(),
      prompts: () => plugin.prompts(),
    };
    return ask(await facets[facet]());
  }

  /** As the gate decides on it; got from the plugin once that lets it. */
  content(
    kind: PluginContent['kind'],
    { plugin, id }: { readonly plugin: string; readonly id: string },
    get: () => Promise<Json>,
  ): PluginContent {
    const { origin = 'process', isForClients = false } = this.#registry.getPlugin(plugin) ?? {};
    return { kind, plugin, id, origin, isForClients, get };
  }

  #processOf(name: string): Plugin | undefined {
    return this.#registry.getPlugin(name)?.process;
  }
}
