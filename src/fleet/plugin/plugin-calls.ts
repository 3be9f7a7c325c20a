// The calls of one plugin: of its tools, of its other parts, and conversations. Each starts the plugin when it does not run.
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { Signals } from '../../channel/peer/signals.ts';
import type { Call, CallOptions } from '../../definition/call.ts';
import type { Health } from '../../definition/manifest.ts';
import type {
  CodeRequest,
  ContextUpdate,
  ExtractionRequest,
  FileType,
  PlanRequest,
  Support,
  TaskRequest,
} from '../../definition/plan.ts';
import type { PluginLimits } from '../../definition/plugin-spec.ts';
import type {
  ExecutorPort,
  ExecutorQuestion,
  PromptsPort,
  ResourcesPort,
  RunningCall,
} from '../../definition/plugin-port.ts';
import type { WirePort } from '../../dialect/host-dialect.ts';
import type { Dispatcher } from './dispatcher.ts';
import { firstReady } from './instances.ts';
import { OpenCall, sendTool, type LiveInstance, type Send } from './open-call.ts';
import type { Conversation } from './instance.ts';
import { OpenTalk, processTalkPlace, type Talk } from './talk.ts';

export interface PluginCallsParts {
  /** The name of the plugin. */
  readonly plugin: string;
  readonly dispatcher: Dispatcher;
  readonly instances: readonly LiveInstance[];
  readonly nextCallNumber: () => number;
  /** Undefined until the dialect is known. */
  readonly limits: () => Required<PluginLimits> | undefined;
  /** Why the plugin will not be started; undefined when it will. */
  readonly refusal: () => PluglotError | undefined;
}

export class PluginCalls {
  readonly #parts: PluginCallsParts;
  readonly #signals = new Signals();

  constructor(parts: PluginCallsParts) {
    this.#parts = parts;
  }

  call(tool: string, args: JsonObject, options: CallOptions | undefined): Call {
    return this.#submit(sendTool, tool, args, options);
  }

  talk(tool: string, args: JsonObject, options: CallOptions | undefined): Talk {
    const { plugin, dispatcher, limits } = this.#parts;
    const place = processTalkPlace({
      plugin,
      dispatcher,
      talkMs: () => limits()?.talkMs ?? Infinity,
      open: (conversation) => this.#newCall(sendTool, tool, args, options, conversation),
      input: (send) => this.#newCall(send, tool, {}, options),
    });
    return new OpenTalk(place).begin(options?.signal, this.#signals);
  }

  extract(request: ExtractionRequest, options: CallOptions | undefined): Call {
    return this.#ask('extract', options, ({ extractor }, call) =>
      this.#having(extractor, 'extractor').extract(request, call, call),
    );
  }

