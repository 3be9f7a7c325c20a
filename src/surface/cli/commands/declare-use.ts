// The commands that use a plugin, and what was used: names, arguments, options and examples.
import { Argument } from 'commander';
import type { CommandBuilder } from '../describe-command.ts';
import type { AuditOptions } from './audit.ts';
import { durationOption, momentOption, numberOption } from './option-values.ts';

export function declareUse({ describe }: CommandBuilder): void {
  describe<{ dialect?: string }>({
    name: 'inspect',
    summary: 'what a plugin is and can do',
    description: 'what a plugin is: its dialect, manifest, tools, commands and health',
    examples: [
      'pluglot inspect dice',
      'pluglot inspect -- node server.mjs',
      'pluglot inspect --json -- ./plugin.py',
    ],
    uses: 'plugin',
    run: async (context, options, [name]) =>
      (await import('./inspect.ts')).inspect(context, name as string | undefined, options),
  }).argument('[name]', 'a plugin; without it all of them, or the one behind --');

  type RunFlags = { timeout?: number; workdir?: string };
  type CallFlags = RunFlags & { dialect?: string };
  const callOptions = <Flags extends RunFlags>({ timeout, ...options }: Flags) => ({
    ...options,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  });
  const call = describe<CallFlags>({
    name: 'call',
    summary: 'call a tool',
    description: 'call a tool: its text on stdout, logs on stderr, and the exit code tells how it went',
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
    summary: 'call a tool and go on talking with its plugin',
    description: 'call a tool and go on talking with its plugin, for as long as both want',
    examples: ['pluglot talk interview', 'pluglot talk interview -- node plugin.mjs'],
    uses: 'plugin',
    run: async (context, options, [tool, words]) =>
      (await import('./talk.ts')).talk(context, String(tool), words as string[], callOptions(options)),
  });
  const run = describe<RunFlags>({
    name: 'run',
    summary: 'run a command that a plugin offers to its user',
    description: 'run a command that a plugin offers to its user; without one, list them',
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
    .argument('[command]', 'its name, or plugin__command')
    .argument(
      '[words...]',
      'what it is told, in the order of its parameters; or key=value; words that look like options go behind --',
    );
  for (const command of [call, talk])
    command
      .argument('<tool>', 'its name, or plugin__tool')
      .argument('[arguments...]', 'key=value pairs, one JSON object, or - for an object on stdin');
  for (const command of [call, talk, run]) {
    command
      .option('--timeout <duration>', 'how long a call may take, such as 30s or 2m', durationOption)
      .option('--workdir <folder>', 'the folder the tool works in');
  }
}

export function declareAudit({ describe }: CommandBuilder): void {
  describe<AuditOptions>({
    name: 'audit',
    summary: 'what was called, how that was decided and what came of it',
    description: 'what was called, who wanted it, how that was decided and what came of it',
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
      new Argument('[action]', 'verify: whether the log is as it was written; without it, list').choices([
        'verify',
      ]),
    )
    .option('--tool <name>', 'calls of this tool or command alone')
    .option('--plugin <name>', 'calls of this plugin alone')
    .option('--since <time>', 'not before: so long ago, such as 2h, or a date', momentOption)
    .option('--denied', 'only what was not allowed')
    .option('-n, --last <number>', 'the last so many; 0: all', numberOption, 20);
}
