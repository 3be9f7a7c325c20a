// A definition at work in this process: checks what it is asked, runs the author's code, and sees that every question ends.
import { Deadlines } from '../../base/deadlines.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { nearest } from '../../base/suggest.ts';
import { late, within } from '../../base/within.ts';
import type { Backend, BackendRequest, Profile, RunningCall, SetupResult } from '../backend.ts';
import type { CheckedSchema, Definition, ToolDefinition } from '../definition.ts';
import { Failure, failureOf } from '../failure.ts';
import type { Health } from '../manifest.ts';
import type { AnswerContent, CallSink } from '../outcome.ts';
import type { LogLevel } from '../tool.ts';
import { commandsOf } from './commands.ts';
import { contentOf, jsonOf } from './content-of.ts';
import { drive } from './drive.ts';
import { extractorOf } from './extractor.ts';
import { handlerContext, type Session } from './handler-context.ts';
import type { Job, RunJob } from './job.ts';
import { executorOf, plannerOf } from './planning.ts';
import { profileOf } from './profile-of.ts';
import { Readiness } from './readiness.ts';
import { safeFailure } from './safe-failure.ts';
import type { Surroundings } from './surroundings.ts';
import { Work } from './work.ts';

/** Hosts give up on a health check after 3 s. */
const HEALTH_MS = 2500;
const TEARDOWN_MS = 5000;

export function runDefinition(definition: Definition, surroundings: Surroundings): Backend {
  return new DefinitionRun(definition, surroundings);
}

class DefinitionRun implements Backend {
  readonly profile: Profile;
  readonly talk?: NonNullable<Backend['talk']>;
  readonly commands?: NonNullable<Backend['commands']>;
  readonly extractor?: NonNullable<Backend['extractor']>;
  readonly planner?: NonNullable<Backend['planner']>;
  readonly executor?: NonNullable<Backend['executor']>;
  readonly updateContext?: NonNullable<Backend['updateContext']>;

  readonly #definition: Definition;
  readonly #surroundings: Surroundings;
  readonly #tools: ReadonlyMap<string, ToolDefinition>;
  readonly #life = new AbortController();
  readonly #readiness: Readiness;
  readonly #works = new Set<Work>();
  readonly #deadlines: Deadlines<Work>;
  #end: Promise<void> | undefined;

