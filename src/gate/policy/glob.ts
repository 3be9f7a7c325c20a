// Patterns with `*` (any characters) and `?` (one); `[*]`, `[?]` and `[[]` are those characters themselves. Steps are bounded by the text
// times the longest piece between two stars.

export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let afterStar = 0;
  while (at < text.length) {
    const character = pattern[inPattern];
    const escaped = character === '[' ? escapedAt(pattern, inPattern) : undefined;
    if (character === '*') {
      star = inPattern;
      afterStar = at;
      inPattern += 1;
    } else if (character !== undefined && (character === '?' || (escaped ?? character) === text[at])) {
      inPattern += escaped === undefined ? 1 : 3;
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
