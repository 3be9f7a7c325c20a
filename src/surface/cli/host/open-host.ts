// From the words of a command line to a fleet: the plugin behind `--`, that of a running `up`, or what is configured here.
import path from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { PluglotError } from '../../../base/error.ts';
import { within } from '../../../base/within.ts';
import { dialectNames, type DialectName, type PluginSpec } from '../../../definition/plugin-spec.ts';
import { hostDialects } from '../../../dialect/hosts.ts';
import { detectDialect } from '../../../fleet/detection/detect-dialect.ts';
import { discover, type Discovery } from '../../../fleet/discovery/discover.ts';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import { withManifestBeside } from '../../../fleet/discovery/manifest-beside.ts';
import { describeProblem } from '../../../fleet/discovery/problem.ts';
import type { LogEntry } from '../../../definition/tool.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import type { Launcher } from '../../../fleet/supervisor/launcher.ts';
import type { Detect } from '../../../fleet/plugin/surroundings.ts';
import type { ApprovalQueue } from '../../../gate/approval/queue.ts';
import { builtInNames } from '../../../runtime/built-in-names.ts';
import type { BundledPlugins } from '../../../runtime/bundled.ts';
import type { PluginList, RuntimeApi } from '../../../runtime/api.ts';
import { createFleetParts, type FleetParts } from '../../../runtime/fleet-parts.ts';
import type { RuntimeParts } from '../../../runtime/runtime-parts.ts';
import type { LocalRuntimeApi } from '../../../runtime/views/runtime-api.ts';
import type { CommandContext } from '../commands/context.ts';
import { unlessInterrupted } from '../interruption.ts';
import { printableLine } from '../../../base/printable.ts';
import { tellMessage } from '../wire-lines.ts';
import { logShown, logText } from '../log-lines.ts';
import { personAt, type TerminalPerson } from '../person.ts';
import { attach } from './attached-host.ts';
import { createGated, type Gated } from './gated.ts';
import type { Host } from './host.ts';
import { hostKeeper, type HostKeeper } from './host-keeper.ts';
import { inProcessPlugins, type InProcess } from './in-process.ts';
import { interruptible } from './interruptible.ts';
import { nameOfCommand } from './name-of-command.ts';
import { openProject } from './project.ts';
import { socketOf } from './project-socket.ts';

export interface HostOptions {
  readonly dialect?: string;
  /** Whoever asks for them tells them. @default true */
  readonly tellsProblems?: boolean;
  /** The built-in plugins are wanted too; a running `up` has them anyway. @default when one is named */
  readonly builtIns?: boolean;
}

/** Runs with a host and closes it, whatever happens. */
export async function withHost<Result>(
  context: CommandContext,
  options: HostOptions,
  use: (host: Host, about: { readonly attached: boolean }) => Promise<Result>,
): Promise<Result> {
  const { signal, command } = context;
  const attached = await unlessInterrupted(signal, attachHost(context, options));
  if (attached !== undefined && context.verbosity > 1)
    context.err.line(
      context.err.colours.dim('The wire of a running fleet is not shown; --standalone shows its own.'),
    );
  const host = attached ?? (await openOwnHost(context, { ...options, startsTyped: true })).host;
  try {
    if (attached === undefined && command === undefined && options.tellsProblems !== false)
      tellProblems(context, problemsOf(await host.plugins()));
    return await use(interruptible(host, signal), { attached: attached !== undefined });
  } finally {
    await host.close(signal);
  }
}

/** Only where the command line says nothing that the running fleet does not know. */
async function attachHost(context: CommandContext, { dialect }: HostOptions): Promise<Host | undefined> {
  const { command, standalone } = context;
  if (standalone || command !== undefined || dialect !== undefined) return undefined;
  return attach(await socketOf(context));
}

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
    { cwd, env, home, relaysQuestions: isLongLived },
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
  const look = async () => onlyNamed(await discoverHere(context), options.only ?? []);
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
    keeper,
    traffic: options.keepsTraffic ?? false,
    ...(options.approvals && { approvals: options.approvals }),
  });
  const host = {
    ...api,
    async *logs(...[name, asked]: Parameters<RuntimeApi['logs']>) {
      // Whoever follows it prints it.
      followed.add(name);
      yield* api.logs(name, asked);
    },
    close: (signal?: AbortSignal) => closeHost({ api, gated, parts }, signal),
  };
  return { host, keeper, fleet, gated, inProcess, runtime: wired, found };
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

