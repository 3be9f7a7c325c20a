// The only place that wires the parts of a host: fleet, registry, gate, built-in plugins and configuration files.
import { systemClock } from '../base/clock.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { within } from '../base/async.ts';
import { discover, type Discovery } from '../fleet/discovery/discover.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Plugin } from '../fleet/plugin/plugin.ts';
import type { ConsoleLink } from './api.ts';
import { createFleetParts } from './fleet-parts.ts';
import { readOwnPlugins, type OwnPlugins } from './own-plugins.ts';
import type { FileChanges, StartAllOptions } from './lifecycle.ts';
import type { RuntimeOptions, RuntimeParts } from './runtime-parts.ts';
import type { LocalRuntimeApi } from './views/local-runtime.ts';

export type { RuntimeOptions } from './runtime-parts.ts';

/** The same interface as a host that is reached over HTTP (`connectRuntime`), and the parts it is made of. */
export interface Runtime extends LocalRuntimeApi, RuntimeParts {
  readonly tokens: RuntimeParts['tokens'];
  /** Reads the configuration: new plugins come into the fleet, stopped; those that are gone leave it. */
  look(): Promise<void>;
  /** The same, and idle plugins whose configuration changed are restarted with it. */
  followFiles(): Promise<FileChanges>;
  /** Starts all plugins and exposes each whenever it is ready. Resolves when each is exposed or has failed. */
  startAll(options?: StartAllOptions): Promise<void>;
  /** Sets a plugin in this process up again, unless the user has stopped it. */
  renewInProcess(name: string): Promise<void>;
  /** Where the console of this host is, and how to let browsers in. */
  useConsole(console: { readonly url: string; readonly link: () => ConsoleLink }): void;
  /** No process is left then. An abort of the signal gives the plugins a moment to end, then ends them. */
  close(signal?: AbortSignal): Promise<void>;
}

/**
 * Reads what is configured for the gate; finds and starts nothing yet: `look()` and `startAll()`, or `registry.discover()` and
 * `registry.exposeAll()` do.
 * @throws PluglotError CONFIG_INVALID when PLUGLOT_HOME is not an absolute path, or a plugin in `plugins` cannot be used
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { followsFiles = true, tracing = true, version = '0.0.0', traffic = false, approvals } = options;
  const own = await readOwnPlugins(options);
  const parts = createFleetParts(options, own.specs);
  const { fleet, launcher, checks } = parts;
  if (options.onMessage !== undefined) observeMessages(fleet, parts.secrets, options.onMessage);
  // The rest is loaded while they start; a failure is reported to the caller that needs the plugin.
  if (options.startsPlugins === true) for (const plugin of fleet.plugins) plugin.start().catch(() => {});
  const [{ wire }, { Project }, { Lifecycle }, { runtimeApi }] = await Promise.all([
    import('./wire.ts'),
    import('./project.ts'),
    import('./lifecycle.ts'),
    import('./views/local-runtime.ts'),
  ]);
  const files = fileReader(options, parts.trust);
  const made: { api?: LocalRuntimeApi } = {};
  const wired = await wire(
    {
      parts,
      fleet: checkedFleet(fleet, checks, () => files.last),
      servers: {
        async discover(registry) {
          await registry.discover();
          return files.last ?? files.read({ folders: true, packages: true }, []);
        },
      },
      discover: (choice, builtIns) => files.read(choice, builtIns),
    },
    {
      ...options,
      log(plugin, entry) {
        if (made.api?.isFollowed(plugin) !== true) options.log?.(plugin, entry);
      },
    },
  );
  const { registry, gate, folders, secrets, tokens } = wired;
  registerOwn(registry, own, fleet.plugins);
  if (tracing) gate.observe(await (await import('./tracing/call-tracing.ts')).callTracing());
  const isOwn = (name: string) => Object.hasOwn(options.plugins ?? {}, name);
  const project = new Project({ fleet, checks, isOwn });
  const lifecycle = new Lifecycle({
    fleet,
    registry,
    project,
    found: () => files.last,
    reloadGate: () => wired.reloadGate(),
    followsFiles,
  });
  const local = runtimeApi(wired, {
    version,
    lifecycle,
    traffic,
    asksBuiltIns: options.builtIns !== 'by-name',
    ...(options.caller && { caller: options.caller }),
    ...(approvals && { approvals }),
  });
  made.api = local;
  let page: { readonly url: string; readonly link: () => ConsoleLink } | undefined;
  return {
    ...local,
    registry,
    gate,
    fleet,
    folders,
    secrets,
    tokens,
    sandbox: () => wired.sandbox(),
    onLog: (listener) => wired.onLog(listener),
    reloadGate: () => wired.reloadGate(),
    get problems() {
      return wired.problems;
    },
    get found() {
      return wired.found;
    },
    look: () => lifecycle.look(),
    followFiles: () => lifecycle.followFiles(),
    startAll: (choice) => lifecycle.startAll(choice),
    renewInProcess: (name) => lifecycle.renewInProcess(name),
    health: async () => ({ ...(await local.health()), ...(page !== undefined && { console: page.url }) }),
    consoleLink: async () => page?.link() ?? local.consoleLink(),
    useConsole: (console) => (page = console),
    async close(signal) {
      lifecycle.close();
      const closed = Promise.all([local.close(), wired.close(), fleet.close()]);
      if (signal === undefined) await closed;
      else {
        await Promise.race([closed, abortOf(signal)]);
        await within(closed, PATIENCE_MS, systemClock);
      }
      // Ends the processes that are left.
      await launcher.close();
      await closed;
    },
  };
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** How long plugins get to end in order once the signal is aborted. */
const PATIENCE_MS = 1500;

