// Names: suggestions for mistyped ones, and forms that MCP clients and model providers accept.
import { builtins } from './builtins.ts';

/** Longer names are not compared: it would be slow. */
const LONGEST_NAME = 64;

/** Up to three candidates that the user may have meant, the nearest first. `wordOf`: the part of a candidate to compare. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  wordOf = (name: string) => name,
): string[] {
  if (word.length > LONGEST_NAME) return [];
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const near: { readonly name: string; readonly distance: number }[] = [];
  for (const name of candidates) {
    const distance = distanceTo(wordOf(name).toLowerCase(), word.toLowerCase(), allowed);
    if (distance <= allowed) near.push({ name, distance });
  }
  return near
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** ` Did you mean "a" or "b"?`, to follow a sentence; empty if no candidate is similar. */
export function didYouMean(
  word: string,
  candidates: Iterable<string>,
  wordOf?: (name: string) => string,
): string {
  const names = nearest(word, candidates, wordOf).map((name) => JSON.stringify(name));
  const last = names.pop();
  if (last === undefined) return '';
  return ` Did you mean ${names.length === 0 ? last : `${names.join(', ')} or ${last}`}?`;
}

/** `; is "frm" meant to be it?`, for a missing name where unknown ones are given. */
export function meantBy(missing: string, given: Iterable<string>, known: readonly string[]): string {
  const unknown = [...given].slice(0, GIVEN_MAX).filter((name) => !known.includes(name));
  const [near] = nearest(missing, unknown);
  return near === undefined ? '' : `; is ${JSON.stringify(near)} meant to be it?`;
}

const GIVEN_MAX = 100;

/** A word without its end is more similar than any typing error. */
const BEGINNING = 0.5;

function distanceTo(name: string, word: string, allowed: number): number {
  if (name === word) return 0;
  if (Math.min(name.length, word.length) > 2 && (name.startsWith(word) || word.startsWith(name)))
    return BEGINNING;
  return Math.abs(name.length - word.length) > allowed ? Infinity : editDistance(word, name);
}

/** The number of letters to add, drop, change, or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

// Names as MCP clients and model providers accept them. An accepted name is kept; another becomes readable letters and a hash of
// the whole. The result depends on the name alone, so it is the same in every run, and no two names share one.
// It has no `__` in it, so it is never the `plugin__tool` of another plugin.

export interface NameRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  /** Characters that are not allowed. */
  readonly others: RegExp;
  /** How a name has to begin; otherwise `_` is put before it. @default in any way */
  readonly start?: RegExp;
}

/** Accepted by every MCP client and every provider. */
export const toolNameRule: NameRule = {
  pattern: /^[A-Za-z0-9_-]{1,64}$/,
  maxLength: 64,
  others: /[^A-Za-z0-9_-]/g,
};

export function safeName(name: string, rule: NameRule = toolNameRule): string {
  // A name that looks like a mapped one gets a hash as well, so that it cannot be mistaken for another.
  if (rule.pattern.test(name) && !isHashed(name)) return name;
  const hash = builtins.crypto
    .createHash('sha256')
    .update(name, 'utf16le')
    .digest('hex')
    .slice(0, HASH_LENGTH);
  const readable = name.slice(0, rule.maxLength).replaceAll(rule.others, '_');
  const begun = rule.start?.test(readable) === false ? `_${readable}` : readable;
  const beginning = begun.replaceAll(/_{2,}/g, '_').slice(0, rule.maxLength - HASH_LENGTH - 1);
  return `${beginning.endsWith('_') ? beginning.slice(0, -1) : beginning}_${hash}`;
}

/** Whether it has the form of a name that was mapped. */
export function isHashed(name: string): boolean {
  return HASHED.test(name);
}

/** 80 bits. */
const HASH_LENGTH = 20;
const HASHED = /_[0-9a-f]{20}$/;
