// How two texts differ, line by line, for people to read.

export interface LineDiffOptions {
  /** Lines that are the same, shown around those that are not. @default 3 */
  readonly context?: number;
  /** All lines together; what is left out is counted. @default 200 */
  readonly maxLines?: number;
}

/** Lines that begin with a space (the same), `-` (gone), `+` (new) or `@@` (something is skipped). Empty when nothing differs. */
export function lineDiff(
  before: string,
  after: string,
  { context = 3, maxLines = 200 }: LineDiffOptions = {},
): string {
  if (before === after) return '';
  const lines = excerpt(compare(before.split('\n'), after.split('\n')), context);
  if (lines.length <= maxLines) return lines.join('\n');
  return [...lines.slice(0, maxLines), `@@ ${lines.length - maxLines} more lines @@`].join('\n');
}

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Comparing each with each is quadratic; beyond this all of one is gone and all of the other is new. */
const CELLS_MAX = 1_000_000;

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const shorter = Math.min(before.length, after.length) - start;
  while (end < shorter && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const gone = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  return [
    ...marked(' ', before.slice(0, start)),
    ...(gone.length * fresh.length > CELLS_MAX
      ? [...marked('-', gone), ...marked('+', fresh)]
      : aligned(gone, fresh)),
    ...marked(' ', before.slice(before.length - end)),
  ];
}

function marked(mark: Line['mark'], lines: readonly string[]): Line[] {
  return lines.map((text) => ({ mark, text }));
}

/** Along the longest common subsequence. */
function aligned(before: readonly string[], after: readonly string[]): Line[] {
  const width = after.length + 1;
  /** How many lines are common from here on. */
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: Line[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const gone = before[row];
    const fresh = after[column];
    if (gone !== undefined && gone === fresh) {
      lines.push({ mark: ' ', text: gone });
      row += 1;
      column += 1;
    } else if (gone !== undefined && (fresh === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ mark: '-', text: gone });
      row += 1;
    } else {
      lines.push({ mark: '+', text: fresh ?? '' });
      column += 1;
    }
  }
  return lines;
}

function excerpt(lines: readonly Line[], context: number): string[] {
  const isNear = new Uint8Array(lines.length);
  lines.forEach(({ mark }, index) => {
    if (mark !== ' ')
      isNear.fill(1, Math.max(0, index - context), Math.min(lines.length, index + context + 1));
  });
  const shown: string[] = [];
  let skipped = 0;
  lines.forEach(({ mark, text }, index) => {
    if (isNear[index] === 0) skipped += 1;
    else {
      if (skipped > 0) shown.push(skipLine(skipped));
      skipped = 0;
      shown.push(mark + text);
    }
  });
  if (skipped > 0) shown.push(skipLine(skipped));
  return shown;
}

function skipLine(count: number): string {
  return `@@ ${count} ${count === 1 ? 'line' : 'lines'} the same @@`;
}
