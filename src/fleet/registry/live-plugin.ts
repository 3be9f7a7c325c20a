// A plugin that is exposed, wherever it runs.
import { isDeepStrictEqual } from 'node:util';
import { late, within } from '../../base/async.ts';
import { Emitter } from '../../base/emitter.ts';
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Call, CallOptions } from '../../definition/call.ts';
import type { Definition } from '../../definition/definition.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { CallDescription } from '../../definition/outcome.ts';
import type { CommandsPort, PluginPort, ServedPort } from '../../definition/plugin-port.ts';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import { runDefinition } from '../../definition/run/run-definition.ts';
import type { Tool } from '../../definition/tool.ts';
import { joinedManifest } from '../bridge/joined-manifest.ts';
import type { Fleet } from '../fleet.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { Talk } from '../plugin/talk.ts';
import type { PluginOrigin } from './contract.ts';
import type { InProcessCall, InProcessHost } from './in-process-calls.ts';
import { InProcessTalks } from './in-process-talks.ts';

export interface LivePlugin {
  /** As it is now. */
  readonly manifest: Manifest;
  /** Why it does not work now, though it is exposed. */
  readonly failure?: PluglotError | undefined;
  readonly process?: Plugin;
  /** Its process was taken out of the fleet: it has to be exposed again. */
  readonly isOver?: boolean;
  call(tool: string, args: JsonObject, options?: CallOptions): Call;
  /** A conversation that begins with a call. Undefined: it holds none. */
  readonly talk?: (tool: string, args: JsonObject, options?: CallOptions) => Talk;
  run(command: string, args: JsonObject, options?: CallOptions): Call;
  /** Never rejects. */
  complete(command: string, parameter: string, typed: string): Promise<readonly string[]>;
  /** Never rejects. */
  describe?(tool: string, args: JsonObject): Promise<CallDescription | undefined>;
  /** A tool that its manifest does not list, where there may be one. */
  findUnlisted?(tool: string): Tool | undefined;
  /** Called when the manifest has changed; the returned function ends it. */
  onChanged(listener: () => void): () => void;
  /** Takes it down. Never rejects. */
  stop(): Promise<void>;
}

/** Where a plugin comes from, before it is exposed. */
export interface PluginSource {
  readonly origin: PluginOrigin;
  /** What is configured for it; what it is exposed with goes on top. */
  readonly config?: JsonObject | undefined;
  /** Whether clients are offered it. @default true */
  readonly clients?: boolean | undefined;
  /** What is known of it before it runs. */
  readonly manifest?: Manifest | undefined;
  /** Makes the manifest known without setting the plugin up. Undefined: only a start does. */
  readonly load?: () => Promise<unknown>;
  /** The plugin of the fleet that is exposed by a start, where there is one already. */
  readonly process?: Plugin | undefined;
  /** It is started by its first call, and its tools are not known yet. */
  readonly isUnseen?: boolean;
  /**
   * The signal gives it up.
   * @throws PluglotError why it cannot be set up; nothing of it is left then
   */
  start(config: JsonObject, signal: AbortSignal): Promise<LivePlugin>;
}

/**
 * Adds it to the fleet for as long as it is exposed. A plugin that the fleet has already stays there.
 * @throws PluglotError why it cannot be started; a plugin that was added is removed then
 */
export async function startProcess(
  spec: PluginSpec,
  fleet: Fleet,
  config: JsonObject,
  signal: AbortSignal,
): Promise<LivePlugin> {
  const present = fleet.plugins.find(({ name }) => name === spec.name);
  if (present !== undefined) return startRegistered(present, config, signal, fleet);
  const isConfigured = spec.config !== undefined || Object.keys(config).length > 0;
  const plugin = fleet.add(isConfigured ? { ...spec, config } : spec);
  const leave = async () => {
    if (fleet.plugins.includes(plugin)) await fleet.remove(plugin.name);
  };
  try {
    await untilAborted(plugin, signal, () => startOnce(plugin));
  } catch (error) {
    await leave();
    throw error;
  }
  return liveProcess(plugin, leave, fleet);
}

/** A plugin that others have added to a fleet stays in it, stopped, when it is not exposed any more. */
export async function startRegistered(
  plugin: Plugin,
  config: JsonObject,
  signal: AbortSignal,
  fleet?: Pick<Fleet, 'plugins'>,
): Promise<LivePlugin> {
  const isSame = Object.keys(config).length === 0 || isDeepStrictEqual(config, plugin.spec.config);
  try {
    await untilAborted(plugin, signal, () => (isSame ? startOnce(plugin) : plugin.configure(config)));
  } catch (error) {
    await plugin.stop();
    throw error;
  }
  return liveProcess(plugin, () => plugin.stop(), fleet);
}

/** A lazy plugin is started once to learn what it has, then rests until its first call. */
async function startOnce(plugin: Plugin): Promise<void> {
  if (plugin.spec.lazy !== true) return void (await plugin.start());
  if (plugin.manifest !== undefined) return;
  await plugin.start();
  void plugin.rest();
}

