// `pluglot serve --as DIALECT [NAMES | -- COMMAND…]`: plugins of any dialect on this command's own stdio, in another. `--stdio` alone: all
// that is exposed, for a client of MCP; `--http`: the same, or what is named, over HTTP.
import { systemClock } from '../../../base/clock.ts';
import { PluglotError, toError } from '../../../base/error.ts';
import { fdPipe } from '../../../channel/bytes/stream-pipe.ts';
import type { DialectName } from '../../../definition/plugin-spec.ts';
import { pluginBackend } from '../../../fleet/bridge/plugin-backend.ts';
import type { Fleet, FleetEvent } from '../../../fleet/fleet.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import { answerHost, type Stop } from '../../../sdk/answer-host.ts';
import { HostPipe } from '../../../sdk/host-pipe.ts';
import { Prints } from '../../../sdk/prints.ts';
import { recognise } from '../../../sdk/recognise.ts';
import { ExitCode, exitCodeOf } from '../exit-code.ts';
import { withoutBuiltIns, type Host } from '../host/host.ts';
import { nothingToRun } from '../host/nothing-to-run.ts';
import { attachPipe } from '../host/attach-pipe.ts';
import { openOwnHost } from '../host/own-host.ts';
import { problemsOf, tellProblems } from '../host/tell-problems.ts';
import { socketOf } from '../host/project-socket.ts';
import { unlessInterrupted } from '../interruption.ts';
import { logShown, logText } from '../log-lines.ts';
import { printableLine } from '../../../base/printable.ts';
import { silentTerminal } from '../terminal.ts';
import { tellMessage } from '../wire-lines.ts';
import type { CommandContext } from './context.ts';
import type { ServeOptions } from './serve-options.ts';

export async function serve(
  context: CommandContext,
  names: readonly string[],
  options: ServeOptions,
): Promise<ExitCode> {
  const refusal = wrongUsage(context, names, options);
  if (refusal !== undefined) throw refusal;
  if (options.http === true) return (await import('./serve-http.ts')).serveHttp(context, names, options);
  if (wantsAll(context, names, options)) {
    const shared = context.standalone ? undefined : await attachPipe(await socketOf(context), context.signal);
    if (shared !== undefined) return (await import('./serve-shared.ts')).serveShared(context, shared);
  }
  const { stdin, err } = context;
  if (stdin.isTTY && err.live)
    err.line(err.colours.dim('It waits for a host on stdin and stdout, not for a person. Ctrl-C ends it.'));
  const pipe = new HostPipe(fdPipe(0, 1));
  try {
    if (wantsAll(context, names, options)) {
      const { serveEndpoint } = await import('./serve-endpoint.ts');
      return await serveEndpoint(context, pipe);
    }
    const dialect = options.as ?? (options.stdio === true ? 'mcp' : await dialectOfHost(context, pipe));
    // Nobody said anything: nothing to do, and nothing went wrong.
    if (dialect === undefined) return ExitCode.ok;
    return mustBeSilent(context, dialect)
      ? await serveSilently(dialect, context, pipe, names, options)
      : await serveAs(dialect, context, pipe, names, options);
  } finally {
    // An open pipe keeps the process alive, also where nobody has begun to use it.
    pipe.destroy();
  }
}

/** Not some plugins in another dialect, but all that is exposed here, through the gate. */
function wantsAll(
  { command }: CommandContext,
  names: readonly string[],
  { as, stdio }: ServeOptions,
): boolean {
  return stdio === true && as === undefined && names.length === 0 && command === undefined;
}

async function serveSilently(
  dialect: DialectName,
  context: CommandContext,
  pipe: HostPipe,
  names: readonly string[],
  options: ServeOptions,
): Promise<ExitCode> {
  try {
    return await serveAs(dialect, { ...context, err: silentTerminal(context.err) }, pipe, names, options);
  } catch (error) {
    return error instanceof PluglotError ? exitCodeOf(error.code) : ExitCode.broken;
  }
}

function wrongUsage(
  { command }: CommandContext,
  names: readonly string[],
  { as, stdio, http, port, host }: ServeOptions,
): PluglotError | undefined {
  if (http === true && (stdio === true || as !== undefined))
    return new PluglotError(
      'INVALID_ARGUMENTS',
      'Over HTTP it serves MCP: --http goes without --stdio and without --as.',
    );
  if (http !== true && (port !== undefined || host !== undefined))
    return new PluglotError('INVALID_ARGUMENTS', 'On stdio there is no --port and no --host. Try: --http');
  if (command !== undefined && names.length > 0)
    return new PluglotError(
      'INVALID_ARGUMENTS',
      `Give names of plugins (${names.join(', ')}) or a command behind \`--\`, not both.`,
    );
  return undefined;
}

