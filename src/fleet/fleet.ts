// All plugins of a host.
import { systemClock, type Clock } from '../base/clock.ts';
import { Emitter } from '../base/emitter.ts';
import { PluglotError } from '../base/error.ts';
import { createSecrets, type Secrets } from '../secrets/secrets.ts';
import { didYouMean } from '../base/names.ts';
import { createTurns } from '../base/async.ts';
import type { PluginSpec } from '../definition/plugin-spec.ts';
import type { Access } from '../dialect/access.ts';
import { hostDialects } from '../dialect/hosts.ts';
import type { HostWork, Detect, Dialects, FleetEnvironment } from './plugin/environment.ts';
import { Plugin } from './plugin/plugin.ts';
import type { PluginEvent } from './plugin/instances.ts';
import { SchemaChecks } from './plugin/validation/schema-checks.ts';
import type { ManifestCache } from './manifest-cache/manifest-cache.ts';
import type { Launcher } from './supervisor/launcher.ts';

export interface FleetOptions {
  readonly specs?: readonly PluginSpec[];
  /** Starts the processes. It stays its owner's: close it after the fleet. */
  readonly launcher: Launcher;
  /** @default the real one */
  readonly clock?: Clock;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
  /** @default all that there are */
  readonly dialects?: Dialects;
  /** Finds out the dialect of plugins whose spec does not name it; without it these do not start. */
  readonly detect?: Detect;
  /**
   * Where it is kept how plugins introduced themselves: of those that are started by their first call it is known before what they have, and
   * those whose spec names no dialect are not asked for it every time.
   * @default nothing is known of any
   */
  readonly manifestCache?: ManifestCache;
  /** Where each plugin gets a log file; without it logs are kept in memory alone. */
  readonly logFolder?: string;
  /** What arguments are held against schemas with. @default one of its own */
  readonly checks?: SchemaChecks;
  /** What is kept or shown of plugins is masked by it; it learns what their specs hold and refer to. @default one of its own */
  readonly secrets?: Secrets;
  /** Where tokens are kept and who is asked, for servers that want to know who asks; without it they are not reached. */
  readonly access?: Access;
  /**
   * Plugins may ask their callers something (`asker` of a call): they are offered it, and questions are passed on.
   * @default false
   */
  readonly relaysQuestions?: boolean;
  /**
   * What planners may ask of this host: the tasks of their plans, and verdicts on code.
   * @default nothing: such requests get the error "method not found"
   */
  readonly work?: HostWork;
}

export interface Fleet {
  readonly plugins: readonly Plugin[];
  /** @throws PluglotError UNKNOWN_PLUGIN */
  plugin(name: string): Plugin;
  /** @throws PluglotError CONFIG_INVALID when the name is taken, PLUGIN_STOPPED when the fleet is closed */
  add(spec: PluginSpec): Plugin;
  /** Stops a plugin and forgets it. */
  remove(name: string): Promise<void>;
  /** Starts all but the lazy ones; resolves when each is ready or could not be started, and never rejects. */
  start(): Promise<void>;
  /** Hears of every change from now on; the returned function ends that. */
  onEvent(listener: (event: FleetEvent) => void): () => void;
  /** Stops all plugins for good. */
  close(): Promise<void>;
}

export type FleetEvent =
  | PluginEvent
  | { readonly kind: 'plugin-added' | 'plugin-removed'; readonly plugin: string };

export function createFleet(options: FleetOptions): Fleet {
  const environment = environmentOf(options);
  const plugins = new Map<string, Plugin>();
  const events = new Emitter<FleetEvent>();
  const unfollow = new Map<Plugin, () => void>();
  // Only while there are listeners: a busy fleet has many calls.
  const follow = (plugin: Plugin) => {
    if (events.isHeard && !unfollow.has(plugin))
      unfollow.set(
        plugin,
        plugin.onEvent((event) => events.emit(event)),
      );
  };
  let closed = false;
  const add = (spec: PluginSpec) => {
    if (closed)
      throw new PluglotError('PLUGIN_STOPPED', `The fleet is closed: it takes no plugin "${spec.name}".`);
    if (/__|_$/.test(spec.name))
      throw new PluglotError(
        'CONFIG_INVALID',
        `A plugin cannot be called "${spec.name.slice(0, 100)}": "__" and a "_" at the end divide plugin__tool. Give it another name.`,
      );
    if (plugins.has(spec.name))
      throw new PluglotError(
        'CONFIG_INVALID',
        `There are two plugins of the name "${spec.name}". Give one another name.`,
      );
    const plugin = new Plugin(spec, environment);
    plugins.set(spec.name, plugin);
    follow(plugin);
    events.emit({ kind: 'plugin-added', plugin: spec.name });
    return plugin;
  };
  const pluginOf = (name: string) => {
    const plugin = plugins.get(name);
    if (plugin === undefined) throw unknownPlugin(name, plugins.keys());
    return plugin;
  };
  for (const spec of options.specs ?? []) add(spec);
  return {
    get plugins() {
      return [...plugins.values()];
    },
    plugin: pluginOf,
    add,
    async remove(name) {
      const plugin = pluginOf(name);
      plugins.delete(name);
      await plugin.close();
      events.emit({ kind: 'plugin-removed', plugin: name });
      unfollow.get(plugin)?.();
      unfollow.delete(plugin);
    },
    async start() {
      const eager = [...plugins.values()].filter(({ spec }) => spec.lazy !== true);
      await Promise.allSettled(eager.map((plugin) => plugin.start()));
    },
    onEvent(listener) {
      const endListening = events.add(listener);
      for (const plugin of plugins.values()) follow(plugin);
      return () => {
        endListening();
        if (events.isHeard) return;
        for (const end of unfollow.values()) end();
        unfollow.clear();
      };
    },
    async close() {
      closed = true;
      await Promise.all([...plugins.values()].map((plugin) => plugin.close()));
    },
  };
}

function environmentOf(options: FleetOptions): FleetEnvironment {
  const random = options.random ?? Math.random;
  let calls = 0;
  return {
    launcher: options.launcher,
    clock: options.clock ?? systemClock,
    takeTurn: createTurns(),
    random,
    dialects: options.dialects ?? hostDialects,
    checks: options.checks ?? new SchemaChecks(),
    secrets: options.secrets ?? createSecrets(),
    idPrefix: Math.floor(random() * 36 ** 6)
      .toString(36)
      .padStart(6, '0'),
    nextCallNumber: () => (calls += 1),
    ...(options.detect === undefined ? {} : { detect: options.detect }),
    ...(options.manifestCache === undefined ? {} : { manifestCache: options.manifestCache }),
    ...(options.logFolder === undefined ? {} : { logFolder: options.logFolder }),
    ...(options.access === undefined ? {} : { access: options.access }),
    ...(options.relaysQuestions === true ? { relaysQuestions: true } : {}),
    ...(options.work === undefined ? {} : { work: options.work }),
  };
}

function unknownPlugin(name: string, known: Iterable<string>): PluglotError {
  const names = [...known];
  const hint = didYouMean(name, names) || (names.length === 0 ? ' There are none.' : '');
  return new PluglotError('UNKNOWN_PLUGIN', `There is no plugin "${name.slice(0, 100)}".${hint}`);
}