async function untilAborted(
  plugin: Plugin,
  signal: AbortSignal,
  start: () => Promise<unknown>,
): Promise<void> {
  const giveUp = () => void plugin.stop();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const started = start();
    if (signal.aborted) giveUp();
    await started;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function liveProcess(plugin: Plugin, leave: () => Promise<void>, fleet?: Pick<Fleet, 'plugins'>): LivePlugin {
  const identity = { name: plugin.name, version: '0.0.0' };
  const changes = new Emitter<void>();
  // A model calls a facet like any tool.
  const current = () => joinedManifest([plugin], identity, { facets: true });
  let manifest = current();
  // A restarted process sends its manifest again, mostly unchanged.
  const unfollow = plugin.onEvent(({ kind }) => {
    if (kind !== 'tools-changed') return;
    const now = current();
    if (isDeepStrictEqual(now, manifest)) return;
    manifest = now;
    changes.emit();
  });
  return {
    get manifest() {
      return manifest;
    },
    get failure() {
      return failureOf(plugin);
    },
    process: plugin,
    get isOver() {
      return fleet !== undefined && !fleet.plugins.includes(plugin);
    },
    call: (tool, args, options) => plugin.call(tool, args, options),
    talk: (tool, args, options) => plugin.talk(tool, args, options),
    // No dialect has commands.
    run: (command, args, options) => plugin.call(command, args, options),
    complete: () => Promise.resolve([]),
    findUnlisted: (tool) => plugin.findTool(tool),
    onChanged: (listener) => changes.add(listener),
    async stop() {
      unfollow();
      await leave();
    },
  };
}

function failureOf(plugin: Plugin): PluglotError | undefined {
  const { state, reason } = plugin.status;
  return state === 'failed' || state === 'backoff' || state === 'unhealthy' ? reason : undefined;
}

export interface InProcessPlugin {
  /** As the user knows it, whatever it calls itself. */
  readonly name: string;
  readonly limits?: PluginLimits | undefined;
  readonly host: InProcessHost;
}

/** @throws PluglotError why it cannot be set up; it was taken down then */
export async function startDefinition(
  given: Definition,
  plugin: InProcessPlugin,
  config: JsonObject,
  signal: AbortSignal,
): Promise<LivePlugin> {
  const { name, host } = plugin;
  const definition = given.name === name ? given : { ...given, name };
  const backend = runDefinition(definition, host.pluginHost(name));
  await setUp(backend, plugin, config, signal);
  const limits = host.limits(plugin.limits);
  // Who names a limit watches it itself.
  const limitFor = (list: readonly { name: string; timeoutMs?: number }[]) => {
    const own = new Set(list.flatMap((one) => (one.timeoutMs === undefined ? [] : one.name)));
    return (called: string) => (own.has(called) ? Infinity : limits.callMs);
  };
  const toolLimit = limitFor(definition.tools);
  const commandLimit = limitFor(definition.commands);
  const toolCall = (tool: string, args: JsonObject, options: CallOptions | undefined): InProcessCall => ({
    what: `Tool "${tool.slice(0, 100)}" of plugin "${name}"`,
    name: tool,
    args,
    options,
    limitMs: toolLimit(tool),
    messageBytes: limits.messageBytes,
    begin: (request, sink) => backend.call(request, sink),
  });
  const talks =
    backend.talk && new InProcessTalks({ plugin: name, host, limits, input: backend.talk, toolCall });
  return {
    get manifest() {
      return backend.manifest;
    },
    call: (tool, args, options) => host.calls.open(toolCall(tool, args, options)),
    ...(talks !== undefined && { talk: (tool, args, options) => talks.talk(tool, args, options) }),
    run: (command, args, options?: CallOptions) =>
      host.calls.open({
        what: `Command "${command.slice(0, 100)}" of plugin "${name}"`,
        name: command,
        args,
        options,
        limitMs: commandLimit(command),
        messageBytes: limits.messageBytes,
        begin: (request, sink) => (backend.commands ?? noCommands).run(request, sink),
      }),
    complete: (command, parameter, typed) => completions(backend, host, command, parameter, typed),
    describe: async (tool, args) => backend.describe?.(tool, args),
    onChanged: (listener) => backend.onManifestChanged(listener),
    stop() {
      talks?.stop();
      return backend.teardown();
    },
  };
}

async function setUp(
  backend: ServedPort,
  { name, limits, host }: InProcessPlugin,
  config: JsonObject,
  signal: AbortSignal,
): Promise<void> {
  const { startMs } = host.limits(limits);
  // Which gives the setup up too.
  const giveUp = () => void backend.teardown();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    if (signal.aborted) giveUp();
    const done = await within(backend.setup(config), startMs, host.clock);
    if (done === late) throw tookTooLong(name, startMs);
  } catch (thrown) {
    await backend.teardown();
    throw failureAsError(thrown, `Plugin "${name}" could not be set up`);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

export function tookTooLong(name: string, startMs: number): PluglotError {
  return new PluglotError(
    'START_TIMEOUT',
    `Plugin "${name}" was not set up within ${startMs} ms. Give it more time: limits.startMs.`,
  );
}

/** An error of author code does not name the plugin. */
export function failureAsError(thrown: unknown, what: string): PluglotError {
  if (thrown instanceof PluglotError) return thrown;
  return new PluglotError('START_FAILED', `${what}: ${toError(thrown).message}`, { cause: thrown });
}

/** The user is typing meanwhile. */
const COMPLETE_MS = 2000;
const COMPLETIONS_MAX = 1000;

async function completions(
  { commands }: PluginPort,
  { clock }: InProcessHost,
  command: string,
  parameter: string,
  typed: string,
): Promise<readonly string[]> {
  if (commands === undefined) return [];
  const found = await within(commands.complete(command, parameter, typed), COMPLETE_MS, clock);
  return found === late ? [] : found.slice(0, COMPLETIONS_MAX);
}

const noCommands: Pick<CommandsPort, 'run'> = {
  run(request, sink) {
    sink.end({
      ok: false,
      error: { code: 'UNKNOWN_TOOL', message: `There is no command "${request.tool.slice(0, 100)}".` },
    });
    return { cancel: () => 'free' };
  },
};
