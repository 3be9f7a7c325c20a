// A JSON value as a tree that is opened node by node: a closed node costs nothing, however large it is.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../base/json.ts';

export interface JsonChild {
  readonly key: string | number;
  readonly value: Json;
}

/** Per page of an opened node. */
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
export function preview(value: Json, limit = 60): string {
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

/** Indented; a value that is nested too deeply becomes a note. */
export function prettyJson(value: Json): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch {
    return '(nested too deeply to show)';
  }
}

/** Undefined where it is not JSON, such as a text that was cut. */
export function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The arguments in a text that the user typed, or the problem with it. */
export function parsedArguments(text: string): { readonly args?: JsonObject; readonly problem?: string } {
  try {
    const args: unknown = JSON.parse(text);
    return isJsonObject(args) ? { args } : { problem: 'Arguments must be one JSON object: { … }' };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
