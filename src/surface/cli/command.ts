// What a command declares: its description, examples, arguments and options, and those that commands share.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseDuration } from '../../base/units.ts';
import { PluglotError } from '../../base/error.ts';
import { dialectNames } from '../../definition/plugin-spec.ts';
import type { CliEnvironment, CommandContext } from './context.ts';
import type { ExitCode } from './exit-code.ts';
import { showFailure } from './failure.ts';
import { createTerminals, exampleLines } from './terminal.ts';

export interface CommandSpec<Options, Words extends readonly unknown[]> {
  /** @default its summary in the list of commands */
  readonly description?: string;
  readonly examples: readonly string[];
  /**
   * `fleet`: uses the fleet. `plugin`: or only the plugin behind `--`. `own-fleet`: like that, but never a running one. `command`: only
   * the plugin behind `--`. `file`: only the project's file. `new-plugin`: to write a plugin into it.
   */
  readonly uses?: 'fleet' | 'plugin' | 'own-fleet' | 'command' | 'file' | 'new-plugin';
  /** The help of -q and -v, where these are not about the output of plugins. */
  readonly verbosity?: { readonly quiet: string; readonly verbose: string };
  /** It has one form of output, and so no --json, -q and -v. */
  readonly plain?: true;
  /** Its stdout is a wire to another program, so that there is no --json. */
  readonly wire?: true;
  /** Adds its own arguments and options. */
  readonly declare?: (command: Command) => unknown;
  /** `words`: its arguments, in the order of their declaration. */
  readonly run: (context: CommandContext, options: Options, ...words: Words) => Promise<ExitCode>;
}

export interface Invocation {
  readonly environment: CliEnvironment;
  /** The words behind `--`. */
  readonly command: readonly string[] | undefined;
  readonly finish: (code: ExitCode) => void;
}

/** Gives a command its options and what it does. */
export type DeclareCommand = (command: Command, invocation: Invocation) => void;

export function defineCommand<Options = object, Words extends readonly unknown[] = []>(
  spec: CommandSpec<Options, Words>,
): DeclareCommand {
  return (declared, invocation) => {
    const { out, err } = createTerminals(invocation.environment);
    declared
      .description(spec.description ?? declared.summary())
      .addHelpText('after', exampleLines(out.colours, spec.examples))
      .action(async (...given: unknown[]) => {
        // commander hands the arguments, the options and the command, in this order.
        const options = given.at(-2) as Options & SharedOptions;
        const words = given.slice(0, -2) as unknown as Words;
        const context = contextOf(invocation, options, { out, err });
        try {
          // A file that is to be written may be new.
          if (options.config !== undefined && spec.uses !== 'new-plugin')
            await checkNamedConfig(options.config, context);
          invocation.finish(await spec.run(context, options, ...words));
        } catch (thrown) {
          invocation.finish(showFailure(thrown, context));
        } finally {
          err.clear();
        }
      });
    addSharedOptions(declared, spec);
    spec.declare?.(declared);
  };
}

type SharedOptions = {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: number;
  readonly standalone?: boolean;
  readonly config?: string;
};

function contextOf(
  { environment, command }: Invocation,
  { json = false, quiet, verbose = 0, standalone = false, config }: SharedOptions,
  terminals: Pick<CommandContext, 'out' | 'err'>,
): CommandContext {
  return {
    ...environment,
    ...terminals,
    command,
    json,
    verbosity: quiet === true ? -1 : verbose,
    standalone,
    configFile: config,
    startedAt: Date.now(),
  };
}

function addSharedOptions(
  command: Command,
  { uses, verbosity = ofPlugins, plain, wire }: Omit<CommandSpec<never, never>, 'run'>,
): void {
  if (plain === undefined && wire === undefined) command.option('--json', 'Print JSON');
  if (plain === undefined) {
    command
      .option('-q, --quiet', verbosity.quiet)
      .option('-v, --verbose', verbosity.verbose, (_, sum: number) => sum + 1, 0);
  }
  if (uses === 'fleet' || uses === 'plugin')
    command.option('--standalone', 'Start plugins of its own, even while `pluglot up` runs');
  if (uses !== undefined && uses !== 'command')
    command.option('--config <file>', 'Use this file instead of the pluglot.json of the project');
  if (uses === 'plugin' || uses === 'own-fleet' || uses === 'command' || uses === 'new-plugin')
    command.addOption(
      new Option('--dialect <name>', 'Dialect of the plugin (default: detected automatically)').choices(
        dialectNames,
      ),
    );
}

const ofPlugins = {
  quiet: 'Only show plugin errors',
  verbose: 'Show all plugin output; -vv: also the messages',
};

/** A file that was named is not replaced by others. @throws PluglotError CONFIG_INVALID when it is not there */
async function checkNamedConfig(named: string, { cwd, home }: CommandContext): Promise<void> {
  const [{ stat }, { absolute }] = await Promise.all([
    import('node:fs/promises'),
    import('../../fleet/discovery/entry-spec.ts'),
  ]);
  const file = absolute(named, { folder: cwd, home });
  const wrong = (text: string) => new PluglotError('CONFIG_INVALID', `${file}: ${text}`);
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => error.code ?? 'unknown');
  if (found === 'ENOENT' || found === 'ENOTDIR')
    throw wrong('there is no such file. Correct the path after --config.');
  // Other problems are reported when it is read.
  if (typeof found !== 'string' && found.isDirectory())
    throw wrong('this is a folder. Correct the path after --config.');
}

/** For an option that can be repeated. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** In milliseconds. */
export function durationOption(text: string): number {
  const duration = parseDuration(text);
  if ('problem' in duration) throw new InvalidArgumentError(duration.problem);
  return duration.ms;
}

export function portOption(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('Write a number from 0 to 65535.');
  return port;
}
