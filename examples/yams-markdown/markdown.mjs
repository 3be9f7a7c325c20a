// As much of Markdown as an index needs.

/** The `#` headings outside of code, down to a level. */
export function headingsOf(markdown, depth = 6) {
  return withoutCode(markdown)
    .split('\n')
    .map((line) => /^(#{1,6})\s+(.+?)\s*#*$/.exec(line))
    .filter((match) => match !== null && match[1].length <= depth)
    .map(([, marks, text]) => ({ level: marks.length, text: inline(text) }));
}

/** What a reader would read: no marks, no addresses of links. Code stays as it is. */
export function plainText(markdown) {
  return markdown
    .split(/^(```[\s\S]*?^```\s*?$)/m)
    .map((part) => (part.startsWith('```') ? part.replace(/^```.*$\n?/gm, '') : prose(part)))
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function withoutCode(markdown) {
  return markdown.replace(/^```[\s\S]*?^```\s*?$/gm, '');
}

function prose(text) {
  return inline(text.replace(/^ {0,3}(?:#{1,6}|>|[-*+]|\d+\.)\s+/gm, '').replace(/^(?:---+|\*\*\*+)$/gm, ''));
}

function inline(text) {
  return text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/(\*\*|__|\*|`)(.+?)\1/g, '$2');
}