function dialectOfHost({ err, signal }: CommandContext, pipe: HostPipe): Promise<DialectName | undefined> {
  return unlessInterrupted(signal, recognise(pipe, { print: (line) => err.line(line), option: '--as' }));
}

/** Engines of G-Assist read stderr as a part of the wire; a person who looks, or asks for more, is told all the same. */
function mustBeSilent({ err, verbosity }: CommandContext, dialect: DialectName): boolean {
  return dialect === 'gassist' && !err.live && verbosity < 1;
}

async function serveAs(
  dialect: DialectName,
  context: CommandContext,
  pipe: HostPipe,
  names: readonly string[],
  options: ServeOptions,
): Promise<ExitCode> {
  const { err, signal, verbosity, version } = context;
  const { host, fleet, runtime } = await openOwnHost(context, options);
  const prints = new Prints();
  const unfollow = fleet.onEvent((event) => tellLog(context, fleet, prints, event));
  try {
    const plugins = await unlessInterrupted(signal, startedPlugins(context, host, fleet, names));
    const exitCode = await answerHost({
      pipe,
      dialect,
      backend: pluginBackend(plugins, {
        together: { name: 'pluglot', version },
        clock: systemClock,
        log: (entry) => prints.log(entry),
      }),
      lingerMs: LINGER_MS,
      clock: systemClock,
      prints,
      print: (line) => err.line(printableLine(line, LINE_MAX)),
      ...(verbosity > 1
        ? { observer: (direction, message) => tellMessage(err, runtime.secrets, 'host ', direction, message) }
        : {}),
      stopped: untilInterrupted(signal),
    });
    return exitCode === 0 ? ExitCode.ok : signal.aborted ? ExitCode.interrupted : ExitCode.broken;
  } finally {
    unfollow();
    await host.close(signal);
  }
}

/** The pipe keeps this process alive meanwhile. */
function untilInterrupted(signal: AbortSignal): Promise<Stop> {
  return new Promise((resolve) => {
    const stop = () => resolve({ isStop: true, exitCode: ExitCode.interrupted });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** After the host has closed its side, what it asked is finished; it is over when nothing was said for so long. */
const LINGER_MS = 30_000;
const LINE_MAX = 2000;

/** All have to be started, also lazy ones: before that nobody knows what they are. */
async function startedPlugins(
  context: CommandContext,
  host: Host,
  fleet: Fleet,
  names: readonly string[],
): Promise<readonly Plugin[]> {
  const list = await host.plugins();
  const problems = problemsOf(list);
  tellProblems(context, problems);
  if (names.length > 0) {
    const chosen = [...new Set(names)];
    await Promise.all(chosen.map((name) => host.start(name)));
    return chosen.map((name) => fleet.plugin(name));
  }
  const refusal = nothingToRun(context, fleet.plugins.length, withoutBuiltIns(list.plugins), problems);
  if (refusal !== undefined) throw refusal;
  return startAll(context, fleet.plugins);
}

/** One that cannot be started is tried again, and may join the others later. */
async function startAll({ err }: CommandContext, plugins: readonly Plugin[]): Promise<readonly Plugin[]> {
  const starts = await Promise.allSettled(plugins.map((plugin) => plugin.start()));
  const failures = starts.flatMap((start) => (start.status === 'rejected' ? [toError(start.reason)] : []));
  if (failures[0] !== undefined && failures.length === plugins.length) throw failures[0];
  for (const { message } of failures)
    err.line(`${err.colours.yellow('!')} ${printableLine(message, LINE_MAX)}`);
  return plugins;
}

/** What a plugin logs beside its calls is for the host; what it prints, and what becomes of it, for whoever looks at stderr. */
function tellLog(
  { err, verbosity }: CommandContext,
  { plugins }: Fleet,
  prints: Prints,
  event: FleetEvent,
): void {
  if (event.kind !== 'logged') return;
  const { source, level, message, data, call } = event.entry;
  if (source === 'plugin' && call === undefined)
    prints.log({ level, message, ...(data === undefined ? {} : { data }) });
  if (!logShown(event.entry, verbosity) || (source === 'plugin' && verbosity < 1)) return;
  const who = plugins.length === 1 ? '' : `${err.colours.cyan(event.plugin)} `;
  err.line(`${who}${logText(err, event.entry)}`);
}
