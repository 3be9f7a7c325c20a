// A recorded conversation as turns: a message of the host and the messages of the plugin that answer it.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { MASK } from '../../secrets/secret-shapes.ts';
import { type CassetteEntry, type CassetteMessage, isMasked, isMessage } from './cassette.ts';

export interface Turn {
  /** Undefined: messages that the plugin sent before any of the host. */
  readonly hostMessage: JsonObject | undefined;
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
  const first: OpenTurn = { hostMessage: undefined, at: messages[0]?.at ?? 0, answers: [] };
  const turns: OpenTurn[] = [first];
  const owners = new Owners<OpenTurn>(first);
  for (const { at, from, message: whole } of messages) {
    for (const message of partsOf(whole)) {
      if (from === 'host') {
        const turn: OpenTurn = { hostMessage: message, at, answers: [] };
        turns.push(turn);
        owners.begin(message, turn);
      } else owners.of(message).answers.push({ at, message, begun: turns.length });
    }
  }
  return turns;
}

/** A batch counts as its messages; a string was not a message and is skipped. */
function partsOf(message: Json): readonly JsonObject[] {
  return (isJsonArray(message) ? message : [message]).filter(isJsonObject);
}

/** Assigns messages of the plugin to messages of the host. */
export class Owners<Owner> {
  readonly #byId = new Map<Name, Owner>();
  readonly #byName = new Map<Name, Owner>();
  #last: Owner;

  constructor(first: Owner) {
    this.#last = first;
  }

  begin(message: JsonObject, owner: Owner): void {
    const id = idOf(message);
    if (id !== undefined && isRequest(message)) this.#byId.set(id, owner);
    for (const name of namesIn(message)) this.#byName.set(name, owner);
    this.#last = owner;
  }

  /** By the request it answers, otherwise by an id it contains, otherwise to the last message. */
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

// Ids differ between conversations: those of messages, and other values that are valid for
// one conversation, recognised by their key (`request_id`, `progressToken`, `timestamp`). They are translated from the recording.

type Name = string | number;

/** A key that is just `id` is data, except that of the message itself. */
function isNameKey(key: string): boolean {
  return key !== 'id' && NAME_KEY.test(key);
}

const NAME_KEY = /(?:_id|[a-z]Id|token|timestamp)$/i;

function isName(value: Json | undefined): value is Name {
  return typeof value === 'string' || typeof value === 'number';
}

/** Maps recorded ids to current ones. */
export class Names {
  /** Ids of requests, by sender. */
  readonly #ids = { host: new Map<Name, Name>(), plugin: new Map<Name, Name>() };
  readonly #byKey = new Map<string, Map<Name, Name>>();

  /** Learns the mapping from two messages with ids in the same places. */
  learn(from: 'host' | 'plugin', then: JsonObject, now: JsonObject): void {
    if (isName(then['id']) && isName(now['id']) && isRequest(then))
      this.#ids[from].set(then['id'], now['id']);
    for (const part of PAYLOADS) this.#learnIn(then[part], now[part]);
  }

  /** A recorded message with current ids. */
  translate(from: 'host' | 'plugin', then: JsonObject): JsonObject {
    const { id } = then;
    const asker = from === 'host' ? 'plugin' : 'host';
    const ids = isRequest(then) ? this.#ids[from] : this.#ids[asker];
    return {
      ...then,
      ...(isName(id) && { id: ids.get(id) ?? id }),
      ...Object.fromEntries(
        PAYLOADS.flatMap((part) => {
          const payload = then[part];
          // In a notification it is the id of a request of the other side; in a response it is data.
          return payload === undefined
            ? []
            : [[part, this.#translated(payload, part === 'params' ? asker : undefined)]];
        }),
      ),
    };
  }

  #learnIn(then: Json | undefined, now: Json | undefined): void {
    if (isJsonArray(then) && isJsonArray(now)) {
      then.forEach((item, index) => this.#learnIn(item, now[index]));
      return;
    }
    if (!isJsonObject(then) || !isJsonObject(now)) return;
    for (const [key, value] of Object.entries(then)) {
      const other = Object.hasOwn(now, key) ? now[key] : undefined;
      if (isNameKey(key) && isName(value) && isName(other)) this.#ofKey(key).set(value, other);
      else this.#learnIn(value, other);
    }
  }

  #translated(value: Json, asker: 'host' | 'plugin' | undefined): Json {
    if (isJsonArray(value)) return value.map((item) => this.#translated(item, asker));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (!isNameKey(key) || !isName(inner)) return [key, this.#translated(inner, asker)];
        const known = this.#byKey.get(key)?.get(inner);
        return [key, known ?? (asker && this.#ids[asker].get(inner)) ?? inner];
      }),
    );
  }

  #ofKey(key: string): Map<Name, Name> {
    let names = this.#byKey.get(key);
    if (names === undefined) this.#byKey.set(key, (names = new Map<Name, Name>()));
    return names;
  }
}

const PAYLOADS = ['params', 'result', 'error'] as const;

export function isRequest(message: JsonObject): boolean {
  return message['method'] !== undefined;
}

/** Without ids and ignored keys, with sorted keys: equal messages have equal texts. */
export function withoutNames(message: JsonObject, ignore: Ignored = none): JsonObject {
  const { id: _, ...rest } = message;
  const bare = (value: Json): Json => {
    // Masked values cannot be compared.
    if (isMasked(value)) return MASK;
    if (isJsonArray(value)) return value.map(bare);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, inner]) => !ignore.has(key) && !(isNameKey(key) && isName(inner)))
        .map(([key, inner]) => [key, bare(inner)] as const)
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  };
  // The result of an object is an object.
  return bare(rest) as JsonObject;
}

/** Keys whose values are not compared. */
export type Ignored = ReadonlySet<string>;

const none: Ignored = new Set();

/** Every id in its payload. */
function namesIn(message: JsonObject): ReadonlySet<Name> {
  const found = new Set<Name>();
  const look = (value: Json | undefined) => {
    if (isJsonArray(value)) for (const item of value) look(item);
    else if (isJsonObject(value))
      for (const [key, inner] of Object.entries(value)) {
        if (isNameKey(key) && isName(inner)) found.add(inner);
        else look(inner);
      }
  };
  for (const part of PAYLOADS) look(message[part]);
  return found;
}

function idOf({ id }: JsonObject): Name | undefined {
  return isName(id) ? id : undefined;
}
