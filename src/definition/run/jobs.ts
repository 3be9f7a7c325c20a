// All that runs for one plugin: each job is set up for, has a time limit, and ends once, at the latest with the plugin.
import { Deadlines } from '../../base/deadlines.ts';
import type { RunningCall } from '../backend.ts';
import { isFailure } from '../failure.ts';
import type { AnswerContent, CallFailure, CallSink } from '../outcome.ts';
import { contentOf, contentOfPartial } from './content-of.ts';
import { drive } from './drive.ts';
import { handlerContext, type Session } from './handler-context.ts';
import type { HandlerJob, Job } from './job.ts';
import type { Readiness, Ready } from './readiness.ts';
import { safeFailure } from './safe-failure.ts';
import type { Surroundings } from './surroundings.ts';
import { Work } from './work.ts';

export interface JobsOptions {
  readonly readiness: Readiness;
  readonly surroundings: Surroundings;
  /** Whether somebody hears what the user says while a session is kept. */
  readonly canTalk: boolean;
}

export class Jobs {
  readonly #options: JobsOptions;
  readonly #works = new Set<Work>();
  readonly #deadlines: Deadlines<Work>;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.surroundings.clock, [this.#works], (work) => work.expire());
  }

  run(job: HandlerJob, sink: CallSink): RunningCall {
    return this.open(job, sink, (work, ready) => this.#handle(work, job, ready));
  }

  /** When `perform` rejects, the work has failed. */
  open(job: Job, sink: CallSink, perform: (work: Work, ready: Ready) => Promise<void>): RunningCall {
    const { what, around, timeoutMs = around.timeoutMs } = job;
    const { surroundings } = this.#options;
    const onEnd = () => {
      this.#works.delete(work);
      surroundings.flushPrints?.();
    };
    const work = new Work({ what, timeoutMs, startedAt: surroundings.clock.now(), sink, onEnd });
    this.#works.add(work);
    this.#deadlines.watch(work.deadline);
    void this.#see(work, perform);
    return work;
  }

  stopAll(failure: CallFailure): void {
    for (const work of this.#works) work.stop(failure);
    this.#deadlines.stop();
  }

  async #see(work: Work, perform: (work: Work, ready: Ready) => Promise<void>): Promise<void> {
    try {
      const ready = await this.#options.readiness.ready();
      if (!work.isOver) await perform(work, ready);
    } catch (thrown) {
      const partial = isFailure(thrown) ? contentOfPartial(thrown.partial) : {};
      work.fail(safeFailure(thrown, this.#options.surroundings.debug), partial);
    }
  }

  async #handle(work: Work, job: HandlerJob, { config }: Ready): Promise<void> {
    const session: Session = { keep: undefined };
    const context = handlerContext(work, job.around, config, session, this.#options.surroundings);
    const returned = await drive(job.start(context), context, work);
    if (work.isOver) return;
    const content = await (job.read?.(returned) ?? contentOf(returned, work.what));
    work.succeed(this.#withSession(content, session, work));
  }

  #withSession(content: AnswerContent, { keep }: Session, work: Work): AnswerContent {
    const { keepSession = keep, ...rest } = content;
    if (keepSession !== true) return rest;
    if (this.#options.canTalk) return { ...rest, keepSession };
    this.#options.surroundings.log({
      level: 'warn',
      message: `${work.what} keeps the session, but its plugin has no onInput to hear what the user says.`,
    });
    return rest;
  }
}
