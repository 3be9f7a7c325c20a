// How many columns of a terminal a text takes: some characters take two, some none.

export function widthOf(text: string): number {
  // Most texts are of this kind.
  if (!NOT_ONE.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

/** The beginning of it that takes no more than so many columns; what is missing is shown by a mark. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  let taken = 1;
  for (const character of text) {
    taken += widthOfOne(character);
    if (taken > width) break;
    cut += character;
  }
  return width < 1 ? '' : `${cut}…`;
}

function widthOfOne(character: string): number {
  return NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

const NOT_ONE = /[^\u0020-\u02FF\u2010-\u22FF\u2500-\u25FF]/u;
/** Marks on the character before and selectors of its form, and joiners. */
const NONE = /^[\p{M}\u200B-\u200D\u2060]$/u;
/** What Unicode calls wide or full, as far as fonts have it: East Asian scripts and pictures. */
const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{1B2FF}\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]$/u;
