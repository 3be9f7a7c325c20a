// Compares what a plugin answers now with what it answered in the recording.
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { Fifo } from '../../base/queue.ts';
import { describeEnding } from '../../channel/bytes/pipe.ts';
import { bodyOf } from '../../channel/frame/body.ts';
import type { DialectName } from '../../definition/plugin-spec.ts';
import type { Running } from '../supervisor/spawn.ts';
import { type Cassette, type Mask, maskerOf } from './cassette.ts';
import { framingOf, messagesOf } from './stage.ts';
import { conversationsOf, type Ignored, isRequest, Names, Owners, type Turn, withoutNames } from './turns.ts';

/** A plugin that is sent one message at a time. */
export interface RawPlugin {
  send(message: JsonObject): void;
  /** The next message of the plugin, in wire order; rejects with a PluglotError when none comes in time. */
  next(): Promise<JsonObject>;
  close(): Promise<void>;
}

export interface Difference {
  /** The message of the host; null: messages that the plugin sends unasked. */
  readonly hostMessage: Json;
  readonly recorded: readonly Json[];
  readonly now: readonly Json[];
  /** Why fewer messages came than in the recording. */
  readonly missing?: string;
}

export interface Comparison {
  readonly turns: number;
  readonly differences: readonly Difference[];
}

export interface CompareOptions {
  /** Keys whose values are not compared. */
  readonly ignore?: readonly string[];
}

/** Sends the recorded messages of the host to the plugin, in order, with a new process for each recorded one. */
export async function compareWithCassette(
  { entries }: Cassette,
  connect: () => Promise<RawPlugin>,
  { ignore = [] }: CompareOptions = {},
): Promise<Comparison> {
  const differences: Difference[] = [];
  let count = 0;
  for (const turns of conversationsOf(entries)) {
    const plugin = await connect();
    try {
      const rehearsal = new Rehearsal(turns, plugin, new Set(ignore));
      differences.push(...(await rehearsal.run()));
    } finally {
      await plugin.close();
    }
    count += turns.filter(
      ({ hostMessage, answers }) => hostMessage !== undefined || answers.length > 0,
    ).length;
  }
  return { turns: count, differences };
}

interface Played {
  readonly turn: Turn;
  readonly now: JsonObject[];
  /** The index of the recorded response to its request; Infinity: it got none. */
  readonly answerAt: number;
  isAnswered: boolean;
  /** How many of the recorded messages had come by now. */
  due: number;
  /** Why it is no longer awaited. */
  missing?: string;
}

/** Of one process. */
class Rehearsal {
  readonly #played: readonly Played[];
  readonly #plugin: RawPlugin;
  readonly #ignore: Ignored;
  readonly #names = new Names();
  readonly #owners: Owners<Played>;
  /** Begun and incomplete. */
  readonly #open = new Set<Played>();
  /** Secrets are masked in the recording. */
  readonly #mask: Mask = maskerOf();

