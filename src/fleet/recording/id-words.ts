// Ids differ from one conversation to the next, and so does whatever else names a message: recognised by its key, whatever the dialect
// calls it (`id`, `request_id`, `progressToken`), and translated from what was recorded to what is said now.
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';

type Name = string | number;

/** From a recorded name to the one that stands for it now. */
export type Names = Map<Name, Name>;

export function isNameKey(key: string): boolean {
  return /(^|[_a-z])(id|token)$/i.test(key);
}

function isName(value: Json | undefined): value is Name {
  return typeof value === 'string' || typeof value === 'number';
}

/** Learns what stands for what, where both have a name in the same place. */
export function learnNames(recorded: Json | undefined, said: Json | undefined, names: Names): void {
  if (isJsonArray(recorded) && isJsonArray(said)) {
    recorded.forEach((item, index) => learnNames(item, said[index], names));
    return;
  }
  if (!isJsonObject(recorded) || !isJsonObject(said)) return;
  for (const [key, value] of Object.entries(recorded)) {
    const now = Object.hasOwn(said, key) ? said[key] : undefined;
    if (isNameKey(key) && isName(value) && isName(now)) names.set(value, now);
    else learnNames(value, now, names);
  }
}

export function translateNames(value: Json, names: ReadonlyMap<Name, Name>): Json {
  if (isJsonArray(value)) return value.map((item) => translateNames(item, names));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      isNameKey(key) && isName(inner) ? (names.get(inner) ?? inner) : translateNames(inner, names),
    ]),
  );
}

/** Without what names a message, so that two of them can be compared. */
export function withoutNames(value: Json): Json {
  if (isJsonArray(value)) return value.map(withoutNames);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(isNameKey(key) && isName(inner)))
      .map(([key, inner]) => [key, withoutNames(inner)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** Every name in it that is the value of such a key. */
export function namesIn(value: Json, found: Set<Name> = new Set()): Set<Name> {
  if (isJsonArray(value)) for (const item of value) namesIn(item, found);
  else if (isJsonObject(value))
    for (const [key, inner] of Object.entries(value)) {
      if (isNameKey(key) && isName(inner)) found.add(inner);
      else namesIn(inner, found);
    }
  return found;
}
