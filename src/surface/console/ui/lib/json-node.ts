// A JSON value as a tree that is opened node by node: what is closed costs nothing, however large it is.
import { isJsonArray, isJsonObject, type Json } from '../../../../base/json.ts';

export interface JsonChild {
  /** Of an object; an index otherwise. */
  readonly key: string | number;
  readonly value: Json;
}

/** Opened in pages of so many. */
export const CHILDREN_SHOWN = 100;
export const TEXT_SHOWN = 2000;

export function isBranch(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

export function childCount(value: Json): number {
  if (isJsonArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

export function childrenOf(value: Json, limit: number): JsonChild[] {
  if (isJsonArray(value)) return value.slice(0, limit).map((child, key) => ({ key, value: child }));
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .slice(0, limit)
    .map(([key, child]) => ({ key, value: child }));
}

/** A closed node in one short line: `{ name: "x", … }`, `[ 12 items ]`. */
export function glimpse(value: Json, limit = 60): string {
  if (isJsonArray(value))
    return value.length === 0 ? '[]' : `[ ${value.length} ${value.length === 1 ? 'item' : 'items'} ]`;
  if (!isJsonObject(value)) return scalarText(value, limit);
  const entries = childrenOf(value, 4);
  if (entries.length === 0) return '{}';
  let text = '{ ';
  for (const [index, { key, value: child }] of entries.entries()) {
    const shown = isBranch(child) ? (isJsonArray(child) ? '[…]' : '{…}') : scalarText(child, 24);
    const next = `${index === 0 ? '' : ', '}${cut(String(key), 24)}: ${shown}`;
    if (text.length + next.length > limit && index > 0) return `${text}, … }`;
    text += next;
  }
  return childCount(value) > entries.length ? `${text}, … }` : `${text} }`;
}

export function scalarText(value: Json, limit = TEXT_SHOWN): string {
  return typeof value === 'string' ? JSON.stringify(cut(value, limit)) : JSON.stringify(value);
}

/** As text for the clipboard; a value that is nested too deeply for that says so. */
export function prettyJson(value: Json): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch {
    return '(nested too deeply to be written)';
  }
}

/** Undefined where it is no JSON, such as a text that was cut. */
export function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
