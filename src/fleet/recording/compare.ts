// What a plugin answers now, beside what it answered when the cassette was recorded.
import { isDeepStrictEqual } from 'node:util';
import { PluglotError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Cassette } from './cassette.ts';
import { isRequest, Names, withoutNames, type Ignored } from './id-words.ts';
import { maskerOf, type Mask } from './masked.ts';
import { conversationsOf, Owners, type Turn } from './turns.ts';

/** A plugin that can be spoken to, message by message. */
export interface RawPlugin {
  send(message: JsonObject): void;
  /** The next message of the plugin, in wire order; rejects with a PluglotError when none comes in time. */
  next(): Promise<JsonObject>;
  close(): Promise<void>;
}

export interface Difference {
  /** What the host said; null: what the plugin says unasked. */
  readonly said: Json;
  readonly recorded: readonly Json[];
  readonly now: readonly Json[];
  /** Why nothing more came, where less came than then. */
  readonly missing?: string;
}

export interface Comparison {
  readonly turns: number;
  readonly differences: readonly Difference[];
}

export interface CompareOptions {
  /** Keys whose values say nothing. */
  readonly ignore?: readonly string[];
}

/** Says to the plugin what the host said then, in that order, each process of it from its beginning. */
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
    count += turns.filter(({ said, answers }) => said !== undefined || answers.length > 0).length;
  }
  return { turns: count, differences };
}

interface Played {
  readonly turn: Turn;
  readonly now: JsonObject[];
  /** Where among the recorded answers the one to its request stands; Infinity: it got none. */
  readonly answerAt: number;
  isAnswered: boolean;
  /** How many of the recorded ones had come by now. */
  due: number;
  /** Why it is not waited for any longer. */
  missing?: string;
}

/** Of one process. */
class Rehearsal {
  readonly #played: readonly Played[];
  readonly #plugin: RawPlugin;
  readonly #ignore: Ignored;
  readonly #names = new Names();
  readonly #owners: Owners<Played>;
  /** Begun, and not all of it has come. */
  readonly #open = new Set<Played>();
  /** Secrets are masked in what was recorded. */
  readonly #mask: Mask = maskerOf();

  constructor(turns: readonly Turn[], plugin: RawPlugin, ignore: Ignored) {
    this.#played = turns.map((turn) => {
      const answerAt = turn.answers.findIndex(({ message }) => isAnswerTo(message, turn));
      const isAnswered = answerAt === -1;
      return { turn, now: [], answerAt: isAnswered ? Infinity : answerAt, isAnswered, due: 0 };
    });
    this.#plugin = plugin;
    this.#ignore = ignore;
    // There is always one: the list begins with what came unasked.
    this.#owners = new Owners(this.#played[0] as Played);
  }

  async run(): Promise<readonly Difference[]> {
    for (const [index, played] of this.#played.entries()) {
      this.#open.add(played);
      const { said } = played.turn;
      if (said !== undefined) {
        const now = this.#names.translate('host', said);
        this.#owners.said(now, played);
        this.#plugin.send(now);
      }
      await this.#hear(index + 1);
    }
    return this.#played.flatMap((played) => this.#differenceOf(played) ?? []);
  }

  /** Until all has come that had come then before the host went on; and at the end, until every request has its answer. */
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
        this.#heard(await this.#plugin.next());
      } catch (error) {
        if (!(error instanceof PluglotError)) throw error;
        for (const played of waiting()) played.missing = error.message;
      }
    }
  }

  #heard(message: JsonObject): void {
    const played = this.#owners.of(message);
    const then = played.turn.answers[played.now.length]?.message;
    if (then !== undefined) this.#names.learn('plugin', then, message);
    played.now.push(message);
    played.isAnswered ||= !isRequest(message);
  }

  #differenceOf({ turn, now, missing }: Played): Difference | undefined {
    const bare = (message: JsonObject) => withoutNames(message, this.#ignore);
    const recorded = turn.answers.map(({ message }) => bare(message));
    // A message stays one.
    const said = now.map((message) => bare(this.#mask(message) as JsonObject));
    if (isDeepStrictEqual(recorded, said)) return undefined;
    return {
      said: turn.said === undefined ? null : bare(turn.said),
      recorded,
      now: said,
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

function isAnswerTo(message: JsonObject, { said }: Turn): boolean {
  return said !== undefined && isRequest(said) && !isRequest(message) && message['id'] === said['id'];
}
