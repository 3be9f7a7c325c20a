// A conversation between the user and one plugin. It has a process of the plugin for itself, and always a way out.
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { PluglotError } from '../../base/error.ts';
import { patiently } from '../../base/patience.ts';
import type { CallFailure, Outcome } from '../../definition/outcome.ts';
import type { Call } from './call.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Conversation } from './instance.ts';
import type { LiveInstance, OpenCall, Send } from './open-call.ts';

export interface Talk {
  /** The call that begins it. */
  readonly opening: Call;
  /** The plugin waits for what the user says. */
  readonly isOpen: boolean;
  /** Says something; the call is what the plugin answers. One at a time. */
  say(content: string): Call;
  /** Leaves it, whatever the plugin wants. */
  end(): void;
  /** Resolves when it is over, with the reason. */
  readonly ended: Promise<TalkEnding>;
}

export type TalkEnding =
  /** The plugin answered without asking for more. */
  | { readonly reason: 'finished' }
  /** The user left. */
  | { readonly reason: 'left' }
  | { readonly reason: 'failed'; readonly error: CallFailure };

export interface TalkPorts {
  readonly plugin: string;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly talkMs: () => number;
  open(talk: Conversation): OpenCall;
  input(send: Send, talk: Conversation): OpenCall;
}

export class PluginTalk implements Talk, Conversation {
  readonly #ports: TalkPorts;
  readonly #ended = deferred<TalkEnding>();
  readonly opening: OpenCall;
  readonly ended: Promise<TalkEnding> = this.#ended.promise;
  #current: OpenCall;
  #isOpen = false;
  #isOver = false;
  #cancelLimit = () => {};

  constructor(ports: TalkPorts) {
    this.#ports = ports;
    this.opening = ports.open(this);
    this.#current = this.opening;
  }

  /** To be called once, when the caller may hold it. */
  begin(): this {
    this.#follow(this.opening);
    this.#ports.dispatcher.submit(this.opening);
    return this;
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#current.isSettled;
  }

  say(content: string): Call {
    const { dispatcher, plugin } = this.#ports;
    const call = this.#ports.input((end, call) => {
      if (end.talk === undefined)
        throw new PluglotError('NOT_TALKING', `Plugin "${plugin}" holds no conversations.`);
      return end.talk.input(content, call);
    }, this);
    const refusal = this.#refusal();
    if (refusal !== undefined || this.#instance === undefined) {
      call.phase = 'off';
      call.fail(refusal ?? notTalking(plugin));
      return call;
    }
    this.#current = call;
    this.#follow(call);
    dispatcher.sendTo(this.#instance, call);
    return call;
  }

  end(): void {
    this.#finish({ reason: 'left' });
    this.#current.cancel('The user left the conversation.');
  }

  begun(): void {
    const { clock, plugin, talkMs } = this.#ports;
    const limitMs = talkMs();
    this.#cancelLimit = patiently(clock, limitMs, () => {
      const error = new PluglotError(
        'TALK_TIMEOUT',
        `The conversation with plugin "${plugin}" was over its limit of ${limitMs} ms (limits.talkMs); the plugin was ended.`,
      );
      this.#finish({ reason: 'failed', error: { code: error.code, message: error.message } });
      this.#ports.dispatcher.giveUp(this.#current, { code: error.code, message: error.message });
      this.#instance?.supervisor.kill(error);
    });
  }

  lost(): void {
    const error: CallFailure = {
      code: 'PLUGIN_EXITED',
      message: `The process of plugin "${this.#ports.plugin}" is gone, and the conversation with it.`,
    };
    this.#finish({ reason: 'failed', error });
  }

  /** There once the first call was sent. */
  get #instance(): LiveInstance | undefined {
    return this.opening.instance;
  }

  #follow(call: OpenCall): void {
    void call.outcome.then((outcome) => this.#heard(outcome));
  }

  #heard(outcome: Outcome): void {
    if (outcome.keepSession === true) this.#isOpen = true;
    else if (outcome.ok) this.#finish({ reason: 'finished' });
    // What the user took back was no end of the conversation, once there is one.
    else if (outcome.error.code !== 'CALL_CANCELLED' || !this.#isOpen)
      this.#finish({ reason: 'failed', error: outcome.error });
  }

  #refusal(): CallFailure | undefined {
    const { plugin } = this.#ports;
    if (this.#isOver || !this.#isOpen) return notTalking(plugin);
    if (this.#current.isSettled && this.#instance?.calls.size === 0) return undefined;
    return {
      code: 'TOO_MANY_CALLS',
      message: `Plugin "${plugin}" is still answering what was said before. Await that answer first.`,
    };
  }

  #finish(ending: TalkEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isOpen = false;
    this.#cancelLimit();
    if (this.#instance?.talk === this) {
      this.#instance.talk = undefined;
      this.#ports.dispatcher.released(this.#instance);
    }
    this.#ended.resolve(ending);
  }
}

function notTalking(plugin: string): CallFailure {
  return {
    code: 'NOT_TALKING',
    message: `Plugin "${plugin}" is in no conversation now: it is over, or has not begun. Begin one with a tool that keeps the session.`,
  };
}
