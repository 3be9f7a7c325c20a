// A run for the eyes: tables of at most 100 columns, colours on a terminal only.
import { formatTimes, tables } from './tables.mjs';

/** @typedef {import('../gate.mjs').Verdict} Verdict */
/** @typedef {import('../measure.mjs').Run} Run */
/** @typedef {{ bold(text: string): string, dim(text: string): string, green(text: string): string, red(text: string): string }} Paint */

/**
 * @param {Run} run
 * @param {readonly Verdict[]} verdicts
 * @param {boolean} colours
 */
export function terminalReport(run, verdicts, colours) {
  const paint = painter(colours);
  const parts = tables(run).map(({ title, note, columns, rows }) => {
    const lines = align([
      ['', ...columns],
      ...rows.map(({ contender, cells }) => [contender.label, ...cells]),
    ]);
    const painted = lines.map((line, index) => {
      if (index === 0) return paint.dim(line);
      return rows[index - 1]?.contender.kind === 'us' ? paint.green(line) : line;
    });
    return [paint.bold(title), paint.dim(note), ...painted].join('\n');
  });
  if (verdicts.length > 0) parts.push(promiseReport(verdicts, paint));
  if (Math.max(...run.disturbances) > 0.1) {
    const used = formatDisturbance(run.disturbances);
    parts.push(
      paint.red(`Other programs used ${used} of the processors: ratios shift, and the fastest lose most.`),
    );
  }
  return `\n${parts.join('\n\n')}\n`;
}

/**
 * @param {readonly Verdict[]} verdicts
 * @param {Paint} paint
 */
function promiseReport(verdicts, paint) {
  const broken = verdicts.filter(({ holds }) => !holds).length;
  const lines = align(
    verdicts.map((verdict) => [
      verdict.holds ? 'ok    ' : 'FAILED',
      verdict.promise,
      verdict.contenderLabel.replace('pluglot, ', ''),
      formatMeasured(verdict),
    ]),
    3,
  ).map((line, index) => (verdicts[index]?.holds ? paint.green(line) : paint.red(line)));
  const outcome =
    broken === 0 ? 'All promises hold.' : `${broken} of ${verdicts.length} promises are broken.`;
  return [paint.bold('Promises'), ...lines, broken === 0 ? paint.green(outcome) : paint.red(outcome)].join(
    '\n',
  );
}

/** @param {readonly number[]} parts one per section */
export function formatDisturbance(parts) {
  const percent = parts.map((part) => Math.round(part * 100));
  const [least, most] = [Math.min(...percent), Math.max(...percent)];
  return least === most ? `${least} %` : `${least} to ${most} %`;
}

/** @param {Verdict} verdict */
export function formatMeasured({ measured, unit }) {
  if (measured === undefined) return 'not measured';
  return unit === 'x' ? formatTimes(measured) : `${measured.toFixed(1)} ${unit}`;
}

/**
 * The first columns to the left, the figures to the right.
 * @param {readonly (readonly string[])[]} rows
 * @param {number} [left]
 */
function align(rows, left = 1) {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column < left ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

/**
 * @param {boolean} colours
 * @returns {Paint}
 */
function painter(colours) {
  const code = (/** @type {number} */ number) => (/** @type {string} */ text) =>
    colours ? `\u001B[${number}m${text}\u001B[0m` : text;
  return { bold: code(1), dim: code(2), green: code(32), red: code(31) };
}
