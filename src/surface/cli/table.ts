// Columns for people: as wide as what is in them, and together no wider than the terminal.
import { printableLine } from '../../base/printable.ts';
import type { Terminal } from './terminal.ts';
import { cutTo, widthOf } from './text-width.ts';

export interface Column {
  readonly title: string;
  readonly style?: (text: string) => string;
  /** Where there is no room it gives way, the lowest number first: it is shortened, or else left out. @default it stays */
  readonly spare?: number;
  readonly short?: (cell: string) => string;
}

export function table(
  columns: readonly Column[],
  content: readonly (readonly string[])[],
  width: number,
  styleTitle: (text: string) => string,
): string[] {
  const natural = columns.map((column, index) =>
    // Cells hold paths and names of others.
    measured(
      column,
      content.map((row) => printableLine(row[index] ?? '', CELL_MAX)),
    ),
  );
  const shown = fitted(withoutSpare(natural, width), width);
  const lay = (cells: readonly string[], styleOf: (column: Column) => Column['style']) =>
    shown
      .map(({ column, width: own }, index) => {
        const cut = cutTo(cells[index] ?? '', own);
        const padding = index === shown.length - 1 ? '' : ' '.repeat(own - widthOf(cut));
        return `${styleOf(column)?.(cut) ?? cut}${padding}`;
      })
      .join(GAP)
      .trimEnd();
  return [
    lay(
      shown.map(({ column }) => column.title),
      () => styleTitle,
    ),
    ...content.map((_, row) =>
      lay(
        shown.map(({ cells }) => cells[row] ?? ''),
        ({ style }) => style,
      ),
    ),
  ];
}

/** Programs and files get all of it. */
export function tableWidth({
  out,
  stdout,
}: {
  readonly out: Terminal;
  readonly stdout: NodeJS.WriteStream;
}): number {
  return stdout.isTTY ? out.columns : Infinity;
}

const CELL_MAX = 5000;
const GAP = '  ';
/** The last column says the most, and may be cut to this before others give way. */
const LAST_MIN = 20;

interface Measured {
  readonly column: Column;
  readonly cells: readonly string[];
  readonly width: number;
}

function measured(column: Column, cells: readonly string[]): Measured {
  return {
    column,
    cells,
    width: cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), widthOf(column.title)),
  };
}

/** Those that are left when as many as have to have given way. */
function withoutSpare(columns: readonly Measured[], width: number): readonly Measured[] {
  const spare = columns.filter(({ column }) => column.spare !== undefined);
  const [first] = spare.toSorted((a, b) => Number(a.column.spare) - Number(b.column.spare));
  if (first === undefined || leastOf(columns) <= width) return columns;
  const { short, spare: _, ...rest } = first.column;
  const instead = short === undefined ? [] : [measured(rest, first.cells.map(short))];
  return withoutSpare(
    columns.flatMap((each) => (each === first ? instead : [each])),
    width,
  );
}

function leastOf(columns: readonly Measured[]): number {
  const last = columns.at(-1)?.width ?? 0;
  return totalOf(columns) - last + Math.min(last, LAST_MIN);
}

function totalOf(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1));
}

/** The last one is cut; where that is not enough, whichever is the widest. */
function fitted(columns: readonly Measured[], width: number): readonly Measured[] {
  const widths = columns.map((each) => each.width);
  const last = widths.length - 1;
  let over = totalOf(columns) - width;
  const cut = Math.max(0, Math.min(over, (widths[last] ?? 0) - LAST_MIN));
  widths[last] = (widths[last] ?? 0) - cut;
  for (over -= cut; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= 1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return columns.map((each, index) => ({ ...each, width: widths[index] ?? 0 }));
}
