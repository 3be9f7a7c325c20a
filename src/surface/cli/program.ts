// The tree of commands: names, options and help. Each action loads its own code.
import { Command, CommanderError } from 'commander';
import { ExitCode } from './exit-code.ts';
import { createTerminal } from './terminal.ts';

/** What a command may touch of the process. */
export interface Surroundings {
  readonly version: string;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  /** Fires when the user interrupts. */
  readonly signal: AbortSignal;
}

/** Runs one command line and gives its exit code. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.ok;
  const program = describeProgram(surroundings, (code) => {
    exitCode = code;
  });
  if (args.length === 0) {
    program.outputHelp();
    return ExitCode.ok;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
  }
  return surroundings.signal.aborted ? ExitCode.interrupted : exitCode;
}

function describeProgram(surroundings: Surroundings, finish: (code: ExitCode) => void): Command {
  const { version, stdout, stderr, env, signal } = surroundings;
  const { colours, columns } = createTerminal(stdout, env);
  const program = new Command('pluglot')
    .description('One host that runs every plugin dialect; one plugin definition that speaks every dialect.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .showHelpAfterError('Try: pluglot --help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => Math.min(columns, 100),
      getOutHasColors: () => colours.isColorSupported,
    })
    .configureHelp({
      styleTitle: (text) => colours.bold(text),
      styleCommandText: (text) => colours.cyan(text),
      styleSubcommandText: (text) => colours.cyan(text),
      styleOptionText: (text) => colours.cyan(text),
    })
    .addHelpText('after', examples('pluglot demo', 'pluglot demo --json | jq .figures'));

  program
    .command('demo')
    .description(
      'watch the channel at work: two plugins, one per framing, called, streamed, cancelled and killed',
    )
    .option('--json', 'print what happened as JSON')
    .addHelpText('after', examples('pluglot demo', 'pluglot demo --json'))
    .action(async (options: { json?: boolean }) => {
      const { demo } = await import('./demo/demo.ts');
      finish(await demo({ version, stdout, env, signal, json: options.json ?? false }));
    });

  return program;

  function examples(...lines: readonly string[]): string {
    return `\n${colours.bold('Examples:')}\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
  }
}
