// All commands that run, and those of them that go on in the background under an id. None outlives the plugin.
import { randomBytes } from 'node:crypto';
import { fail } from '../../definition/failure.ts';
import { type OutputListener, Run, type RunOptions } from './run.ts';

/** Of those that have ended, so that somebody can still ask for their output. */
const FINISHED_MAX = 20;

/** How many ids an error names. */
const NAMED_MAX = 10;

export class Tasks {
  readonly #runs = new Set<Run>();
  /** In the order in which they became tasks. */
  readonly #tasks = new Map<string, Run>();
  #isClosed = false;

  /** @throws Failure PLUGIN_STOPPED when nothing may be started any more */
  start(options: RunOptions, listener?: OutputListener): Run {
    if (this.#isClosed)
      fail({ code: 'PLUGIN_STOPPED', message: 'Plugin "cli" ends: no command is started.' });
    const run = new Run(options, listener);
    this.#runs.add(run);
    void run.ended.then(() => this.#runs.delete(run));
    return run;
  }

  hasRoom(maxTasks: number): boolean {
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
      message: `There is no background task ${JSON.stringify(id.slice(0, 40))}. ${known.length === 0 ? 'There are none at all.' : `Known are ${known.join(', ')}.`} The last ${FINISHED_MAX} that ended are kept.`,
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