  constructor(definition: Definition, surroundings: Surroundings) {
    this.profile = profileOf(definition);
    this.#definition = definition;
    this.#surroundings = surroundings;
    this.#tools = new Map(definition.tools.map((tool) => [tool.name, tool]));
    this.#readiness = new Readiness(definition, surroundings, this.#life.signal);
    this.#deadlines = new Deadlines(surroundings.clock, [this.#works], (work) =>
      work.stop({ code: 'TIMEOUT', message: `${work.what} took longer than it may.` }),
    );
    const { onInput, commands, extractor, planner, executor, updateContext, name } = definition;
    const run: RunJob = (job, sink) => this.#run(job, sink);
    if (onInput !== undefined)
      this.talk = {
        input: (content, around, sink) =>
          run({ what: `Plugin "${name}"`, around, start: (context) => onInput(content, context) }, sink),
      };
    if (commands.length > 0) this.commands = commandsOf(name, commands, run);
    if (extractor !== undefined) this.extractor = extractorOf(name, extractor, surroundings, run);
    if (planner !== undefined) this.planner = plannerOf(name, planner, run);
    if (executor !== undefined) this.executor = executorOf(name, executor, run);
    if (updateContext !== undefined)
      this.updateContext = async (update) => {
        await this.#readiness.ready();
        await updateContext(update);
      };
  }

  onProfileChanged(): () => void {
    return () => {};
  }

  setup(config: JsonObject): Promise<SetupResult> {
    return this.#readiness.setup(config);
  }

  call(request: BackendRequest, sink: CallSink): RunningCall {
    const tool = this.#tools.get(request.tool);
    const what = `Tool "${request.tool}" of plugin "${this.profile.name}"`;
    const job = { what, around: request, timeoutMs: tool?.timeoutMs };
    if (tool === undefined) return this.#run({ ...job, start: () => this.#refuse(request.tool) }, sink);
    const { isolate } = this.#surroundings;
    if (tool.isolate === true && isolate !== undefined) return this.#isolated(tool, request, isolate, sink);
    return this.#run(
      {
        ...job,
        start: async (context) => tool.handler(await checkedArgs(tool.input, request.args, what), context),
        read: (returned) => checkedContent(tool, returned, what),
      },
      sink,
    );
  }

  async health(): Promise<Health> {
    const { health, name } = this.#definition;
    if (health === undefined) return { status: 'ok' };
    try {
      const told = await within(Promise.resolve(health()), HEALTH_MS, this.#surroundings.clock);
      if (told !== late) return told;
      return {
        status: 'degraded',
        message: `The health check of plugin "${name}" takes longer than ${HEALTH_MS} ms.`,
      };
    } catch (thrown) {
      return { status: 'error', message: failureOf(thrown).message };
    }
  }

  teardown(): Promise<void> {
    this.#end ??= this.#takeDown();
    return this.#end;
  }

  async #takeDown(): Promise<void> {
    this.#life.abort();
    for (const work of this.#works) work.stop(this.#stopped());
    this.#deadlines.stop();
    const { teardown, name } = this.#definition;
    if (teardown === undefined || !this.#readiness.wasBegun) return;
    const { clock } = this.#surroundings;
    const log = (level: LogLevel, message: string) => this.#surroundings.log({ level, message });
    try {
      const down = await within((async () => teardown())(), TEARDOWN_MS, clock);
      if (down === late) log('warn', `The teardown of plugin "${name}" takes longer than ${TEARDOWN_MS} ms.`);
    } catch (thrown) {
      log('error', `The teardown of plugin "${name}" failed: ${failureOf(thrown).message}`);
    }
  }

  #run(job: Job, sink: CallSink): RunningCall {
    const work = this.#work(job, sink);
    void this.#perform(work, job);
    return work;
  }

  #work({ what, around, timeoutMs = around.timeoutMs }: Omit<Job, 'start'>, sink: CallSink): Work {
    const deadline = this.#surroundings.clock.now() + timeoutMs;
    const work = new Work(what, deadline, sink, (ended) => this.#works.delete(ended));
    this.#works.add(work);
    this.#deadlines.watch(deadline);
    return work;
  }

  async #perform(work: Work, job: Job): Promise<void> {
    try {
      if (this.#life.signal.aborted) throw new Failure(this.#stopped());
      const { config } = await this.#readiness.ready();
      if (work.isOver) return;
      const session: Session = { keep: undefined };
      const context = handlerContext(work, job.around, config, session, this.#surroundings);
      const returned = await drive(job.start(context), context, work);
      if (work.isOver) return;
      const content = await (job.read?.(returned) ?? contentOf(returned, work.what));
      work.succeed(this.#withSession(content, session, work));
    } catch (thrown) {
      const partial = thrown instanceof Failure ? thrown.partial : {};
      work.fail(safeFailure(thrown, this.#surroundings.debug), partial);
    }
  }

  #withSession(content: AnswerContent, { keep }: Session, work: Work): AnswerContent {
    const { keepSession = keep, ...rest } = content;
    if (keepSession !== true) return rest;
    if (this.talk !== undefined) return { ...rest, keepSession };
    this.#surroundings.log({
      level: 'warn',
      message: `${work.what} keeps the session, but its plugin has no onInput to hear what the user says.`,
    });
    return rest;
  }

  #isolated(
    tool: ToolDefinition,
    request: BackendRequest,
    isolate: NonNullable<Surroundings['isolate']>,
    sink: CallSink,
  ): RunningCall {
    const what = `Tool "${tool.name}" of plugin "${this.profile.name}"`;
    const work = this.#work({ what, around: request, timeoutMs: tool.timeoutMs }, sink);
    void (async () => {
      try {
        const { given } = await this.#readiness.ready();
        await checkedArgs(tool.input, request.args, what);
        if (work.isOver) return;
        const inner = isolate(request, given, {
          event: (event) => void work.event(event),
          drained: () => work.drained(),
          end: (answer) => work.end(answer),
        });
        work.signal.addEventListener('abort', () => inner.cancel(String(work.signal.reason)), { once: true });
      } catch (thrown) {
        work.fail(safeFailure(thrown, this.#surroundings.debug));
      }
    })();
    return work;
  }

  #refuse(name: string): never {
    const names = [...this.#tools.keys()];
    const suggestions = nearest(name, names);
    throw new Failure({
      code: 'UNKNOWN_TOOL',
      message: `Plugin "${this.profile.name}" has no tool "${name}".`,
      ...(suggestions.length > 0
        ? { suggestions: suggestions.map((near) => `Did you mean "${near}"?`) }
        : {}),
    });
  }

  #stopped() {
    return { code: 'PLUGIN_STOPPED', message: `Plugin "${this.profile.name}" ends.` } as const;
  }
}

async function checkedArgs(schema: CheckedSchema, args: unknown, what: string): Promise<JsonObject> {
  const checked = isJsonObject(args) ? await schema.check(args) : { problems: ['they: must be an object'] };
  // What comes of a check is what the handler was typed for.
  if ('value' in checked) return checked.value as JsonObject;
  throw new Failure({
    code: 'INVALID_ARGUMENTS',
    message: `${what} does not take these arguments: ${checked.problems.join('; ')}`,
    data: { problems: [...checked.problems] },
  });
}

async function checkedContent(
  { output }: ToolDefinition,
  returned: unknown,
  what: string,
): Promise<AnswerContent> {
  const content = contentOf(returned, what);
  if (output === undefined) return content;
  const checked = await output.check(content.data ?? content.text);
  if ('value' in checked) return { ...content, data: jsonOf(checked.value, 'its result', what) };
  throw new Failure({
    code: 'INTERNAL',
    message: `${what} answered with something that its own output schema does not allow: ${checked.problems.join('; ')}`,
    partial: content,
  });
}
