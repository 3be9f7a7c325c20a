// `pluglot run [COMMAND [ARGS]]`: what a plugin offers to its user, called without a model; without a command, which ones there are.
import { text } from 'node:stream/consumers';
import { printableLine } from '../../../base/printable.ts';
import { callPrinter, toldAsOutcome } from '../call-printer.ts';
import { commandArguments, usageOf } from '../command-arguments.ts';
import type { ExitCode } from '../exit-code.ts';
import { hear } from '../hear.ts';
import type { PluginView } from '../../../runtime/api.ts';
import type { Host } from '../host/host.ts';
import { withHost } from '../host/with-host.ts';
import { unlessInterrupted } from '../interruption.ts';
import { table, tableWidth } from '../table.ts';
import type { CommandContext } from './context.ts';
import { callOptionsOf } from './call.ts';
import { tellUnasked } from './lists.ts';

export interface RunOptions {
  readonly timeoutMs?: number;
  readonly workdir?: string;
}

export async function run(
  context: CommandContext,
  name: string | undefined,
  words: readonly string[],
  options: RunOptions,
): Promise<ExitCode> {
  // Behind `--` stand words that are no options, not a plugin.
  const { command: more = [], ...rest } = context;
  const own: CommandContext = { ...rest, command: undefined };
  return withHost(own, { builtIns: true }, (host) =>
    name === undefined
      ? list(own, host)
      : toldAsOutcome(own, name, () => runOne(own, host, name, [...words, ...more], options)),
  );
}

async function runOne(
  context: CommandContext,
  host: Host,
  name: string,
  words: readonly string[],
  options: RunOptions,
): Promise<ExitCode> {
  const { err, signal, stdin } = context;
  err.progress(`looking for ${name} …`);
  const found = await host.command(name);
  const isPiped = words.length === 1 && words[0] === '-';
  const typed = isPiped ? [await unlessInterrupted(signal, text(stdin))] : words;
  const args = commandArguments({ ...found.command, name: found.name }, typed);
  const printer = callPrinter(context, found.name);
  const made = host.run(found.name, args, callOptionsOf(context, options));
  return printer.end(await hear(made, printer.event));
}

async function list(context: CommandContext, host: Host): Promise<ExitCode> {
  const { out, err, json } = context;
  const commands = await host.commands({ ask: true });
  if (json)
    out.line(JSON.stringify(commands.map(({ plugin, name, command }) => ({ ...command, name, plugin }))));
  else if (commands.length === 0) err.line('No commands.');
  else {
    const { cyan, dim, bold } = out.colours;
    const columns = [
      { title: 'COMMAND', style: cyan },
      { title: 'PLUGIN', style: dim, spare: 1 },
      { title: 'WHAT IT DOES' },
    ];
    const rows = commands.map(({ plugin, name, command }) => [
      printableLine(usageOf({ ...command, name }), 60),
      plugin,
      printableLine(command.description ?? ''),
    ]);
    for (const line of table(columns, rows, tableWidth(context), bold)) out.line(line);
  }
  return tellUnasked(context, host, commands.length, modulesIn((await host.plugins()).plugins));
}

/** Programs have no commands. */
function modulesIn(views: readonly PluginView[]): readonly PluginView[] {
  return views.filter(({ origin }) => origin !== 'process');
}
