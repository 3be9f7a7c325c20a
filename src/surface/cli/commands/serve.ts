// `pluglot serve --as DIALECT [NAMES | -- COMMAND…]`: plugins of any dialect on this command's own stdio, in another. `--stdio` alone: all
// that is exposed, for a client of MCP; `--http`: the same, or what is named, over HTTP.
import type { Socket } from 'node:net';
import { Option } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { PluglotError, toError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import { fdPipe } from '../../../channel/bytes/stream-pipe.ts';
import { dialectNames, type DialectName } from '../../../definition/plugin-spec.ts';
import { pluginBackend } from '../../../fleet/bridge/plugin-backend.ts';
import type { Fleet, FleetEvent } from '../../../fleet/fleet.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';
import { problemsOf } from '../../../runtime/problems.ts';
import { answerHost, type Stop } from '../../../sdk/answer-host.ts';
import { HostPipe } from '../../../sdk/host-pipe.ts';
import { Prints } from '../../../sdk/prints.ts';
import { recognise } from '../../../sdk/recognise.ts';
import { attachPipe, socketOf } from '../attach.ts';
import { defineCommand, portOption } from '../command.ts';
import { ExitCode, exitCodeOf } from '../exit-code.ts';
import { unlessInterrupted, type CommandContext } from '../context.ts';
import { logShown, logText } from '../log-lines.ts';
import { openOwnRuntime, showMessage } from '../own-runtime.ts';
import { withoutBuiltIns } from '../open-runtime.ts';
import { nothingToRun, showProblems } from '../problems.ts';
import { hint, silentTerminal, warn } from '../terminal.ts';
import type { ServeOptions } from './serve-http.ts';

export const commands = {
  serve: defineCommand<ServeOptions, [names: string[]]>({
    description:
      'Serve plugins in another dialect on stdio, for a host that starts this command; or all of them as one MCP server over HTTP',
    examples: [
      'pluglot serve --as mcp -- python3 plugin.py',
      'pluglot serve --as gassist dice',
      'pluglot serve --stdio',
      'pluglot serve --http --port 0 -- node server.mjs',
    ],
    uses: 'own-fleet',
    wire: true,
    declare: (command) =>
      command
        .argument('[names...]', 'Plugins to serve (default: all, or the one behind --)')
        .addOption(
          new Option(
            '--as <dialect>',
            'Dialect of the host (default: detected from its first message)',
          ).choices(dialectNames),
        )
        .option('--stdio', 'Serve MCP on stdio for an MCP client, sharing a running `pluglot up`')
        .option('--standalone', 'Start plugins of its own, even while `pluglot up` runs')
        .option('--http', 'Serve MCP over HTTP at /mcp, with a token')
        .option('--port <number>', 'With --http: port to listen on; 0: any free port', portOption)
        .option('--host <address>', 'With --http: address to listen on')
        .option('--json', 'With --http: print JSON'),
    run: serve,
  }),
};

async function serve(
  context: CommandContext,
  options: ServeOptions,
  names: readonly string[],
): Promise<ExitCode> {
  const refusal = wrongUsage(context, names, options);
  if (refusal !== undefined) throw refusal;
  if (options.http === true) return (await import('./serve-http.ts')).serveHttp(context, names, options);
  if (wantsAll(context, names, options)) {
    const shared = context.standalone ? undefined : await attachPipe(await socketOf(context), context.signal);
    if (shared !== undefined) return serveShared(context, shared);
  }
  const { stdin, err } = context;
  if (stdin.isTTY && err.live)
    hint(err, 'It waits for a host on stdin and stdout, not for a person. Ctrl-C ends it.');
  const pipe = new HostPipe(fdPipe(0, 1));
  try {
    if (wantsAll(context, names, options)) {
      const { serveEndpoint } = await import('./serve-endpoint.ts');
      return await serveEndpoint(context, pipe);
    }
    const dialect = options.as ?? (options.stdio === true ? 'mcp' : await dialectOfHost(context, pipe));
    // The host sent nothing: there is nothing to do.
    if (dialect === undefined) return ExitCode.ok;
    return mustBeSilent(context, dialect)
      ? await serveSilently(dialect, context, pipe, names, options)
      : await serveAs(dialect, context, pipe, names, options);
  } finally {
    // An open pipe keeps the process alive, also unused.
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

/** Engines of G-Assist read stderr as a part of the wire; a terminal, or -v, shows it all the same. */
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
  const host = await openOwnRuntime(context, options);
  const { fleet, secrets } = host;
  const prints = new Prints();
  const unfollow = fleet.onEvent((event) => showLog(context, fleet, prints, event));
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
        ? { observer: (direction, message) => showMessage(err, secrets, 'host ', direction, message) }
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

/** After the host has closed its side, what it asked is finished; it ends after so long without a message. */
const LINGER_MS = 30_000;
const LINE_MAX = 2000;

/** All have to be started, also lazy ones: before that their tools are not known. */
async function startedPlugins(
  context: CommandContext,
  host: RuntimeApi,
  fleet: Fleet,
  names: readonly string[],
): Promise<readonly Plugin[]> {
  const list = await host.plugins();
  const problems = problemsOf(list);
  showProblems(context, problems);
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
  for (const { message } of failures) warn(err, printableLine(message, LINE_MAX));
  return plugins;
}

/** What a plugin logs beside its calls is for the host; its output and states go to stderr. */
function showLog(
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
  err.line(logText(err, event.entry, who));
}

/** Until the client has gone, the `up` has ended, or the user interrupts. */
export async function serveShared(context: CommandContext, wire: Socket): Promise<ExitCode> {
  const { stdin, stdout, signal, err } = context;
  let hasClientGone = false;
  const leave = () => void wire.destroy();
  stdin.once('end', () => (hasClientGone = true));
  // One that does not read any more has gone, too.
  stdout.once('error', leave);
  wire.on('error', () => {});
  signal.addEventListener('abort', leave, { once: true });
  const over = new Promise<void>((resolve) => wire.once('close', resolve));
  if (signal.aborted) leave();
  stdin.pipe(wire);
  wire.pipe(stdout, { end: false });
  await over;
  signal.removeEventListener('abort', leave);
  stdin.unpipe(wire);
  stdin.pause();
  if (signal.aborted) return ExitCode.interrupted;
  if (hasClientGone || stdout.destroyed) return ExitCode.ok;
  warn(err, 'The `pluglot up` that served this client has ended.');
  return ExitCode.broken;
}
