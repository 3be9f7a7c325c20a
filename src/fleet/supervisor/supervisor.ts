// Keeps one process of a plugin alive: starts it, watches it, restarts it within its budget, stops it.
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/async.ts';
import { PluglotError } from '../../base/error.ts';
import { sentence } from '../../base/text.ts';
import type { WirePort } from '../../dialect/host-dialect.ts';
import type { Life } from './life.ts';
import { isWorthAnotherTry, type RestartBudget } from './restart-budget.ts';

/** `unhealthy`: it is ending. `backoff`: it waits for its next start. `failed`: only its user can start it. */
export type SupervisorState =
  | 'stopped'
  | 'starting'
  | 'ready'
  | 'unhealthy'
  | 'stopping'
  | 'backoff'
  | 'failed';

export interface SupervisorPorts {
  /** As the user knows the plugin. */
  readonly name: string;
  readonly clock: Clock;
  readonly budget: RestartBudget;
  begin(dying: () => void): Life;
  /** Starts to watch a ready process; the returned function stops that. */
  watch(life: Life, end: WirePort): () => void;
  /** Called after every change of state, and when it is no longer ready. */
  changed(): void;
}

/** From a start by the user to the stop or final failure. */
interface Session {
  stopping: PluglotError | undefined;
  over: boolean;
  life: Life | undefined;
  /** The current start, or the next one. */
  attempt: ReturnType<typeof deferred<WirePort>>;
  /** Ends a wait between two starts. */
  wake: () => void;
}

export class Supervisor {
  readonly #ports: SupervisorPorts;
  #session: Session | undefined;
  #finished: Promise<void> = Promise.resolve();
  #state: SupervisorState = 'stopped';
  #reason: PluglotError | undefined;
  #since = Date.now();
  #restarts = 0;
  #wasReady = false;
  #isSpared = false;
  #end: WirePort | undefined;

  constructor(ports: SupervisorPorts) {
    this.#ports = ports;
  }

  get state(): SupervisorState {
    return this.#state;
  }

  /** Why it is in this state. */
  get reason(): PluglotError | undefined {
    return this.#reason;
  }

  /** Milliseconds since 1970. */
  get since(): number {
    return this.#since;
  }

  /** The number of restarts since its user started it. */
  get restarts(): number {
    return this.#restarts;
  }

  get pid(): number | undefined {
    return this.#session?.life?.pid;
  }

  /** Whether it has been ready since its user started it. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  /** Defined while it is ready. */
  get end(): WirePort | undefined {
    return this.#end;
  }

  /** Resolves with the reason why the current process ends, or the last one ended. */
  get cause(): Promise<PluglotError> {
    return this.#session?.life?.cause ?? Promise.resolve(this.#reason ?? stopped(this.#ports.name));
  }

