// The registry: knows plugins, exposes them, and resolves names to what they have.
import { systemClock, type Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { DEFAULT_FRAME_LIMIT } from '../../base/units.ts';
import { oneByOne } from '../../base/async.ts';
import { createSecrets, type Secrets } from '../../secrets/secrets.ts';
import { isPluginName, PLUGIN_NAME } from '../../definition/plugin-spec.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { Discovery } from '../discovery/discover.ts';
import type { Fleet } from '../fleet.ts';
import { type Call, PendingCall } from '../../definition/call.ts';
import { Plugin } from '../plugin/plugin.ts';
import { redactLog } from '../plugin/redact.ts';
import { secretsOfConfig } from '../supervisor/environment.ts';
import { Catalogue, findingsOf, type KnownPlugin } from './catalogue.ts';
import { conforming } from './tool-plugin.ts';
import type {
  CallGate,
  DiscoverChoice,
  Executor,
  ExposureFailure,
  Registry,
  RegistryChange,
} from './contract.ts';
import { ExposedPlugins } from './exposed-plugins.ts';
import { Exposing } from './exposing.ts';
import { inProcessHost, type InProcessLimits } from './in-process-calls.ts';
import {
  conformingSource,
  deferredSource,
  importModule,
  type LoadModule,
  registeredSource,
} from './plugin-sources.ts';
import { NameResolver } from './resolve.ts';

export type * from './contract.ts';

export interface RegistryOptions {
  /** Where plugins with processes of their own live while they are exposed. It stays its owner's: close it after the registry. */
  readonly fleet: Fleet;
  /** Where programs are looked for that plugins in this process require: PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where plugins in this process keep what is theirs; the same as that of the launcher. */
  readonly stateFolder: string;
  /** Looks for plugins. @default there are none but those that are registered */
  readonly discover?: (choice: Required<DiscoverChoice>) => Promise<Discovery>;
  /** Loads a module that may be loaded. @default import() */
  readonly loadModule?: LoadModule;
  /** Which plugins in processes are believed that a tool of theirs needs no question. @default none */
  readonly trustsAutoApprove?: (plugin: string) => boolean;
  /** Of plugins in this process. */
  readonly limits?: Partial<InProcessLimits>;
  /** Masks what is kept or shown, and learns the secrets of configurations. The same as that of the fleet. @default one of its own */
  readonly secrets?: Secrets;
  /** For entries of plugins in this process that belong to no call, and for failures that no caller gets. @default they are dropped */
  readonly log?: (plugin: string, entry: LogEntry) => void;
  /** @default the real one */
  readonly clock?: Clock;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}

export function createRegistry(options: RegistryOptions): Registry {
  const { fleet, clock = systemClock, loadModule = importModule } = options;
  const { secrets = createSecrets() } = options;
  const log = (plugin: string, entry: LogEntry) => options.log?.(plugin, redactLog(entry, secrets));
  const nextCallId = callIds(options.random ?? Math.random);
  const host = inProcessHost({
    clock,
    env: options.env,
    stateFolder: options.stateFolder,
    limits: { ...usualLimits, ...options.limits },
    nextCallId,
    secrets,
    log,
  });
  const changes = new Emitter<RegistryChange>();
  const changed = (change: RegistryChange) => changes.emit(change);
  const catalogue = new Catalogue();
  const exposed = new ExposedPlugins();
  const exposing = new Exposing({
    catalogue,
    exposed,
    secrets,
    secretsOf: (config) => secretsOfConfig(config, { env: options.env, folder: '/' }),
    trustsAutoApprove: (plugin) => options.trustsAutoApprove?.(plugin) === true,
    log,
    changed,
  });
  const names = new NameResolver({ catalogue, exposed, exposing, clock, secrets });
  const inOrder = () => [...catalogue.all].filter(({ exposure }) => exposure !== undefined);
  const switchTool = (name: string, change: (known: KnownPlugin, own: string) => void) => {
    const found = exposed.findTool(name);
    const known = found && catalogue.find(found.plugin.name);
    if (found === undefined || known === undefined) throw registry.whyNot(name, 'tool');
    change(known, found.tool.name);
    changed({ kind: 'manifest-changed', plugin: known.name });
  };
  let gate: CallGate | undefined;
  const inTurn = oneByOne();

  const registry: Registry = {
    discover: ({ folders = true, packages = true } = {}) =>
      inTurn(async () => {
        if (options.discover === undefined) return catalogue.available;
        const before = catalogue.available.join('\n');
        const discovery = await options.discover({ folders, packages });
        catalogue.settle(findingsOf(discovery, { fleet, host, load: loadModule }));
        if (before !== catalogue.available.join('\n')) changed({ kind: 'available-changed' });
        return catalogue.available;
      }),
    get problems() {
      return catalogue.problems;
    },
    listAvailable: () => catalogue.available,

    async exposeAll(config = {}) {
      const configs = new Map(Object.entries(config));
      const available = catalogue.available;
      const unknown = [...configs.keys()].filter((name) => !available.includes(name));
      const expose = (name: string) => failureOf(name, () => registry.exposeTool(name, configs.get(name)));
      const failures = await Promise.all([...available, ...unknown].map(expose));
      return [...failures.filter((failure) => failure !== undefined), ...catalogue.untrusted];
    },
    async exposeTool(name, config, choice) {
      await exposing.expose(catalogue.get(name), config, choice);
    },
    ask: (name) => names.ask(catalogue.get(name)),
    async unexposeTool(name, why) {
      const known = catalogue.find(name);
      if (known !== undefined) await exposing.unexpose(known, why);
    },
    async wake(name) {
      const known = catalogue.find(name);
      if (known !== undefined) await exposing.wake(known);
    },
    refusalOf: (name) => catalogue.blocked.get(name),
    async unexposeAll() {
      await Promise.all([...catalogue.all].map((known) => exposing.unexpose(known)));
    },
    listExposed: () => inOrder().map(({ name }) => name),
    isExposed: (name) => catalogue.find(name)?.exposure !== undefined,

    registerPlugin(plugin, { name: given, origin = 'in-process', settings } = {}) {
      if (plugin instanceof Plugin) catalogue.register(plugin.name, registeredSource(plugin));
      else {
        const made = conforming(plugin, 'What is registered');
        const own = made.kind === 'object' ? made.object : made.definition;
        const name = given ?? own.name;
        if (!isPluginName(name))
          throw new PluglotError(
            'CONFIG_INVALID',
            `A plugin cannot be called "${name.slice(0, 100)}": expected ${PLUGIN_NAME}.`,
          );
        catalogue.register(name, conformingSource(made, name, host, origin, settings));
      }
      changed({ kind: 'available-changed' });
    },
    registerDeferred(name, load, { origin = 'in-process', settings } = {}) {
      catalogue.register(name, deferredSource(name, load, host, origin, settings));
      changed({ kind: 'available-changed' });
    },
    getPlugin: (name) => catalogue.find(name)?.view,
    getPluginForTool(tool) {
      const found = exposed.findTool(tool);
      return found && catalogue.find(found.plugin.name)?.view;
    },
    enableTool: (tool) => switchTool(tool, ({ disabled }, own) => disabled.delete(own)),
    disableTool: (tool) => switchTool(tool, ({ disabled }, own) => disabled.add(own)),
    isToolEnabled: (tool) => exposed.resolveTool(tool) !== undefined,

    getExposedDeclarations: () => exposed.tools(),
    getExposedExecutors: () =>
      new Map(
        exposed
          .tools()
          .map(({ name }) => [name, gatedExecutor(name, { clock, nextCallId, gate: () => gate })]),
      ),
    getExposedUserCommands: () => exposed.commands(),
    getSystemInstructions: () => exposed.instructions(),
    getAutoApprovedTools: () => exposed.autoApproved(),
    // The overloads of the contract: the kind decides what is found.
    resolve: ((name, kind) => names.resolve(name, kind)) as Registry['resolve'],
    resolveTool: (name) => exposed.resolveTool(name),
    toolsOf: (plugin) => exposed.toolsOf(plugin),
    resolveCommand: (name) => exposed.resolveCommand(name),
    whyNot: (name, kind) => names.whyNot(name, kind),
    onChanged: (listener) => changes.add(listener),
    useGate(given) {
      gate = given;
    },
    close: () => exposing.close(),
  };
  return registry;
}

const usualLimits: InProcessLimits = {
  callMs: 30_000,
  talkMs: 300_000,
  startMs: 30_000,
  messageBytes: DEFAULT_FRAME_LIMIT,
};

/** Different from those of a fleet, and of another registry. */
function callIds(random: () => number): () => string {
  const prefix = Math.floor(random() * 36 ** 6)
    .toString(36)
    .padStart(6, '0');
  let calls = 0;
  return () => `${prefix}-${(calls += 1)}`;
}

async function failureOf(plugin: string, expose: () => Promise<void>): Promise<ExposureFailure | undefined> {
  try {
    await expose();
    return undefined;
  } catch (thrown) {
    const error =
      thrown instanceof PluglotError
        ? thrown
        : new PluglotError('INTERNAL', toError(thrown).message, { cause: thrown });
    return { plugin, error };
  }
}

interface ExecutorParts {
  readonly clock: Clock;
  readonly gate: () => CallGate | undefined;
  readonly nextCallId: () => string;
}

function gatedExecutor(tool: string, parts: ExecutorParts): Executor {
  return (args, options) => {
    const gate = parts.gate();
    return gate === undefined
      ? denied(tool, parts)
      : gate.call(tool, args, { caller: { kind: 'model' }, ...options });
  };
}

function denied(tool: string, { clock, nextCallId }: ExecutorParts): Call {
  const call = new PendingCall({ id: nextCallId(), tool, clock, onCancel: () => {} });
  call.fail({
    code: 'PERMISSION_DENIED',
    message: `"${tool}" is denied: the registry has no gate to decide about calls. Give it one with useGate().`,
  });
  return call;
}
