// `pluglot call TOOL [ARGS] [-- COMMAND…]`: one call, from the words typed to the exit code.
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { LogRecord } from '../../../fleet/plugin/logs/log-book.ts';
import type { ApiCallOptions } from '../../../runtime/api.ts';
import type { Outcome } from '../../../definition/outcome.ts';
import { callPrinter, toldAsOutcome } from '../call-printer.ts';
import type { ExitCode } from '../exit-code.ts';
import { hear } from '../hear.ts';
import type { Host } from '../host/host.ts';
import { withHost } from '../host/with-host.ts';
import { unlessInterrupted } from '../interruption.ts';
import { readArguments } from '../tool-arguments.ts';
import type { CommandContext } from './context.ts';

export interface CallOptions {
  readonly dialect?: string;
  readonly timeoutMs?: number;
  readonly workdir?: string;
}

export function call(
  context: CommandContext,
  toolName: string,
  words: readonly string[],
  options: CallOptions,
): Promise<ExitCode> {
  return toldAsOutcome(context, toolName, () => callTool(context, toolName, words, options));
}

async function callTool(
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
    const { name, plugin, tool } = await host.tool(toolName);
    const printer = callPrinter(context, name);
    const logs = followLogs(context, host, plugin, printer.log);
    err.progress(`calling ${name} …`);
    try {
      const made = host.call(name, typed(tool.inputSchema), callOptionsOf(context, options));
      const outcome = await hear(made, printer.event);
      await logs.end();
      const exitCode = printer.end(attached ? withWayOut(outcome, plugin) : outcome);
      if (outcome.keepSession === true && err.live)
        err.line(
          err.colours.dim(`It waits for what you say. To be there when it asks: pluglot talk ${name}`),
        );
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

export function callOptionsOf(
  { cwd, signal }: CommandContext,
  { workdir = '.', timeoutMs }: Pick<CallOptions, 'workdir' | 'timeoutMs'> = {},
): ApiCallOptions {
  return {
    signal,
    context: { workdir: path.resolve(cwd, workdir) },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** Shows what the plugin says since this command was started, until that is over. */
export function followLogs(
  { startedAt }: CommandContext,
  host: Host,
  plugin: string,
  log: (entry: LogRecord) => void,
): { end(): Promise<void> } {
  const over = new AbortController();
  const follow = async () => {
    const options = { follow: true, since: startedAt, signal: over.signal };
    for await (const entry of host.logs(plugin, options)) log(entry);
  };
  // Why there is no such plugin is told by what is asked of it.
  const followed = follow().catch(() => {});
  return {
    async end() {
      over.abort();
      await followed;
    },
  };
}
