// Columns for people: as wide as what is in them, and together no wider than the terminal.
import { stripVTControlCharacters } from 'node:util';
import { printableLine } from '../../base/printable.ts';
import type { Terminal } from './terminal.ts';

export interface Column {
  readonly title: string;
  readonly style?: (text: string) => string;
  /** Where the terminal is too narrow it is shortened or left out, the lowest number first. @default it stays */
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

/** Cut to the width of a terminal; a pipe or a file gets all of it. */
export function printTable<Row>(
  { rowWidth = Infinity, colours, line }: Terminal,
  rows: readonly Row[],
  columns: readonly (Column & { readonly cell: (row: Row) => string })[],
): void {
  const content = rows.map((row) => columns.map(({ cell }) => cell(row)));
  for (const text of table(columns, content, rowWidth, colours.bold)) line(text);
}

const CELL_MAX = 5000;
const GAP = '  ';
/** The last column may be cut to this before others are left out. */
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

export interface RowOptions {
  readonly columns: number;
  /** Of the lines after the first. */
  readonly indent: string;
  readonly separator: string;
}

/** Each part stays whole; a line is broken between them. The parts may have colours. */
export function inRows(
  head: string,
  parts: readonly string[],
  { columns, indent, separator }: RowOptions,
): string[] {
  const rows: string[] = [];
  let row = head;
  let isBegun = false;
  for (const part of parts) {
    const longer = isBegun ? `${row}${separator}${part}` : `${row}${part}`;
    if (shownWidth(longer) <= columns) row = longer;
    else {
      rows.push(row.trimEnd());
      row = `${indent}${part}`;
    }
    isBegun = true;
  }
  return [...rows, row.trimEnd()];
}

function shownWidth(text: string): number {
  return widthOf(stripVTControlCharacters(text));
}

export function widthOf(text: string): number {
  // Most texts are of this kind.
  if (!NOT_ONE.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

/** The beginning of it that takes no more than so many columns; what is missing is shown by a mark. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  let taken = 1;
  for (const character of text) {
    taken += widthOfOne(character);
    if (taken > width) break;
    cut += character;
  }
  return width < 1 ? '' : `${cut}…`;
}

function widthOfOne(character: string): number {
  return NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

const NOT_ONE = /[^\u0020-\u02FF\u2010-\u22FF\u2500-\u25FF]/u;
/** Marks on the character before and selectors of its form, and joiners. */
const NONE = /^[\p{M}\u200B-\u200D\u2060]$/u;
/** What Unicode calls wide or full, as far as fonts have it: East Asian scripts and pictures. */
const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{1B2FF}\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]$/u;

/** Lines of at most 100 columns, each with the indent. */
export function wrap(text: string, columns: number, indent: string): string[] {
  const width = Math.max(Math.min(columns, 100) - indent.length, 20);
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(/\s+/).filter(Boolean)) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(`${indent}${line}`);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    return line === '' ? lines : [...lines, `${indent}${line}`];
  });
}
