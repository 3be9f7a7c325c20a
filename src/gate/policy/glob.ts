// Patterns with `*` (any characters) and `?` (one). Steps are bounded by the text times the longest piece between two stars.

export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let afterStar = 0;
  while (at < text.length) {
    const character = pattern[inPattern];
    if (character === '*') {
      star = inPattern;
      afterStar = at;
      inPattern += 1;
    } else if (character !== undefined && (character === '?' || character === text[at])) {
      inPattern += 1;
      at += 1;
    } else if (star !== -1) {
      // Only the last star can have to take more: what the earlier ones took is the least they could.
      inPattern = star + 1;
      afterStar += 1;
      at = afterStar;
    } else return false;
  }
  while (pattern[inPattern] === '*') inPattern += 1;
  return inPattern === pattern.length;
}
