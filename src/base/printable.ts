// Text of plugins on its way to a terminal: what would move the cursor, recolour the screen or type for the user is made visible instead.

/** Tabs and line feeds stay; other control characters become their visible pictures. Nothing is joined that stood apart: secrets are masked before. */
export function printable(text: string): string {
  return text
    .replaceAll(LINE_END, '')
    .replace(CONTROLS, (character) =>
      character === '\r' ? ' ' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
}

/** The same, on one line of bounded length. */
export function printableLine(text: string, limit = 200): string {
  const line = printable(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/**
 * Nothing in it moves or hides: beside control characters also what has no width, is blank without being a space, or belongs to a
 * character before it. For what somebody decides on. Line feeds and tabs are shown too, so that it is one line.
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

// oxlint-disable-next-line no-control-regex -- they are what it looks for
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

// Controls, formats (directions, joiners, tags), lone surrogates, what is private or unassigned, every separator but the space, what
// fonts leave out (variation selectors, fillers), and the blank Braille pattern.
const HIDDEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;
