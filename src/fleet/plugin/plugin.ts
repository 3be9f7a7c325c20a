// The plugin as the user knows it: it has a name, tools and a state, and survives the restarts of its processes.
import { Emitter } from '../../base/emitter.ts';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Observer } from '../../channel/peer/listeners.ts';
import type { Health, Manifest } from '../../definition/manifest.ts';
import type { CodeRequest, ContextUpdate, PlanRequest, TaskRequest } from '../../definition/plan.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import type { HostEnd, PromptsFacet, ResourcesFacet } from '../../dialect/host-dialect.ts';
import type { ExtractSource, FileType, Support } from '../../definition/extraction.ts';
import type { Call, CallOptions } from './call.ts';
import { CallMaker } from './call-maker.ts';
import { Dispatcher } from './dispatcher.ts';
import type { Abilities, Introduction, Introductions } from '../introductions/introductions.ts';
import { abilitiesOf, Facets } from './facets.ts';
import { idleStop, type IdleStop } from './idle-stop.ts';
import type { LogBook } from './logs/log-book.ts';
import { PluginLog } from './logs/plugin-log.ts';
import { cannotStart, commonFailure, firstReady, wakeAll } from './instances.ts';
import { sendTool, type LiveInstance } from './open-call.ts';
import { stopped } from '../supervisor/supervisor.ts';
import { createPool, type Pool } from './pool.ts';
import { PreparedTools } from './prepared-tools.ts';
import { shownAnswer, shownEvent, shownHealth, shownManifest, shownTools } from './shown.ts';
import { speaker, type PluginEvent, type PluginNews, type PluginState, type PluginStatus } from './status.ts';
import type { Surroundings } from './surroundings.ts';
import type { Talk } from './talk.ts';
import type { TaskQuestion } from './task-batch.ts';
import { WireMarks, type CallMark } from './wire-marks.ts';

/** Told every message, with the call it belongs to where that is known. */
export type WireObserver = (...told: [...Parameters<Observer>, mark?: CallMark]) => unknown;

export class Plugin {
  readonly name: string;
  readonly spec: PluginSpec;
  readonly #log: PluginLog;
  readonly #secrets: Secrets;
  readonly #tools: PreparedTools;
  readonly #pool: Pool;
  readonly #dispatcher: Dispatcher;
  readonly #calls: CallMaker;
  readonly #facets: Facets;
  readonly #events = new Emitter<PluginEvent>();
  readonly #idle: IdleStop | undefined;
  #manifest: Manifest | undefined;
  /** The same, as it came. */
  #told: Manifest | undefined;
  #toolList: readonly Tool[] = [];
  #observers: WireObserver[] = [];
  #lastState: PluginState = 'stopped';
  /** Set while its user does not want it to run. */
  #stopped: PluglotError | undefined;
  #closed = false;
  readonly #introductions: Introductions | undefined;
  /** Instead of that of its spec. */
  #config: JsonObject | undefined;
  #abilities: Abilities = { talks: false, plans: false, executes: false, keepsContext: false };

