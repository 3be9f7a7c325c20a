// Text of others as it is shown: lines stay lines, and whatever else has no shape of its own gets one.
import { printable } from '../../../../base/printable.ts';

export function visible(text: string): string {
  return printable(text).replace(INVISIBLE, (character, offset: number, whole: string) =>
    isPartOfPicture(character, offset, whole)
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

// What has no width or is left out by fonts: joiners, fillers, tags, selectors of a face; and separators that are no line of ours.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800]/gu;

/** Many pictures are made of several signs: then what joins them is seen. */
function isPartOfPicture(character: string, offset: number, whole: string): boolean {
  const before = whole.slice(Math.max(0, offset - 3), offset);
  if (character === '\uFE0F') return /\p{Extended_Pictographic}$/u.test(before);
  const after = whole.slice(offset + 1, offset + 3);
  return (
    character === '\u200D' &&
    /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?$/u.test(before) &&
    /^\p{Extended_Pictographic}/u.test(after)
  );
}
