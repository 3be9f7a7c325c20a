// `pluglot up`: the whole host, alive until it is interrupted; clients reach it over HTTP, other commands of this project through its socket.
import { PluglotError, toError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import { findInPath } from '../../../base/search-path.ts';
import type { Discovery } from '../../../fleet/discovery/discover.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import { createApprovalQueue } from '../../../gate/approval/queue.ts';
import { bundledPlugins, type BundledPlugins } from '../../../runtime/bundled.ts';
import { serverSettings } from '../../../runtime/server-settings.ts';
import { createSocketServer } from '../../http/server.ts';
import { ExitCode } from '../exit-code.ts';
import type { Gated } from '../host/gated.ts';
import type { InProcess } from '../host/in-process.ts';
import { withoutBuiltIns } from '../host/host.ts';
import { nothingToRun } from '../host/nothing-to-run.ts';
import { openOwnHost, problemsOf, tellProblems, type OwnHost } from '../host/open-host.ts';
import { socketOf } from '../host/project-socket.ts';
import { interrupted } from '../interruption.ts';
import { personAt } from '../person.ts';
import { followConfig } from '../up/follow-config.ts';
import { serveRuntime, type ServedRuntime } from '../up/serve-runtime.ts';
import { eventTeller, questionTeller } from '../up/tell-events.ts';
import { upScreen } from '../up/up-screen.ts';
import type { CommandContext } from './context.ts';

export interface UpOptions {
  readonly port?: number;
  readonly host?: string;
  readonly open?: boolean;
  /** @default what is configured, else true */
  readonly console?: boolean;
  /** @default where nothing is configured */
  readonly bundled?: boolean;
}

export async function up(context: CommandContext, options: UpOptions = {}): Promise<ExitCode> {
  const { err } = context;
  const approvals = createApprovalQueue();
  let examples: BundledPlugins | undefined;
  const own = await openOwnHost(context, {
    isLongLived: true,
    builtIns: true,
    keepsTraffic: true,
    approvals,
    examples: (found) => (examples = examplesFor(context, options, found)),
  });
  const { host, fleet, inProcess } = own;
  try {
    const list = await host.plugins();
    const problems = problemsOf(list);
    const runnable = fleet.plugins.length + inProcess.names().length;
    const refusal = nothingToRun(context, runnable, withoutBuiltIns(list.plugins), problems);
    if (refusal !== undefined) throw refusal;
    tellProblems(context, problems);
    const attach = await listenForCommands(context, host);
    try {
      const served = await serve(context, own, options);
      try {
        const isUnasked = examples !== undefined && options.bundled === undefined;
        await live(context, own, served, { ...options, hasOnlyExamples: isUnasked });
      } finally {
        err.progress('stopping …');
        await served.close();
      }
    } finally {
      await attach.close();
    }
  } finally {
    await host.close();
  }
  return ExitCode.interrupted;
}

/** Nothing is broken where another one is there: something else has to be asked for. */
async function listenForCommands(context: CommandContext, api: OwnHost['host']) {
  try {
    return await createSocketServer({ api, unixSocket: await socketOf(context) });
  } catch (thrown) {
    if (!(thrown instanceof PluglotError)) throw thrown;
    throw new PluglotError('INVALID_ARGUMENTS', thrown.message, { cause: thrown });
  }
}

/** The examples, where they are wanted or nothing else is there. */
function examplesFor(
  { env, cwd }: CommandContext,
  { bundled }: UpOptions,
  found: Discovery,
): BundledPlugins | undefined {
  const isEmpty = found.names.length === 0 && found.problems.every(({ severity }) => severity !== 'error');
  if (!(bundled ?? isEmpty)) return undefined;
  const python = findInPath('python3', { path: env['PATH'] ?? '', cwd });
  return bundledPlugins({ node: process.execPath, python });
}

async function serve(
  context: CommandContext,
  own: OwnHost,
  { port, host, console }: UpOptions,
): Promise<ServedRuntime> {
  const { err } = context;
  const { server, profiles, problems } = await serverSettings(context);
  tellProblems(context, problems);
  return serveRuntime({
    runtime: own.runtime,
    api: own.host,
    settings: {
      ...server,
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      // Not said is true here.
      ...(console === false && { console }),
    },
    profiles,
    warn: (message) => err.line(`${err.colours.yellow('!')} ${printableLine(message, 2000)}`),
  });
}

/** Starts all, shows it, and follows it until somebody interrupts. */
async function live(
  context: CommandContext,
  own: OwnHost,
  served: ServedRuntime,
  { open: opens = false, hasOnlyExamples }: UpOptions & { readonly hasOnlyExamples: boolean },
): Promise<void> {
  const { signal } = context;
  const { host, keeper, fleet, gated, inProcess } = own;
  const screen = upScreen({ context, host, fleet, place: served, opens, hasOnlyExamples });
  const tell = eventTeller(context);
  const exposing = exposeRunning(context, fleet, gated);
  const ends = [
    fleet.onEvent((event) => {
      tell(event, screen.isDrawn);
      screen.changed(event);
    }),
    exposing.end,
    ...(personAt(context) === undefined
      ? [
          host.approvals.onChanged(
            questionTeller(
              context,
              served.hasConsole ? `${served.url}/#/approvals` : `${served.url}/api/v1/approvals`,
            ),
          ),
        ]
      : []),
  ];
  await screen.begin();
  for (const plugin of fleet.plugins) if (plugin.spec.lazy === true) keeper.begin(plugin);
  const starting = Promise.all([fleet.start(), exposeInProcess(context, inProcess)]);
  await Promise.race([starting.then(() => exposing.settled()), interrupted(signal)]);
  await screen.started(signal.aborted);
  const following = signal.aborted ? undefined : followConfig({ context, own, served });
  await interrupted(signal);
  for (const end of ends) end();
  await (await following)?.close();
}

/** Whatever runs can be called by models and programs, as far as the gate lets them. */
function exposeRunning(
  context: CommandContext,
  fleet: Fleet,
  gated: Gated,
): { readonly end: () => void; readonly settled: () => Promise<unknown> } {
  const underWay = new Set<Promise<unknown>>();
  const expose = async (name: string) => {
    const plugin = fleet.plugins.find((each) => each.name === name);
    if (plugin !== undefined) await gated.expose(plugin);
  };
  const keep = (name: string, work: Promise<unknown>) => {
    const kept = work
      .catch((thrown: unknown) => tellUnexposed(context, name, thrown))
      .finally(() => underWay.delete(kept));
    underWay.add(kept);
  };
  const end = fleet.onEvent((event) => {
    const { kind, plugin } = event;
    if (kind === 'plugin-removed') keep(plugin, gated.unexpose(plugin));
    else if (kind === 'state-changed' && event.state === 'ready' && event.previous !== 'busy')
      keep(plugin, expose(plugin));
  });
  return { end, settled: () => Promise.all(underWay) };
}

async function exposeInProcess(context: CommandContext, inProcess: InProcess): Promise<void> {
  for (const [name, failure] of await inProcess.exposeAll()) tellUnexposed(context, name, failure);
}

function tellUnexposed({ err, signal }: CommandContext, name: string, thrown: unknown): void {
  // Whoever stops all of it knows.
  if (!signal.aborted)
    err.line(`${err.colours.yellow('!')} ${name}: ${printableLine(toError(thrown).message, 2000)}`);
}
