// Notifications of MCP plugins about their resources and prompts, for all clients. A resource is subscribed once, however many clients want it.
import { Emitter } from '../../base/emitter.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import type { PluginEvent } from '../../fleet/plugin/instances.ts';
import type { Registry } from '../../fleet/registry/registry.ts';
import type { PassedResource } from './passed-facets.ts';

type Follow = (resource: PassedResource, how: 'subscribe' | 'unsubscribe') => Promise<void>;

interface Followed {
  readonly resource: PassedResource;
  readonly follow: Follow;
  readonly updated: Emitter<void>;
  readonly begun: Promise<void>;
}

export class PluginChanges {
  readonly #registry: Registry;
  readonly #listChanged = new Emitter<'resources' | 'prompts'>();
  readonly #plugins = new Map<Plugin, () => void>();
  readonly #followed = new Map<string, Followed>();

  constructor(registry: Registry) {
    this.#registry = registry;
    this.update();
  }

  onListChanged(listener: (what: 'resources' | 'prompts') => void): () => void {
    return this.#listChanged.add(listener);
  }

  /** Call it when the exposed plugins have changed. */
  update(): void {
    const exposed = new Map<Plugin, string>();
    for (const name of this.#registry.listExposed()) {
      const plugin = this.#registry.getPlugin(name)?.process;
      if (plugin?.manifest?.dialect === 'mcp') exposed.set(plugin, name);
    }
    for (const [plugin, unfollow] of this.#plugins)
      if (!exposed.has(plugin)) {
        unfollow();
        this.#plugins.delete(plugin);
      }
    for (const [plugin, name] of exposed)
      if (!this.#plugins.has(plugin))
        this.#plugins.set(
          plugin,
          plugin.onEvent((event) => this.#onPluginEvent(name, event)),
        );
  }

  /** The returned function ends it. Rejects when the plugin refuses. */
  async follow(resource: PassedResource, follow: Follow, updated: () => void): Promise<() => void> {
    const key = keyOf(resource);
    const followed = this.#followed.get(key) ?? this.#begin(key, resource, follow);
    // Before the plugin has answered: the first change may come with it.
    const leave = followed.updated.add(updated);
    try {
      await followed.begun;
    } catch (thrown) {
      leave();
      throw thrown;
    }
    return () => {
      leave();
      if (followed.updated.isHeard || !this.#followed.delete(key)) return;
      // It may be gone by now.
      follow(resource, 'unsubscribe').catch(() => {});
    };
  }

  #begin(key: string, resource: PassedResource, follow: Follow): Followed {
    const begun = follow(resource, 'subscribe');
    const followed = { resource, follow, updated: new Emitter<void>(), begun };
    this.#followed.set(key, followed);
    begun.catch(() => this.#followed.delete(key));
    return followed;
  }

  close(): void {
    for (const unfollow of this.#plugins.values()) unfollow();
    this.#plugins.clear();
    this.#followed.clear();
  }

  #onPluginEvent(plugin: string, event: PluginEvent): void {
    switch (event.kind) {
      case 'resources-changed':
        return this.#listChanged.emit('resources');
      case 'prompts-changed':
        return this.#listChanged.emit('prompts');
      case 'resource-updated':
        return this.#followed.get(keyOf({ plugin, uri: event.uri }))?.updated.emit();
      case 'state-changed':
        // A new process does not know what the one before was asked to report.
        if (event.state === 'ready' && event.previous !== 'busy') this.#followAgain(plugin);
        return;
      case 'tools-changed':
      case 'logged':
    }
  }

  #followAgain(plugin: string): void {
    for (const { resource, follow } of this.#followed.values())
      if (resource.plugin === plugin) follow(resource, 'subscribe').catch(() => {});
  }
}

function keyOf({ plugin, uri }: PassedResource): string {
  return `${plugin}\n${uri}`;
}
