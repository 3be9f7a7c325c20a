// The commands that use a plugin, and what was used: names, arguments, options and examples.
import { Argument, Option } from 'commander';
import type { CommandBuilder } from '../describe-command.ts';
import type { AuditOptions } from './audit.ts';
import type { ExplainOptions } from './explain.ts';
import { durationOption, momentOption, numberOption } from './option-values.ts';

export function declareUse({ describe }: CommandBuilder): void {
  describe<{ dialect?: string }>({
    name: 'inspect',
    summary: 'Show what a plugin is and can do',
    description: 'Show what a plugin is: its dialect, manifest, tools, commands and health',
    examples: [
      'pluglot inspect dice',
      'pluglot inspect -- node server.mjs',
      'pluglot inspect --json -- ./plugin.py',
    ],
    uses: 'plugin',
    run: async (context, options, [name]) =>
      (await import('./inspect.ts')).inspect(context, name as string | undefined, options),
  }).argument('[name]', 'A plugin (default: all, or the one behind --)');

  type RunFlags = { timeout?: number; workdir?: string };
  type CallFlags = RunFlags & { dialect?: string };
  const callOptions = <Flags extends RunFlags>({ timeout, ...options }: Flags) => ({
    ...options,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  });
  const call = describe<CallFlags>({
    name: 'call',
    summary: 'Call a tool',
    description: 'Call a tool: its text goes to stdout, logs to stderr',
    examples: [
      'pluglot call roll dice=2d6',
      `pluglot call roll '{"dice":"2d6"}' --json`,
      'pluglot call roll dice=2d6 --timeout 5s -- node server.mjs',
      'echo \'{"dice":"2d6"}\' | pluglot call roll -',
    ],
    uses: 'plugin',
    run: async (context, options, [tool, words]) =>
      (await import('./call.ts')).call(context, String(tool), words as string[], callOptions(options)),
  });
  const talk = describe<CallFlags>({
    name: 'talk',
    summary: 'Call a tool and talk with its plugin',
    description: 'Call a tool and talk with its plugin until either ends the session',
    examples: ['pluglot talk interview', 'pluglot talk interview -- node plugin.mjs'],
    uses: 'plugin',
    run: async (context, options, [tool, words]) =>
      (await import('./talk.ts')).talk(context, String(tool), words as string[], callOptions(options)),
  });
  const run = describe<RunFlags>({
    name: 'run',
    summary: 'Run a command of a plugin',
    description: 'Run a command that a plugin offers to its user; without a name, list them',
    examples: ['pluglot run', 'pluglot run permissions show', 'pluglot run permissions allow "git status"'],
    uses: 'fleet',
    run: async (context, options, [command, words]) =>
      (await import('./run.ts')).run(
        context,
        command as string | undefined,
        words as string[],
        callOptions(options),
      ),
  })
    .argument('[command]', 'Name of the command, or plugin__command')
    .argument(
      '[words...]',
      'Its arguments in order, or key=value; words that look like options go behind --',
    );
  const explain = describe<ExplainOptions>({
    name: 'explain',
    summary: 'Say which rule decides a call, and why',
    description:
      'Say what the rules decide on a call, which of them, and why; nobody is asked, and nothing is called',
    examples: [
      'pluglot explain roll dice=2d6',
      'pluglot explain gh__create_issue title=x --as model',
      `pluglot explain cli_based_tool '{"command":"git push"}' --json`,
    ],
    uses: 'plugin',
    run: async (context, options, [tool, words]) =>
      (await import('./explain.ts')).explain(context, String(tool), words as string[], options),
  }).addOption(
    new Option('--as <caller>', 'Who calls it').choices(['user', 'model', 'client']).default('client'),
  );
  for (const command of [call, talk, explain])
    command
      .argument('<tool>', 'Name of the tool, or plugin__tool')
      .argument('[arguments...]', 'key=value pairs, one JSON object, or - to read an object from stdin');
  for (const command of [call, talk, run]) {
    command
      .option('--timeout <duration>', 'Time limit of the call, such as 30s or 2m', durationOption)
      .option('--workdir <folder>', 'Working folder of the tool');
  }
}

export function declareAudit({ describe }: CommandBuilder): void {
  describe<AuditOptions>({
    name: 'audit',
    summary: 'Show what was called, how it was decided and how it ended',
    description: 'Show what was called, by whom, how it was decided and how it ended',
    examples: [
      'pluglot audit',
      'pluglot audit --denied --since 1h',
      'pluglot audit --tool cli_based_tool -n 5 --json',
      'pluglot audit verify',
    ],
    uses: 'file',
    run: async (context, options, [action]) =>
      (await import('./audit.ts')).audit(context, action as 'verify' | undefined, options),
  })
    .addArgument(
      new Argument('[action]', 'verify: check that the log is unchanged (default: list calls)').choices([
        'verify',
      ]),
    )
    .option('--tool <name>', 'Only calls of this tool or command')
    .option('--plugin <name>', 'Only calls of this plugin')
    .option('--since <time>', 'Only calls since then: a duration such as 2h, or a date', momentOption)
    .option('--denied', 'Only calls that were denied')
    .option('-n, --last <number>', 'Number of calls to show; 0: all', numberOption, 20);
}
