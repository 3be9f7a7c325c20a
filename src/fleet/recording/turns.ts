// A recorded conversation as turns: what the host said, and all that the plugin said because of it.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isMessage, type CassetteEntry, type CassetteMessage } from './cassette.ts';
import { idOf, isRequest, namesIn, type Name } from './id-words.ts';

export interface Turn {
  /** Undefined: what the plugin said before it was asked anything. */
  readonly said: JsonObject | undefined;
  readonly at: number;
  readonly answers: readonly TurnAnswer[];
}

export interface TurnAnswer {
  readonly at: number;
  readonly message: JsonObject;
  /** How many turns had begun when it came. */
  readonly begun: number;
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

interface OpenTurn extends Turn {
  readonly answers: TurnAnswer[];
}

function turnsOf(messages: readonly CassetteMessage[]): readonly Turn[] {
  const first: OpenTurn = { said: undefined, at: messages[0]?.at ?? 0, answers: [] };
  const turns: OpenTurn[] = [first];
  const owners = new Owners<OpenTurn>(first);
  for (const { at, from, message: whole } of messages) {
    for (const message of partsOf(whole)) {
      if (from === 'host') {
        const turn: OpenTurn = { said: message, at, answers: [] };
        turns.push(turn);
        owners.said(message, turn);
      } else owners.of(message).answers.push({ at, message, begun: turns.length });
    }
  }
  return turns;
}

/** A batch is read as what is in it; a text was no message, and nobody can say it again on purpose. */
function partsOf(message: Json): readonly JsonObject[] {
  return (isJsonArray(message) ? message : [message]).filter(isJsonObject);
}

/** To what the host said a message of the plugin belongs. */
export class Owners<Owner> {
  readonly #byId = new Map<Name, Owner>();
  readonly #byName = new Map<Name, Owner>();
  #last: Owner;

  constructor(first: Owner) {
    this.#last = first;
  }

  said(message: JsonObject, owner: Owner): void {
    const id = idOf(message);
    if (id !== undefined && isRequest(message)) this.#byId.set(id, owner);
    for (const name of namesIn(message)) this.#byName.set(name, owner);
    this.#last = owner;
  }

  /** By the request it answers, else by what it names, else it belongs to what was said last. */
  of(message: JsonObject): Owner {
    const id = idOf(message);
    const answered = id === undefined || isRequest(message) ? undefined : this.#byId.get(id);
    if (answered !== undefined) return answered;
    for (const name of namesIn(message)) {
      const owner = this.#byName.get(name) ?? this.#byId.get(name);
      if (owner !== undefined) return owner;
    }
    return this.#last;
  }
}
