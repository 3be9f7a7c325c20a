// The built-in plugin "cli": commands of this machine as a tool.
import { type Clock, systemClock } from '../../base/clock.ts';
import { within } from '../../base/within.ts';
import { failures } from '../../definition/common-failures.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { Definition } from '../../definition/definition.ts';
import { describeCommand } from './describe-command.ts';
import { instructions } from './instructions.ts';
import { commandReport, listOf, reportOfTask, taskList, taskReport } from './report.ts';
import { commandInput, type CliPorts, type CliState, runCommand } from './run-command.ts';
import { configSchema, DAY_SECONDS, readSettings, type Settings } from './settings.ts';
import { Tasks } from './tasks.ts';

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
          'Runs a command on this machine and gives { stdout, stderr, returncode }. Plain words joined by &&, ||, ; and | may run at once; other shell syntax has to be approved by a person. A command that takes long goes on in the background: then the result has a task_id for cli_task_status.',
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
