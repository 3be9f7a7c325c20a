// Words of others inside a frame of ours: each line begins with our mark, whatever they contain and however wide the terminal is.
import { revealed, wrapColumns } from '../../base/printable.ts';

export interface FramedOptions {
  /** What every line begins with. */
  readonly mark: string;
  readonly columns: number;
  /** What is over it is counted, not shown; it is left out before the end. */
  readonly maxLines: number;
}

/** Nothing in it moves the cursor, hides, or reaches the left edge. */
export function framed(text: string, { mark, columns, maxLines }: FramedOptions): string[] {
  const width = Math.max(MIN_WIDTH, columns - mark.length - 1);
  const lines = text
    .split('\n')
    .flatMap((line) => wrapColumns(revealed(line.replace(/\r$/, '')), width))
    .map((line) => `${mark}${line}`);
  const left = lines.length - maxLines;
  if (left <= 0) return lines;
  // The end is shown too: it is where something would hide.
  const end = Math.min(END_LINES, Math.floor(maxLines / 2));
  const skipped = `${mark}… (${left} ${left === 1 ? 'line is' : 'lines are'} not shown)`;
  return [...lines.slice(0, maxLines - end), skipped, ...lines.slice(lines.length - end)];
}

const END_LINES = 5;
const MIN_WIDTH = 20;
