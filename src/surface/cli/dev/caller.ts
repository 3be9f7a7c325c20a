// Calls that are typed while a plugin is being written: `TOOL key=value …`, and an empty line for the same again.
import { printableLine } from '../../../base/printable.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import { splitCommandLine } from '../../../fleet/supervisor/command-line.ts';
import { callPrinter } from '../call-printer.ts';
import { callOptionsOf } from '../commands/call.ts';
import type { CommandContext } from '../commands/context.ts';
import { tellFailure } from '../failure.ts';
import { hear } from '../hear.ts';
import type { Host } from '../host/host.ts';
import { readArguments } from '../tool-arguments.ts';
import type { Screen } from './stage-screen.ts';

export interface Caller {
  typed(line: string): void;
  /** The plugin has started: the next line can come. */
  ready(): void;
}

export interface CallerParts {
  readonly context: CommandContext;
  readonly host: Host;
  readonly plugin: Plugin;
  readonly screen: Screen | undefined;
}

export function createCaller({ context, host, plugin, screen }: CallerParts): Caller {
  const { err } = context;
  let last: string | undefined;
  let isGreeted = false;
  const call = async (line: string) => {
    const [tool = '', ...words] = splitCommandLine(line);
    const typed = await readArguments(words, () => Promise.reject(new Error('there is no stdin here')));
    const found = await host.tool(tool);
    const printer = callPrinter(context, found.name);
    const made = host.call(found.name, typed(found.tool.inputSchema), callOptionsOf(context));
    printer.end(await hear(made, printer.event));
  };
  const run = async (line: string) => {
    const word = line.trim();
    if (word === '?' || word === 'help') return tellHelp(context, plugin);
    if (word === '' && last === undefined) return;
    last = word === '' ? last : word;
    if (word === '') err.line(err.colours.dim(`> ${printableLine(last ?? '', 500)}`));
    await call(last ?? '');
  };
  return {
    typed(line) {
      screen?.pause();
      run(line)
        .catch((thrown: unknown) => void tellFailure(thrown, { ...context, json: false }))
        .finally(() => screen?.resume());
    },
    ready() {
      if (!isGreeted && screen !== undefined)
        err.line(err.colours.dim('Type TOOL key=value … to call it, ? for help, Ctrl-C to leave.'));
      isGreeted = true;
      screen?.resume();
    },
  };
}

function tellHelp({ err }: CommandContext, plugin: Plugin): void {
  const { cyan, dim } = err.colours;
  for (const { name, description } of plugin.tools())
    err.line(`  ${cyan(printableLine(name, 60))}  ${dim(printableLine(description ?? '', 100))}`);
  err.line(dim('  TOOL key=value … calls it; Enter calls the same again; Ctrl-D or Ctrl-C leaves.'));
}
