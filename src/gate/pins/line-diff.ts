// How two texts differ, line by line, for people to read.

export interface LineDiffOptions {
  /** Unchanged lines that are shown before and after changed ones. @default 3 */
  readonly context?: number;
  /** All lines together; the rest is counted. @default 200 */
  readonly maxLines?: number;
}

/** When more lines differ, all of one text is removed and all of the other is added. */
const CHANGES_MAX = 2000;

/** Lines that begin with a space (unchanged), `-` (removed), `+` (added) or `@@` (left out). Empty when nothing differs. */
export async function lineDiff(
  before: string,
  after: string,
  { context = 3, maxLines = 200 }: LineDiffOptions = {},
): Promise<string> {
  if (before === after) return '';
  // Rarely needed, so it is not loaded with the host.
  const { diffArrays } = await import('diff');
  const [old, young] = [before.split('\n'), after.split('\n')];
  const changes = diffArrays(old, young, { maxEditLength: CHANGES_MAX }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: young },
  ];
  const lines = excerpt(
    changes.flatMap(({ added, removed, value }) =>
      value.map((text) => ({ mark: added ? '+' : removed ? '-' : ' ', text })),
    ),
    context,
  );
  if (lines.length <= maxLines) return lines.join('\n');
  return [...lines.slice(0, maxLines), `@@ ${lines.length - maxLines} more lines @@`].join('\n');
}

interface Line {
  readonly mark: string;
  readonly text: string;
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