  /**
   * Starts it, or joins a start under way; ends a wait for the next start, and starts again after a failure.
   * Rejects if this start fails, even if another one follows.
   */
  start(): Promise<WirePort> {
    const session = this.#session;
    if (session !== undefined && !session.over && session.stopping === undefined) {
      session.wake();
      return session.attempt.promise;
    }
    const next: Session = {
      stopping: undefined,
      over: false,
      life: undefined,
      attempt: deferred(),
      wake: () => {},
    };
    this.#session = next;
    if (this.#state !== 'stopping') this.#set('starting');
    this.#finished = this.#supervise(next, this.#finished);
    return next.attempt.promise;
  }

  /** Resolves when all of it has ended. */
  stop(reason: PluglotError = stopped(this.#ports.name)): Promise<void> {
    const session = this.#session;
    if (session === undefined) return this.#finished;
    if (session.over) {
      if (this.#state === 'failed') this.#set('stopped', reason);
      return this.#finished;
    }
    if (session.stopping === undefined) {
      session.stopping = reason;
      session.life?.stop(reason);
      this.#set('stopping', reason);
      session.attempt.reject(reason);
      session.wake();
    }
    return this.#finished;
  }

  /** Ends the process at once and restarts it, at the cost of its budget unless it is `spared`. */
  kill(reason: PluglotError, { spared = false } = {}): void {
    const life = this.#session?.life;
    if (life === undefined || life.isDying) return;
    this.#isSpared = spared;
    life.kill(reason);
  }

  async #supervise(session: Session, before: Promise<void>): Promise<void> {
    await before;
    this.#ports.budget.reset();
    this.#restarts = 0;
    this.#wasReady = false;
    while (session.stopping === undefined) {
      const { cause, uptimeMs } = await this.#live(session);
      if (session.stopping !== undefined) break;
      const delayMs = this.#delayAfter(cause, uptimeMs);
      if (delayMs === undefined) {
        this.#fail(session, this.#lastError(cause, uptimeMs));
        return;
      }
      const pause = this.#pause(session, delayMs);
      this.#set('backoff', cause);
      await pause;
      this.#restarts += 1;
    }
    session.over = true;
    if (this.#session === session) this.#set('stopped', session.stopping);
  }

  /** One process, from its start to its end. */
  async #live(session: Session): Promise<{ cause: PluglotError; uptimeMs: number | undefined }> {
    const { clock } = this.#ports;
    const { attempt } = session;
    let readyAt: number | undefined;
    let endWatch = () => {};
    const life = this.#ports.begin(() => {
      this.#end = undefined;
      endWatch();
      if (readyAt === undefined) return;
      session.attempt = deferred();
      this.#ports.changed();
    });
    session.life = life;
    this.#isSpared = false;
    this.#set('starting');
    void life.cause.then((cause) => {
      if (readyAt !== undefined && session.stopping === undefined) this.#set('unhealthy', cause);
    });
    try {
      const end = await life.connected;
      // It may have ended at the same moment.
      if (!life.isDying) {
        readyAt = clock.now();
        this.#wasReady = true;
        this.#end = end;
        endWatch = this.#ports.watch(life, end);
        this.#set('ready');
        attempt.resolve(end);
      }
    } catch {
      // Its end gives the reason.
    }
    const cause = await life.over;
    const uptimeMs = readyAt === undefined ? undefined : clock.now() - readyAt;
    session.life = undefined;
    if (readyAt === undefined) {
      attempt.reject(cause);
      session.attempt = deferred();
    }
    return { cause, uptimeMs };
  }

  #delayAfter(cause: PluglotError, uptimeMs: number | undefined): number | undefined {
    if (this.#isSpared) return 0;
    if (uptimeMs === undefined && !isWorthAnotherTry(cause.code)) return undefined;
    return this.#ports.budget.afterFailure(uptimeMs ?? 0);
  }

  #lastError(cause: PluglotError, uptimeMs: number | undefined): PluglotError {
    if (uptimeMs === undefined && !isWorthAnotherTry(cause.code)) return cause;
    const { name, budget } = this.#ports;
    return new PluglotError(
      'CRASH_LOOP',
      `Plugin "${name}" failed after ${budget.max} restarts within ${Math.round(budget.withinMs / 1000)} s and is not restarted automatically. The last time: ${sentence(cause.message)} Fix the cause, then restart it.`,
      { cause, stderr: cause.stderr },
    );
  }

  #fail(session: Session, error: PluglotError): void {
    session.over = true;
    this.#set('failed', error);
    session.attempt.reject(error);
  }

  #pause(session: Session, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      // Without the pipes of a process, this timer keeps the host alive until the next start.
      const alive = setInterval(() => {}, 0x7fffffff);
      const goOn = () => {
        clearInterval(alive);
        cancel();
        resolve();
      };
      const cancel = this.#ports.clock.after(delayMs, goOn);
      session.wake = goOn;
    });
  }

  #set(state: SupervisorState, reason?: PluglotError): void {
    this.#state = state;
    this.#reason = reason;
    this.#since = Date.now();
    this.#ports.changed();
  }
}

export function stopped(name: string): PluglotError {
  return new PluglotError('PLUGIN_STOPPED', `Plugin "${name}" was stopped.`);
}
