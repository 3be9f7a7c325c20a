// A conversation between the user and one plugin, wherever that runs. It has the plugin for itself, and always a way out.
import { type Clock, callWhenDue } from '../../base/clock.ts';
import { deferred } from '../../base/async.ts';
import { PluglotError } from '../../base/error.ts';
import type { Signals } from '../../channel/peer/signals.ts';
import type { CallFailure, Outcome } from '../../definition/outcome.ts';
import type { Call } from '../../definition/call.ts';
import { takesNoMessages } from './dispatch-failures.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Conversation } from './instance.ts';
import type { OpenCall, Send } from './open-call.ts';
import { failureOf } from '../../definition/failure.ts';

export interface Talk {
  /** The call that begins it. */
  readonly opening: Call;
  /** The plugin waits for input. */
  readonly isOpen: boolean;
  /** Sends input; the call is the answer of the plugin. One at a time. */
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

/** One call of a conversation. */
export interface Sentence extends Call {
  readonly isSettled: boolean;
}

/** Where a conversation is held: with a process of the plugin, or with a definition in this process. */
export interface TalkPlace<Spoken extends Sentence> {
  /** The name of the plugin. */
  readonly plugin: string;
  readonly clock: Clock;
  /** How long a conversation may take. */
  talkMs(): number;
  /** Makes the call that begins it. */
  open(talk: Conversation): Spoken;
  /** Sends that call, now or when its turn comes. */
  submit(opening: Spoken): void;
  /** The plugin still works on a call, also on one that was given up. */
  isBusy(): boolean;
  say(content: string): Spoken;
  /** A call that is not sent. */
  refused(why: CallFailure): Call;
  /** It took too long: ends what is under way. */
  expired(current: Spoken, why: PluglotError): void;
  /** It is over, and others may have the place. */
  left(): void;
}

export class OpenTalk<Spoken extends Sentence> implements Talk, Conversation {
  readonly #place: TalkPlace<Spoken>;
  readonly #ended = deferred<TalkEnding>();
  readonly opening: Spoken;
  readonly ended: Promise<TalkEnding> = this.#ended.promise;
  #current: Spoken;
  #isOpen = false;
  #isOver = false;
  #cancelLimit = () => {};

  constructor(place: TalkPlace<Spoken>) {
    this.#place = place;
    this.opening = place.open(this);
    this.#current = this.opening;
  }

  /** To be called once, when the caller may hold it. */
  begin(signal: AbortSignal | undefined, signals: Signals): this {
    if (signal?.aborted === true) {
      this.end();
      return this;
    }
    this.#follow(this.opening);
    this.#place.submit(this.opening);
    if (signal !== undefined) void this.ended.then(signals.follow(signal, () => this.end()));
    return this;
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#current.isSettled;
  }

  say(content: string): Call {
    const refusal = this.#refusal();
    if (refusal !== undefined) return this.#place.refused(refusal);
    this.#current = this.#place.say(content);
    this.#follow(this.#current);
    return this.#current;
  }

  end(): void {
    this.#finish({ reason: 'left' });
    this.#current.cancel('The user left the conversation.');
  }

  begun(): void {
    const { clock, plugin } = this.#place;
    const limitMs = this.#place.talkMs();
    this.#cancelLimit = callWhenDue(clock, limitMs, () => {
      const error = new PluglotError(
        'TALK_TIMEOUT',
        `The conversation with plugin "${plugin}" was over its limit of ${limitMs} ms (limits.talkMs), and was ended.`,
      );
      this.#finish({ reason: 'failed', error: { code: error.code, message: error.message } });
      this.#place.expired(this.#current, error);
    });
  }

  lost(error: CallFailure): void {
    this.#finish({ reason: 'failed', error });
  }

  #follow(call: Spoken): void {
    void call.outcome.then((outcome) => this.#answered(outcome));
  }

  #answered(outcome: Outcome): void {
    if (this.#isOver) return;
    if (outcome.keepSession === true) this.#isOpen = true;
    else if (outcome.ok) this.#finish({ reason: 'finished' });
    // Input that is cancelled does not end an open conversation.
    else if (outcome.error.code !== 'CALL_CANCELLED' || !this.#isOpen)
      this.#finish({ reason: 'failed', error: outcome.error });
  }

  #refusal(): CallFailure | undefined {
    const { plugin } = this.#place;
    if (this.#isOver || !this.#isOpen)
      return {
        code: 'NOT_TALKING',
        message: `Plugin "${plugin}" has no open conversation. Begin one with a tool that keeps the session.`,
      };
    if (this.#current.isSettled && !this.#place.isBusy()) return undefined;
    return {
      code: 'TOO_MANY_CALLS',
      message: `Plugin "${plugin}" is still answering the input before. Await that answer first.`,
    };
  }

  #finish(ending: TalkEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isOpen = false;
    this.#cancelLimit();
    this.#place.left();
    this.#ended.resolve(ending);
  }
}

export interface ProcessTalkPorts {
  readonly plugin: string;
  readonly dispatcher: Dispatcher;
  talkMs(): number;
  open(talk: Conversation): OpenCall;
  input(send: Send): OpenCall;
}

export function processTalkPlace(ports: ProcessTalkPorts): TalkPlace<OpenCall> {
  const { plugin, dispatcher } = ports;
  const { clock } = dispatcher;
  let opening: OpenCall | undefined;
  let last: OpenCall | undefined;
  /** There once the first call was sent. */
  const instance = () => opening?.instance;
  const input = (content: string) =>
    ports.input((port, call) => {
      if (port.talk === undefined)
        throw new PluglotError('NOT_TALKING', `Plugin "${plugin}" does not take input of the user.`);
      return port.talk.input(content, call, call);
    });
  return {
    plugin,
    clock,
    talkMs: () => ports.talkMs(),
    open(talk) {
      opening = ports.open(talk);
      // No queue has it before it is submitted.
      opening.phase = 'off';
      return opening;
    },
    submit(call) {
      call.phase = 'waiting';
      dispatcher.submit(call);
    },
    isBusy: () => instance() === undefined || isOnTheWire(last ?? opening),
    say(content) {
      const held = instance();
      const call = input(content);
      last = call;
      if (held === undefined) return unsent(call, failureOf(takesNoMessages(plugin)));
      dispatcher.sendTo(held, call);
      return call;
    },
    refused: (why) => unsent(input(''), why),
    expired: (current, why) => dispatcher.endTalk(instance(), current, why),
    left() {
      const held = instance();
      if (held?.talk === undefined || held.talk !== opening?.talk) return;
      held.talk = undefined;
      dispatcher.released(held);
    },
  };
}

/** Also one that was given up. */
function isOnTheWire(call: OpenCall | undefined): boolean {
  return call?.phase === 'sent' || call?.phase === 'abandoned';
}

function unsent(call: OpenCall, why: CallFailure): OpenCall {
  call.phase = 'off';
  call.fail(why);
  return call;
}
