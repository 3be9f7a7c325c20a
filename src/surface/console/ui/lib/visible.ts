// Text of others as it is shown: lines stay lines, and whatever else has no shape of its own gets one.
import { printable } from '../../../../base/printable.ts';

export function visible(text: string): string {
  return printable(text).replace(
    INVISIBLE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

// What has no width or is left out by fonts: joiners, fillers, tags, selectors of a face; and separators that are no line of ours.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800]/gu;
