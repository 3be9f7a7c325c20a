// One call of `cli_based_tool`: from its arguments to a report, or to a task in the background.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { type ErrorCode, PluglotError } from '../../base/error.ts';
import { shellWord, shown } from '../../base/text.ts';
import { late, within } from '../../base/async.ts';
import type { HandlerContext } from '../../definition/definition.ts';
import { fail, failures } from '../../definition/failure.ts';
import type { FromSchema } from '../../definition/schema/from-schema.ts';
import { canonical, isInside } from '../../fleet/trust/paths.ts';
import type { HostPorts } from '../host-ports.ts';
import { stepsOf, undecided } from './find-program.ts';
import { isBinaryText, type OutputListener, type Run, type RunOptions } from './run.ts';
import { type commandReport, reportOf, type Tasks } from './tasks.ts';
import { DAY_SECONDS, type Settings } from './settings.ts';

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

type Context = Pick<HandlerContext, 'stream' | 'log' | 'signal' | 'execution'>;

export async function runCommand(
  args: FromSchema<typeof commandInput>,
  context: Context,
  state: CliState,
): Promise<Report> {
  const { settings, tasks } = state;
  const options = await optionsOf(args, context, state);
  // No await between this check and the start: a teardown finds the process, or it is not started.
  const { signal } = context;
  if (signal.aborted)
    fail({ code: 'CALL_CANCELLED', message: 'The command was cancelled before it was started.' });
  if (args.background === true) {
    if (!tasks.isBelow(settings.max_tasks)) tooManyTasks(settings.max_tasks);
    const run = tasks.start(options);
    return (await run.isStarted) ? handedOver(tasks.keep(run), run) : finished(await ended(run));
  }
  const live = liveOutput(context, settings.max_output_chars);
  const run = tasks.start(options, live);
  const onAbort = () => {
    run.stopListening();
    void run.stop('cancelled');
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const waited = await within(run.ended, settings.backgroundAfterMs ?? Infinity, state.clock);
    // At the limit of tasks it stays in the foreground.
    if (waited === late && !signal.aborted && tasks.isBelow(settings.max_tasks))
      return handedOver(tasks.keep(run), run);
    return finished(await ended(run));
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!signal.aborted) live.end();
    run.stopListening();
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
    maxOutputChars: settings.max_output_chars,
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
    message: `The command continues in the background as ${id}. Use cli_task_status to see its output and how it ends, cli_task_cancel to end it.`,
  };
}

function tooManyTasks(maxTasks: number): never {
  return fail({
    code: 'TOO_MANY_CALLS',
    message: `${maxTasks} background tasks run already, which is the limit. End one with cli_task_cancel (cli_task_list shows them), or run the command without background.`,
    recoverable: true,
  });
}

/** The text of the system's error is left out: it may hold the arguments. @throws Failure always */
function startFailure(error: Error): never {
  // Our own errors hold no arguments.
  if (error instanceof PluglotError) return fail({ code: error.code, message: error.message });
  const code = 'code' in error ? String(error.code) : error.name;
  const [kind, wayOut] = known.get(code) ?? ['UNAVAILABLE', 'Try it in a terminal.'];
  return fail({ code: kind, message: `The system refused to start it (${code}). ${wayOut}` });
}

const known: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map([
  ['E2BIG', ['INVALID_ARGUMENTS', 'The command line is too long: write it to a file and run that.']],
  ['EACCES', ['INVALID_ARGUMENTS', 'It may not be executed here: look at its mode and its file system.']],
  ['EAGAIN', ['UNAVAILABLE', 'There are too many processes: end some, then try again.']],
  ['EMFILE', ['UNAVAILABLE', 'The host has too many files open: end some tasks, then try again.']],
  ['ENFILE', ['UNAVAILABLE', 'The system has too many files open: end some programs, then try again.']],
  [
    'ENOENT',
    [
      'REQUIREMENT_MISSING',
      'The program, the interpreter in its first line, or its folder no longer exists.',
    ],
  ],
  ['ENOMEM', ['UNAVAILABLE', 'There is not enough memory: end some programs, then try again.']],
]);

/**
 * With symbolic links resolved, so that the checked folder is the one that is used.
 * @throws Failure INVALID_ARGUMENTS when it does not exist, is not a folder, or not allowed
 */
async function workingFolder(
  asked: string | undefined,
  { folder, allowedFolders }: Pick<Settings, 'folder' | 'allowedFolders'>,
): Promise<string> {
  const wanted = path.resolve(folder, asked ?? '.');
  const found = wanted.includes('\0') ? undefined : await canonical(wanted);
  // The owner chose the default one.
  if (asked !== undefined && !(await isAllowed(wanted, found, allowedFolders)))
    refuse(
      `cwd ${shown(asked)} is outside of the folders in which commands may run: ${allowedFolders.join(', ')}. Choose one of them or below.`,
    );
  if (found === undefined) return refuse(`The folder ${shown(wanted)} does not exist. ${WAY_OUT}`);
  if (!(await isFolder(found))) return refuse(`${shown(wanted)} is not a folder. ${WAY_OUT}`);
  return found;
}

const WAY_OUT = 'Give another cwd, or create the folder first.';

async function isAllowed(
  wanted: string,
  found: string | undefined,
  allowedFolders: readonly string[],
): Promise<boolean> {
  // It does not exist, so only its name can be checked.
  if (found === undefined) return allowedFolders.some((allowed) => isInside(allowed, wanted));
  const folders = await Promise.all(allowedFolders.map(canonical));
  return folders.some((allowed) => allowed !== undefined && isInside(allowed, found));
}

async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch {
    return false;
  }
}

function refuse(message: string): never {
  return fail({ code: 'INVALID_ARGUMENTS', message });
}

/** Longer lines are logged in pieces. */
const LONGEST_LINE = 2000;

interface LiveOutput extends OutputListener {
  /** Logs the rest of an unfinished line. */
  end(): void;
}

/** Passes output to the caller as it is printed: stdout as text, stderr as lines of the log; at most `maxChars` of each. */
function liveOutput({ stream, log }: Pick<HandlerContext, 'stream' | 'log'>, maxChars: number): LiveOutput {
  const takeOut = limited(maxChars);
  const takeErr = limited(maxChars);
  let line = '';
  const logLine = (text: string) => {
    if (text !== '') log('info', text);
  };
  return {
    stdout(text) {
      const taken = takeOut(text);
      if (taken !== '') stream(taken);
    },
    stderr(text) {
      const lines = (line + takeErr(text)).split(/\r?\n/);
      line = lines.pop() ?? '';
      lines.forEach(logLine);
      for (; line.length > LONGEST_LINE; line = line.slice(LONGEST_LINE))
        logLine(line.slice(0, LONGEST_LINE));
    },
    end() {
      logLine(line);
      line = '';
    },
  };
}

function limited(maxChars: number): (text: string) => string {
  let left = maxChars;
  return (text) => {
    if (left === 0 || isBinaryText(text)) return '';
    if (text.length <= left) {
      left -= text.length;
      return text;
    }
    const taken = text.slice(0, left);
    left = 0;
    return `${taken}\n[… more than ${maxChars} characters; the result has the end of them …]\n`;
  };
}
