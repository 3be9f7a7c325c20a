// Rules that allow calls in one line: `read_file(path=src/*)` is a call with this argument and no other, `read_file(path=src/*, *)` one
// with any others beside it, `read_file` and `read_file(*)` one with any at all.
import type { JsonObject } from '../../../base/json.ts';
import { matchesGlob } from '../glob.ts';
import { written } from '../signature.ts';
import { coversText } from '../covers-text.ts';

export interface CallPattern {
  readonly source: string;
  readonly name: string;
  /** Undefined: any. */
  readonly arguments: ArgumentPatterns | undefined;
}

interface ArgumentPatterns {
  /** By key, both as they are written in a signature. */
  readonly values: ReadonlyMap<string, string>;
  readonly mayHaveMore: boolean;
}

/** Undefined for what can be no call: then it allows none. */
export function callPattern(source: string): CallPattern | undefined {
  const [, name = '', inside] = /^("(?:[^"\\]|\\.)*"|[^(]*)(?:\((.*)\))?$/s.exec(source.trim()) ?? [];
  if (name === '') return undefined;
  if (inside === undefined) return { source, name, arguments: undefined };
  const given = argumentPatterns(inside);
  return given && { source, name, arguments: given };
}

export function allowsCall(pattern: CallPattern, names: readonly string[], args: JsonObject): boolean {
  if (!names.some((name) => matchesGlob(pattern.name, name))) return false;
  if (pattern.arguments === undefined) return true;
  const { values, mayHaveMore } = pattern.arguments;
  const keys = Object.keys(args);
  if (keys.length < values.size || (keys.length > values.size && !mayHaveMore)) return false;
  let named = 0;
  for (const key of keys) {
    const value = values.get(written(key));
    if (value === undefined) continue;
    if (!coversText(value, written(args[key]))) return false;
    named += 1;
  }
  return named === values.size;
}

function argumentPatterns(inside: string): ArgumentPatterns | undefined {
  const values = new Map<string, string>();
  let mayHaveMore = false;
  for (const item of itemsIn(inside)) {
    const [, key, value] = /^("(?:[^"\\]|\\.)*"|[^"=][^=]*)=(.*)$/s.exec(item) ?? [];
    if (item === '*') mayHaveMore = true;
    else if (key === undefined || value === undefined || values.has(key)) return undefined;
    else values.set(key, value);
  }
  return { values, mayHaveMore };
}

/** Between commas with a space behind them; not those in quotes, which belong to a value. */
function itemsIn(inside: string): string[] {
  const items: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < inside.length; at += 1) {
    const character = inside[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === ',' && /\s/.test(inside[at + 1] ?? '')) {
      items.push(inside.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = inside.slice(start).trim();
  return last === '' && items.length === 0 ? [] : [...items, last];
}
