// What the caller is told of a command.
import os from 'node:os';
import type { FromSchema } from '../../definition/schema/from-schema.ts';
import type { Run } from './run.ts';

const outputProperties = {
  stdout: { type: 'string' },
  stderr: { type: 'string' },
  returncode: {
    type: ['integer', 'null'],
    description: 'The exit code; 128 and its number after a signal; null while it runs.',
  },
  signal: { type: 'string', description: 'The signal that ended it.' },
  duration_seconds: { type: 'number' },
  truncated: { type: 'boolean' },
  truncation_message: { type: 'string' },
} as const;

const status = { enum: ['running', 'exited', 'cancelled', 'timed_out', 'not_started'] } as const;

/** The answer of `cli_based_tool`; with a task id when it goes on in the background. */
export const commandReport = {
  type: 'object',
  properties: {
    ...outputProperties,
    task_id: { type: 'string' },
    status,
    message: { type: 'string' },
  },
  required: ['stdout', 'stderr', 'returncode', 'duration_seconds'],
} as const;

export const taskReport = {
  type: 'object',
  properties: {
    task_id: { type: 'string' },
    command: { type: 'string' },
    cwd: { type: 'string' },
    status,
    started_at: { type: 'string' },
    ...outputProperties,
  },
  required: ['task_id', 'command', 'status', 'stdout', 'stderr', 'returncode', 'duration_seconds'],
} as const;

export const taskList = {
  type: 'object',
  properties: {
    task_count: { type: 'integer' },
    tasks: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          task_id: { type: 'string' },
          command: { type: 'string' },
          cwd: { type: 'string' },
          status,
          started_at: { type: 'string' },
          returncode: outputProperties.returncode,
          signal: outputProperties.signal,
          duration_seconds: { type: 'number' },
        },
        required: ['task_id', 'command', 'status', 'returncode', 'duration_seconds'],
      },
    },
  },
  required: ['task_count', 'tasks'],
} as const;

export function reportOf(run: Run) {
  const shortages = (['stdout', 'stderr'] as const).flatMap((stream) => {
    const { shortage } = run[stream];
    return shortage === undefined ? [] : [`${stream} ${shortage}`];
  });
  return {
    stdout: run.stdout.text(),
    stderr: run.stderr.text(),
    ...endOf(run),
    ...(shortages.length === 0 ? {} : { truncated: true, truncation_message: shortages.join(' ') }),
  };
}

export function reportOfTask(id: string, run: Run): FromSchema<typeof taskReport> {
  return { ...headOf(id, run), ...reportOf(run) };
}

export function listOf(tasks: readonly (readonly [id: string, run: Run])[]): FromSchema<typeof taskList> {
  return {
    task_count: tasks.length,
    tasks: tasks.map(([id, run]) => ({ ...headOf(id, run), ...endOf(run) })),
  };
}

function headOf(id: string, run: Run) {
  const { commandLine, cwd, startedAt } = run.options;
  return {
    task_id: id,
    command: commandLine,
    cwd,
    status: statusOf(run),
    started_at: startedAt.toISOString(),
  };
}

function statusOf({ exit, stopReason }: Run): FromSchema<typeof status> {
  if (exit === undefined) return 'running';
  return exit.kind === 'not-started' ? 'not_started' : (stopReason ?? 'exited');
}

interface End {
  readonly returncode: number | null;
  readonly signal?: string;
  readonly duration_seconds: number;
}

/** As a shell tells it: whoever runs the command by `sh -c` or not gets the same number for the same end. */
function endOf({ exit, durationMs }: Run): End {
  const duration_seconds = Math.round(durationMs) / 1000;
  if (exit?.kind !== 'exited') return { returncode: null, duration_seconds };
  const { exitCode, signal } = exit;
  if (signal === null) return { returncode: exitCode, duration_seconds };
  return { returncode: 128 + os.constants.signals[signal], signal, duration_seconds };
}
