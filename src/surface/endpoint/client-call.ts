// One call of a client, over as many requests as it takes: since 2026 a question of ours is the answer to one, and the next brings what
// was asked for. Clients of before are asked while their request waits.
import type { Clock } from '../../base/clock.ts';
import { deferred, type Deferred } from '../../base/deferred.ts';
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { late, within } from '../../base/within.ts';
import type { Asker, PluginQuestion } from '../../definition/asker.ts';
import type { Outcome } from '../../definition/outcome.ts';
import type { Call } from '../../fleet/plugin/call.ts';
import { followCall } from '../../fleet/plugin/follow-call.ts';
import { EventBuffer, type Round } from './event-buffer.ts';

export interface ClientRound extends Round {
  /** Calls when nobody waits for it any more, at once where that is so already; the returned function ends that. */
  whenGivenUp(listener: () => void): () => void;
  /** Asks at once; undefined where a question has to be the answer. */
  readonly ask?: (method: string, params: JsonObject, signal: AbortSignal) => Promise<Json>;
  /** What came for the questions of the round before. */
  readonly answers: JsonObject;
}

export interface ClientCallParts {
  readonly clock: Clock;
  readonly plugin: string;
  readonly answerMs: number;
  /** Why this client cannot be asked that; undefined: it can. */
  unable(question: PluginQuestion): string | undefined;
  begin(call: Pick<ClientCall, 'ask' | 'askUser'>): Call;
}

/** How a round ends: with the end of the call, or with what is asked. */
export type RoundEnd =
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  | { readonly kind: 'asked'; readonly requests: JsonObject };

interface Open {
  readonly request: JsonObject;
  readonly answer: Deferred<Json>;
}

const methods: Readonly<Record<PluginQuestion['kind'], string>> = {
  sample: 'sampling/createMessage',
  elicit: 'elicitation/create',
  roots: 'roots/list',
};

const GONE = 'The client has gone or gave the call up.';

export class ClientCall implements Asker {
  readonly #parts: ClientCallParts;
  readonly #call: Call;
  readonly #events: EventBuffer;
  /** When it is over, whether or not somebody waits for it. */
  readonly ended: Promise<Outcome>;
  readonly #open = new Map<string, Open>();
  #asked = deferred<void>();
  #round: ClientRound | undefined;
  #count = 0;

  constructor(parts: ClientCallParts) {
    this.#parts = parts;
    this.#events = new EventBuffer(parts.plugin, parts.clock);
    this.#call = parts.begin(this);
    this.ended = followCall(this.#call, (event) => this.#events.event(event));
  }

  get id(): string {
    return this.#call.id;
  }

  cancel(reason = GONE): void {
    this.#call.cancel(reason);
  }

  /** Until it ends, or something has to be asked first. */
  async next(round: ClientRound): Promise<RoundEnd> {
    const unfollow = round.whenGivenUp(() => this.cancel());
    this.#round = round;
    this.#events.to(round);
    this.#take(round.answers);
    try {
      const outcome = await Promise.race([this.ended, this.#asked.promise]);
      await this.#events.end();
      if (outcome !== undefined) return { kind: 'ended', outcome };
      return { kind: 'asked', requests: this.#requests() };
    } finally {
      // What ends the request that carried a question is not the end of the call.
      unfollow();
      this.#round = undefined;
      this.#events.to(undefined);
    }
  }

  /** For the plugin: a form says whose it is, so that none looks like a question of the host. @throws PluglotError UNSUPPORTED or TIMEOUT */
  ask({ kind, params }: PluginQuestion, signal: AbortSignal): Promise<Json> {
    return this.#ask(kind === 'elicit' ? { kind, params: this.#named(params) } : { kind, params }, signal);
  }

  /** For the host itself. @throws PluglotError UNSUPPORTED or TIMEOUT */
  askUser(params: JsonObject, signal: AbortSignal): Promise<Json> {
    return this.#ask({ kind: 'elicit', params }, signal);
  }

  #named(params: JsonObject): JsonObject {
    const { message } = params;
    const text = typeof message === 'string' ? printable(message) : '';
    return { ...params, message: `Plugin "${this.#parts.plugin}" asks: ${text}` };
  }

  async #ask(question: PluginQuestion, signal: AbortSignal): Promise<Json> {
    const why = this.#parts.unable(question);
    if (why !== undefined) throw new PluglotError('UNSUPPORTED', why);
    const method = methods[question.kind];
    const answer =
      this.#round?.ask?.(method, question.params, signal) ?? this.#later(method, question.params, signal);
    const { answerMs, clock } = this.#parts;
    const given = await within(answer, answerMs, clock);
    if (given === late) throw new PluglotError('TIMEOUT', `The client gave no answer within ${answerMs} ms.`);
    return given;
  }

  async #later(method: string, params: JsonObject, signal: AbortSignal): Promise<Json> {
    const name = `question-${(this.#count += 1)}`;
    const answer = deferred<Json>();
    const withdraw = () =>
      answer.reject(new PluglotError('CALL_CANCELLED', 'Nobody waits for the answer any more.'));
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
    this.#open.set(name, { request: { method, params }, answer });
    this.#asked.resolve();
    try {
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', withdraw);
      this.#open.delete(name);
    }
  }

  /** What is not answered is asked again. */
  #take(answers: JsonObject): void {
    for (const [name, answer] of Object.entries(answers))
      if (isJsonObject(answer)) {
        this.#open.get(name)?.answer.resolve(answer);
        this.#open.delete(name);
      }
    this.#asked = deferred();
    if (this.#open.size > 0) this.#asked.resolve();
  }

  #requests(): JsonObject {
    return Object.fromEntries([...this.#open].map(([name, { request }]) => [name, request]));
  }
}
