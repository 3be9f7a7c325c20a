// The running commands, background tasks with their ids, and what is reported of them. All end with the plugin.
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { fail } from '../../definition/failure.ts';
import type { FromSchema } from '../../definition/schema/from-schema.ts';
import { type OutputListener, Run, type RunOptions } from './run.ts';

/** Ended tasks whose output is kept. */
const FINISHED_MAX = 20;

/** How many ids an error names. */
const NAMED_MAX = 10;

export class Tasks {
  readonly #runs = new Set<Run>();
  /** In the order in which they became tasks. */
  readonly #tasks = new Map<string, Run>();
  #isClosed = false;

  /** @throws Failure PLUGIN_STOPPED after `close` */
  start(options: RunOptions, listener?: OutputListener): Run {
    if (this.#isClosed)
      fail({ code: 'PLUGIN_STOPPED', message: 'Plugin "cli" ends: no command is started.' });
    const run = new Run(options, listener);
    this.#runs.add(run);
    void run.ended.then(() => this.#runs.delete(run));
    return run;
  }

  isBelow(maxTasks: number): boolean {
    let running = 0;
    for (const run of this.#tasks.values()) if (run.exit === undefined) running += 1;
    return running < maxTasks;
  }

  /** Gives the run an id under which it is found from now on. */
  keep(run: Run): string {
    const id = `task_${randomBytes(4).toString('hex')}`;
    this.#tasks.set(id, run);
    this.#forgetOldest();
    return id;
  }

  find(id: string): Run | undefined {
    return this.#tasks.get(id);
  }

  /** @throws Failure INVALID_ARGUMENTS when there is no such task */
  get(id: string): Run {
    const run = this.find(id);
    if (run !== undefined) return run;
    const known = [...this.#tasks.keys()].slice(-NAMED_MAX);
    return fail({
      code: 'INVALID_ARGUMENTS',
      message: `The background task ${JSON.stringify(id.slice(0, 40))} does not exist. ${known.length === 0 ? 'There are no tasks.' : `Known are ${known.join(', ')}.`} The last ${FINISHED_MAX} that ended are kept.`,
    });
  }

  list(): readonly (readonly [id: string, run: Run])[] {
    return [...this.#tasks];
  }

  /** Ends everything that runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#runs].map((run) => run.stop('cancelled')));
  }

  #forgetOldest(): void {
    const finished = [...this.#tasks].filter(([, run]) => run.exit !== undefined);
    for (const [id] of finished.slice(0, -FINISHED_MAX)) this.#tasks.delete(id);
  }
}

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

/** The answer of `cli_based_tool`; with a task id when it continues in the background. */
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

/** The number that a shell would report. */
function endOf({ exit, durationMs }: Run): End {
  const duration_seconds = Math.round(durationMs) / 1000;
  if (exit?.kind !== 'exited') return { returncode: null, duration_seconds };
  const { exitCode, signal } = exit;
  if (signal === null) return { returncode: exitCode, duration_seconds };
  return { returncode: 128 + os.constants.signals[signal], signal, duration_seconds };
}
