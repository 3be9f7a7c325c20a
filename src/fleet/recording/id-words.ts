// What differs from one conversation to the next although nothing has changed: the ids of messages, and whatever else names something for
// the time of a conversation, recognised by its key (`request_id`, `progressToken`, `timestamp`). It is translated from then to now.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { MASK } from '../../base/secret-shapes.ts';
import { isMasked } from './masked.ts';

export type Name = string | number;

/** A key that is just `id` is data: only that of the message itself is a name. */
function isNameKey(key: string): boolean {
  return key !== 'id' && NAME_KEY.test(key);
}

const NAME_KEY = /(?:_id|[a-z]Id|token|timestamp)$/i;

function isName(value: Json | undefined): value is Name {
  return typeof value === 'string' || typeof value === 'number';
}

/** From what stood there then to what stands for it now. */
export class Names {
  /** Of requests, by who made them. */
  readonly #ids = { host: new Map<Name, Name>(), plugin: new Map<Name, Name>() };
  readonly #byKey = new Map<string, Map<Name, Name>>();

  /** Learns what stands for what, where both have a name in the same place. */
  learn(from: 'host' | 'plugin', then: JsonObject, now: JsonObject): void {
    if (isName(then['id']) && isName(now['id']) && isRequest(then))
      this.#ids[from].set(then['id'], now['id']);
    for (const part of PAYLOADS) this.#learnIn(then[part], now[part]);
  }

  /** What one of them said then, in the names of now. */
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
          // What a notification names is a request of the other; in an answer it is data.
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

/** Without its own id, without names and without what is to be ignored, keys in order: two of them that say the same are the same. */
export function withoutNames(message: JsonObject, ignore: Ignored = none): JsonObject {
  const { id: _, ...rest } = message;
  const bare = (value: Json): Json => {
    // Of what was masked nobody knows whether it is the same.
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
  // An object stays one.
  return bare(rest) as JsonObject;
}

/** Keys whose values say nothing. */
export type Ignored = ReadonlySet<string>;

const none: Ignored = new Set();

/** Every name in its payload. */
export function namesIn(message: JsonObject): ReadonlySet<Name> {
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

export function idOf({ id }: JsonObject): Name | undefined {
  return isName(id) ? id : undefined;
}
