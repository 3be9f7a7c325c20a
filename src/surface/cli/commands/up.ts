// `pluglot up`: the whole host, alive until it is interrupted; clients reach it over HTTP, other commands of this project through its socket.
import { toError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import { findInPath } from '../../../base/search-path.ts';
import type { Discovery } from '../../../fleet/discovery/discover.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import { createApprovalQueue } from '../../../gate/approval/queue.ts';
import { bundledPlugins, type BundledPlugins } from '../../../runtime/bundled.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { serverSettings } from '../../../runtime/server-settings.ts';
import type { Wired } from '../../../runtime/wire.ts';
import { ExitCode } from '../exit-code.ts';
import { serveHost } from '../host/attach-server.ts';
import type { Gated } from '../host/gated.ts';
import type { InProcess } from '../host/in-process.ts';
import { nothingToRun } from '../host/nothing-to-run.ts';
import { openOwnHost, tellProblems, type OwnHost } from '../host/open-host.ts';
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
    approvals,
    examples: (found) => (examples = examplesFor(context, options, found)),
  });
  const { host, fleet, inProcess } = own;
  try {
    const problems = await host.problems();
    const runnable = fleet.plugins.length + inProcess.names().length;
    const refusal = nothingToRun(context, runnable, await host.plugins(), problems);
    if (refusal !== undefined) throw refusal;
    tellProblems(context, problems);
    const attach = await serveHost(host, await socketOf(context));
    try {
      const served = await serve(context, own, approvals, options);
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
  { gated }: OwnHost,
  approvals: ReturnType<typeof createApprovalQueue>,
  { port, host, console }: UpOptions,
): Promise<ServedRuntime> {
  const { err, version } = context;
  const { server, profiles, problems } = await serverSettings(context);
  tellProblems(context, problems);
  const wired = await gated.wired({ builtIns: true });
  return serveRuntime({
    runtime: lent(wired),
    approvals,
    version,
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

/** As it is, but that its owner closes it. */
function lent(wired: Wired): Runtime {
  return {
    ...wired,
    get problems() {
      return wired.problems;
    },
    get found() {
      return wired.found;
    },
    close: () => Promise.resolve(),
  };
}

/** Starts all, shows it, and follows it until somebody interrupts. */
async function live(
  context: CommandContext,
  own: OwnHost,
  served: ServedRuntime,
  { open: opens = false, hasOnlyExamples }: UpOptions & { readonly hasOnlyExamples: boolean },
): Promise<void> {
  const { signal } = context;
  const { host, fleet, gated, inProcess } = own;
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
          served.api.approvals.onChanged(
            questionTeller(
              context,
              served.hasConsole ? `${served.url}/#/approvals` : `${served.url}/api/v1/approvals`,
            ),
          ),
        ]
      : []),
  ];
  await screen.begin();
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
  for (const { who, message, code } of await inProcess.exposeAll({ all: true }))
    if (code !== 'NOT_TRUSTED') tellUnexposed(context, who, new Error(message));
}

function tellUnexposed({ err, signal }: CommandContext, name: string, thrown: unknown): void {
  // Whoever stops all of it knows.
  if (!signal.aborted)
    err.line(`${err.colours.yellow('!')} ${name}: ${printableLine(toError(thrown).message, 2000)}`);
}
