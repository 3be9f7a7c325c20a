// Words of others inside a frame of ours: each line begins with our mark, whatever they contain and however wide the terminal is.
import { revealed } from '../../base/printable.ts';

export interface FramedOptions {
  /** What every line begins with. */
  readonly mark: string;
  readonly columns: number;
  /** What is over it is counted, not shown. */
  readonly maxLines: number;
}

/** Nothing in it moves the cursor, hides, or reaches the left edge. */
export function framed(text: string, { mark, columns, maxLines }: FramedOptions): string[] {
  const width = Math.max(MIN_WIDTH, columns - mark.length - 1);
  const lines: string[] = [];
  let left = 0;
  for (const line of text.split('\n')) {
    if (lines.length >= maxLines) left += 1;
    else
      for (const piece of wrapped(revealed(line.replace(/\r$/, '')), width)) {
        if (lines.length < maxLines) lines.push(`${mark}${piece}`);
        else left += 1;
      }
  }
  return left === 0 ? lines : [...lines, `${mark}… (${left} more ${left === 1 ? 'line' : 'lines'})`];
}

const MIN_WIDTH = 20;

/** A terminal that wraps a line begins the next one at the edge; so no line may be too long. */
function wrapped(line: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of line) {
    // Two columns at most, and which ones take two differs between terminals.
    const size = character < '\u007F' ? 1 : 2;
    if (used + size > width) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += size;
  }
  return [...pieces, piece];
}
