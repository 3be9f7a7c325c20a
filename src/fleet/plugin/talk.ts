// A conversation between the user and one plugin, wherever that runs. It has the plugin for itself, and always a way out.
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { PluglotError } from '../../base/error.ts';
import { patiently } from '../../base/patience.ts';
import type { Signals } from '../../channel/peer/signals.ts';
import type { CallFailure, Outcome } from '../../definition/outcome.ts';
import type { Call } from './call.ts';

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

/** One call of a conversation. */
export interface Sentence extends Call {
  readonly isSettled: boolean;
}

/** What a conversation is told of the place where it is held. */
export interface Conversation {
  /** Its first call is being sent. */
  begun(): void;
  /** The plugin is gone. */
  lost(why: CallFailure): void;
}

/** Where a conversation is held: with a process of the plugin, or with a definition in this process. */
export interface TalkPlace<Said extends Sentence> {
  /** The name of the plugin. */
  readonly plugin: string;
  readonly clock: Clock;
  /** How long a conversation may take. */
  talkMs(): number;
  /** Makes the call that begins it. */
  open(talk: Conversation): Said;
  /** Sends that call, now or when its turn comes. */
  submit(opening: Said): void;
  /** The plugin still works on something, also when nobody waits for it any more. */
  isBusy(): boolean;
  say(content: string): Said;
  /** A call that is not sent. */
  refused(why: CallFailure): Call;
  /** It took too long: ends what is under way. */
  expired(current: Said, why: PluglotError): void;
  /** It is over, and others may have the place. */
  left(): void;
}

export class OpenTalk<Said extends Sentence> implements Talk, Conversation {
  readonly #place: TalkPlace<Said>;
  readonly #ended = deferred<TalkEnding>();
  readonly opening: Said;
  readonly ended: Promise<TalkEnding> = this.#ended.promise;
  #current: Said;
  #isOpen = false;
  #isOver = false;
  #cancelLimit = () => {};

  constructor(place: TalkPlace<Said>) {
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
    this.#cancelLimit = patiently(clock, limitMs, () => {
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

  #follow(call: Said): void {
    void call.outcome.then((outcome) => this.#heard(outcome));
  }

  #heard(outcome: Outcome): void {
    if (this.#isOver) return;
    if (outcome.keepSession === true) this.#isOpen = true;
    else if (outcome.ok) this.#finish({ reason: 'finished' });
    // What the user took back was no end of the conversation, once there is one.
    else if (outcome.error.code !== 'CALL_CANCELLED' || !this.#isOpen)
      this.#finish({ reason: 'failed', error: outcome.error });
  }

  #refusal(): CallFailure | undefined {
    const { plugin } = this.#place;
    if (this.#isOver || !this.#isOpen)
      return {
        code: 'NOT_TALKING',
        message: `Plugin "${plugin}" is in no conversation now: it is over, or has not begun. Begin one with a tool that keeps the session.`,
      };
    if (this.#current.isSettled && !this.#place.isBusy()) return undefined;
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
    this.#place.left();
    this.#ended.resolve(ending);
  }
}
