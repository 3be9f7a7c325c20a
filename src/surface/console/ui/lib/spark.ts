// A row of numbers as the line of a small drawing.

/** Paths in a box of this width and height; undefined where there is nothing but zeros. */
export function sparkPaths(
  values: readonly number[],
  width: number,
  height: number,
): { line: string; area: string } | undefined {
  const most = values.reduce((high, value) => Math.max(high, value), 0);
  if (values.length < 2 || !(most > 0) || !Number.isFinite(most)) return undefined;
  const step = width / (values.length - 1);
  const points = values.map((value, index) => {
    const part = Math.min(1, Math.max(0, value / most));
    return `${rounded(index * step)} ${rounded(height - 1 - part * (height - 2))}`;
  });
  const line = `M${points.join('L')}`;
  return { line, area: `${line}L${width} ${height}L0 ${height}Z` };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
