// One process of a plugin, or one connection to a remote one, from its start until all of it has ended, with the reason of its end.
import { type Clock, callWhenDue } from '../../base/clock.ts';
import { deferred, late, type TakeTurn, within } from '../../base/async.ts';
import { PluglotError, toError } from '../../base/error.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import type { HostDialect, WirePort, HostServices } from '../../dialect/host-dialect.ts';
import { broken, exitError, type Launcher, shownError } from './launcher.ts';
import type { Exit, Running } from './spawn.ts';

export interface LifePorts {
  readonly spec: PluginSpec;
  readonly launcher: Launcher;
  readonly clock: Clock;
  /** Resolves when a process may be started, which blocks the host for a moment. */
  readonly takeTurn: TakeTurn;
  /** Detects the dialect if it is unknown, and gives its properties. */
  resolve(signal: AbortSignal): Promise<ResolvedDialect>;
  readonly services: Pick<
    HostServices,
    | 'log'
    | 'note'
    | 'trouble'
    | 'toolsChanged'
    | 'observer'
    | 'access'
    | 'learn'
    | 'relaysQuestions'
    | 'news'
    | 'executeTask'
    | 'validateCode'
  >;
  readonly stderr: { push(chunk: Buffer): void; end(): void };
  /** Kept across restarts of the plugin. */
  readonly starts: StartHistory;
  /** Masks the reason of its end, which goes to logs and screens. */
  readonly secrets: Pick<Secrets, 'mask' | 'maskKnown'>;
  /** Called once, at the first sign of the end: nothing more must be sent. */
  dying(): void;
}

/** How to start a plugin whose dialect may need a second start. */
export interface StartHistory {
  /**
   * `try-both`: with the flag `canStartAgain`, and where the process ends, a second time without it. A plugin that is connected by the second
   * start is started without the flag from then on. One that is not is started once, by turns with and without.
   */
  way: 'try-both' | 'flag-only' | 'no-flag';
}

export interface ResolvedDialect {
  readonly dialect: HostDialect;
  readonly limits: Required<PluginLimits>;
}

/** Exit and end of the pipe come shortly after each other; then the rest is ended. */
const LAST_WORDS_MS = 1000;

/** A process without a completed handshake has nothing to save. */
const STOP_WHILE_STARTING_MS = 500;

export class Life {
  readonly #ports: LifePorts;
  readonly #abort = new AbortController();
  readonly #connected = deferred<WirePort>();
  readonly #doomed = deferred<PluglotError>();
  #launching: Promise<Running> | undefined;
  #running: Running | undefined;
  #end: WirePort | undefined;
  #limits: Required<PluginLimits> | undefined;
  #cause: PluglotError | undefined;
  #isDying = false;
  #gently = false;
  /** Resolves after the handshake; rejects if the process ends before. */
  readonly connected: Promise<WirePort> = this.#connected.promise;
  /** Resolves with the reason as soon as it is known. */
  readonly cause: Promise<PluglotError> = this.#doomed.promise;
  /** Resolves with the reason when all of it has ended. */
  readonly over: Promise<PluglotError>;

  constructor(ports: LifePorts) {
    this.#ports = ports;
    this.over = this.#live();
  }

  /** The end has begun. */
  get isDying(): boolean {
    return this.#isDying;
  }

  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** Its process is stopped, for example by SIGSTOP. */
  isStopped(): boolean {
    return this.#running?.isStopped() ?? false;
  }

  /** Ends it at once, for this reason. */
  kill(reason: PluglotError): void {
    this.#doom(reason);
  }

  /** Ends it gracefully: the shutdown message of the dialect, then the stop ladder. */
  stop(reason: PluglotError): void {
    this.#gently ||= this.#cause === undefined;
    this.#doom(reason);
  }