  /** Made by a fleet. */
  constructor(spec: PluginSpec, surroundings: Surroundings) {
    const { clock } = surroundings;
    this.name = spec.name;
    this.spec = spec;
    this.#secrets = surroundings.secrets;
    this.#log = new PluginLog(spec.name, surroundings.logFolder, this.#secrets, (entry) =>
      this.#emit({ kind: 'logged', entry }),
    );
    this.#tools = new PreparedTools(spec.name, surroundings.checks);
    this.#pool = createPool(spec, surroundings, {
      log: this.#log,
      config: () => this.#config,
      observer: () => this.#observer(),
      changed: (instance) => this.#instanceChanged(instance),
      toolsChanged: (tools) => this.#toolsChanged(tools),
      news: (news) => this.#emit(news),
    });
    this.#dispatcher = new Dispatcher({
      name: spec.name,
      clock,
      idPrefix: surroundings.idPrefix,
      instances: this.#pool.instances,
      tools: this.#tools,
      settings: this.#pool.settings,
      wake: () => this.#wake(),
      told: (event, { id, trace }) =>
        event.kind === 'log'
          ? { kind: 'log', ...this.#log.plugin(event, id, trace) }
          : shownEvent(event, this.#secrets),
      answered: (answer) => shownAnswer(answer, this.#secrets),
      busyChanged: () => this.#busyChanged(),
    });
    this.#calls = new CallMaker({
      plugin: spec.name,
      clock,
      dispatcher: this.#dispatcher,
      nextCallNumber: () => surroundings.nextCallNumber(),
      talkMs: () => this.#pool.limits?.talkMs ?? Infinity,
    });
    this.#facets = new Facets({
      name: spec.name,
      calls: this.#calls,
      instances: this.#pool.instances,
      limits: () => this.#pool.limits,
      refusal: () => this.#refusal(),
    });
    if (spec.idleStopMs !== undefined)
      this.#idle = idleStop(
        clock,
        spec.idleStopMs,
        () => this.#isIdle(),
        () => void this.rest(),
      );
    this.#introductions = surroundings.introductions;
    const known = spec.lazy === true ? this.#introductions?.recall(spec) : undefined;
    if (known !== undefined) this.#take(known);
  }

  get status(): PluginStatus {
    const { instances } = this.#pool;
    const best = speaker(instances);
    const reason = best?.instance.supervisor.reason;
    return {
      state: best?.state ?? 'stopped',
      since: best?.instance.supervisor.since ?? 0,
      ...(reason === undefined ? {} : { reason }),
      restarts: instances.reduce((sum, { supervisor }) => sum + supervisor.restarts, 0),
      pids: instances.flatMap(({ supervisor }) => supervisor.pid ?? []),
      running: instances.reduce((sum, { calls }) => sum + calls.size, 0),
      waiting: this.#dispatcher.waiting,
      isTalking: instances.some(({ talk }) => talk !== undefined),
    };
  }

  /** What it said of itself last, maybe to another host before this one; it is kept when the plugin stops. */
  get manifest(): Manifest | undefined {
    return this.#manifest;
  }

  /** Those it has, or had when it ran last. */
  tools(): readonly Tool[] {
    return this.#toolList;
  }

  /** The tool of this name; also one that is not listed, where the dialect has no list. Undefined when there is none. */
  findTool(name: string): Tool | undefined {
    return this.#manifest === undefined ? undefined : this.#tools.find(name);
  }

  /** What it can be asked beside its tools; what it does not rule out counts. Nothing until it has introduced itself. */
  get abilities(): Abilities {
    return this.#abilities;
  }

  get logs(): LogBook {
    return this.#log.book;
  }

  /** Starts it, or joins a start that is under way; anew when it had failed. Rejects when this start fails, also where it is tried again. */
  async start(): Promise<Manifest> {
    if (this.#closed) throw stopped(this.name);
    this.#stopped = undefined;
    return shownManifest((await firstReady(this.#pool.instances)).manifest, this.#secrets);
  }

  /** Ends its processes; calls fail until it is started again. */
  async stop(): Promise<void> {
    const reason = stopped(this.name);
    this.#stopped = reason;
    this.#idle?.cancel();
    this.#dispatcher.failWaiting(reason);
    await this.#stopAll(reason);
  }

  /** Ends its processes until it is used again, where nobody uses it now. */
  async rest(): Promise<void> {
    if (this.#isIdle())
      await this.#stopAll(
        new PluglotError('PLUGIN_STOPPED', `Plugin "${this.name}" was not used and rests.`),
      );
  }

  /** Stops and starts it; calls that are made meanwhile wait. */
  restart(): Promise<Manifest> {
    void this.#stopAll(new PluglotError('PLUGIN_STOPPED', `Plugin "${this.name}" was restarted.`));
    return this.start();
  }

  /**
   * Restarts it with this configuration instead of that of its spec.
   * @throws PluglotError UNSUPPORTED when its dialect has no words for a configuration, or why it does not start with this one
   */
  async configure(config: JsonObject): Promise<Manifest> {
    if (this.#manifest !== undefined && this.#pool.takesConfig === false)
      throw new PluglotError(
        'UNSUPPORTED',
        `Plugin "${this.name}" speaks ${this.#manifest.dialect}, which has no words for a configuration.`,
      );
    this.#config = config;
    return this.restart();
  }

  call(tool: string, args: JsonObject = {}, options?: CallOptions): Call {
    return this.#calls.submit(sendTool, tool, args, options);
  }

  /** Begins a conversation with a tool that keeps the session. */
  talk(tool: string, args: JsonObject = {}, options?: CallOptions): Talk {
    return this.#calls.talk(tool, args, options);
  }

  /** Text and metadata of a file, from a plugin with an extractor. */
  extract(
    source: ExtractSource,
    type?: FileType,
    extractOptions: JsonObject = {},
    options?: CallOptions,
  ): Call {
    return this.#facets.extract(source, type, extractOptions, options);
  }

  /** Lets a planner break a request down; the `data` of the outcome is a Plan, as JSON. */
  createPlan(request: PlanRequest, options?: CallOptions): Call {
    return this.#facets.createPlan(request, options);
  }

  /** Lets an executor carry out a task; the `data` of the outcome is a TaskResult, as JSON. */
  executeTask(request: TaskRequest, options?: CallOptions): Call {
    return this.#facets.executeTask(request, options);
  }

  /** Lets an executor check code; the `data` of the outcome is a CodeVerdict, as JSON. */
  validateCode(request: CodeRequest, options?: CallOptions): Call {
    return this.#facets.validateCode(request, options);
  }

  /** Asks an executor several things at once, a call for each; they travel in one message where it takes batches. */
  executeBatch(questions: readonly TaskQuestion[], options?: CallOptions): readonly Call[] {
    return this.#facets.executeBatch(questions, options);
  }

  /** Tells a planner or an executor what has changed around its work. */
  updateContext(update: ContextUpdate, options?: CallOptions): Call {
    return this.#facets.updateContext(update, options);
  }

  /** Whether its extractor takes files of this type. */
  supports(type: FileType): Promise<Support> {
    return this.#facets.supports(type);
  }

  /** @throws PluglotError UNSUPPORTED when it has none */
  resources(): Promise<ResourcesFacet> {
    return this.#facets.resources();
  }

  /** @throws PluglotError UNSUPPORTED when it has none */
  prompts(): Promise<PromptsFacet> {
    return this.#facets.prompts();
  }

  /** How it is, by its own word where its dialect asks for that; never rejects. */
  async health(): Promise<Health> {
    const { state, reason } = this.status;
    const told = await this.#facets.health();
    return told === undefined
      ? { status: 'error', message: reason?.message ?? `It is ${state}.` }
      : shownHealth(told, this.#secrets);
  }

  /** Hears of every change from now on; the returned function ends that. */
  onEvent(listener: (event: PluginEvent) => void): () => void {
    return this.#events.add(listener);
  }

  /** Sees every message on the wire of processes that are started from now on, with the call it belongs to where that is known; the returned function ends that. */
  observe(observer: WireObserver): () => void {
    this.#observers = [...this.#observers, observer];
    return () => {
      this.#observers = this.#observers.filter((other) => other !== observer);
    };
  }

  /** Stops it for good: it cannot be started again. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.stop();
    await this.#log.close();
  }

  #wake(): PluglotError | undefined {
    const refusal = this.#refusal();
    if (refusal !== undefined) return refusal;
    wakeAll(this.#pool.instances);
    return undefined;
  }

  /** Why it will not be started by a call. */
  #refusal(): PluglotError | undefined {
    return this.#stopped ?? commonFailure(this.#pool.instances);
  }

  async #stopAll(reason: PluglotError): Promise<void> {
    for (const instance of this.#pool.instances) this.#dispatcher.retire(instance, reason);
    await Promise.all(this.#pool.instances.map(({ supervisor }) => supervisor.stop(reason)));
  }

  #instanceChanged(instance: LiveInstance): void {
    const { supervisor } = instance;
    const { state, reason, end } = supervisor;
    instance.end = end;
    if (end !== undefined) this.#introduced(end);
    // Nothing is left of the process before.
    if (state === 'backoff' || state === 'failed' || state === 'stopped' || state === 'starting')
      this.#dispatcher.clear(instance, reason ?? stopped(this.name));
    this.#stateChanged();
    const { instances } = this.#pool;
    const failure = commonFailure(instances) ?? (cannotStart(instances) ? reason : undefined);
    if (failure !== undefined) this.#dispatcher.failWaiting(failure);
    if (end !== undefined) this.#dispatcher.pump();
  }

  #introduced(end: HostEnd): void {
    const { manifest } = end;
    if (this.#told === manifest) return;
    this.#told = manifest;
    const { takesUnlistedTools } = this.#pool;
    const shown = shownManifest(manifest, this.#secrets);
    const introduction = { manifest: shown, abilities: abilitiesOf(end), takesUnlistedTools };
    this.#take(introduction);
    this.#idle?.touch();
    const { lazy = false, dialect } = this.spec;
    if (lazy || dialect === undefined) this.#introductions?.keep(this.spec, introduction);
  }

  #take({ manifest, abilities, takesUnlistedTools }: Introduction): void {
    this.#abilities = abilities;
    this.#manifest = manifest;
    this.#toolsChanged(manifest.tools, takesUnlistedTools);
  }

  #toolsChanged(told: readonly Tool[], takesUnlistedTools = this.#pool.takesUnlistedTools): void {
    const tools = shownTools(told, this.#secrets);
    this.#toolList = tools;
    this.#tools.replace(tools, takesUnlistedTools);
    this.#emit({ kind: 'tools-changed', tools });
  }

  #busyChanged(): void {
    this.#idle?.touch();
    if (this.#events.isHeard) this.#stateChanged();
  }

  #isIdle(): boolean {
    // While a user thinks what to say, nothing runs.
    const { state, running, waiting, isTalking } = this.status;
    return state === 'ready' && running + waiting === 0 && !isTalking;
  }

  #stateChanged(): void {
    const best = speaker(this.#pool.instances);
    const state = best?.state ?? 'stopped';
    const previous = this.#lastState;
    if (state === previous) return;
    this.#lastState = state;
    const reason = best?.instance.supervisor.reason;
    // Every call makes it busy: the log is for what is out of the ordinary.
    const isCall = state === 'busy' || (previous === 'busy' && state === 'ready');
    if (!isCall) this.#log.state(state, reason);
    const changed = { kind: 'state-changed', plugin: this.name, state, previous, at: Date.now() } as const;
    this.#events.emit(reason === undefined ? changed : { ...changed, reason });
  }

  #emit(news: PluginNews): void {
    this.#events.emit({ ...news, plugin: this.name });
  }

  #observer(): Observer | undefined {
    const observers = this.#observers;
    if (observers.length === 0) return undefined;
    const marks = new WireMarks();
    return (direction, message) => {
      const sending = direction === 'sent' ? this.#dispatcher.sending : undefined;
      const mark = marks.of(direction, message, sending, this.#pool.keysIn);
      for (const observer of this.#observers) observer(direction, message, mark);
    };
  }
}
