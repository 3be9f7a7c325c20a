// A host of commands, served and alive until somebody interrupts: what `pluglot up` and `pluglot serve --http` do alike.
import { toError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import { serverSettings } from '../../../runtime/server-settings.ts';
import type { CommandContext } from '../commands/context.ts';
import type { Gated } from '../host/gated.ts';
import { withoutBuiltIns } from '../host/host.ts';
import type { InProcess } from '../host/in-process.ts';
import { nothingToRun } from '../host/nothing-to-run.ts';
import type { OwnHost } from '../host/own-host.ts';
import { problemsOf, tellProblems } from '../host/tell-problems.ts';
import { interrupted } from '../interruption.ts';
import { personAt } from '../person.ts';
import { followConfig } from './follow-config.ts';
import { serveRuntime, type ServedRuntime } from './serve-runtime.ts';
import { eventTeller, questionTeller } from './tell-events.ts';
import { upScreen } from './up-screen.ts';

export interface LiveOptions {
  readonly port?: number;
  readonly host?: string;
  readonly open?: boolean;
  /** @default what is configured, else true */
  readonly console?: boolean;
  /** Nobody has asked for what it runs. @default false */
  readonly hasOnlyExamples?: boolean;
  /** Whether it does what its files say while it lives. @default true */
  readonly follows?: boolean;
  /** Told as soon as it can be reached. */
  readonly onServed?: (served: ServedRuntime) => void;
}

export async function liveHost(context: CommandContext, own: OwnHost, options: LiveOptions): Promise<void> {
  const served = await serve(context, own, options);
  if (served.consoleLink !== undefined) own.consoleAt(served.url, served.consoleLink);
  options.onServed?.(served);
  try {
    await live(context, own, served, options);
  } finally {
    context.err.progress('stopping …');
    await served.close();
  }
}

/** @throws PluglotError why there is nothing to run */
export async function checkRunnable(
  context: CommandContext,
  { host, fleet, inProcess }: OwnHost,
): Promise<void> {
  const list = await host.plugins();
  const problems = problemsOf(list);
  const runnable = fleet.plugins.length + inProcess.names().length;
  const refusal = nothingToRun(context, runnable, withoutBuiltIns(list.plugins), problems);
  if (refusal !== undefined) throw refusal;
  tellProblems(context, problems);
}

async function serve(
  context: CommandContext,
  own: OwnHost,
  { port, host, console }: LiveOptions,
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
  { open: opens = false, hasOnlyExamples = false, follows = true }: LiveOptions,
): Promise<void> {
  const { signal } = context;
  const { host, keeper, fleet, gated, inProcess } = own;
  const screen = upScreen({ context, host, served, opens, hasOnlyExamples });
  const tell = eventTeller(context);
  const exposing = exposeRunning(context, fleet, gated);
  const ends = [
    fleet.onEvent((event) => {
      tell(event, screen.isDrawn);
      screen.changed(event);
    }),
    exposing.end,
    ...(personAt(context) === undefined && served.consoleLink !== undefined
      ? [host.approvals.onChanged(questionTeller(context, `${served.url}/#/approvals`))]
      : []),
  ];
  await screen.begin();
  for (const plugin of fleet.plugins) if (plugin.spec.lazy === true) keeper.begin(plugin);
  const starting = Promise.all([fleet.start(), exposeInProcess(context, inProcess)]);
  await Promise.race([starting.then(() => exposing.settled()), interrupted(signal)]);
  await screen.started(signal.aborted);
  const following = signal.aborted || !follows ? undefined : followConfig({ context, own, served });
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
