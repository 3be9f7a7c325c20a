// Columns for people: as wide as what is in them, the last one cut to the width of the terminal.
import { printableLine } from '../../base/printable.ts';

export interface Column {
  readonly title: string;
  readonly style?: (text: string) => string;
}

export function table(
  columns: readonly Column[],
  content: readonly (readonly string[])[],
  width: number,
  styleTitle: (text: string) => string,
): string[] {
  // Cells hold paths and names of others.
  const rows = content.map((row) => row.map((cell) => printableLine(cell, CELL_MAX)));
  const widths = columns.map(({ title }, index) =>
    rows.reduce((widest, row) => Math.max(widest, (row[index] ?? '').length), title.length),
  );
  const last = columns.length - 1;
  const before = widths.slice(0, last).reduce((sum, each) => sum + each + GAP.length, 0);
  widths[last] = Math.min(widths[last] ?? 0, Math.max(width - before, NARROWEST));
  const lay = (
    cells: readonly string[],
    styleOf: (index: number) => ((text: string) => string) | undefined,
  ) =>
    cells
      .map((cell, index) => {
        const cut = fit(cell, widths[index] ?? 0);
        const padding = index === last ? '' : ' '.repeat((widths[index] ?? 0) - cut.length);
        return `${styleOf(index)?.(cut) ?? cut}${padding}`;
      })
      .join(GAP)
      .trimEnd();
  return [
    lay(
      columns.map(({ title }) => title),
      () => styleTitle,
    ),
    ...rows.map((row) => lay(row, (index) => columns[index]?.style)),
  ];
}

const CELL_MAX = 5000;
const GAP = '  ';
const NARROWEST = 12;

function fit(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
}
