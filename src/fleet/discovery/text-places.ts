// From an offset in a text to what a person calls the place: line and column.

export interface Place {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** For one place of a text; where many are asked for, `placesIn` is the one to use. */
export function placeOf(text: string, offset: number): Place {
  return placesIn(text)(offset);
}

export function placesIn(text: string): (offset: number) => Place {
  const lineStarts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lineStarts.push(end + 1);
  return (offset) => {
    let low = 0;
    let high = lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 };
  };
}