  createPlan(request: PlanRequest, options: CallOptions | undefined): Call {
    return this.#ask('create_plan', options, ({ planner }, call) =>
      this.#having(planner, 'planner').createPlan(request, call, call),
    );
  }

  executeTask(request: TaskRequest, options: CallOptions | undefined): Call {
    return this.#ask('execute_task', options, ({ executor }, call) =>
      this.#having(executor, 'executor').executeTask(request, call, call),
    );
  }

  validateCode(request: CodeRequest, options: CallOptions | undefined): Call {
    return this.#ask('validate_code', options, ({ executor }, call) =>
      this.#validating(executor).validateCode(request, call, call),
    );
  }

  executeBatch(questions: readonly TaskQuestion[], options: CallOptions | undefined): readonly Call[] {
    const batch = new TaskBatch(({ executor }) => this.#validating(executor));
    return questions.map((question) =>
      this.#ask(question.kind === 'task' ? 'execute_task' : 'validate_code', options, batch.sendOf(question)),
    );
  }

  updateContext(update: ContextUpdate, options: CallOptions | undefined): Call {
    return this.#ask('update_context', options, (port, call) =>
      this.#having(port.updateContext?.bind(port), 'context that could be updated')(update, call, call),
    );
  }

  async supports(type: FileType): Promise<Support> {
    const { extractor } = await this.#ready();
    if (extractor === undefined) return { supported: false, confidence: 0 };
    return extractor.supports(type, this.#parts.limits()?.healthMs ?? 0);
  }

  async resources(): Promise<ResourcesPort> {
    return this.#having((await this.#ready()).resources, 'resources');
  }

  async prompts(): Promise<PromptsPort> {
    return this.#having((await this.#ready()).prompts, 'prompts');
  }

  /** Undefined when the plugin does not run. */
  async health(): Promise<Health | undefined> {
    const ready = this.#parts.instances.find(({ port }) => port !== undefined);
    if (ready?.port === undefined) return undefined;
    if (ready.calls.size > 0) return { status: 'ok', message: 'It is busy with a call.' };
    const { healthMs = 0, pingMs = 0 } = this.#parts.limits() ?? {};
    try {
      if (ready.port.health !== undefined) return await ready.port.health(healthMs);
      await ready.port.ping?.(pingMs);
      return { status: 'ok' };
    } catch (error) {
      return { status: 'error', message: toError(error).message };
    }
  }

  /** `name` stands for the tool in messages about the call. */
  #ask(name: string, options: CallOptions | undefined, send: Send): Call {
    return this.#submit(send, name, {}, options);
  }

  #submit(send: Send, tool: string, args: JsonObject, options: CallOptions | undefined): Call {
    const call = this.#newCall(send, tool, args, options);
    const signal = options?.signal;
    if (signal?.aborted === true) {
      call.phase = 'off';
      call.cancel();
      return call;
    }
    if (signal !== undefined) call.whenSettled(this.#signals.follow(signal, () => call.cancel()));
    this.#parts.dispatcher.submit(call);
    return call;
  }

  #newCall(
    send: Send,
    tool: string,
    args: JsonObject,
    options: CallOptions | undefined,
    talk?: Conversation,
  ): OpenCall {
    const { dispatcher, nextCallNumber } = this.#parts;
    return new OpenCall(dispatcher, nextCallNumber(), send, tool, args, options, talk);
  }

  async #ready(): Promise<WirePort> {
    const { instances, refusal } = this.#parts;
    const port = instances.find((one) => one.port !== undefined)?.port;
    if (port !== undefined) return port;
    const why = refusal();
    if (why !== undefined) throw why;
    return firstReady(instances);
  }

  #validating(executor: ExecutorPort | undefined): ValidatingExecutor {
    const having = this.#having(executor, 'executor');
    return this.#having(validates(having) ? having : undefined, 'executor that validates code');
  }

  /** @throws PluglotError UNSUPPORTED when it is undefined */
  #having<Part>(part: Part | undefined, what: string): Part {
    if (part !== undefined) return part;
    throw new PluglotError('UNSUPPORTED', `Plugin "${this.#parts.plugin}" has no ${what}.`);
  }
}

type ValidatingExecutor = ExecutorPort & Pick<Required<ExecutorPort>, 'validateCode'>;

function validates(executor: ExecutorPort): executor is ValidatingExecutor {
  return executor.validateCode !== undefined;
}

/** What an executor can be asked in a batch. */
export type TaskQuestion =
  | { readonly kind: 'task'; readonly request: TaskRequest }
  | { readonly kind: 'code'; readonly request: CodeRequest };

/** Requests that are sent together, in one message where the executor takes several, each as a call of its own. */
class TaskBatch {
  readonly #executorOf: (port: WirePort) => ValidatingExecutor;
  /** Those whose turn has come, by the process that they go to. */
  readonly #ready = new Map<ExecutorPort, BatchedCall[]>();

  constructor(executorOf: (port: WirePort) => ValidatingExecutor) {
    this.#executorOf = executorOf;
  }

  /** All whose turn comes in the same moment are sent together; the others when theirs has come. */
  sendOf(question: TaskQuestion): Send {
    return (port, sink) => {
      const executor = this.#executorOf(port);
      const call = new BatchedCall({ ...question, sink });
      const ready = this.#ready.get(executor);
      if (ready === undefined) {
        this.#ready.set(executor, [call]);
        queueMicrotask(() => this.#send(executor));
      } else ready.push(call);
      return call;
    };
  }

  #send(executor: ValidatingExecutor): void {
    const calls = (this.#ready.get(executor) ?? []).filter(({ isGivenUp }) => !isGivenUp);
    this.#ready.delete(executor);
    const sent = calls.length > 1 ? executor.batch?.(calls.map(({ question }) => question)) : undefined;
    for (const [index, call] of calls.entries())
      call.running = sent?.[index] ?? askAlone(executor, call.question);
  }
}

function askAlone(executor: ValidatingExecutor, question: ExecutorQuestion): RunningCall {
  return question.kind === 'task'
    ? executor.executeTask(question.request, question.sink)
    : executor.validateCode(question.request, question.sink);
}

/** Stands for a call on the wire until it is sent. */
class BatchedCall implements RunningCall {
  readonly question: ExecutorQuestion;
  isGivenUp = false;
  running: RunningCall | undefined;

  constructor(question: ExecutorQuestion) {
    this.question = question;
  }

  cancel(reason: string): 'free' | 'occupied' {
    if (this.running !== undefined) return this.running.cancel(reason);
    this.isGivenUp = true;
    return 'free';
  }
}
