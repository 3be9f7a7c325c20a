// What a plugin answers now, beside what it answered when the cassette was recorded.
import { isDeepStrictEqual } from 'node:util';
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Cassette } from './cassette.ts';
import { translateNames, learnNames, withoutNames, type Names } from './id-words.ts';
import { conversationsOf, type Turn } from './turns.ts';

/** A plugin that can be spoken to, message by message. */
export interface RawPlugin {
  send(message: JsonObject): void;
  /** The next message of the plugin, in wire order; rejects when none comes in time. */
  next(): Promise<JsonObject>;
}

export interface Difference {
  /** What the host said. */
  readonly said: Json;
  readonly recorded: readonly Json[];
  /** Undefined in place of what did not come. */
  readonly now: readonly (Json | undefined)[];
}

export interface Comparison {
  readonly turns: number;
  readonly differences: readonly Difference[];
}

/** Says to the plugin what the host said then, one turn after the other. */
export async function compareWithCassette(
  { entries }: Cassette,
  connect: () => RawPlugin,
): Promise<Comparison> {
  const differences: Difference[] = [];
  let count = 0;
  for (const turns of conversationsOf(entries)) {
    const plugin = connect();
    const names: Names = new Map();
    for (const turn of turns) {
      count += 1;
      const now = await answersTo(turn, plugin, names);
      const recorded = turn.answers.map(({ message }) => withoutNames(message));
      const said = now.map((message) => message && withoutNames(message));
      if (!isDeepStrictEqual(recorded, said))
        differences.push({
          said: turn.said === undefined ? null : withoutNames(turn.said),
          recorded,
          now: said,
        });
    }
  }
  return { turns: count, differences };
}

/** As many as came then, and as far as the response to what was said. One that says less is waited for once. */
async function answersTo(turn: Turn, plugin: RawPlugin, names: Names): Promise<(JsonObject | undefined)[]> {
  const said = turn.said === undefined ? undefined : translateNames(turn.said, names);
  if (isJsonObject(said)) plugin.send(said);
  const id = isJsonObject(said) && said['method'] !== undefined ? said['id'] : undefined;
  const recorded = turn.answers.map(({ message }) => message);
  let isAnswered = id === undefined || !recorded.some(isResponse);
  const answers: (JsonObject | undefined)[] = [];
  while (answers.length < recorded.length || (!isAnswered && answers.length < ANSWERS_MAX)) {
    try {
      const answer = await plugin.next();
      learnNames(recorded[answers.length], answer, names);
      answers.push(answer);
      isAnswered ||= isResponse(answer) && answer['id'] === id;
    } catch (error) {
      if (!(error instanceof PluglotError)) throw error;
      answers.push(undefined);
      break;
    }
  }
  return answers;
}

/** Of one turn. */
const ANSWERS_MAX = 10_000;

function isResponse(message: Json): boolean {
  return isJsonObject(message) && message['method'] === undefined && message['id'] !== undefined;
}
