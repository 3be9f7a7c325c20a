// The plugin as the user knows it: it has a name, tools and a state, and survives the restarts of its processes.
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import { PluglotError } from '../../base/error.ts';
import { defined, type JsonObject } from '../../base/json.ts';
import type { Observer } from '../../channel/peer/options.ts';
import type { Call, CallOptions } from '../../definition/call.ts';
import type { Health, Manifest } from '../../definition/manifest.ts';
import type {
  CodeRequest,
  ContextUpdate,
  ExtractionRequest,
  FileType,
  PlanRequest,
  Support,
  TaskRequest,
} from '../../definition/plan.ts';
import type { PromptsPort, ResourcesPort } from '../../definition/plugin-port.ts';
import type { DialectName, PluginSpec } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import type { WirePort } from '../../dialect/host-dialect.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { CachedManifest, ManifestCache } from '../manifest-cache/manifest-cache.ts';
import { stopped } from '../supervisor/supervisor.ts';
import { Dispatcher } from './dispatcher.ts';
import type { FleetEnvironment } from './environment.ts';
import {
  cannotStart,
  commonFailure,
  firstReady,
  type PluginEvent,
  type PluginChange,
  type PluginState,
  type PluginStatus,
  speaker,
  wakeAll,
} from './instances.ts';
import type { LogBook } from './logs/log-book.ts';
import { PluginLog } from './logs/plugin-log.ts';
import type { LiveInstance } from './open-call.ts';
import { PluginCalls, type TaskQuestion } from './plugin-calls.ts';
import { createPool, type Pool } from './pool.ts';
import { PreparedTools } from './prepared-tools.ts';
import { redactAnswer, redactEvent, redactHealth, redactManifest, redactTools } from './redact.ts';
import type { Talk } from './talk.ts';
import { type CallMark, WireMarks } from './wire-marks.ts';

/** Gets every message, with the call it belongs to where that is known. */
export type WireObserver = (...message: [...Parameters<Observer>, mark?: CallMark]) => unknown;

export class Plugin {
  readonly name: string;
  readonly spec: PluginSpec;
  readonly #log: PluginLog;
  readonly #secrets: Secrets;
  readonly #tools: PreparedTools;
  readonly #pool: Pool;
  readonly #dispatcher: Dispatcher;
  readonly #calls: PluginCalls;
  readonly #events = new Emitter<PluginEvent>();
  readonly #idle: IdleStop | undefined;
  #manifest: Manifest | undefined;
  /** The same, as it came. */
  #received: Manifest | undefined;
  #toolList: readonly Tool[] = [];
  #observers: WireObserver[] = [];
  #lastState: PluginState = 'stopped';
  /** Set while its user does not want it to run. */
  #stopped: PluglotError | undefined;
  #closed = false;
  readonly #manifestCache: ManifestCache | undefined;
  /** Instead of that of its spec. */
  #config: JsonObject | undefined;

