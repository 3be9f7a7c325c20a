// Texts that are too long for a line: measured and cut as the JSON that they become.

/** Begin and end of a text, so that it takes no more room than this as JSON, and a note between them. */
export function shortened(text: string, room: number): string {
  if (text.length <= room && bytesOf(text) <= room) return text;
  const note = ` [… ${text.length} characters were too many for one line; some are left out here …] `;
  const forText = room - bytesOf(note);
  const start = longest(Math.ceil(forText / 2), (length) => wholeStart(text, length));
  const end = longest(forText - bytesOf(start), (length) => wholeEnd(text, length));
  return start + note + end;
}

/** The room that a text takes within the quotes of JSON. */
export function bytesOf(text: string): number {
  return sizeOf(text) - 2;
}

/** Its size as JSON, in bytes. */
export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The longest piece that fits. No character takes less than a byte, so no longer one has to be tried. */
function longest(room: number, piece: (length: number) => string): string {
  let fits = 0;
  let tooLong = Math.max(0, room) + 1;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (bytesOf(piece(middle)) <= room) fits = middle;
    else tooLong = middle;
  }
  return piece(fits);
}

/** Half a character would become something else on its way. */
function wholeStart(text: string, length: number): string {
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return text.slice(0, isHalf ? length - 1 : length);
}

function wholeEnd(text: string, length: number): string {
  const isHalf = /[\uDC00-\uDFFF]/.test(text.charAt(text.length - length));
  return length === 0 ? '' : text.slice(text.length - length + (isHalf ? 1 : 0));
}
