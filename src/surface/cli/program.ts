// The command line as a whole: from words to an exit code.
import { Command, CommanderError, Help } from 'commander';
import { PluglotError } from '../../base/error.ts';
import { declareCommands } from './commands/index.ts';
import { helpText } from './help.ts';
import { ExitCode } from './exit-code.ts';
import { showFailure } from './failure.ts';
import type { CliEnvironment } from './context.ts';
import { createTerminals } from './terminal.ts';

export { ExitCode };

/** Runs one command line and gives its exit code. */
export async function run(args: readonly string[], environment: CliEnvironment): Promise<ExitCode> {
  const { own, command } = splitAtDashes(helpAsOption(args));
  let exitCode: ExitCode = ExitCode.ok;
  const program = describeProgram(environment);
  const finish = (code: ExitCode) => {
    exitCode = code;
  };
  // A completion is about the command that is typed.
  const wanted = own[0] === '__complete' ? [own[0], command?.[0]] : [own[0]];
  await declareCommands(program, { environment, command, finish }, (name) => wanted.includes(name));
  if (own.length === 0) {
    program.outputHelp();
    return ExitCode.ok;
  }
  try {
    await program.parseAsync(own, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ExitCode.ok;
    const { out, err } = createTerminals(environment);
    const { signal } = environment;
    return showFailure(wrongUsage(error, program, own), { out, err, signal, json: own.includes('--json') });
  }
  return environment.signal.aborted ? ExitCode.interrupted : exitCode;
}

/** `help call` is `call --help`. */
function helpAsOption(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  return first === 'help' ? [...rest, '--help'] : args;
}

/** The message of the parser, as one line in our words. */
function wrongUsage(
  { code, message }: CommanderError,
  program: Command,
  own: readonly string[],
): PluglotError {
  const text = message
    .replace(/^error: /, '')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*?)'\. /, "'$1' is not a valid $2. ")
    .replace(
      /^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*)' is invalid\. /,
      "'$2' is not a valid value of $1. ",
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.)?!]$/.test(text) ? '' : '.'}`;
  const command = program.commands.find((each) => each.name() === own[0]);
  const help = ['pluglot', ...(command === undefined ? [] : [command.name()]), '--help'].join(' ');
  const isDashless = code === 'commander.excessArguments' && command !== undefined && takesCommand(command);
  const dashes = isDashless ? ' The command of a plugin goes behind --.' : '';
  return new PluglotError('INVALID_ARGUMENTS', `${sentence}${dashes} Try: ${help}`);
}

/** The words behind `--` are the command of a plugin, never options of ours. */
function splitAtDashes(args: readonly string[]): { own: string[]; command: readonly string[] | undefined } {
  const at = args.indexOf('--');
  return at === -1
    ? { own: [...args], command: undefined }
    : { own: args.slice(0, at), command: args.slice(at + 1) };
}

function describeProgram(environment: CliEnvironment): Command {
  const { version, stdout, stderr } = environment;
  const { colours, columns } = createTerminals(environment).out;
  const program = new Command('pluglot')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // The caller reports it.
      outputError: () => {},
      getOutHelpWidth: () => Math.min(columns, 100),
      getOutHasColors: () => colours.isColorSupported,
    })
    .configureHelp({
      // Its own help shows the arguments.
      subcommandTerm: (command) => command.name(),
      commandUsage: (command) =>
        `${new Help().commandUsage(command)}${takesCommand(command) ? ' [-- COMMAND…]' : ''}`,
      styleTitle: (text) => colours.bold(text),
      styleCommandText: (text) => colours.cyan(text),
      styleSubcommandText: (text) => colours.cyan(text),
      styleOptionText: (text) => colours.cyan(text),
    });
  program.helpInformation = () => helpText(colours);
  return program;
}

/** A command with the option --dialect takes the command of a plugin behind `--`. */
function takesCommand(command: Command): boolean {
  // Its --dialect is that of a plugin which does not exist yet.
  return command.name() !== 'new' && command.options.some(({ long }) => long === '--dialect');
}
