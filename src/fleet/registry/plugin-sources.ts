// Every kind of plugin as a PluginSource: it is started with a configuration and then answers calls.
import { pathToFileURL } from 'node:url';
import { deferred, late, within } from '../../base/async.ts';
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { sentence, sentences } from '../../base/text.ts';
import type { Definition } from '../../definition/definition.ts';
import { failureOf } from '../../definition/failure.ts';
import type { Manifest } from '../../definition/manifest.ts';
import { manifestOf } from '../../definition/run/manifest.ts';
import { isRecord } from '../../definition/fields.ts';
import type { LogLevel } from '../../definition/tool.ts';
import type { ModuleSpec } from '../discovery/candidate.ts';
import type { Discovery, Found, FoundModule } from '../discovery/discover.ts';
import { withManifestBeside } from '../discovery/manifest-folders.ts';
import type { Fleet } from '../fleet.ts';
import type { Plugin } from '../plugin/plugin.ts';
import { readPinned } from '../supervisor/launcher.ts';
import { hashFile } from '../trust/files.ts';
import type { Trust } from '../trust/trust-store.ts';
import { type Conforming, conforming, definitionOfToolPlugin, type ToolPlugin } from './tool-plugin.ts';
import type { PluginOrigin, RegisteredSettings } from './contract.ts';
import type { InProcessHost } from './in-process-calls.ts';
import {
  failureAsError,
  type InProcessPlugin,
  type LivePlugin,
  type PluginSource,
  startDefinition,
  startProcess,
  startRegistered,
  tookTooLong,
} from './live-plugin.ts';

/** A plugin that was registered as an object. */
export function conformingSource(
  made: Conforming,
  name: string,
  host: InProcessHost,
  origin: PluginOrigin,
  settings: () => RegisteredSettings = () => ({}),
): PluginSource {
  return {
    origin,
    ...(made.kind === 'definition' && { manifest: manifestOf(made.definition) }),
    get config() {
      return settings().config;
    },
    get clients() {
      return settings().clients;
    },
    start: (config, signal) =>
      startConforming(made, { name, limits: settings().limits, host }, config, signal),
  };
}

/** A definition that is loaded when it is first needed. */
export function deferredSource(
  name: string,
  load: () => Promise<Definition>,
  host: InProcessHost,
  origin: PluginOrigin,
  settings: () => RegisteredSettings = () => ({}),
): PluginSource {
  let loading: Promise<Definition> | undefined;
  let manifest: Manifest | undefined;
  const loaded = async () => {
    loading ??= load();
    const definition = await loading;
    manifest ??= manifestOf(definition);
    return definition;
  };
  return {
    origin,
    get manifest() {
      return manifest;
    },
    get config() {
      return settings().config;
    },
    get clients() {
      return settings().clients;
    },
    load: loaded,
    async start(config, signal) {
      return startDefinition(await loaded(), { name, limits: settings().limits, host }, config, signal);
    },
  };
}

/** A plugin that a fleet has already. */
export function registeredSource(plugin: Plugin): PluginSource {
  return {
    origin: 'process',
    config: plugin.spec.config,
    clients: plugin.spec.clients,
    process: plugin,
    get isUnseen() {
      return plugin.spec.lazy === true && plugin.manifest === undefined;
    },
    start: (config, signal) => startRegistered(plugin, config, signal),
  };
}

/** A plugin that was found with a program or an address. */
export function processSource(
  { spec }: Found,
  fleet: Fleet,
  checkAgain: Discovery['checkAgain'],
): PluginSource {
  return {
    origin: 'process',
    config: spec.config,
    clients: spec.clients,
    get process() {
      return fleet.plugins.find(({ name }) => name === spec.name);
    },
    get isUnseen() {
      return spec.lazy === true && this.process?.manifest === undefined;
    },
    async start(config, signal) {
      const trust = await checkAgain(spec.name);
      if (trust?.trusted !== true)
        throw new PluglotError(
          'NOT_TRUSTED',
          trust === undefined
            ? `Plugin "${spec.name}" may not be run: it is not configured any more.`
            : `Plugin "${spec.name}" may not be run: ${sentences(trust.reason, trust.wayOut)}`,
        );
      return startProcess(await withManifestBeside(spec), fleet, config, signal);
    },
  };
}

/** A plugin that was found as a module. */
export function moduleSource(
  { module }: FoundModule,
  { host, load, checkAgain }: { host: InProcessHost; load: LoadModule; checkAgain: Discovery['checkAgain'] },
): PluginSource {
  const { name, config, limits, clients } = module;
  return {
    origin: 'in-process',
    config,
    clients,
    async start(merged, signal) {
      const made = await loadPlugin(module, { host, load, check: () => checkAgain(name) });
      return startConforming(made, { name, limits, host }, merged, signal);
    },
  };
}

function startConforming(
  made: Conforming,
  plugin: InProcessPlugin,
  ...[config, signal]: Parameters<PluginSource['start']>
): Promise<LivePlugin> {
  return made.kind === 'definition'
    ? startDefinition(made.definition, plugin, config, signal)
    : startToolPlugin(made.object, plugin, config, signal);
}

const SHUTDOWN_MS = 5000;

