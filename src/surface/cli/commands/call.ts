// `pluglot call TOOL [ARGS] [-- COMMAND…]`: one call, from the words typed to the exit code.
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { defined } from '../../../base/json.ts';
import { PluglotError } from '../../../base/error.ts';
import type { KeptRecord, LogRecord } from '../../../fleet/plugin/logs/log-book.ts';
import type { ApiCallOptions, RuntimeApi } from '../../../runtime/api.ts';
import type { Outcome } from '../../../definition/outcome.ts';
import { callPrinter, failuresAsOutcome, followCall } from '../call-printer.ts';
import { defineCommand, durationOption } from '../command.ts';
import type { ExitCode } from '../exit-code.ts';
import { withRuntime } from '../open-runtime.ts';
import { unlessInterrupted, type CommandContext } from '../context.ts';
import { readArguments } from '../../../runtime/typed-arguments.ts';
import { hint } from '../terminal.ts';

export interface CallFlags {
  readonly dialect?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly workdir?: string;
}

export const commands = {
  call: defineCommand<CallFlags, [tool: string, words: string[]]>({
    description: 'Call a tool: its text goes to stdout, logs to stderr',
    examples: [
      'pluglot call roll dice=2d6',
      `pluglot call roll '{"dice":"2d6"}' --json`,
      'pluglot call roll dice=2d6 --timeout 5s -- node server.mjs',
      'echo \'{"dice":"2d6"}\' | pluglot call roll -',
    ],
    uses: 'plugin',
    declare: (command) => withCallOptions(withToolArguments(command)),
    run: (context, flags, tool, words) =>
      failuresAsOutcome(context, tool, () => callTool(context, tool, words, flags)),
  }),
};

export function withToolArguments(command: Command): Command {
  return command
    .argument('<tool>', 'Name of the tool, or plugin__tool')
    .argument('[arguments...]', 'key=value pairs, one JSON object, or - to read an object from stdin');
}

export function withCallOptions(command: Command): Command {
  return command
    .option('--timeout <duration>', 'Time limit of the call, such as 30s or 2m', durationOption)
    .option('--workdir <folder>', 'Working folder of the tool');
}

async function callTool(
  context: CommandContext,
  toolName: string,
  words: readonly string[],
  flags: CallFlags,
): Promise<ExitCode> {
  const { err, signal, stdin, startedAt } = context;
  // Arguments that cannot be read fail before anything is started.
  const typed = await readArguments(words, () => unlessInterrupted(signal, text(stdin)));
  return withRuntime(context, flags, async (runtime, { attached }) => {
    err.progress(`looking for ${toolName} …`);
    const early: KeptRecord[] = [];
    let log: (entry: KeptRecord) => void = (entry) => early.push(entry);
    const made = runtime.call(toolName, 'args' in typed ? typed.args : {}, {
      ...callOptionsOf(context, flags),
      ...('pairs' in typed && { pairs: typed.pairs }),
      logs: { since: startedAt, onEntry: (entry) => log(entry) },
    });
    const target = await made.target;
    if (target === undefined) throw errorOf(await made);
    const { name, plugin } = target;
    const printer = callPrinter(context, name);
    log = printer.log;
    early.forEach(log);
    err.progress(`calling ${name} …`);
    const outcome = await followCall(made, printer.event);
    const exitCode = printer.end(attached ? withWayOut(outcome, plugin) : outcome);
    if (outcome.keepSession === true && err.live)
      hint(err, `It waits for an answer. To answer its questions: pluglot talk ${name}`);
    return exitCode;
  });
}

/** A call that did not begin. */
function errorOf(outcome: Outcome): PluglotError {
  if (outcome.ok) return new PluglotError('INTERNAL', 'The call ended before it began.');
  const { code, message, stderr } = outcome.error;
  return new PluglotError(code, message, stderr === undefined ? {} : { stderr });
}

/** A plugin that the user has stopped is not started by a call. */
function withWayOut(outcome: Outcome, plugin: string): Outcome {
  if (outcome.ok || outcome.error.code !== 'PLUGIN_STOPPED') return outcome;
  return { ...outcome, error: { suggestions: [`pluglot start ${plugin}`], ...outcome.error } };
}

export function callOptionsOf(
  { cwd, signal }: CommandContext,
  { workdir = '.', timeout: timeoutMs }: CallFlags = {},
): ApiCallOptions {
  return defined({ signal, context: { workdir: path.resolve(cwd, workdir) }, timeoutMs });
}

/** Shows the log of a plugin since this command was started. */
export function followLogs(
  { startedAt }: CommandContext,
  host: RuntimeApi,
  plugin: string,
  log: (entry: LogRecord) => void,
): { end(): Promise<void> } {
  const over = new AbortController();
  const follow = async () => {
    const options = { follow: true, since: startedAt, signal: over.signal };
    for await (const entry of host.logs(plugin, options)) log(entry);
  };
  // An unknown plugin fails the request that uses it.
  const followed = follow().catch(() => {});
  return {
    async end() {
      over.abort();
      await followed;
    },
  };
}