  /** Made by a fleet. */
  constructor(spec: PluginSpec, environment: FleetEnvironment) {
    const { clock } = environment;
    this.name = spec.name;
    this.spec = spec;
    this.#secrets = environment.secrets;
    this.#log = new PluginLog(spec.name, environment.logFolder, this.#secrets, (entry) =>
      this.#emit({ kind: 'logged', entry }),
    );
    this.#tools = new PreparedTools(spec.name, environment.checks);
    this.#pool = createPool(spec, environment, {
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
      idPrefix: environment.idPrefix,
      instances: this.#pool.instances,
      tools: this.#tools,
      settings: this.#pool.settings,
      wake: () => this.#wake(),
      redacted: (event, { id, trace }) =>
        event.kind === 'log'
          ? { kind: 'log', ...this.#log.plugin(event, id, trace) }
          : redactEvent(event, this.#secrets),
      answered: (answer) => redactAnswer(answer, this.#secrets),
      busyChanged: () => this.#busyChanged(),
    });
    this.#calls = new PluginCalls({
      plugin: spec.name,
      dispatcher: this.#dispatcher,
      instances: this.#pool.instances,
      nextCallNumber: () => environment.nextCallNumber(),
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
    this.#manifestCache = environment.manifestCache;
    const known = spec.lazy === true ? this.#manifestCache?.get(spec) : undefined;
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

  /** Its last manifest, which may be from an earlier run; kept when the plugin stops. */
  get manifest(): Manifest | undefined {
    return this.#manifest;
  }

  /** Undefined until it is known. */
  get dialect(): DialectName | undefined {
    const { dialect = 'in-process' } = this.#manifest ?? {};
    return dialect === 'in-process' ? this.spec.dialect : dialect;
  }

  /** Those it has, or had when it ran last. */
  tools(): readonly Tool[] {
    return this.#toolList;
  }

  /** The tool of this name; also one that is not listed, where the dialect has no list. Undefined when it has none. */
  findTool(name: string): Tool | undefined {
    return this.#manifest === undefined ? undefined : this.#tools.find(name);
  }

  get logs(): LogBook {
    return this.#log.book;
  }

  /** Starts it, or joins a start that is under way. Rejects when this start fails, also where it is tried again. */
  async start(): Promise<Manifest> {
    if (this.#closed) throw stopped(this.name);
    this.#stopped = undefined;
    return redactManifest((await firstReady(this.#pool.instances)).manifest, this.#secrets);
  }

  /** Ends its processes; calls fail until it is started again. */
  async stop(): Promise<void> {
    const reason = stopped(this.name);
    this.#stopped = reason;
    this.#idle?.cancel();
    this.#dispatcher.failWaiting(reason);
    await this.#stopAll(reason);
  }

  /** Ends its processes until it is used again, unless it is in use. */
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
    return this.#calls.call(tool, args, options);
  }

  /** Begins a conversation with a tool that keeps the session. */
  talk(tool: string, args: JsonObject = {}, options?: CallOptions): Talk {
    return this.#calls.talk(tool, args, options);
  }

  /** Text and metadata of a file, from a plugin with an extractor. */
  extract(request: ExtractionRequest, options?: CallOptions): Call {
    return this.#calls.extract(request, options);
  }

  /** Lets a planner break a request down; the `data` of the outcome is a Plan, as JSON. */
  createPlan(request: PlanRequest, options?: CallOptions): Call {
    return this.#calls.createPlan(request, options);
  }

  /** Lets an executor carry out a task; the `data` of the outcome is a TaskResult, as JSON. */
  executeTask(request: TaskRequest, options?: CallOptions): Call {
    return this.#calls.executeTask(request, options);
  }

  /** Lets an executor check code; the `data` of the outcome is a CodeVerdict, as JSON. */
  validateCode(request: CodeRequest, options?: CallOptions): Call {
    return this.#calls.validateCode(request, options);
  }

  /** Sends several requests to an executor, a call for each; in one message where it takes batches. */
  executeBatch(questions: readonly TaskQuestion[], options?: CallOptions): readonly Call[] {
    return this.#calls.executeBatch(questions, options);
  }

  /** Notifies a planner or an executor of changes to files, dependencies or state. */
  updateContext(update: ContextUpdate, options?: CallOptions): Call {
    return this.#calls.updateContext(update, options);
  }

  /** Whether its extractor takes files of this type. */
  supports(type: FileType): Promise<Support> {
    return this.#calls.supports(type);
  }

  /** @throws PluglotError UNSUPPORTED when it has none */
  resources(): Promise<ResourcesPort> {
    return this.#calls.resources();
  }

  /** @throws PluglotError UNSUPPORTED when it has none */
  prompts(): Promise<PromptsPort> {
    return this.#calls.prompts();
  }

  /** Asks the plugin where its dialect has a request for that. Never rejects. */
  async health(): Promise<Health> {
    const { state, reason } = this.status;
    const health = await this.#calls.health();
    return health === undefined
      ? { status: 'error', message: reason?.message ?? `It is ${state}.` }
      : redactHealth(health, this.#secrets);
  }

  /** Called at every change from now on; the returned function ends it. */
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
    instance.port = end;
    if (end !== undefined) this.#connected(end);
    // Nothing is left of the process before.
    if (state === 'backoff' || state === 'failed' || state === 'stopped' || state === 'starting')
      this.#dispatcher.clear(instance, reason ?? stopped(this.name));
    this.#stateChanged();
    const { instances } = this.#pool;
    const failure = commonFailure(instances) ?? (cannotStart(instances) ? reason : undefined);
    if (failure !== undefined) this.#dispatcher.failWaiting(failure);
    if (end !== undefined) this.#dispatcher.pump();
  }

  #connected(end: WirePort): void {
    const { manifest } = end;
    if (this.#received === manifest) return;
    this.#received = manifest;
    const { takesUnlistedTools } = this.#pool;
    const shown = redactManifest(manifest, this.#secrets);
    const cached = { manifest: { ...shown, ...partsOf(end) }, takesUnlistedTools };
    this.#take(cached);
    this.#idle?.touch();
    const { lazy = false, dialect } = this.spec;
    if (lazy || dialect === undefined) this.#manifestCache?.set(this.spec, cached);
  }

  #take({ manifest, takesUnlistedTools }: CachedManifest): void {
    this.#manifest = manifest;
    this.#toolsChanged(manifest.tools, takesUnlistedTools);
  }

  #toolsChanged(received: readonly Tool[], takesUnlistedTools = this.#pool.takesUnlistedTools): void {
    const tools = redactTools(received, this.#secrets);
    this.#toolList = tools;
    this.#tools.replace(tools, takesUnlistedTools);
    this.#emit({ kind: 'tools-changed', tools });
  }

  #busyChanged(): void {
    this.#idle?.touch();
    if (this.#events.isHeard) this.#stateChanged();
  }

  #isIdle(): boolean {
    // While the user thinks, nothing runs.
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

  #emit(change: PluginChange): void {
    this.#events.emit({ ...change, plugin: this.name });
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

/** What its connection offers beside tools; a dialect may not say it in the manifest. */
function partsOf(port: WirePort) {
  const { talk, planner, executor } = port;
  return defined({
    talks: talk && true,
    planner: planner && true,
    executor: executor && (executor.validateCode === undefined ? {} : { validateCode: true }),
    keepsContext: port.updateContext === undefined ? undefined : true,
  });
}

interface IdleStop {
  /** It was used until now. */
  touch(): void;
  cancel(): void;
}

function idleStop(clock: Clock, idleMs: number, isIdle: () => boolean, stop: () => void): IdleStop {
  let since = clock.now();
  let cancelTimer: (() => void) | undefined;
  const wait = (ms: number) => {
    cancelTimer = clock.after(ms, () => {
      cancelTimer = undefined;
      // The end of its last call starts it again.
      if (!isIdle()) return;
      const leftMs = since + idleMs - clock.now();
      if (leftMs > 0) wait(leftMs);
      else stop();
    });
  };
  return {
    touch() {
      since = clock.now();
      if (cancelTimer === undefined) wait(idleMs);
    },
    cancel() {
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}