/** @throws PluglotError why it cannot be set up; it was shut down then */
async function startToolPlugin(
  object: ToolPlugin,
  plugin: InProcessPlugin,
  config: JsonObject,
  signal: AbortSignal,
): Promise<LivePlugin> {
  let definition: Definition;
  try {
    await initialise(object, plugin, config, signal);
    definition = definitionOfToolPlugin(object, plugin.name);
  } catch (thrown) {
    await shutDown(object, plugin);
    throw failureAsError(thrown, `Plugin "${plugin.name}" could not be initialised`);
  }
  return startDefinition(definition, plugin, {}, signal);
}

async function initialise(
  object: ToolPlugin,
  { name, limits, host }: InProcessPlugin,
  config: JsonObject,
  signal: AbortSignal,
): Promise<void> {
  const { startMs } = host.limits(limits);
  const givenUp = deferred<never>();
  const giveUp = () => givenUp.reject(new PluglotError('PLUGIN_STOPPED', `Plugin "${name}" ends.`));
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    if (signal.aborted) giveUp();
    const started = (async () => object.initialize?.(config))();
    const done = await within(Promise.race([started, givenUp.promise]), startMs, host.clock);
    if (done === late) throw tookTooLong(name, startMs);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function shutDown(object: ToolPlugin, { name, host }: InProcessPlugin): Promise<void> {
  const pluginHost = host.pluginHost(name);
  const log = (level: LogLevel, message: string) => pluginHost.log({ level, message });
  try {
    const down = await within((async () => object.shutdown?.())(), SHUTDOWN_MS, host.clock);
    if (down === late) log('warn', `The shutdown of plugin "${name}" takes longer than ${SHUTDOWN_MS} ms.`);
  } catch (thrown) {
    log('error', `The shutdown of plugin "${name}" failed: ${failureOf(thrown).message}`);
  }
}

/** Gives what the file exports. `sha256` is that of the file as it is now: another one is another module. */
export type LoadModule = (file: string, sha256: string) => Promise<unknown>;

/** Node keeps a module for ever under its address, so a changed file needs another one. */
export const importModule: LoadModule = (file, sha256) =>
  import(/* @vite-ignore */ `${pathToFileURL(file).href}?sha256=${sha256.slice(0, 16)}`) as Promise<unknown>;

interface ModuleParts {
  readonly host: InProcessHost;
  readonly load: LoadModule;
  /** Whether it may be loaded as it is now. */
  readonly check: () => Promise<Trust | undefined>;
}

/** @throws PluglotError NOT_TRUSTED, START_FAILED, START_TIMEOUT, DEFINITION_INVALID */
async function loadPlugin(
  { name, file, factory, limits }: ModuleSpec,
  { host, load, check }: ModuleParts,
): Promise<Conforming> {
  const hashed = await hashFile(file);
  if (hashed.kind !== 'read') {
    const why = hashed.kind === 'absent' ? 'is not there' : hashed.reason;
    throw new PluglotError('START_FAILED', `Plugin "${name}" cannot be loaded: ${file} ${sentence(why)}`);
  }
  // The last that happens before it is loaded.
  const trust = await check();
  if (trust?.trusted !== true)
    throw new PluglotError(
      'NOT_TRUSTED',
      trust === undefined
        ? `Plugin "${name}" may not be loaded: nothing is known of ${file} any more.`
        : `Plugin "${name}" may not be loaded: ${sentences(trust.reason, trust.wayOut)}`,
    );
  const files = await readPinned(name, trust.pinned ?? [], false);
  const loadAsTrusted: LoadModule = async (...asked) => {
    const exported = await load(...asked);
    await files.confirm();
    return exported;
  };
  const { startMs } = host.limits(limits);
  const made = await within(make(file, hashed.sha256, factory, loadAsTrusted, name), startMs, host.clock);
  if (made === late) throw tookTooLong(name, startMs);
  return conforming(made, `What ${factory}() of ${file} gives`);
}

async function make(
  file: string,
  sha256: string,
  factory: string,
  load: LoadModule,
  name: string,
): Promise<unknown> {
  const failed = (what: string) => (thrown: unknown) => {
    if (thrown instanceof PluglotError && thrown.code === 'NOT_TRUSTED') throw thrown;
    throw new PluglotError(
      'START_FAILED',
      `Plugin "${name}" cannot be loaded: ${what}: ${toError(thrown).message}`,
      {
        cause: thrown,
      },
    );
  };
  const exported = await load(file, sha256).catch(failed(file));
  const create = exportOf(exported, factory);
  if (typeof create !== 'function')
    throw new PluglotError(
      'DEFINITION_INVALID',
      `Plugin "${name}" cannot be loaded: ${file} exports no function ${factory}.`,
    );
  return (async (): Promise<unknown> => create.call(undefined))().catch(
    failed(`${factory}() of ${file} failed`),
  );
}

/** Of CommonJS all may be in the default export. */
function exportOf(exported: unknown, name: string): Function | undefined {
  if (!isRecord(exported)) return undefined;
  for (const from of [exported, exported['default']]) {
    if (!isRecord(from) || !(name in from)) continue;
    const found = from[name];
    if (typeof found === 'function') return found;
  }
  return undefined;
}
