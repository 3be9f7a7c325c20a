// One process of a plugin, or one connection to a remote one, from its start until nothing is left of it, with the reason of its end.
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { patiently } from '../../base/patience.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { TakeTurn } from '../../base/turns.ts';
import { late, within } from '../../base/within.ts';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import type { HostDialect, HostEnd, HostServices } from '../../dialect/host-dialect.ts';
import { broken, exitError } from './exit-error.ts';
import type { Launcher } from './launcher.ts';
import { shownError } from './shown-error.ts';
import type { Running } from './spawn.ts';

export interface LifePorts {
  readonly spec: PluginSpec;
  readonly launcher: Launcher;
  readonly clock: Clock;
  /** Resolves when it may start a process, which blocks the host for a moment. */
  readonly takeTurn: TakeTurn;
  /** Finds out the dialect, where it is not known yet, and what holds in it. */
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
  /** What is told of its end goes to logs and screens. */
  readonly secrets: Pick<Secrets, 'mask' | 'maskKnown'>;
  /** Told once, at the first sign of the end: nothing more must be sent. */
  dying(): void;
}

export interface ResolvedDialect {
  readonly dialect: HostDialect;
  readonly limits: Required<PluginLimits>;
}

/** Exit and end of the pipe come within moments of each other; then what is left is ended. */
const LAST_WORDS_MS = 1000;

/** A process that has not introduced itself has nothing to save. */
const STOP_WHILE_STARTING_MS = 500;

export class Life {
  readonly #ports: LifePorts;
  readonly #abort = new AbortController();
  readonly #connected = deferred<HostEnd>();
  readonly #doomed = deferred<PluglotError>();
  #launching: Promise<Running> | undefined;
  #running: Running | undefined;
  #end: HostEnd | undefined;
  #limits: Required<PluginLimits> | undefined;
  #cause: PluglotError | undefined;
  #isDying = false;
  #gently = false;
  /** Resolves when the plugin has introduced itself; rejects when this life ends before. */
  readonly connected: Promise<HostEnd> = this.#connected.promise;
  /** Resolves with the reason as soon as it is known. */
  readonly cause: Promise<PluglotError> = this.#doomed.promise;
  /** Resolves when nothing is left of it, with the reason. */
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

  /** Its process is stopped, as by SIGSTOP. */
  isStopped(): boolean {
    return this.#running?.isStopped() ?? false;
  }

  /** Ends it at once, for this reason. */
  kill(reason: PluglotError): void {
    this.#doom(reason);
  }

  /** Ends it in good manners: the goodbye of the dialect, then the stop ladder. */
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

  async #start(): Promise<HostEnd> {
    const { spec, clock, launcher, stderr } = this.#ports;
    const { dialect, limits } = await this.#unlessDoomed(this.#ports.resolve(this.#abort.signal));
    this.#limits = limits;
    const limit = () =>
      patiently(clock, limits.startMs, () => this.#doom(startTimeout(spec, limits, this.#running)));
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
      this.#launching = launcher.launch(spec, {
        onStderr: (chunk) => stderr.push(chunk),
        onStderrEnd: () => stderr.end(),
      });
      const running = (this.#running = await this.#unlessDoomed(this.#launching));
      cancelLimit();
      cancelLimit = limit();
      void running.exited.then(() => this.#exited(running));
      void running.pipe.unwritable().then(() => this.#unread(running));
      const end = await this.#unlessDoomed(dialect.connect(running.pipe, spec, services));
      try {
        await running.confirm?.();
      } catch (thrown) {
        closeEnd(end);
        throw thrown;
      }
      return end;
    } finally {
      isStarting = false;
      cancelLimit();
    }
  }

  #reach(dialect: HostDialect, services: HostServices): Promise<HostEnd> {
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
    // What it said before its exit is read first.
    const ended = this.#end?.ended ?? this.#connected.promise.then((end) => end.ended);
    if (!(await this.#comes(ended))) this.#doom(exitError(this.#ports.spec, await running.exited));
  }

  /** It reads no more. That is the first sign of an exit too. */
  async #unread(running: Running): Promise<void> {
    if (await this.#comes(running.exited)) return;
    const message = `Plugin "${this.#ports.spec.name}" takes no messages any more, though it runs; it was ended.`;
    this.#doom(new PluglotError('PLUGIN_EXITED', message, { stderr: running.stderr() }));
  }

  /** Why it ended by itself, or did not begin. */
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

  /** Gives the reason, which is that of the first time. */
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
    // One that was still being launched is awaited, so that it can be ended too.
    const running = this.#running ?? (await this.#launching?.catch(() => undefined));
    await (running && this.#endProcess(running));
    // Somebody who got away may hold it open for ever.
    this.#ports.stderr.end();
    if (end === undefined) running?.pipe.destroy();
    else closeEnd(end);
  }

  async #sayGoodbye(end: HostEnd): Promise<void> {
    const limitMs = this.#limits?.shutdownMs ?? 0;
    const goodbye = Promise.race([end.shutdown(limitMs), end.ended]);
    await this.#comes(goodbye, limitMs + LAST_WORDS_MS);
  }

  /** Whether it comes, well or not, in time. */
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

function closeEnd(end: HostEnd): void {
  try {
    end.close();
  } catch {
    // It is over in any case.
  }
}

function startTimeout(
  spec: PluginSpec,
  { startMs }: Required<PluginLimits>,
  running?: Running,
): PluglotError {
  const what = running === undefined ? 'could not be started' : 'did not introduce itself';
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