  constructor(turns: readonly Turn[], plugin: RawPlugin, ignore: Ignored) {
    this.#played = turns.map((turn) => {
      const answerAt = turn.answers.findIndex(({ message }) => isAnswerTo(message, turn));
      const isAnswered = answerAt === -1;
      return { turn, now: [], answerAt: isAnswered ? Infinity : answerAt, isAnswered, due: 0 };
    });
    this.#plugin = plugin;
    this.#ignore = ignore;
    // There is always one: the list begins with the unasked messages.
    this.#owners = new Owners(this.#played[0] as Played);
  }

  async run(): Promise<readonly Difference[]> {
    for (const [index, played] of this.#played.entries()) {
      this.#open.add(played);
      const { hostMessage } = played.turn;
      if (hostMessage !== undefined) {
        const now = this.#names.translate('host', hostMessage);
        this.#owners.begin(now, played);
        this.#plugin.send(now);
      }
      await this.#hear(index + 1);
    }
    return this.#played.flatMap((played) => this.#differenceOf(played) ?? []);
  }

  /** Waits for all messages that the recording has before the next one of the host; at the end, for the response to every request. */
  async #hear(begun: number): Promise<void> {
    const isLast = begun === this.#played.length;
    for (const played of this.#open) {
      const { answers } = played.turn;
      while ((answers[played.due]?.begun ?? Infinity) <= begun) played.due += 1;
    }
    const waiting = () => {
      for (const played of this.#open) if (isComplete(played)) this.#open.delete(played);
      return [...this.#open].filter((played) => isWaiting(played, isLast));
    };
    while (waiting().length > 0) {
      try {
        this.#receive(await this.#plugin.next());
      } catch (error) {
        if (!(error instanceof PluglotError)) throw error;
        for (const played of waiting()) played.missing = error.message;
      }
    }
  }

  #receive(message: JsonObject): void {
    const played = this.#owners.of(message);
    const then = played.turn.answers[played.now.length]?.message;
    if (then !== undefined) this.#names.learn('plugin', then, message);
    played.now.push(message);
    played.isAnswered ||= !isRequest(message);
  }

  #differenceOf({ turn, now, missing }: Played): Difference | undefined {
    const bare = (message: JsonObject) => withoutNames(message, this.#ignore);
    const recorded = turn.answers.map(({ message }) => bare(message));
    // Masking keeps a message a message.
    const received = now.map((message) => bare(this.#mask(message) as JsonObject));
    if (isDeepStrictEqual(recorded, received)) return undefined;
    return {
      hostMessage: turn.hostMessage === undefined ? null : bare(turn.hostMessage),
      recorded,
      now: received,
      ...(missing !== undefined && { missing }),
    };
  }
}

function isComplete({ turn, now, isAnswered, missing }: Played): boolean {
  if (missing !== undefined || now.length >= ANSWERS_MAX) return true;
  return now.length >= turn.answers.length && isAnswered;
}

function isWaiting({ now, due, answerAt, isAnswered }: Played, isLast: boolean): boolean {
  return now.length < due || (!isAnswered && (isLast || answerAt < due));
}

/** Of one turn. */
const ANSWERS_MAX = 10_000;

function isAnswerTo(message: JsonObject, { hostMessage }: Turn): boolean {
  return (
    hostMessage !== undefined &&
    isRequest(hostMessage) &&
    !isRequest(message) &&
    message['id'] === hostMessage['id']
  );
}

// A process of a plugin that is sent recorded messages.

export interface RawPluginOptions {
  readonly dialect: DialectName;
  readonly clock: Clock;
  /** For each message that is awaited. */
  readonly limitMs: number;
}

export function rawPlugin(
  { pipe, stop }: Pick<Running, 'pipe' | 'stop'>,
  options: RawPluginOptions,
): RawPlugin {
  const { clock, limitMs } = options;
  const framing = framingOf(options.dialect);
  const received = new Fifo<JsonObject>();
  let over: string | undefined;
  let wake = () => {};
  const decoder = framing.decoder({
    body(text, start, end) {
      for (const message of messagesOf(text.slice(start, end))) received.push(message);
    },
    noise: () => {},
    oversize: () => {},
    torn: () => {},
  });
  pipe.open({
    data(chunk) {
      decoder.push(chunk);
      if (received.size > RECEIVED_MAX) pipe.destroy({ kind: 'failed', error: new Error('it floods') });
      wake();
    },
    end(ending) {
      decoder.end();
      over = describeEnding(ending);
      wake();
    },
  });
  return {
    send(message) {
      try {
        pipe.write(framing.encode(bodyOf(JSON.stringify(message))));
      } catch (error) {
        // Rejects the waits for further messages.
        if (!(error instanceof PluglotError)) throw error;
      }
    },
    next: () =>
      new Promise((resolve, reject) => {
        let callOff = () => {};
        wake = () => {
          if (received.size === 0 && over === undefined) return;
          callOff();
          wake = () => {};
          const message = received.shift();
          if (message === undefined) reject(new PluglotError('PIPE_ENDED', over ?? 'it has ended'));
          else resolve(message);
        };
        callOff = clock.after(limitMs, () => {
          wake = () => {};
          reject(new PluglotError('CALL_TIMEOUT', `nothing came within ${limitMs / 1000} s`));
        });
        wake();
      }),
    async close() {
      await stop({ stdinMs: 500, termMs: 500 });
    },
  };
}

/** How many messages may wait to be compared. */
const RECEIVED_MAX = 100_000;
