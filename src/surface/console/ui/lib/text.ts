// Text of plugins as the page shows it, searches in it, and splits it.
import { printable } from '../../../../base/printable.ts';

/** Line breaks stay; every other invisible character is written out, so that text cannot hide or reverse anything. */
export function visible(text: string): string {
  return printable(text).replace(INVISIBLE, (character, offset: number, whole: string) =>
    isPartOfEmoji(character, offset, whole)
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

// Joiners, fillers, tags and variation selectors, which fonts leave out; and separators that would break a line.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800]/gu;

/** Many emoji are several characters with joiners between them. */
function isPartOfEmoji(character: string, offset: number, whole: string): boolean {
  const before = whole.slice(Math.max(0, offset - 3), offset);
  if (character === '\uFE0F') return /\p{Extended_Pictographic}$/u.test(before);
  const after = whole.slice(offset + 1, offset + 3);
  return (
    character === '\u200D' &&
    /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?$/u.test(before) &&
    /^\p{Extended_Pictographic}/u.test(after)
  );
}

/** The items that contain all words of the query, best first; in their own order where they match equally well. */
export function matching<Item>(
  items: readonly Item[],
  query: string,
  textOf: (item: Item) => { name: string; description?: string | undefined },
): Item[] {
  return items
    .flatMap((item, index) => {
      const { name, description } = textOf(item);
      const score = scoreOf(query, name, description);
      return score === undefined ? [] : [{ item, score, index }];
    })
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .map(({ item }) => item);
}

/** A match in the name counts more than one in the description, and one at its start most. Undefined: a word is missing. */
export function scoreOf(query: string, name: string, description = ''): number | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const inName = name.toLowerCase();
  const inDescription = description.toLowerCase();
  let score = 0;
  for (const word of words) {
    const at = inName.indexOf(word);
    if (at === 0) score += 4;
    else if (at > 0) score += 3;
    else if (inDescription.includes(word)) score += 1;
    else return undefined;
  }
  return score;
}

export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'place' | 'file';
  readonly text: string;
}

const DIFF_LINES_MAX = 2000;

/** The lines of a unified diff. */
export function diffLines(diff: string): { lines: DiffLine[]; omitted: number } {
  const all = diff.replaceAll('\r\n', '\n').split('\n');
  if (all.at(-1) === '') all.pop();
  // Inside a hunk, a removed line may itself begin with two dashes.
  let isInHunk = false;
  const lines = all.slice(0, DIFF_LINES_MAX).map((text): DiffLine => {
    if (text.startsWith('@@')) {
      isInHunk = true;
      return { kind: 'place', text };
    }
    if (/^(diff |index |rename |similarity |new file|deleted file)/.test(text)) isInHunk = false;
    if (!isInHunk && /^(diff |index |--- |\+\+\+ |rename |similarity |new file|deleted file)/.test(text))
      return { kind: 'file', text };
    if (text.startsWith('+')) return { kind: 'added', text };
    if (text.startsWith('-')) return { kind: 'removed', text };
    return { kind: 'same', text };
  });
  return { lines, omitted: all.length - lines.length };
}