export function logFolder(stateFolder: string): string {
  return path.join(stateFolder, 'logs');
}

/** All where none is named. */
function onlyNamed(found: Discovery, only: readonly string[]): Discovery {
  if (only.length === 0) return found;
  const isMeant = (name: string) => only.includes(name);
  return {
    ...found,
    plugins: found.plugins.filter(({ spec }) => isMeant(spec.name)),
    modules: found.modules.filter(({ module }) => isMeant(module.name)),
    names: found.names.filter(isMeant),
    builtIns: (found.builtIns ?? []).filter(({ name }) => isMeant(name)),
  };
}

export function discoverHere({
  cwd,
  home,
  env,
  configFile,
}: Pick<CommandContext, 'cwd' | 'home' | 'env' | 'configFile'>): Promise<Discovery> {
  const named = configFile === undefined ? {} : { configFile };
  return discover({ cwd, home, env, builtIns: builtInNames, ...named });
}

/** Those that no state of a plugin tells. */
export function problemsOf({ plugins, problems }: PluginList): PluginList['problems'] {
  const told = new Set(
    plugins.flatMap(({ name, reason, untrusted }) =>
      reason === undefined && untrusted === undefined ? [] : [name],
    ),
  );
  const isTold = ({ plugin }: PluginList['problems'][number]) => plugin !== undefined && told.has(plugin);
  // The same may be found by whoever looks for plugins and by the gate.
  const others = problems.filter((problem) => !isTold(problem));
  return [...new Map(others.map((problem) => [describeProblem(problem), problem])).values()];
}

/** What is left out is told; what is merely odd only to those who want to hear all. */
export function tellProblems(
  { err, verbosity }: CommandContext,
  problems: Discovery['problems'],
  which: 'errors' | 'all' = 'errors',
): void {
  const isTold = ({ severity }: Discovery['problems'][number]) =>
    verbosity > 0 || (verbosity === 0 && (severity === 'error' || which === 'all'));
  const told = problems.filter(isTold);
  const mark = err.colours.yellow('!');
  for (const problem of told.slice(0, TOLD_MAX))
    err.line(`${mark} ${printableLine(describeProblem(problem), 2000)}`);
  if (told.length > TOLD_MAX) err.line(`${mark} … and ${told.length - TOLD_MAX} more.`);
}

/** Nobody reads more. */
const TOLD_MAX = 50;

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

export async function detect(
  { err, verbosity }: CommandContext,
  launcher: Launcher,
  ...[spec, signal, onStderr]: Parameters<Detect>
): Promise<DialectName> {
  const dialects = await Promise.all(Object.values(hostDialects).map((load) => load()));
  // Once it is started for good it prints the same again. Where that does not happen, it is all that it has said.
  const kept: Buffer[] = [];
  try {
    return await detectDialect(spec, {
      launcher,
      dialects,
      clock: systemClock,
      signal,
      onSlow: () => err.progress(`${spec.name} is still starting … (Ctrl-C gives up)`),
      onStderr: verbosity > 0 ? onStderr : (chunk) => kept.length < KEPT_MAX && kept.push(chunk),
    });
  } catch (thrown) {
    for (const chunk of kept) onStderr(chunk);
    throw thrown;
  }
}

/** Chunks, of up to 64 KiB each. */
const KEPT_MAX = 64;

/** What the user typed is trusted; its name is that of the program, for messages. */
export function specOfCommand(command: readonly string[], { dialect }: HostOptions, cwd: string): PluginSpec {
  const [program, ...args] = command;
  if (program === undefined || program === '') {
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      'Nothing stands behind `--`. Give the command that starts the plugin.',
    );
  }
  return {
    name: nameOfCommand(command),
    start: { kind: 'program', command: program, args, cwd },
    ...(isDialect(dialect) ? { dialect } : {}),
  };
}

function isDialect(name: string | undefined): name is DialectName {
  return name !== undefined && (dialectNames as readonly string[]).includes(name);
}
