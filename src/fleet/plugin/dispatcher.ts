// Brings calls to the instances of a plugin: checks them, lets them wait for their turn, watches their limits, gives them up.
import { type Clock, Deadlines } from '../../base/clock.ts';
import { PluglotError, toError, type ErrorCode } from '../../base/error.ts';
import { isDeeperThan, JSON_DEPTH_MAX } from '../../base/json.ts';
import type { Answer, CallEvent, CallFailure } from '../../definition/outcome.ts';
import { late, within } from '../../base/async.ts';
import { sentence } from '../../base/text.ts';
import { isBreak } from '../supervisor/launcher.ts';
import {
  occupationOf,
  processGone,
  takesNoMessages,
  tookTooLong,
  tooDeep,
  tooManyEvents,
  tooManyWait,
  waitedTooLong,
} from './dispatch-failures.ts';
import { FairQueue } from './fair-queue.ts';
import type { CallOwner, LiveInstance, OpenCall } from './open-call.ts';
import { failureOf } from '../../definition/failure.ts';
import type { PreparedTools } from './prepared-tools.ts';
import { Refusal, type ArgumentCheck } from './validation/schema-checks.ts';

export interface DispatcherPorts {
  /** As the user knows the plugin. */
  readonly name: string;
  readonly clock: Clock;
  readonly idPrefix: string;
  readonly instances: readonly LiveInstance[];
  readonly tools: PreparedTools;
  readonly settings: DispatchSettings;
  /** Sees that the plugin is started; gives the reason when it will not be. */
  wake(): PluglotError | undefined;
  /** Gives an event of a call as its caller gets it, without secrets. */
  redacted(event: CallEvent, call: OpenCall): CallEvent;
  /** How a call ended, as it may be shown. */
  answered(answer: Answer): Answer;
  /** The first call of an instance was sent, or its last is over, or a conversation with it. */
  busyChanged(instance: LiveInstance): void;
}

/** Those of the dialect are known once it is. */
export interface DispatchSettings {
  concurrency: number;
  callMs: number;
  cancelMs: number;
  /** A call that fails with one of these ends its process. */
  fatalFailures: readonly ErrorCode[];
  readonly queueLimit: number;
}

/** How long it may take until it is known why a pipe is gone. */
const CAUSE_MS = 2000;

