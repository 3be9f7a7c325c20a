// Names and values of a map while somebody types them: a name may be empty or there twice for a moment, and keeps its place meanwhile.
import { isJsonObject, type Json, type JsonObject } from '../../../../base/json.ts';
import type { Value } from './value.ts';

export interface MapEntry {
  /** Of this row, whatever its name becomes. */
  readonly id: number;
  readonly name: string;
  readonly value: Json;
}

/** Those of the value, but for names that stand elsewhere. */
export function entriesOf(value: Value, except: ReadonlySet<string> = new Set()): MapEntry[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .filter(([name]) => !except.has(name))
    .map(([name, inner], id) => ({ id, name, value: inner }));
}

/** Of two with one name the first counts, until one of them is named otherwise. */
export function objectOf(entries: readonly MapEntry[], others: JsonObject = {}): JsonObject {
  const named = new Map<string, Json>(Object.entries(others));
  for (const { name, value } of entries) if (!named.has(name)) named.set(name, value);
  return Object.fromEntries(named);
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
