// A recorded conversation as turns: what the host said, and all that the plugin said because of it.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isMessage, type CassetteEntry, type CassetteMessage } from './cassette.ts';
import { namesIn } from './id-words.ts';

export interface Turn {
  /** Undefined: what the plugin said before it was asked anything. */
  readonly said: JsonObject | undefined;
  readonly at: number;
  readonly answers: readonly CassetteMessage[];
}

/** One list a process of the plugin. */
export function conversationsOf(entries: readonly CassetteEntry[]): (readonly Turn[])[] {
  const conversations: CassetteMessage[][] = [[]];
  for (const entry of entries) {
    if (isMessage(entry)) conversations.at(-1)?.push(entry);
    else if (conversations.at(-1)?.length !== 0) conversations.push([]);
  }
  return conversations.filter((messages) => messages.length > 0).map(turnsOf);
}

interface OpenTurn {
  said: JsonObject | undefined;
  at: number;
  answers: CassetteMessage[];
  names: Set<string | number>;
}

function turnsOf(messages: readonly CassetteMessage[]): readonly Turn[] {
  const turns: OpenTurn[] = [{ said: undefined, at: messages[0]?.at ?? 0, answers: [], names: new Set() }];
  const byName = new Map<string | number, OpenTurn>();
  for (const entry of messages) {
    for (const message of partsOf(entry.message)) {
      if (entry.from === 'host') {
        const turn: OpenTurn = { said: message, at: entry.at, answers: [], names: namesIn(message) };
        turns.push(turn);
        for (const name of turn.names) byName.set(name, turn);
      } else ownerOf(message, byName, turns).answers.push({ ...entry, message });
    }
  }
  return turns.filter(({ said, answers }) => said !== undefined || answers.length > 0);
}

/** A batch is read as what is in it; a text was no message, and nobody can say it again on purpose. */
function partsOf(message: Json): readonly JsonObject[] {
  return (isJsonArray(message) ? message : [message]).filter(isJsonObject);
}

/** Whose answer it is: by what it names, else of what was said last. */
function ownerOf(
  message: JsonObject,
  byName: ReadonlyMap<string | number, OpenTurn>,
  turns: readonly OpenTurn[],
): OpenTurn {
  // A request of the plugin's own has an id that means nothing to the host's.
  const { id, ...rest } = message;
  const isOwnRequest = 'method' in message && id !== undefined;
  for (const name of namesIn(isOwnRequest ? rest : message)) {
    const turn = byName.get(name);
    if (turn !== undefined) return turn;
  }
  // There is always one: the list begins with what came unasked.
  return turns.at(-1) as OpenTurn;
}
