// The built-in plugin "cli": commands of this machine as a tool.
import { type Clock, systemClock } from '../../base/clock.ts';
import { sentence, shellWord } from '../../base/text.ts';
import { within } from '../../base/async.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { Definition } from '../../definition/definition.ts';
import { failures } from '../../definition/failure.ts';
import type { CallDescription } from '../../definition/outcome.ts';
import type { FromSchema } from '../../definition/schema/from-schema.ts';
import { readLine } from '../../gate/policy/shell/read-line.ts';
import { commandReport, listOf, reportOfTask, taskList, taskReport, Tasks } from './tasks.ts';
import { commandInput, type CliPorts, type CliState, runCommand } from './run-command.ts';
import { configSchema, DAY_SECONDS, readSettings, type Settings } from './settings.ts';

export function cliPlugin(
  ports: CliPorts,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Definition {
  let settings: Settings | undefined;
  let tasks: Tasks | undefined;
  const state = (): CliState => {
    if (settings === undefined || tasks === undefined) return failures.notInitialized();
    return { settings, tasks, ports, clock };
  };
  return definePlugin({
    name: 'cli',
    version: '1.0.0',
    description: 'Runs commands of this machine.',
    instructions,
    config: configSchema,
    tools: {
      cli_based_tool: {
        title: 'Run a command',
        description:
          'Runs a command on this machine and returns { stdout, stderr, returncode }. Plain words joined by &&, ||, ; and | may run at once; other shell syntax must be approved by a person. A long command continues in the background: then the result has a task_id for cli_task_status.',
        input: commandInput,
        output: commandReport,
        hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
        describe: describeCommand,
        // A command has a limit of its own, at most a day.
        timeoutMs: 2 * DAY_SECONDS * 1000,
        handler: (args, context) => runCommand(args, context, state()),
      },
      cli_task_status: {
        title: 'Look at a background task',
        description: 'Status, exit code and output so far of a command that runs in the background.',
        input: {
          type: 'object',
          properties: {
            task_id: { type: 'string', description: 'As cli_based_tool gave it.' },
            wait: {
              type: 'number',
              minimum: 0,
              maximum: 25,
              default: 0,
              description: 'Seconds to wait for its end before answering.',
            },
          },
          required: ['task_id'],
          additionalProperties: false,
        },
        output: taskReport,
        hints: { readOnly: true },
        handler: async ({ task_id: id, wait }, { signal }) => {
          const run = state().tasks.get(id);
          if (wait > 0) await within(Promise.race([run.ended, aborted(signal)]), wait * 1000, clock);
          return reportOfTask(id, run);
        },
      },
      cli_task_cancel: {
        title: 'End a background task',
        description: 'Ends a command that runs in the background, with all it started.',
        input: {
          type: 'object',
          properties: { task_id: { type: 'string', description: 'As cli_based_tool gave it.' } },
          required: ['task_id'],
          additionalProperties: false,
        },
        output: taskReport,
        hints: { readOnly: false, destructive: true, idempotent: true },
        describe: ({ task_id: id }) => {
          const command = tasks?.find(id)?.options.commandLine;
          return command === undefined ? undefined : { summary: `End background task ${id}: ${command}` };
        },
        handler: async ({ task_id: id }) => {
          const run = state().tasks.get(id);
          await run.stop('cancelled');
          return reportOfTask(id, run);
        },
      },
      cli_task_list: {
        title: 'List background tasks',
        description: 'All commands that run in the background, and the last ones that ended.',
        input: { type: 'object', properties: {}, additionalProperties: false },
        output: taskList,
        hints: { readOnly: true },
        handler: () => listOf(state().tasks.list()),
      },
    },
    autoApprove: ['cli_task_status', 'cli_task_list'],
    setup({ config }) {
      settings = readSettings(config, ports);
      tasks ??= new Tasks();
    },
    async teardown() {
      const ending = tasks;
      tasks = undefined;
      await ending?.close();
    },
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

const instructions = `You can run commands on this machine with cli_based_tool.
- Plain words joined by &&, ||, ;, | or newlines can be allowed by rules, and then run at once, without a shell, in a sandbox: the project can be read and changed, there is no network. Everything else (variables, globs, redirections, substitutions, cd, loops) must be approved by a person each time: avoid it where you can. Quote texts in '…'.
- args are taken literally and quoted for you: put file names and untrusted texts there.
- Every command starts in the project folder again. Use cwd for another folder instead of cd.
- stdin is empty and questions cannot be answered: use options such as --yes or --no-pager. The environment holds no secrets of the host.
- returncode 0 is success; 128 and more is a signal, such as 137 (killed) or 143 (terminated). Read stderr before you try again.
- Long output is cut in the middle (truncated, truncation_message): narrow it with grep, head or tail.
- A command that takes longer than some seconds continues in the background, and you get a task_id. Look at it with cli_task_status (wait lets you wait for its end), end it with cli_task_cancel, list all with cli_task_list. Start servers and watchers with background: true. Processes that a command leaves running with & end with it.`;

/** The whole command line as it would be typed: a person only approves what is shown. */
function describeCommand({
  command,
  args = [],
  cwd,
  timeout,
  background,
}: FromSchema<typeof commandInput>): CallDescription {
  const reading = readLine(command, args);
  const text = [command, ...args.map(shellWord)].join(' ');
  const facts = [
    'It runs in bash, outside of the sandbox, with all that you may do on this machine.',
    ...(reading.kind === 'other' ? [sentence(`No rule can allow it, since it ${reading.reason}`)] : []),
    ...(cwd === undefined ? [] : [`In the folder ${shellWord(cwd)}.`]),
    ...(timeout === undefined ? [] : [`For up to ${timeout} s.`]),
    ...(background === true ? ['In the background.'] : []),
  ].join(' ');
  const isOneLine = text.length <= LINE_MAX && !/[\r\n]/.test(text);
  if (isOneLine) return { summary: `Run: ${text}`, details: facts };
  return { summary: `Run a command of ${text.length} characters`, details: `${facts}\n${text}` };
}

const LINE_MAX = 200;
