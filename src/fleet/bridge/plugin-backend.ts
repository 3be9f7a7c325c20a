// Plugins of the fleet behind an author end, so that a plugin of any dialect can be served in another.
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import { PluglotError } from '../../base/error.ts';
import { defined, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { sentences } from '../../base/text.ts';
import { within } from '../../base/async.ts';
import type { PluginPort, RunningCall, ServedPort, SetupResult } from '../../definition/plugin-port.ts';
import type { Health } from '../../definition/manifest.ts';
import type { CallFailure, CallRequest, CallSink } from '../../definition/outcome.ts';
import type { ContextUpdate, FileType, Support } from '../../definition/plan.ts';
import { limitedHealth } from '../../definition/run/facets.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { Plugin } from '../plugin/plugin.ts';
import {
  type Ask,
  askWhenFound,
  Conversations,
  asToolFailure,
  optionsFor,
  passOn,
  refuse,
} from './conversations.ts';
import { exposedTool } from './exposed-tools.ts';
import { joinedManifest, type Identity } from './joined-manifest.ts';

interface BridgeOptions {
  /** The name of several plugins together. */
  readonly together: Identity;
  readonly clock: Clock;
  /** For messages to the host that belong to no call. */
  log(entry: LogEntry): void;
}

/** Plugins without a manifest are left out until they have one. */
export function pluginBackend(plugins: readonly Plugin[], options: BridgeOptions): ServedPort {
  const conversations = new Conversations();
  const changes = new Emitter<void>();
  const manifest = () => joinedManifest(plugins, options.together);
  const unwatch = watchManifest(plugins, manifest, () => changes.emit());
  const ask: Ask = (question, sink) => {
    conversations.leave();
    return passOn(question(), sink);
  };
  return {
    get manifest() {
      return manifest();
    },
    onManifestChanged: (listener) => changes.add(listener),
    setup: (config) => configurePlugins(plugins, config, (entry) => options.log(entry)),
    call: (request, sink) => call(plugins, conversations, ask, request, sink),
    get talk() {
      return plugins.some(({ manifest }) => manifest?.talks === true) ? conversations : undefined;
    },
    get extractor() {
      return extractorOf(plugins, ask);
    },
    get planner() {
      return plannerOf(plugins, ask);
    },
    get executor() {
      return executorOf(plugins, ask);
    },
    updateContext(update, sink) {
      conversations.leave();
      void updateContext(plugins, update).then((failure) =>
        sink.end(failure === undefined ? { ok: true } : { ok: false, error: failure }),
      );
      return { cancel: () => 'occupied' };
    },
    health: () => limitedHealth(manifest().name, () => healthOf(plugins), options.clock),
    async teardown() {
      unwatch();
      conversations.end();
      await within(Promise.all(plugins.map((plugin) => plugin.stop())), TEARDOWN_MS, options.clock);
    },
  };
}

/** After this the owner of the processes ends them. */
const TEARDOWN_MS = 4500;

/** A restarted plugin sends its manifest again, mostly unchanged. */
function watchManifest(plugins: readonly Plugin[], manifest: () => unknown, changed: () => void): () => void {
  let before = JSON.stringify(manifest());
  const look = () => {
    const now = JSON.stringify(manifest());
    if (now === before) return;
    before = now;
    changed();
  };
  const unwatch = plugins.map((plugin) =>
    plugin.onEvent(({ kind }) => {
      if (kind === 'tools-changed') look();
    }),
  );
  return () => {
    for (const end of unwatch) end();
  };
}

function call(
  plugins: readonly Plugin[],
  conversations: Conversations,
  ask: Ask,
  request: CallRequest,
  sink: CallSink,
): RunningCall {
  const found = exposedTool(plugins, request.tool);
  if ('code' in found) return refuse(found, sink);
  const { plugin, tool } = found;
  if (plugin.manifest?.talks === true) return conversations.begin(plugin, tool, request, sink);
  return ask(() => plugin.call(tool, request.args, optionsFor(plugin, request)), sink);
}

async function healthOf(plugins: readonly Plugin[]): Promise<Health> {
  const [first, ...others] = plugins;
  if (first !== undefined && others.length === 0) return first.health();
  const asked = await Promise.all(
    plugins.map(async (plugin) => ({ name: plugin.name, health: await plugin.health() })),
  );
  const worst = order.find((status) => asked.some(({ health }) => health.status === status)) ?? 'ok';
  const unwell = asked.filter(({ health }) => health.status !== 'ok');
  return {
    status: worst,
    ...(unwell.length > 0 && {
      message: unwell.map(({ name, health }) => `${name}: ${health.message ?? health.status}`).join('; '),
    }),
    details: Object.fromEntries(asked.map(({ name, health }) => [name, asJson(health)])),
  };
}

const order = ['error', 'degraded', 'ok'] as const;

function asJson({ status, message, details }: Health): JsonObject {
  return defined({ status, message, details });
}

function plannerOf(plugins: readonly Plugin[], ask: Ask): PluginPort['planner'] {
  const plugin = plugins.find(({ manifest }) => manifest?.planner === true);
  if (plugin === undefined) return undefined;
  return {
    createPlan: (request, sink, info) =>
      ask(() => plugin.createPlan(request, optionsFor(plugin, info)), sink),
  };
}

function executorOf(plugins: readonly Plugin[], ask: Ask): PluginPort['executor'] {
  const plugin = plugins.find(({ manifest }) => manifest?.executor !== undefined);
  if (plugin === undefined) return undefined;
  return {
    executeTask: (request, sink, info) =>
      ask(() => plugin.executeTask(request, optionsFor(plugin, info)), sink),
    validateCode: (request, sink, info) =>
      ask(() => plugin.validateCode(request, optionsFor(plugin, info)), sink),
  };
}

/** Notifies all plugins that keep a context. @returns the first failure */
async function updateContext(
  plugins: readonly Plugin[],
  update: ContextUpdate,
): Promise<CallFailure | undefined> {
  const keepers = plugins.filter(({ manifest }) => manifest?.keepsContext === true);
  const outcomes = await Promise.all(keepers.map((plugin) => plugin.updateContext(update).outcome));
  const failed = outcomes.find(({ ok }) => !ok);
  return failed === undefined || failed.ok ? undefined : asToolFailure(failed.error);
}

function extractorOf(plugins: readonly Plugin[], ask: Ask): PluginPort['extractor'] {
  const extractors = plugins.filter(({ manifest }) => manifest?.extractor !== undefined);
  const [first, ...others] = extractors;
  if (first === undefined) return undefined;
  return {
    async supports(type) {
      return (await surest(extractors, type)).support;
    },
    extract(request, sink, info) {
      const { type = {} } = request;
      const extract = (plugin: Plugin) => plugin.extract(request, optionsFor(plugin, info));
      // A single plugin reports itself what it does not support.
      if (others.length === 0) return ask(() => extract(first), sink);
      const found = surest(extractors, type).then(({ plugin }) =>
        plugin === undefined ? unsupported(type) : () => extract(plugin),
      );
      return askWhenFound(ask, found, sink);
    },
  };
}

async function surest(
  extractors: readonly Plugin[],
  type: FileType,
): Promise<{ readonly plugin?: Plugin; readonly support: Support }> {
  const asked = await Promise.all(
    extractors.map(async (plugin) => ({ plugin, support: await supportOf(plugin, type) })),
  );
  const [best] = asked
    .filter(({ support }) => support.supported)
    .toSorted((one, other) => other.support.confidence - one.support.confidence);
  return best ?? { support: none };
}

/** A plugin that fails to answer supports nothing. */
async function supportOf(plugin: Plugin, type: FileType): Promise<Support> {
  try {
    return await plugin.supports(type);
  } catch {
    return none;
  }
}

const none: Support = { supported: false, confidence: 0 };

function unsupported({ mimeType, extension }: FileType): CallFailure {
  const what = [mimeType, extension].filter((part) => part !== undefined).join(', ') || 'an unknown type';
  return { code: 'UNSUPPORTED', message: `No plugin takes files of ${what}.`, reason: 'UnsupportedFormat' };
}

/** One plugin gets all of it; several get the object under their name. It extends their own configuration; an empty one changes nothing. */
async function configurePlugins(
  plugins: readonly Plugin[],
  config: JsonObject,
  log: (entry: LogEntry) => void,
): Promise<SetupResult> {
  const [first, ...others] = plugins;
  if (first !== undefined && others.length === 0) {
    await configureOne(first, config, log);
    return resultOf(first.manifest?.configApplied);
  }
  await Promise.all(
    partsOf(plugins, config).map(({ plugin, config: part }) => configureOne(plugin, part, log)),
  );
  const applied = plugins.flatMap(({ name, manifest }) =>
    manifest?.configApplied === undefined ? [] : [[name, manifest.configApplied] as const],
  );
  return resultOf(applied.length === 0 ? undefined : Object.fromEntries(applied));
}

function partsOf(plugins: readonly Plugin[], config: JsonObject) {
  return Object.entries(config).map(([name, part]) => {
    const plugin = plugins.find((each) => each.name === name);
    if (plugin !== undefined && isJsonObject(part)) return { plugin, config: part };
    const names = plugins.map((each) => each.name).join(', ');
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      `The configuration of several plugins has an object for each by its name (${names}); "${name.slice(0, 100)}" is not one.`,
    );
  });
}

async function configureOne(
  plugin: Plugin,
  config: JsonObject,
  log: (entry: LogEntry) => void,
): Promise<void> {
  if (Object.keys(config).length === 0) return;
  try {
    await plugin.configure({ ...plugin.spec.config, ...config });
  } catch (error) {
    if (!(error instanceof PluglotError) || error.code !== 'UNSUPPORTED') throw error;
    log({ level: 'warn', message: sentences(error.message, 'What the host configured was left out.') });
  }
}

function resultOf(configApplied: Json | undefined): SetupResult {
  return defined({ configApplied });
}
