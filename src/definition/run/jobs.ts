// The running jobs of one plugin: each waits for the setup, has a time limit, and ends once, at the latest with the plugin.
import { Deadlines } from '../../base/clock.ts';
import { textOf } from '../../base/text.ts';
import type { RunningCall } from '../plugin-port.ts';
import type { HandlerContext } from '../definition.ts';
import { isFailure } from '../failure.ts';
import type { AnswerContent, CallFailure, CallInfo, CallSink } from '../outcome.ts';
import { contentOf, contentOfPartial, handlerContext, type Session } from './handler-context.ts';
import type { PluginHost } from './plugin-host.ts';
import type { Readiness, Ready } from './readiness.ts';
import { safeFailure } from './plain-json.ts';
import { Work } from './work.ts';

interface JobsOptions {
  readonly readiness: Readiness;
  readonly host: PluginHost;
  /** Whether the plugin takes input while a session is kept. */
  readonly canTalk: boolean;
}

export class Jobs {
  readonly #options: JobsOptions;
  readonly #works = new Set<Work>();
  readonly #deadlines: Deadlines<Work>;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.host.clock, [this.#works], (work) => work.expire());
  }

  run(job: HandlerJob, sink: CallSink): RunningCall {
    return this.open(job, sink, (work, ready) => this.#handle(work, job, ready));
  }

  /** When `perform` rejects, the work has failed. */
  open(job: Job, sink: CallSink, perform: (work: Work, ready: Ready) => Promise<void>): RunningCall {
    const { what, info = {}, timeoutMs = info.timeoutMs ?? Infinity } = job;
    const { host } = this.#options;
    const onEnd = () => {
      this.#works.delete(work);
      host.flushPrints?.();
    };
    const work = new Work({ what, timeoutMs, startedAt: host.clock.now(), sink, onEnd });
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
      work.fail(safeFailure(thrown, this.#options.host.debug), partial);
    }
  }

  async #handle(work: Work, job: HandlerJob, { config }: Ready): Promise<void> {
    const session: Session = { keep: undefined };
    const context = handlerContext(work, job.info ?? {}, config, session, this.#options.host);
    const returned = await drive(job.start(context), context, work);
    if (work.isOver) return;
    const content = await (job.read?.(returned) ?? contentOf(returned, work.what));
    work.succeed(this.#withSession(content, session, work));
  }

  #withSession(content: AnswerContent, { keep }: Session, work: Work): AnswerContent {
    const { keepSession = keep, ...rest } = content;
    if (keepSession !== true) return rest;
    if (this.#options.canTalk) return { ...rest, keepSession };
    this.#options.host.log({
      level: 'warn',
      message: `${work.what} keeps the session, but its plugin has no onInput to take the next input.`,
    });
    return rest;
  }
}

interface Job {
  /** Who is asked for what, to begin a sentence with. */
  readonly what: string;
  readonly info: CallInfo | undefined;
  /** @default as long as the asker waits */
  readonly timeoutMs?: number | undefined;
}

/** One that a handler does. */
interface HandlerJob extends Job {
  start(context: HandlerContext): unknown;
  /** @default text, data or a result */
  read?(returned: unknown): AnswerContent | Promise<AnswerContent>;
}

/** Starts a job whose end is reported to the sink. */
export type RunJob = (job: HandlerJob, sink: CallSink) => RunningCall;

async function drive(started: unknown, context: HandlerContext, work: Work): Promise<unknown> {
  const value = await started;
  return isGenerator(value) ? driveGenerator(value, context, work) : value;
}

async function driveGenerator(generator: Generated, context: HandlerContext, work: Work): Promise<unknown> {
  for (;;) {
    const step: IteratorResult<unknown, unknown> = await generator.next();
    if (step.done === true) return step.value;
    if (work.isOver) break;
    context.stream(textOf(step.value));
    await context.drained();
  }
  // So that the author's `finally` blocks run. Their result is ignored.
  await generator.return?.(undefined);
  return undefined;
}

type Generated = AsyncIterator<unknown> | Iterator<unknown>;

/** An array or a Set can be iterated too, but is a value. */
function isGenerator(value: unknown): value is Generated {
  return (
    typeof value === 'object' &&
    value !== null &&
    'next' in value &&
    typeof value.next === 'function' &&
    (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}
