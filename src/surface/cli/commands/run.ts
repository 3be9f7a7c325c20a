// `pluglot run [COMMAND [ARGS]]`: what a plugin offers to its user, called without a model; without a command, which ones there are.
import { text } from 'node:stream/consumers';
import { printableLine } from '../../../base/printable.ts';
import { callPrinter, failuresAsOutcome, followCall } from '../call-printer.ts';
import { defineCommand } from '../command.ts';
import { commandArguments, usageOf } from '../command-arguments.ts';
import type { ExitCode } from '../exit-code.ts';
import type { PluginView, RuntimeApi } from '../../../runtime/api.ts';
import { withRuntime } from '../open-runtime.ts';
import { unlessInterrupted, type CommandContext } from '../context.ts';
import { printTable } from '../table.ts';
import { callOptionsOf, withCallOptions, type CallFlags } from './call.ts';
import { showUnasked } from './lists.ts';

export const commands = {
  run: defineCommand<CallFlags, [command: string | undefined, words: string[]]>({
    description: 'Run a command that a plugin offers to its user; without a name, list them',
    examples: ['pluglot run', 'pluglot run permissions show', 'pluglot run permissions allow "git status"'],
    uses: 'fleet',
    declare: (command) =>
      withCallOptions(
        command
          .argument('[command]', 'Name of the command, or plugin__command')
          .argument(
            '[words...]',
            'Its arguments in order, or key=value; words that look like options go behind --',
          ),
      ),
    run,
  }),
};

async function run(
  context: CommandContext,
  flags: CallFlags,
  name: string | undefined,
  words: readonly string[],
): Promise<ExitCode> {
  // Words behind `--` are arguments here, not a plugin.
  const { command: more = [], ...rest } = context;
  const own: CommandContext = { ...rest, command: undefined };
  return withRuntime(own, { builtIns: true }, (host) =>
    name === undefined
      ? list(own, host)
      : failuresAsOutcome(own, name, () => runOne(own, host, name, [...words, ...more], flags)),
  );
}

async function runOne(
  context: CommandContext,
  host: RuntimeApi,
  name: string,
  words: readonly string[],
  flags: CallFlags,
): Promise<ExitCode> {
  const { err, signal, stdin } = context;
  err.progress(`looking for ${name} …`);
  const found = await host.command(name);
  const isPiped = words.length === 1 && words[0] === '-';
  const typed = isPiped ? [await unlessInterrupted(signal, text(stdin))] : words;
  const args = commandArguments({ ...found.command, name: found.name }, typed);
  const printer = callPrinter(context, found.name);
  const made = host.run(found.name, args, callOptionsOf(context, flags));
  return printer.end(await followCall(made, printer.event));
}

async function list(context: CommandContext, host: RuntimeApi): Promise<ExitCode> {
  const { out, err, json } = context;
  const commands = await host.commands({ ask: true });
  if (json)
    out.line(JSON.stringify(commands.map(({ plugin, name, command }) => ({ ...command, name, plugin }))));
  else if (commands.length === 0) err.line('No commands.');
  else {
    const { cyan, dim } = out.colours;
    printTable(out, commands, [
      {
        title: 'COMMAND',
        style: cyan,
        cell: ({ command, name }) => printableLine(usageOf({ ...command, name }), 60),
      },
      { title: 'PLUGIN', style: dim, spare: 1, cell: ({ plugin }) => plugin },
      { title: 'WHAT IT DOES', cell: ({ command }) => printableLine(command.description ?? '') },
    ]);
  }
  return showUnasked(context, host, commands.length, modulesIn((await host.plugins()).plugins));
}

/** Programs have no commands. */
function modulesIn(views: readonly PluginView[]): readonly PluginView[] {
  return views.filter(({ origin }) => origin !== 'process');
}
