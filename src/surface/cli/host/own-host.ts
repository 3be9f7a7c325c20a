// A host of this command's own: the plugin behind `--`, or what is configured here.
import { systemClock } from '../../../base/clock.ts';
import { printableLine } from '../../../base/printable.ts';
import { within } from '../../../base/within.ts';
import type { PluginSpec } from '../../../definition/plugin-spec.ts';
import type { LogEntry } from '../../../definition/tool.ts';
import type { Discovery } from '../../../fleet/discovery/discover.ts';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import { withManifestBeside } from '../../../fleet/discovery/manifest-beside.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import type { ApprovalQueue } from '../../../gate/approval/queue.ts';
import type { ConsoleLink, RuntimeApi } from '../../../runtime/api.ts';
import type { BundledPlugins } from '../../../runtime/bundled.ts';
import { createFleetParts, type FleetParts } from '../../../runtime/fleet-parts.ts';
import { gateSettings } from '../../../runtime/gate-settings.ts';
import type { RuntimeParts } from '../../../runtime/runtime-parts.ts';
import type { LocalRuntimeApi } from '../../../runtime/views/runtime-api.ts';
import type { CommandContext } from '../commands/context.ts';
import { unlessInterrupted } from '../interruption.ts';
import { logShown, logText } from '../log-lines.ts';
import { personAt, type TerminalPerson } from '../person.ts';
import { tellMessage } from '../wire-lines.ts';
import { discoverHere, logFolder, onlyNamed } from './discover-here.ts';
import { createGated, type Gated } from './gated.ts';
import type { Host, HostOptions } from './host.ts';
import { hostKeeper, type HostKeeper } from './host-keeper.ts';
import { inProcessPlugins, type InProcess } from './in-process.ts';
import { openProject } from './project.ts';
import { detect, specOfCommand } from './typed-command.ts';

export interface OwnHost {
  readonly host: Host & Pick<LocalRuntimeApi, 'stats'>;
  readonly keeper: HostKeeper;
  readonly fleet: Fleet;
  readonly gated: Gated;
  readonly inProcess: InProcess;
  /** For what is served of it. */
  readonly runtime: Omit<RuntimeParts, 'close'>;
  /** What was found last. */
  readonly found: () => Discovery;
  /** Tells where its page is, and how browsers are let in there. */
  readonly consoleAt: (url: string, link: () => ConsoleLink) => void;
}

export interface OwnHostOptions extends HostOptions {
  /** It looks again at files that may change while it lives, and passes on what plugins ask of whoever calls them. */
  readonly isLongLived?: boolean;
  /** What stands behind `--` is started while the rest is made. @default false */
  readonly startsTyped?: boolean;
  /** What is on the wires is kept for people to look at. @default false */
  readonly keepsTraffic?: boolean;
  /** Who can be asked here. */
  readonly person?: TerminalPerson | undefined;
  /** Who can be asked elsewhere. */
  readonly approvals?: ApprovalQueue;
  /** Of what is found, these alone. @default all */
  readonly only?: readonly string[];
  /** Looks at what was found first: the example plugins that are to be there too. */
  readonly examples?: (found: Discovery) => BundledPlugins | undefined;
}

