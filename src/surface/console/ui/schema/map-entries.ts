// Names and values of a map while somebody types them: a name may be empty or there twice for a moment, and keeps its place meanwhile.
import { isJsonObject, type Json, type JsonObject } from '../../../../base/json.ts';
import type { Value } from './value.ts';

export interface MapEntry {
  /** Of this row, whatever its name becomes. */
  readonly id: number;
  readonly name: string;
  readonly value: Json;
}

/** Those of the value, but for names that stand elsewhere. Who had a row before keeps it. */
export function entriesOf(
  value: Value,
  except: ReadonlySet<string> = new Set(),
  before: readonly MapEntry[] = [],
): MapEntry[] {
  if (!isJsonObject(value)) return [];
  const rows = new Map(before.map(({ name, id }) => [name, id]));
  let next = freeId(before);
  return Object.entries(value)
    .filter(([name]) => !except.has(name))
    .map(([name, inner]) => ({ id: rows.get(name) ?? next++, name, value: inner }));
}

export function freeId(entries: readonly MapEntry[]): number {
  return Math.max(-1, ...entries.map(({ id }) => id)) + 1;
}

/** Of two with one name the first counts, until one of them is named otherwise. */
export function objectOf(entries: readonly MapEntry[], others: JsonObject = {}): JsonObject {
  const named = new Map<string, Json>(Object.entries(others));
  for (const { name, value } of entries) if (!named.has(name)) named.set(name, value);
  return Object.fromEntries(named);
}

/** Whether it is what counts of those with its name. */
export function isFirst(entries: readonly MapEntry[], { id, name }: MapEntry): boolean {
  return entries.find((other) => other.name === name)?.id === id;
}

export function isTwice(entries: readonly MapEntry[], { id, name }: MapEntry): boolean {
  return entries.some((other) => other.id !== id && other.name === name);
}

/** Whether these entries are what stands in the value: else somebody has changed it elsewhere, such as in the JSON. */
export function isSame(entries: readonly MapEntry[], value: Value, except: ReadonlySet<string>): boolean {
  const sorted = (list: readonly MapEntry[]) =>
    JSON.stringify(Object.entries(objectOf(list)).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return sorted(entries) === sorted(entriesOf(value, except));
}
