// `pluglot up`: the fleet, alive until it is interrupted; other commands of this project use it through its socket.
import { toError } from '../../../base/error.ts';
import type { Fleet, FleetEvent } from '../../../fleet/fleet.ts';
import { ExitCode } from '../exit-code.ts';
import { serveHost } from '../host/attach-server.ts';
import type { Gated } from '../host/gated.ts';
import type { PluginView } from '../host/host.ts';
import type { InProcess } from '../host/in-process.ts';
import { nothingToRun } from '../host/nothing-to-run.ts';
import { openOwnHost, tellProblems } from '../host/open-host.ts';
import { socketOf } from '../host/project-socket.ts';
import { interrupted } from '../interruption.ts';
import { logShown, logText } from '../log-lines.ts';
import { printableLine } from '../../../base/printable.ts';
import type { Terminal } from '../terminal.ts';
import type { CommandContext } from './context.ts';
import { tellUntrusted } from './lists.ts';

export async function up(context: CommandContext): Promise<ExitCode> {
  const { out, err, json, signal } = context;
  const { host, fleet, gated, inProcess } = await openOwnHost(context, { isLongLived: true });
  try {
    const problems = await host.problems();
    const runnable = fleet.plugins.length + inProcess.names().length;
    const refusal = nothingToRun(context, runnable, await host.plugins(), problems);
    if (refusal !== undefined) throw refusal;
    tellProblems(context, problems);
    const server = await serveHost(host, await socketOf(context));
    try {
      const unwatch = fleet.onEvent((event) => tellEvent(context, event));
      const unfollow = exposeRunning(context, fleet, gated);
      const started = Promise.all([fleet.start(), exposeInProcess(context, inProcess)]);
      await Promise.race([started, interrupted(signal)]);
      if (!json && !signal.aborted) {
        const views = await host.plugins();
        out.line(`${out.colours.bold(countOf(fleet, views))} Ctrl-C stops them.`);
        tellUntrusted(context, views);
      }
      await interrupted(signal);
      err.progress('stopping …');
      unwatch();
      unfollow();
    } finally {
      await server.close();
    }
  } finally {
    await host.close();
  }
  return ExitCode.interrupted;
}

/** Whatever runs can be called by models and programs, as far as the gate lets them. */
function exposeRunning(context: CommandContext, fleet: Fleet, gated: Gated): () => void {
  const expose = async (name: string) => {
    const plugin = fleet.plugins.find((each) => each.name === name);
    if (plugin !== undefined) await gated.expose(plugin);
  };
  const failed = (name: string) => (thrown: unknown) => tellUnexposed(context, name, thrown);
  return fleet.onEvent((event) => {
    const { kind, plugin } = event;
    if (kind === 'plugin-removed') gated.unexpose(plugin).catch(failed(plugin));
    else if (kind === 'state-changed' && event.state === 'ready' && event.previous !== 'busy')
      expose(plugin).catch(failed(plugin));
  });
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

/** Of those that are to run from the beginning. */
function countOf({ plugins }: Fleet, views: readonly PluginView[]): string {
  const lazy = new Set(plugins.filter(({ spec }) => spec.lazy === true).map(({ name }) => name));
  const eager = views.filter(({ name, state }) => state !== 'disabled' && !lazy.has(name));
  const ready = eager.filter(({ state }) => state === 'ready' || state === 'busy').length;
  const later = lazy.size === 0 ? '' : `${lazy.size} ${lazy.size === 1 ? 'starts' : 'start'} when used.`;
  if (eager.length === 0) return `No plugin is started yet; ${later}`;
  return `${ready} of ${eager.length} plugins are ready${later === '' ? '.' : `; ${later}`}`;
}

/** States that a person wants to hear of. */
const shown: ReadonlySet<string> = new Set(['ready', 'unhealthy', 'backoff', 'failed', 'stopped']);

function tellEvent({ out, err, json, verbosity }: CommandContext, event: FleetEvent): void {
  if (event.kind === 'logged') {
    // Of its states is told below.
    if (event.entry.source !== 'host' && logShown(event.entry, verbosity))
      err.line(`${err.colours.cyan(event.plugin)} ${logText(err, event.entry)}`);
    return;
  }
  if (event.kind !== 'state-changed') return;
  const { plugin: name, state, previous, at } = event;
  // That a call is over is no news of the plugin.
  const isNews = shown.has(state) && previous !== 'busy';
  const reason = event.reason?.message;
  if (json) out.line(JSON.stringify({ at, name, state, reason }));
  else if (isNews || verbosity > 0)
    out.line(
      `${out.colours.cyan(name)} ${paint(out, state)}${reason === undefined ? '' : `: ${printableLine(reason)}`}`,
    );
}

function paint({ colours }: Terminal, state: string): string {
  const { green, yellow, red } = colours;
  const paints: Record<string, (text: string) => string> = {
    ready: green,
    unhealthy: yellow,
    backoff: yellow,
    failed: red,
  };
  return paints[state]?.(state) ?? state;
}