export async function openOwnHost(context: CommandContext, options: OwnHostOptions): Promise<OwnHost> {
  const { command, cwd, env, home, err, verbosity, configFile, version } = context;
  const { isLongLived = false, person = personAt(context), builtIns = false } = options;
  const typed = command === undefined ? [] : [await withManifestBeside(specOfCommand(command, options, cwd))];
  const parts = createFleetParts(
    { cwd, env, home, configFile, relaysQuestions: isLongLived },
    {
      specs: typed,
      detect: (launcher, ...asked) => detect(context, launcher, ...asked),
      ...(command === undefined ? { logFolder: logFolder(homeFolders(env, home).state) } : {}),
      ...(err.live ? { openUrl: (url, plugin) => tellAddress(context, url, plugin) } : {}),
    },
  );
  const { fleet, checks } = parts;
  if (verbosity > 1) tellWire(context, parts);
  // How that goes is told to whoever asks it something.
  if (options.startsTyped === true) for (const plugin of fleet.plugins) plugin.start().catch(() => {});
  // As for the gate, what the files say when it starts counts.
  let settings: ReturnType<typeof gateSettings> | undefined;
  const look = async () => {
    settings ??= gateSettings({ cwd, env, home, configFile, trust: parts.trust });
    const [found, { builtIns: areThere }] = await Promise.all([discoverHere(context), settings]);
    return onlyNamed(areThere ? found : { ...found, builtIns: [] }, options.only ?? []);
  };
  const { read, allowedTools } = withExamples(look, options.examples);
  const project = command === undefined ? await openProject({ fleet, checks, read }) : undefined;
  const ofTyped = foundTyped(typed);
  const found = () => project?.discovery ?? ofTyped;
  const followed = new Set<string>();
  const gated = createGated({
    parts,
    found,
    look: read,
    options: {
      cwd,
      env,
      home,
      ...(configFile !== undefined && { configFile }),
      allowedTools,
      ...(options.approvals && { approvals: options.approvals }),
      ...(person && { person, terminal: person.approvals }),
      print: (line) => err.line(printableLine(line, LINE_MAX)),
      log: (plugin, entry) => {
        if (!followed.has(plugin)) tellLogOf(context, plugin, entry);
      },
    },
  });
  const inProcess = inProcessPlugins(gated, project);
  const keeper = hostKeeper({ fleet, gated, inProcess, project, isLongLived });
  const [wired, { runtimeApi }] = await Promise.all([
    gated.wired({ builtIns }),
    import('../../../runtime/views/runtime-api.ts'),
  ]);
  if (isLongLived) {
    const { callTracing } = await import('../../../runtime/tracing/call-tracing.ts');
    wired.gate.observe(await callTracing());
  }
  const api = runtimeApi(wired, {
    version,
    caller: { kind: 'user' },
    keeper,
    traffic: options.keepsTraffic ?? false,
    ...(options.approvals && { approvals: options.approvals }),
  });
  let page: { readonly url: string; readonly link: () => ConsoleLink } | undefined;
  const host = {
    ...api,
    health: async () => ({ ...(await api.health()), ...(page !== undefined && { console: page.url }) }),
    consoleLink: async () => page?.link() ?? api.consoleLink(),
    async *logs(...[name, asked]: Parameters<RuntimeApi['logs']>) {
      // Whoever follows it prints it.
      followed.add(name);
      yield* api.logs(name, asked);
    },
    close: (signal?: AbortSignal) => closeHost({ api, gated, parts }, signal),
  };
  return {
    host,
    keeper,
    fleet,
    gated,
    inProcess,
    runtime: wired,
    found,
    consoleAt: (url: string, link: () => ConsoleLink) => (page = { url, link }),
  };
}

interface Closing {
  readonly api: RuntimeApi;
  readonly gated: Gated;
  readonly parts: FleetParts;
}

async function closeHost(
  { api, gated, parts: { fleet, launcher } }: Closing,
  signal: AbortSignal | undefined,
): Promise<void> {
  const stopped = Promise.all([api.close(), gated.close(), fleet.close()]);
  if (signal !== undefined)
    await unlessInterrupted(signal, stopped).catch(() => within(stopped, PATIENCE_MS, systemClock));
  else await stopped;
  // Ends what is still there at once.
  await launcher.close();
  await stopped;
}

/** How long plugins get to end in order once the user has interrupted. */
const PATIENCE_MS = 1500;

/** Whether they are there is decided once: a plugin that is added does not take them away. */
function withExamples(
  look: () => Promise<Discovery>,
  choose: OwnHostOptions['examples'],
): { read: () => Promise<Discovery>; allowedTools: () => readonly string[] } {
  let chosen: { readonly examples: BundledPlugins | undefined } | undefined;
  return {
    async read() {
      const found = await look();
      chosen ??= { examples: choose?.(found) };
      return chosen.examples?.beside(found) ?? found;
    },
    allowedTools: () => chosen?.examples?.allowed() ?? noTools,
  };
}

const noTools: readonly string[] = [];

const LINE_MAX = 2000;

/** What was typed needs no trust. */
function foundTyped(specs: readonly PluginSpec[]): Discovery {
  const trust = { trusted: true } as const;
  return {
    plugins: specs.map((spec) => ({ spec, origin: { kind: 'user-config', file: spec.name }, trust })),
    modules: [],
    names: specs.map(({ name }) => name),
    problems: [],
    checkAgain: () => Promise.resolve(trust),
  };
}

function tellAddress({ err }: CommandContext, url: string, plugin: string): void {
  err.line(
    `${err.colours.yellow('!')} ${printableLine(plugin)} wants to know who you are. Open this address:`,
  );
  err.line(`  ${printableLine(url, LINE_MAX)}`);
}

/** What a plugin in this process says beside its calls. */
function tellLogOf({ err, verbosity }: CommandContext, plugin: string, entry: LogEntry): void {
  const record = { at: Date.now(), source: 'plugin', ...entry } as const;
  if (logShown(record, verbosity)) err.line(`${err.colours.cyan(plugin)} ${logText(err, record)}`);
}

function tellWire({ err }: CommandContext, { fleet, secrets }: FleetParts): void {
  const observe = (plugin: Plugin) => {
    const who = fleet.plugins.length === 1 ? '' : `${plugin.name} `;
    plugin.observe((direction, message) => tellMessage(err, secrets, who, direction, message));
  };
  for (const plugin of fleet.plugins) observe(plugin);
  fleet.onEvent(({ kind, plugin }) => {
    if (kind === 'plugin-added') observe(fleet.plugin(plugin));
  });
}
