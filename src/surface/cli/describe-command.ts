// What all commands have in common: their options, their examples, and how a failure of theirs is told.
import { Option, type Command } from 'commander';
import { hostDialects } from '../../dialect/hosts.ts';
import type { CommandContext } from './commands/context.ts';
import type { ExitCode } from './exit-code.ts';
import { tellFailure } from './failure.ts';
import type { Surroundings } from './surroundings.ts';
import { createTerminals, type Terminal } from './terminal.ts';

export interface CommandBuilder {
  readonly program: Command;
  readonly surroundings: Surroundings;
  readonly behindDashes: readonly string[] | undefined;
  readonly describe: <Options>(command: CommandDescription<Options>) => Command;
}

interface CommandDescription<Options> {
  readonly name: string;
  readonly description: string;
  /** The same in one line, for the list of all. @default the description */
  readonly summary?: string;
  readonly examples: readonly string[];
  /**
   * `fleet`: uses the fleet. `plugin`: or only the plugin behind `--`. `own-fleet`: like that, but never a running one. `command`: only
   * the plugin behind `--`. `file`: only the project's file. `new-plugin`: to write a plugin into it.
   */
  readonly uses?: 'fleet' | 'plugin' | 'own-fleet' | 'command' | 'file' | 'new-plugin';
  /** What less and more of what it prints mean, where that is not what plugins say. */
  readonly verbosity?: { readonly quiet: string; readonly verbose: string };
  /** Prints one thing for one reader, so that there is nothing to choose. */
  readonly plain?: true;
  /** Its stdout is a wire to another program, so that nothing can be printed there. */
  readonly wire?: true;
  /** Loads its own code, so that all other commands start without it. */
  readonly run: (context: CommandContext, options: Options, words: readonly unknown[]) => Promise<ExitCode>;
}

type Given = {
  readonly surroundings: Surroundings;
  readonly command: readonly string[] | undefined;
  readonly finish: (code: ExitCode) => void;
};

export function commandBuilder(program: Command, given: Given): CommandBuilder {
  const { surroundings, command } = given;
  const terminals = createTerminals(surroundings);
  return {
    program,
    surroundings,
    behindDashes: command,
    describe: (description) => describe(program, description, { ...given, ...terminals }),
  };
}

type SharedOptions = {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: number;
  readonly standalone?: boolean;
  readonly config?: string;
};

const ofPlugins = {
  quiet: 'Only show plugin errors',
  verbose: 'Show all plugin output; -vv: also the messages',
};

function describe<Options>(
  program: Command,
  {
    name,
    description,
    summary = description,
    examples: lines,
    uses,
    verbosity = ofPlugins,
    plain,
    wire,
    run,
  }: CommandDescription<Options>,
  { surroundings, command, finish, out, err }: Given & ReturnType<typeof createTerminals>,
): Command {
  const described = program
    .command(name)
    .description(description)
    .summary(summary)
    .addHelpText('after', examples(out.colours, lines))
    .action(async (...given: unknown[]) => {
      // commander hands the arguments, the options and the command, in this order.
      const options = given.at(-2) as Options & SharedOptions;
      const context: CommandContext = {
        ...surroundings,
        out,
        err,
        command,
        json: options.json ?? false,
        verbosity: options.quiet === true ? -1 : (options.verbose ?? 0),
        standalone: options.standalone ?? false,
        configFile: options.config,
        startedAt: Date.now(),
      };
      try {
        // One that is to be written is made where it is missing.
        if (options.config !== undefined && uses !== 'new-plugin')
          await (await import('./named-config.ts')).checkNamedConfig(options.config, context);
        finish(await run(context, options, given.slice(0, -2)));
      } catch (thrown) {
        finish(tellFailure(thrown, context));
      } finally {
        err.clear();
      }
    });
  if (plain === undefined && wire === undefined) described.option('--json', 'Print JSON');
  if (plain === undefined) {
    described
      .option('-q, --quiet', verbosity.quiet)
      .option('-v, --verbose', verbosity.verbose, (_, sum: number) => sum + 1, 0);
  }
  if (uses === 'fleet' || uses === 'plugin')
    described.option('--standalone', 'Start plugins of its own, even while `pluglot up` runs');
  if (uses !== undefined && uses !== 'command')
    described.option('--config <file>', 'Use this file instead of the pluglot.json of the project');
  if (uses === 'plugin' || uses === 'own-fleet' || uses === 'command' || uses === 'new-plugin') {
    described.addOption(
      new Option('--dialect <name>', 'Dialect of the plugin (default: detected automatically)').choices(
        Object.keys(hostDialects).sort(),
      ),
    );
  }
  return described;
}

export function examples({ bold }: Terminal['colours'], lines: readonly string[]): string {
  return `\n${bold('Examples:')}\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
