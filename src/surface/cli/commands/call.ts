// `pluglot call TOOL [ARGS] [-- COMMAND…]`: one call, from the words typed to the exit code.
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Outcome } from '../../../definition/outcome.ts';
import { callPrinter } from '../call-printer.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Host, HostCall, ToolView } from '../host/host.ts';
import { withHost } from '../host/open-host.ts';
import { unlessInterrupted } from '../interruption.ts';
import { readArguments, type TypedArguments } from '../tool-arguments.ts';
import type { CommandContext } from './context.ts';

export interface CallOptions {
  readonly dialect?: string;
  readonly timeoutMs?: number;
  readonly workdir?: string;
}

export async function call(
  context: CommandContext,
  toolName: string,
  words: readonly string[],
  options: CallOptions,
): Promise<ExitCode> {
  const { err, signal, stdin } = context;
  // What was typed wrong is told before anything is started.
  const typed = await readArguments(words, () => unlessInterrupted(signal, text(stdin)));
  return withHost(context, options, async (host, { attached }) => {
    err.progress(`looking for ${toolName} …`);
    const found = await host.findTool(toolName);
    const printer = callPrinter(context, found.name);
    const logs = followLogs(context, host, found.plugin, printer.log);
    err.progress(`calling ${found.name} …`);
    try {
      const outcome = await host.call(requestOf(context, found, typed, options), printer.event, signal);
      await logs.end();
      const exitCode = printer.end(attached ? withWayOut(outcome, found.plugin) : outcome);
      if (outcome.keepSession === true && err.live)
        err.line(err.colours.dim(`It waits for more; to go on, use talk instead of call.`));
      return exitCode;
    } finally {
      await logs.end();
    }
  });
}

/** One that somebody has stopped is not started by a call. */
function withWayOut(outcome: Outcome, plugin: string): Outcome {
  if (outcome.ok || outcome.error.code !== 'PLUGIN_STOPPED') return outcome;
  return { ...outcome, error: { suggestions: [`pluglot start ${plugin}`], ...outcome.error } };
}

export function requestOf(
  { cwd }: CommandContext,
  { plugin, tool }: ToolView,
  typed: TypedArguments,
  { workdir = '.', timeoutMs }: CallOptions,
): HostCall {
  return {
    plugin,
    tool: tool.name,
    args: typed(tool.inputSchema),
    context: { workdir: path.resolve(cwd, workdir) },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** Shows what the plugin says since this command was started, until that is over. */
export function followLogs(
  { startedAt }: CommandContext,
  host: Host,
  plugin: string,
  log: Parameters<Host['logs']>[2],
): { end(): Promise<void> } {
  const over = new AbortController();
  const followed = host.logs(plugin, { follow: true, since: startedAt, signal: over.signal }, log);
  // Why there is no such plugin is told by what is asked of it.
  const settled = followed.catch(() => {});
  return {
    async end() {
      over.abort();
      await settled;
    },
  };
}
