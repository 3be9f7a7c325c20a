// Short facts one after the other, in as many lines as the width takes.
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from './text-width.ts';

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