  async #live(): Promise<PluglotError> {
    let failure: unknown;
    try {
      const end = (this.#end = await this.#start());
      this.#connected.resolve(end);
      await Promise.race([end.ended, this.#doomed.promise]);
    } catch (error) {
      failure = error;
    }
    this.#die();
    const cause = this.#doom(this.#cause ?? (await this.#explain(failure)));
    this.#connected.reject(cause);
    await this.#cleanUp();
    return cause;
  }

  async #start(): Promise<WirePort> {
    const { spec, clock, launcher, stderr, starts } = this.#ports;
    const { dialect, limits } = await this.#unlessDoomed(this.#ports.resolve(this.#abort.signal));
    this.#limits = limits;
    const limit = () =>
      callWhenDue(clock, limits.startMs, () => this.#doom(startTimeout(spec, limits, this.#running)));
    let cancelLimit = limit();
    let isStarting = true;
    const services: HostServices = {
      ...this.#ports.services,
      clock,
      signal: this.#abort.signal,
      hasCommand: (command) => launcher.hasCommand(spec, command),
      personDecides: () => {
        cancelLimit();
        return () => {
          cancelLimit();
          if (isStarting) cancelLimit = limit();
        };
      },
    };
    try {
      if (spec.start.kind === 'http') return await this.#reach(dialect, services);
      await this.#unlessDoomed(this.#ports.takeTurn());
      const launched = () => {
        cancelLimit();
        cancelLimit = limit();
      };
      if (dialect.traits.mayNeedSecondStart === true && starts.way !== 'no-flag') {
        const end = await this.#tryStart(dialect, services, launched);
        if (end !== undefined) return end;
      }
      const running = await this.#launch(() => stderr.end());
      launched();
      this.#watch(running);
      starts.way = 'flag-only';
      const end = await this.#confirmed(running, dialect.connect(running.pipe, spec, services));
      starts.way = 'no-flag';
      return end;
    } finally {
      isStarting = false;
      cancelLimit();
    }
  }

  /** Undefined if the process ended before it was connected, maybe because of the flag. */
  async #tryStart(
    dialect: HostDialect,
    services: HostServices,
    launched: () => void,
  ): Promise<WirePort | undefined> {
    const { spec, stderr, starts } = this.#ports;
    const printedAll = deferred<void>();
    const running = await this.#launch(() => printedAll.resolve());
    launched();
    const connecting = dialect.connect(running.pipe, spec, { ...services, canStartAgain: true });
    // A descendant may hold the pipe of an ended process open.
    const gone = running.exited.then(async () => {
      if (await this.#comes(connecting)) return connecting;
      throw new PluglotError('PIPE_ENDED', `The process of plugin "${spec.name}" has ended.`);
    });
    try {
      const end = await this.#confirmed(running, Promise.race([connecting, gone]));
      this.#watch(running);
      void printedAll.promise.then(() => stderr.end());
      starts.way = 'try-both';
      return end;
    } catch (thrown) {
      const isGone = broken(thrown) && this.#cause === undefined && (await this.#comes(running.exited));
      if (!isGone || this.#cause !== undefined) throw thrown;
      if (!isByRequest(await running.exited)) throw thrown;
      if (starts.way === 'flag-only') {
        starts.way = 'no-flag';
        throw thrown;
      }
      await running.stop({ stdinMs: 0, termMs: 0 });
      this.#running = undefined;
      return undefined;
    }
  }

  async #launch(onStderrEnd: () => void): Promise<Running> {
    const { spec, launcher, stderr } = this.#ports;
    this.#launching = launcher.launch(spec, { onStderr: (chunk) => stderr.push(chunk), onStderrEnd });
    return (this.#running = await this.#unlessDoomed(this.#launching));
  }

  #watch(running: Running): void {
    void running.exited.then(() => this.#exited(running));
    void running.pipe.unwritable().then(() => this.#unread(running));
  }

  async #confirmed(running: Running, connecting: Promise<WirePort>): Promise<WirePort> {
    const end = await this.#unlessDoomed(connecting);
    try {
      await running.confirm?.();
      return end;
    } catch (thrown) {
      closeEnd(end);
      throw thrown;
    }
  }

  #reach(dialect: HostDialect, services: HostServices): Promise<WirePort> {
    const { spec } = this.#ports;
    if (spec.start.kind !== 'http' || dialect.reach === undefined)
      throw new PluglotError(
        'UNSUPPORTED_PROTOCOL',
        `Plugin "${spec.name}" is to be reached by a URL, which the dialect ${dialect.name} has no way to do. Give it a command.`,
      );
    return this.#unlessDoomed(dialect.reach(spec.start, spec, services));
  }

  async #unlessDoomed<Value>(promise: Promise<Value>): Promise<Value> {
    const doomed = this.#doomed.promise.then((cause): never => {
      throw cause;
    });
    return Promise.race([promise, doomed]);
  }

  async #exited(running: Running): Promise<void> {
    this.#die();
    // Messages from before its exit are read first.
    const ended = this.#end?.ended ?? this.#connected.promise.then((end) => end.ended);
    if (!(await this.#comes(ended))) this.#doom(exitError(this.#ports.spec, await running.exited));
  }

  /** It has stopped reading, which is also the first sign of an exit. */
  async #unread(running: Running): Promise<void> {
    if (await this.#comes(running.exited)) return;
    const message = `Plugin "${this.#ports.spec.name}" takes no messages any more, though it runs; it was ended.`;
    this.#doom(new PluglotError('PLUGIN_EXITED', message, { stderr: running.stderr() }));
  }

  /** Why it ended by itself, or did not start. */
  async #explain(failure: unknown): Promise<PluglotError> {
    const { spec } = this.#ports;
    const running = this.#running;
    if (failure !== undefined && !broken(failure)) return startError(spec, toError(failure), running);
    if (running === undefined) return exitError(spec, undefined, failure);
    const exitIsKnown = await this.#comes(running.exited);
    if (this.#cause !== undefined) return this.#cause;
    if (exitIsKnown) return exitError(spec, await running.exited);
    return new PluglotError(
      'PLUGIN_EXITED',
      `Plugin "${spec.name}" closed its output and went on running; it was ended.`,
      { stderr: running.stderr() },
    );
  }

  #die(): void {
    if (this.#isDying) return;
    this.#isDying = true;
    this.#ports.dying();
  }

  /** Returns the reason; the first one counts. */
  #doom(reason: PluglotError): PluglotError {
    if (this.#cause !== undefined) return this.#cause;
    const cause = (this.#cause = shownError(reason, this.#ports.secrets));
    this.#die();
    this.#doomed.resolve(cause);
    this.#abort.abort(cause);
    return cause;
  }

  async #cleanUp(): Promise<void> {
    const end = this.#end;
    if (this.#gently && end !== undefined) await this.#sayGoodbye(end);
    // A launch under way is awaited, so that its process can be ended too.
    const running = this.#running ?? (await this.#launching?.catch(() => undefined));
    await (running && this.#endProcess(running));
    // An escaped descendant may hold it open for ever.
    this.#ports.stderr.end();
    if (end === undefined) running?.pipe.destroy();
    else closeEnd(end);
  }

  async #sayGoodbye(end: WirePort): Promise<void> {
    const limitMs = this.#limits?.shutdownMs ?? 0;
    const goodbye = Promise.race([end.shutdown(limitMs), end.ended]);
    await this.#comes(goodbye, limitMs + LAST_WORDS_MS);
  }

  /** Whether it settles in time. */
  async #comes(promise: Promise<unknown>, limitMs = LAST_WORDS_MS): Promise<boolean> {
    const settled = promise.catch(() => {});
    return (await within(settled, limitMs, this.#ports.clock)) !== late;
  }

  async #endProcess(running: Running): Promise<void> {
    const { shutdownMs = 0, termMs = 0 } = this.#limits ?? {};
    if (this.#gently) {
      const stdinMs = this.#end === undefined ? Math.min(STOP_WHILE_STARTING_MS, shutdownMs) : shutdownMs;
      await running.stop({ stdinMs, termMs });
      return;
    }
    running.signal('SIGKILL');
    await running.stop({ stdinMs: 0, termMs: 0 });
  }
}

function closeEnd(end: WirePort): void {
  try {
    end.close();
  } catch {
    // It has ended in any case.
  }
}

function startTimeout(
  spec: PluginSpec,
  { startMs }: Required<PluginLimits>,
  running?: Running,
): PluglotError {
  const what = running === undefined ? 'could not be started' : 'did not complete its handshake';
  return new PluglotError(
    'START_TIMEOUT',
    `Plugin "${spec.name}" ${what} within ${startMs} ms. Look at what it prints, or raise limits.startMs.`,
    { stderr: running?.stderr() },
  );
}

function startError(spec: PluginSpec, error: Error, running?: Running): PluglotError {
  const stderr = running?.stderr();
  if (!(error instanceof PluglotError))
    return new PluglotError('START_FAILED', `Plugin "${spec.name}" could not be started: ${error.message}`, {
      cause: error,
      stderr,
    });
  if (error.stderr !== undefined || stderr === undefined) return error;
  return new PluglotError(error.code, error.message, { cause: error.cause, stderr });
}

/** Whether a process may have ended because of a message: not if it was killed, or a shell could not find or run it. */
function isByRequest(exit: Exit): boolean {
  return exit.kind === 'exited' && exit.signal === null && exit.exitCode !== 126 && exit.exitCode !== 127;
}