function observeMessages(
  fleet: Fleet,
  secrets: Secrets,
  onMessage: NonNullable<RuntimeOptions['onMessage']>,
): void {
  const observe = (plugin: Plugin) =>
    plugin.observe((direction, message) =>
      onMessage({ plugin: plugin.name, isOnly: fleet.plugins.length === 1, direction, message, secrets }),
    );
  for (const plugin of fleet.plugins) observe(plugin);
  fleet.onEvent(({ kind, plugin }) => {
    if (kind === 'plugin-added') observe(fleet.plugin(plugin));
  });
}

interface FileReader {
  readonly last: Discovery | undefined;
  read(
    choice: { readonly folders: boolean; readonly packages: boolean },
    builtIns: readonly string[],
  ): Promise<Discovery>;
}

function fileReader(
  options: RuntimeOptions,
  trust: ReturnType<typeof createFleetParts>['trust'],
): FileReader {
  const { cwd, home, env, configFile, readsFiles = true, select = (found) => found } = options;
  const named = configFile === undefined ? {} : { configFile };
  let last: Discovery | undefined;
  return {
    get last() {
      return last;
    },
    async read({ folders: files, packages }, builtIns) {
      last = readsFiles
        ? select(await discover({ cwd, home, env, trust, builtIns, packages, files, ...named }))
        : nothing;
      return last;
    },
  };
}

const nothing: Discovery = {
  plugins: [],
  modules: [],
  names: [],
  problems: [],
  checkAgain: () => Promise.resolve(undefined),
};

/** A plugin that is started again days later is checked by the files that it was read from. */
function checkedFleet(
  fleet: Fleet,
  checks: Map<string, Discovery['checkAgain']>,
  last: () => Discovery | undefined,
): Fleet {
  return {
    ...fleet,
    get plugins() {
      return fleet.plugins;
    },
    add(spec) {
      const discovery = last();
      if (discovery !== undefined) checks.set(spec.name, discovery.checkAgain);
      return fleet.add(spec);
    },
  };
}

function registerOwn(
  registry: RuntimeParts['registry'],
  { definitions, specs }: OwnPlugins,
  plugins: readonly Plugin[],
): void {
  for (const { name, plugin } of definitions) registry.registerPlugin(plugin, { name });
  for (const { name } of specs) {
    const plugin = plugins.find((one) => one.name === name);
    if (plugin !== undefined) registry.registerPlugin(plugin);
  }
}
