// Patterns with `*` (any characters) and `?` (one); `[*]`, `[?]` and `[[]` are those characters themselves. Steps are bounded by the text
// times the longest piece between two stars.
import { decodedText } from '../../base/unescaped.ts';

/** Takes what something costs, in units of about 25 ns; false where that is too much, and then it is not done. */
export type Spend = (cost: number) => boolean;

export const free: Spend = () => true;

/** Where there is too much to compare, it matches. */
export function matchesGlob(pattern: string, text: string, spend = free): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let afterStar = 0;
  let piece = '';
  while (at < text.length) {
    const character = pattern[inPattern];
    const escaped = character === '[' ? escapedAt(pattern, inPattern) : undefined;
    if (character === '*') {
      star = inPattern;
      inPattern += 1;
      if (inPattern === pattern.length) return true;
      piece = pieceAt(pattern, inPattern);
      // A piece that ends the pattern ends the text.
      const from =
        inPattern + piece.length === pattern.length ? Math.max(at, text.length - piece.length) : at;
      at = piece === '' ? at : text.indexOf(piece, from);
      if (!spend(((at === -1 ? text.length : at) - from) / 16)) return true;
      if (at === -1) return false;
      afterStar = at;
    } else if (character !== undefined && (character === '?' || (escaped ?? character) === text[at])) {
      inPattern += escaped === undefined ? 1 : 3;
      at += 1;
    } else if (star !== -1) {
      // Only the last star can have to take more: what the earlier ones took is the least they could.
      const compared = at - afterStar;
      inPattern = star + 1;
      at = afterStar;
      afterStar = piece === '' ? afterStar + 1 : text.indexOf(piece, afterStar + 1);
      if (!spend(1 + compared / 4 + Math.max(0, afterStar - at) / 16)) return true;
      if (afterStar === -1) return false;
      at = afterStar;
    } else return false;
  }
  while (pattern[inPattern] === '*') inPattern += 1;
  return inPattern === pattern.length;
}

/** What has to stand in the text as it is, up to the next sign with a meaning: to look for it at once is far quicker. */
function pieceAt(pattern: string, at: number): string {
  let end = at;
  while (end < pattern.length && !'*?['.includes(pattern[end] ?? '')) end += 1;
  return pattern.slice(at, end);
}

/** The pattern that matches this text and no other. */
export function literalGlob(text: string): string {
  return text.replaceAll(/[*?]|\[(?=[*?[]\])/g, '[$&]');
}

/** The text that every match begins with; all of it where the pattern has no wildcard. */
export function literalStart(pattern: string): { readonly text: string; readonly isAll: boolean } {
  let text = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? '';
    if (character === '*' || character === '?') return { text, isAll: false };
    const escaped = character === '[' ? escapedAt(pattern, at) : undefined;
    text += escaped ?? character;
    if (escaped !== undefined) at += 2;
  }
  return { text, isAll: true };
}

function escapedAt(pattern: string, at: number): string | undefined {
  const inner = pattern[at + 1];
  return pattern[at + 2] === ']' && (inner === '*' || inner === '?' || inner === '[') ? inner : undefined;
}

export function coversText(pattern: string, text: string): boolean {
  if (!matchesGlob(pattern, text)) return false;
  const literal = literalStart(pattern);
  if (literal.isAll) return true;
  // Most texts have nothing of the kind.
  if (!/[.%\u2024\u2025\uFE52\uFF0E]/.test(text)) return true;
  // Its signs may be encoded one by one: `%25%32%65`. To decode more of them takes too long.
  if (text.split('%', ESCAPES_MAX + 1).length > ESCAPES_MAX) return false;
  if (goesUp(text, literal.text)) return false;
  const decoded = decodedText(text);
  return decoded === text || !goesUp(decoded, decodedText(literal.text));
}

const ESCAPES_MAX = 30_000;

/** A text that begins otherwise was encoded over the end of the start. */
function goesUp(text: string, start: string): boolean {
  const length = text.startsWith(start) ? start.length : 0;
  for (const parent of parents)
    for (const { index, 0: step } of text.matchAll(parent)) if (index + step.length > length) return true;
  return false;
}

// Parsers of addresses drop tabs and line ends, and others what is not seen: `.\t.` is a step as well, and so is `%2\te.`.
const dropped = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*`;
/** Also encoded several times, and in the forms that are a dot once Unicode is normalised. */
const dot = `(?:[.\\u2024\\uFE52\\uFF0E]|%${dropped}(?:2${dropped}5${dropped})*2${dropped}[eE])`;
const inName = String.raw`(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{M}_.-]`;
const slash = `%${dropped}(?:2${dropped}5${dropped})*(?:2${dropped}[fF]|5${dropped}[cC])`;
/** As a step of a path, also in a list of them or in an address. Each expression is linear, and begins at a sign that is rare. */
const parents = [`(?<!${inName})`, slash].map(
  (before) => new RegExp(`${before}(?:${dot}${dropped}${dot}|\\u2025)(?!${inName})`, 'gu'),
);
