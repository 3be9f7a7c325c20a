// Which rows of a long list are drawn: all have one height, so that the place of each is a multiplication and no list of places is kept.

export interface RowWindow {
  readonly first: number;
  /** Behind the last. */
  readonly end: number;
  /** Where the first is, from the top of the list. */
  readonly offset: number;
}

/** Some more than are seen, so that a small scroll shows no gap. */
const SPARE = 6;

export function rowWindow(count: number, rowHeight: number, scrollTop: number, height: number): RowWindow {
  const seen = Math.ceil(height / rowHeight) + 1;
  const wanted = Math.floor(scrollTop / rowHeight) - SPARE;
  const first = Math.max(0, Math.min(wanted, count - seen - SPARE));
  const end = Math.min(count, Math.max(0, wanted) + seen + 2 * SPARE);
  return { first, end: Math.max(first, end), offset: first * rowHeight };
}

/** How far to scroll so that the row is seen. */
export function scrolledTo(row: number, rowHeight: number, scrollTop: number, height: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop;
}