export class Dispatcher implements CallOwner {
  readonly clock: Clock;
  readonly idPrefix: string;
  readonly #ports: DispatcherPorts;
  readonly #settings: DispatchSettings;
  readonly #instances: readonly LiveInstance[];
  readonly #queue = new FairQueue();
  /** First in line, and waiting for its check to be loaded: no other call overtakes it. */
  #held: OpenCall | undefined;
  #loading = false;
  #sending: OpenCall | undefined;
  readonly #deadlines: Deadlines<OpenCall>;

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
    this.clock = ports.clock;
    this.idPrefix = ports.idPrefix;
    this.#settings = ports.settings;
    this.#instances = ports.instances;
    this.#deadlines = new Deadlines(ports.clock, [{ [Symbol.iterator]: () => this.#all() }], (call) =>
      this.#expire(call),
    );
  }

  get callMs(): number {
    return this.#settings.callMs;
  }

  /** The call that is being put on a wire right now. */
  get sending(): OpenCall | undefined {
    return this.#sending;
  }

  get waiting(): number {
    return this.#queue.size + (this.#held === undefined ? 0 : 1);
  }

  submit(call: OpenCall): void {
    if (this.#queue.size === 0 && this.#held === undefined) {
      const instance = this.#freeInstance();
      // Where all is ready, which is nearly always, the way is short.
      if (instance !== undefined) {
        const check = this.#ports.tools.checkOf(call);
        if (check !== undefined) {
          this.#checkAndSend(call, check, instance, call.startedAt);
          return;
        }
      }
    }
    this.#enqueue(call);
  }

  /** For input in a conversation: it goes to the instance of the conversation, or fails. */
  sendTo(instance: LiveInstance, call: OpenCall): void {
    this.#send(call, instance, this.clock.now());
  }

  /** To be called when an instance has become ready or free. */
  pump(): void {
    for (;;) {
      const instance = this.#freeInstance();
      if (instance === undefined) return;
      const call = this.#held ?? this.#queue.shift();
      if (call === undefined) return;
      const check = this.#ports.tools.checkOf(call);
      this.#held = check === undefined ? call : undefined;
      if (check === undefined) return this.#load();
      this.#checkAndSend(call, check, instance, this.clock.now());
    }
  }

  /** A conversation took too long. A process that it has for itself ends with it; one that others use at the same time goes on for them. */
  endTalk(instance: LiveInstance | undefined, current: OpenCall, why: PluglotError): void {
    this.giveUp(current, failureOf(why));
    if (this.#settings.concurrency === 1) instance?.supervisor.kill(why);
  }

  /** To be called when a conversation has left its instance. */
  released(instance: LiveInstance): void {
    this.pump();
    this.#ports.busyChanged(instance);
  }

  /** Fails what waits. */
  failWaiting(reason: PluglotError): void {
    const held = this.#held;
    this.#held = undefined;
    const failure = failureOf(reason);
    for (const call of [...(held === undefined ? [] : [held]), ...this.#queue.takeAll()]) {
      call.phase = 'off';
      call.fail(failure);
    }
  }

  /** Sends nothing more to an instance, which is about to be stopped, and fails what is under way there. */
  retire(instance: LiveInstance, reason: PluglotError): void {
    instance.port = undefined;
    const failure = failureOf(reason);
    for (const call of instance.calls) if (call.phase === 'sent') this.#abandon(call, failure, Infinity);
  }

  /** Nothing is left of the process of an instance: no call may stay on it, also where its dialect has not ended it. */
  clear(instance: LiveInstance, reason: PluglotError): void {
    for (const call of instance.calls) {
      instance.calls.remove(call);
      const { phase } = call;
      call.phase = 'off';
      if (phase === 'sent') call.fail(failureOf(reason));
    }
    const { talk } = instance;
    instance.talk = undefined;
    talk?.lost(processGone(this.#ports.name));
  }

  /** Settles a call with this failure. The plugin is notified where its dialect can, and gets some time to finish. */
  giveUp(call: OpenCall, failure: CallFailure): void {
    if (call.phase === 'sent') this.#abandon(call, failure, this.clock.now() + this.#settings.cancelMs);
    else {
      this.#dequeue(call);
      call.fail(failure);
    }
  }

  ended(call: OpenCall, answer: Answer): void {
    const { phase, instance } = call;
    if (instance === undefined || phase === 'off') return;
    instance.isAlive = true;
    call.phase = 'off';
    instance.calls.remove(call);
    if (phase === 'sent') {
      if (answer.keepSession === true) instance.talk ??= call.talk;
      if (isDeeperThan(answer.data, JSON_DEPTH_MAX))
        call.fail(tooDeep(this.#ports.name, call, JSON_DEPTH_MAX));
      else if (answer.ok || !isBreak(answer.error.code)) call.settle(this.#ports.answered(answer));
      else void this.#explain(call, instance);
      if (!answer.ok && this.#isFatal(answer.error)) this.#kill(instance, answer.error.message);
    }
    this.#freed(instance);
  }

  cancelled(call: OpenCall, reason: string): void {
    this.giveUp(call, { code: 'CALL_CANCELLED', message: reason });
  }

  redacted(call: OpenCall, event: CallEvent): CallEvent {
    return this.#ports.redacted(event, call);
  }

  watch({ deadline }: OpenCall): void {
    this.#deadlines.watch(deadline);
  }

  tooManyEvents(call: OpenCall, limit: number): void {
    this.giveUp(call, tooManyEvents(this.#ports.name, call, limit));
  }

  #enqueue(call: OpenCall): void {
    const refusal = this.#ports.wake();
    if (refusal !== undefined) {
      call.phase = 'off';
      return call.fail(failureOf(refusal));
    }
    const { queueLimit } = this.#settings;
    if (this.waiting >= queueLimit) {
      call.phase = 'off';
      return call.fail(tooManyWait(this.#ports.name, queueLimit));
    }
    this.#queue.push(call);
    this.#deadlines.watch(call.deadline);
    this.pump();
  }

  #dequeue(call: OpenCall): void {
    if (call.phase !== 'waiting') return;
    call.phase = 'off';
    if (this.#held === call) {
      this.#held = undefined;
      this.pump();
    } else this.#queue.remove(call);
  }

  #load(): void {
    if (this.#loading) return;
    this.#loading = true;
    void this.#ports.tools.load().then(() => {
      this.#loading = false;
      this.pump();
    });
  }

  #checkAndSend(call: OpenCall, check: ArgumentCheck, instance: LiveInstance, now: number): void {
    const checked = this.#checked(call, check);
    if (checked instanceof Refusal) {
      call.phase = 'off';
      call.fail(checked.failure);
    } else {
      call.args = checked;
      this.#send(call, instance, now);
    }
  }

  /** Arguments are the caller's: a getter that throws, or what cannot be copied, must not keep others from their turn. */
  #checked(call: OpenCall, check: ArgumentCheck): ReturnType<ArgumentCheck> {
    try {
      return check(call.args);
    } catch (thrown) {
      const why = toError(thrown).message.slice(0, 200);
      return new Refusal({
        code: 'UNENCODABLE',
        message: `The arguments for "${call.tool}" of plugin "${this.#ports.name}" are not plain data: ${why}`,
      });
    }
  }

  /** The one with the fewest calls of those that take one. */
  #freeInstance(): LiveInstance | undefined {
    const { concurrency } = this.#settings;
    let best: LiveInstance | undefined;
    for (const instance of this.#instances) {
      const { size } = instance.calls;
      if (instance.port === undefined || instance.talk !== undefined || size >= concurrency) continue;
      if (best === undefined || size < best.calls.size) best = instance;
    }
    return best;
  }

  #send(call: OpenCall, instance: LiveInstance, now: number): void {
    const { port } = instance;
    if (port === undefined) return call.fail(failureOf(takesNoMessages(this.#ports.name)));
    call.phase = 'sent';
    call.instance = instance;
    call.startedAt = now;
    if (!call.hasOwnLimit) call.timeoutMs = this.#settings.callMs;
    call.deadline = now + call.timeoutMs;
    if (call.talk !== undefined) {
      // Where calls run side by side, it has the process for itself once the plugin waits for input.
      if (this.#settings.concurrency === 1) instance.talk ??= call.talk;
      call.talk.begun();
    }
    instance.calls.add(call);
    this.#deadlines.watch(call.deadline);
    if (instance.calls.size === 1) this.#ports.busyChanged(instance);
    // Some are answered at once, and then the next is sent meanwhile.
    const before = this.#sending;
    this.#sending = call;
    try {
      call.wire = call.send(port, call);
    } catch (thrown) {
      this.ended(call, { ok: false, error: failureOf(toError(thrown)) });
    } finally {
      this.#sending = before;
    }
  }

  #freed(instance: LiveInstance): void {
    if (this.#queue.size > 0) this.pump();
    if (instance.calls.size === 0) this.#ports.busyChanged(instance);
  }

  /** The pipe is gone: the end of the process, a moment later, gives the reason. A process that goes on without a pipe is ended. */
  async #explain(call: OpenCall, instance: LiveInstance): Promise<void> {
    const { port, supervisor } = instance;
    const cause = await within(supervisor.cause, CAUSE_MS, this.clock);
    if (cause !== late) return call.fail(failureOf(cause));
    const reason = takesNoMessages(this.#ports.name);
    call.fail(failureOf(reason));
    if (port !== undefined && instance.port === port) supervisor.kill(reason);
  }

  #expire(call: OpenCall): void {
    const { name } = this.#ports;
    const { instance, phase } = call;
    if (phase === 'waiting') {
      this.#dequeue(call);
      call.fail(waitedTooLong(name, call, occupationOf(this.#instances)));
    } else if (phase === 'sent') {
      const failure = tookTooLong(name, call);
      this.giveUp(call, failure);
      if (this.#isFatal(failure) && instance !== undefined)
        this.#kill(instance, `a call of "${call.tool}" took longer than ${call.timeoutMs} ms`);
    } else if (phase === 'abandoned' && instance !== undefined)
      this.#kill(
        instance,
        `it did not finish a call of "${call.tool}" that was given up, within ${this.#settings.cancelMs} ms`,
        { spared: true },
      );
  }

  #isFatal({ code }: CallFailure): boolean {
    return this.#settings.fatalFailures.includes(code);
  }

  #abandon(call: OpenCall, failure: CallFailure, deadline: number): void {
    const { instance, wire } = call;
    call.phase = 'abandoned';
    call.deadline = deadline;
    call.fail(failure);
    if (instance === undefined || this.#cancel(wire, failure.message) === 'occupied') {
      this.#deadlines.watch(deadline);
      return;
    }
    // Its end may have come in the same breath.
    if (isOff(call)) return;
    call.phase = 'off';
    instance.calls.remove(call);
    this.#freed(instance);
  }

  #cancel(wire: OpenCall['wire'], reason: string): 'free' | 'occupied' {
    try {
      return wire?.cancel(reason) ?? 'occupied';
    } catch {
      return 'occupied';
    }
  }

  #kill(instance: LiveInstance, why: string, how?: { readonly spared: boolean }): void {
    const reason = new PluglotError(
      'PLUGIN_EXITED',
      `Plugin "${this.#ports.name}" was ended: ${sentence(why)}`,
    );
    instance.supervisor.kill(reason, how);
  }

  *#all(): Iterator<OpenCall> {
    if (this.#held !== undefined) yield this.#held;
    yield* this.#queue;
    for (const instance of this.#instances) yield* instance.calls;
  }
}

function isOff({ phase }: OpenCall): boolean {
  return phase === 'off';
}
