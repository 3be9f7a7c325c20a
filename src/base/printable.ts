// Text of plugins for a terminal: characters that would move the cursor, change colours or type for the user are made visible.

/** Keeps tabs and line feeds; other control characters become visible. Never joins separate parts: secrets are masked before. */
export function printable(text: string): string {
  return text
    .replaceAll(LINE_END, '')
    .replace(CONTROLS, (character) =>
      character === '\r' ? ' ' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
}

/** The same, with a mark before each further line: without it, a line could imitate one of the host. */
export function printableMarked(text: string, mark = '  | '): string {
  return printable(text.trimEnd()).replaceAll('\n', `\n${mark}`);
}

/** The same, on one line of bounded length. */
export function printableLine(text: string, limit = 200): string {
  // Text behind a long run of spaces is ignored.
  const start = text.length > 20 * limit + 1000 ? `${text.slice(0, 20 * limit + 1000)}…` : text;
  const line = printable(start.replaceAll(/\s+/g, ' ').trim());
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/**
 * Makes everything visible: beside control characters also what has no width, is blank without being a space, or belongs to a
 * character before it. For text that a person decides on. Line feeds and tabs are shown too, so that it is one line.
 */
export function revealed(text: string): string {
  return text.replace(HIDDEN, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** The line feed may come with the next piece. */
const LINE_END = /\r(?=\n|$)/g;

// oxlint-disable-next-line no-control-regex -- these are the characters to find
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

// Controls, formats (directions, joiners, tags), lone surrogates, what is private or unassigned, every separator but the space, what
// fonts leave out (variation selectors, fillers), and the blank Braille pattern.
const HIDDEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

// Breaks lines before the terminal does: a row that the terminal begins would lack the mark at its left edge.

/** The rows; joined they are the line again. Breaks between words where that wastes little. */
export function wrapColumns(line: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of line) {
    if (used + sizeOf(character) > width && piece !== '') {
      const blank = piece.lastIndexOf(' ');
      const end = blank > piece.length / 2 ? blank + 1 : piece.length;
      pieces.push(piece.slice(0, end));
      piece = piece.slice(end);
      used = mostColumns(piece);
    }
    piece += character;
    used += sizeOf(character);
  }
  return [...pieces, piece];
}

/** The most columns it can take in any terminal. */
export function mostColumns(text: string): number {
  return Array.from(text, sizeOf).reduce((sum, size) => sum + size, 0);
}

/** Terminals differ in which characters take two columns, one or none. A tab takes up to eight. */
function sizeOf(character: string): number {
  if (character === '\t') return 8;
  return character < '\u007F' ? 1 : 2;
}
