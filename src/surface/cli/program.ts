// The command line as a whole: from words to an exit code.
import { Command, CommanderError, Help } from 'commander';
import { PluglotError } from '../../base/error.ts';
import { declareCommands } from './commands/index.ts';
import { commandBuilder, examples } from './describe-command.ts';
import { ExitCode } from './exit-code.ts';
import { tellFailure } from './failure.ts';
import type { Surroundings } from './surroundings.ts';
import { createTerminals } from './terminal.ts';

/** Runs one command line and gives its exit code. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { own, command } = splitAtDashes(helpAsOption(args));
  let exitCode: ExitCode = ExitCode.ok;
  const program = describeProgram(surroundings);
  const finish = (code: ExitCode) => {
    exitCode = code;
  };
  declareCommands(commandBuilder(program, { surroundings, command, finish }));
  if (own.length === 0) {
    program.outputHelp();
    return ExitCode.ok;
  }
  try {
    await program.parseAsync(own, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ExitCode.ok;
    const { out, err } = createTerminals(surroundings);
    const { signal } = surroundings;
    return tellFailure(wrongUsage(error, program, own), { out, err, signal, json: own.includes('--json') });
  }
  return surroundings.signal.aborted ? ExitCode.interrupted : exitCode;
}

/** `help call` is `call --help`. */
function helpAsOption(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  return first === 'help' ? [...rest, '--help'] : args;
}

/** What the parser has to say, in one line and as we say it. */
function wrongUsage(
  { code, message }: CommanderError,
  program: Command,
  own: readonly string[],
): PluglotError {
  const said = message
    .replace(/^error: /, '')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*?)'\. /, "'$1' is no $2. ")
    .replace(
      /^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*)' is invalid\. /,
      "'$2' cannot stand behind $1. ",
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}${/[.)?!]$/.test(said) ? '' : '.'}`;
  const command = program.commands.find((each) => each.name() === own[0]);
  const help = ['pluglot', ...(command === undefined ? [] : [command.name()]), '--help'].join(' ');
  const isDashless = code === 'commander.excessArguments' && command !== undefined && takesCommand(command);
  const dashes = isDashless ? ' The command of a plugin goes behind --.' : '';
  return new PluglotError('INVALID_ARGUMENTS', `${sentence}${dashes} Try: ${help}`);
}

/** What stands behind `--` is the command of a plugin, never an option of ours. */
function splitAtDashes(args: readonly string[]): { own: string[]; command: readonly string[] | undefined } {
  const at = args.indexOf('--');
  return at === -1
    ? { own: [...args], command: undefined }
    : { own: args.slice(0, at), command: args.slice(at + 1) };
}

function describeProgram(surroundings: Surroundings): Command {
  const { version, stdout, stderr } = surroundings;
  const { colours, columns } = createTerminals(surroundings).out;
  return new Command('pluglot')
    .description('One host that runs every plugin dialect; one plugin definition that speaks every dialect.')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // Told by whoever catches it.
      outputError: () => {},
      getOutHelpWidth: () => Math.min(columns, 100),
      getOutHasColors: () => colours.isColorSupported,
    })
    .configureHelp({
      // What it takes is told by its own help.
      subcommandTerm: (command) => command.name(),
      commandUsage: (command) =>
        `${new Help().commandUsage(command)}${takesCommand(command) ? ' [-- COMMAND…]' : ''}`,
      styleTitle: (text) => colours.bold(text),
      styleCommandText: (text) => colours.cyan(text),
      styleSubcommandText: (text) => colours.cyan(text),
      styleOptionText: (text) => colours.cyan(text),
    })
    .addHelpText(
      'after',
      `${examples(colours, [
        'pluglot up',
        'pluglot inspect -- node server.mjs',
        'pluglot call roll dice=2d6 -- node server.mjs',
        'pluglot add dice -- node server.mjs',
      ])}\nRun pluglot COMMAND --help for the options of a command.\n`,
    );
}

/** Whose plugin may have a dialect may be typed behind `--`. */
function takesCommand(command: Command): boolean {
  // There it is that of a plugin which is still to be made.
  return command.name() !== 'new' && command.options.some(({ long }) => long === '--dialect');
}
