// `pluglot run [COMMAND [ARGS]]`: what a plugin offers to its user, called without a model; without a command, which ones there are.
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { printableLine } from '../../../base/printable.ts';
import { callPrinter } from '../call-printer.ts';
import { commandArguments, usageOf } from '../command-arguments.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Host } from '../host/host.ts';
import { withHost } from '../host/open-host.ts';
import { unlessInterrupted } from '../interruption.ts';
import { table, tableWidth } from '../table.ts';
import type { CommandContext } from './context.ts';
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
  return withHost(own, {}, (host) =>
    name === undefined ? list(own, host) : runOne(own, host, name, [...words, ...more], options),
  );
}

async function runOne(
  context: CommandContext,
  host: Host,
  name: string,
  words: readonly string[],
  { workdir = '.', timeoutMs }: RunOptions,
): Promise<ExitCode> {
  const { cwd, err, signal, stdin } = context;
  err.progress(`looking for ${name} …`);
  const found = await host.findCommand(name);
  const isPiped = words.length === 1 && words[0] === '-';
  const typed = isPiped ? [await unlessInterrupted(signal, text(stdin))] : words;
  const args = commandArguments(found.command, typed);
  const printer = callPrinter(context, found.name);
  const outcome = await host.run(
    {
      command: found.name,
      args,
      context: { workdir: path.resolve(cwd, workdir) },
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
    printer.event,
    signal,
  );
  return printer.end(outcome);
}

async function list(context: CommandContext, host: Host): Promise<ExitCode> {
  const { out, err, json } = context;
  const { commands, problems } = await host.commands({ all: true });
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
  return tellUnasked(context, commands.length, problems);
}
