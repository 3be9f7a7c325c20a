// One call of `cli_based_tool`: from its arguments to a report, or to a task in the background.
import type { Clock } from '../../base/clock.ts';
import { shellWord } from '../../base/shell-word.ts';
import { late, within } from '../../base/within.ts';
import { failures } from '../../definition/common-failures.ts';
import type { HandlerContext } from '../../definition/definition.ts';
import { fail } from '../../definition/failure.ts';
import type { FromSchema } from '../../definition/schema/from-schema.ts';
import type { HostPorts } from '../host-ports.ts';
import { stepsOf, undecided } from './find-program.ts';
import { liveOutput } from './live-output.ts';
import { type commandReport, reportOf } from './report.ts';
import type { Run, RunOptions } from './run.ts';
import { DAY_SECONDS, type Settings } from './settings.ts';
import { startFailure } from './start-failure.ts';
import type { Tasks } from './tasks.ts';
import { workingFolder } from './working-folder.ts';

export const commandInput = {
  type: 'object',
  properties: {
    command: {
      type: 'string',
      minLength: 1,
      maxLength: 100_000,
      description: 'The command line, for example "git status" or "grep -rn TODO src | head".',
    },
    args: {
      type: 'array',
      items: { type: 'string', maxLength: 100_000 },
      maxItems: 1000,
      description: 'Further arguments, each taken literally.',
    },
    cwd: { type: 'string', description: 'The folder to run in, relative to the project folder.' },
    timeout: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: DAY_SECONDS,
      description: 'After so many seconds it is ended.',
    },
    background: {
      type: 'boolean',
      description: 'Whether to return at once with a task_id, for servers and watchers.',
    },
  },
  required: ['command'],
  additionalProperties: false,
} as const;

export type CliPorts = Pick<HostPorts, 'env' | 'cwd' | 'spawn' | 'now' | 'sandbox' | 'writableFolders'>;

export interface CliState {
  readonly settings: Settings;
  readonly tasks: Tasks;
  readonly ports: CliPorts;
  readonly clock: Clock;
}

type Report = FromSchema<typeof commandReport>;

/** What a handler of the plugin is told of its caller. */
type Context = Pick<HandlerContext, 'stream' | 'log' | 'signal' | 'execution'>;

export async function runCommand(
  args: FromSchema<typeof commandInput>,
  context: Context,
  state: CliState,
): Promise<Report> {
  const { settings, tasks } = state;
  const options = await optionsOf(args, context, state);
  // Between this look and the start nobody else gets a turn: whoever ends the plugin finds the process, or it is not started.
  const { signal } = context;
  if (signal.aborted)
    fail({ code: 'CALL_CANCELLED', message: 'The command was given up before it was started.' });
  if (args.background === true) {
    if (!tasks.hasRoom(settings.maxTasks)) tooManyTasks(settings.maxTasks);
    const run = tasks.start(options);
    return (await run.isStarted) ? handedOver(tasks.keep(run), run) : finished(await ended(run));
  }
  const live = liveOutput(context, settings.maxOutputChars);
  const run = tasks.start(options, live);
  const onAbort = () => {
    run.unhear();
    void run.stop('cancelled');
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const waited = await within(run.ended, settings.backgroundAfterMs ?? Infinity, state.clock);
    // With no room for one more it stays in the foreground, where its caller waits.
    if (waited === late && !signal.aborted && tasks.hasRoom(settings.maxTasks))
      return handedOver(tasks.keep(run), run);
    return finished(await ended(run));
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!signal.aborted) live.end();
    run.unhear();
  }
}

async function optionsOf(
  args: FromSchema<typeof commandInput>,
  { execution = undecided(args.command, args.args ?? []) }: Context,
  state: CliState,
): Promise<RunOptions> {
  const { settings, ports, clock } = state;
  const { command, args: words = [] } = args;
  if (command.trim() === '') fail({ code: 'INVALID_ARGUMENTS', message: 'The command is empty.' });
  if ([command, ...words].some((text) => text.includes('\0')))
    fail({ code: 'INVALID_ARGUMENTS', message: 'No program takes a NUL character in its command line.' });
  const cwd = await workingFolder(args.cwd, settings);
  const commandLine = [command, ...words.map(shellWord)].join(' ');
  const found = execution.kind === 'words' ? await ports.sandbox() : undefined;
  const sandbox = found !== undefined && 'kind' in found ? found : undefined;
  // What was started to stay has no limit of its own.
  const usualLimit = args.background === true ? undefined : settings.timeoutMs;
  return {
    spawn: (program, options) => ports.spawn(program, options),
    clock,
    steps: await stepsOf(execution, commandLine, {
      settings,
      cwd,
      sandbox,
      writable: ports.writableFolders(),
    }),
    commandLine,
    cwd,
    startedAt: ports.now(),
    timeoutMs: args.timeout === undefined ? usualLimit : args.timeout * 1000,
    maxOutputChars: settings.maxOutputChars,
  };
}

async function ended(run: Run): Promise<Run> {
  await run.ended;
  return run;
}

/** @throws Failure when it could not be started, or did not end by itself */
function finished(run: Run): Report {
  const { exit, stopReason, options } = run;
  if (exit?.kind === 'not-started' && stopReason === undefined) return startFailure(exit.error);
  const data = reportOf(run);
  if (stopReason === 'timed_out') {
    const { timeoutMs = 0 } = options;
    return failures.timeout({
      message: `The command took longer than its limit of ${timeoutMs / 1000} s and was ended; what it printed until then is in the result. Give a longer timeout, or start it with background: true.`,
      timeoutMs,
      partial: { data },
    });
  }
  if (stopReason === 'cancelled')
    return fail({
      code: 'CALL_CANCELLED',
      message: 'The command was ended with its call.',
      partial: { data },
    });
  return data;
}

function handedOver(id: string, run: Run): Report {
  return {
    ...reportOf(run),
    task_id: id,
    status: 'running',
    message: `The command goes on in the background as ${id}. Use cli_task_status to see its output and how it ends, cli_task_cancel to end it.`,
  };
}

function tooManyTasks(maxTasks: number): never {
  return fail({
    code: 'TOO_MANY_CALLS',
    message: `${maxTasks} background tasks run already, which is the limit. End one with cli_task_cancel (cli_task_list shows them), or run the command without background.`,
    recoverable: true,
  });
}
