// What the checks of a plugin found, for people: a row of marks for each theme, and what is wrong in full.
import { isFailed, type CheckReport, type CheckResult, type Grade } from '../../conformance/report.ts';
import { printable, printableLine } from '../../base/printable.ts';
import { inRows } from './in-rows.ts';
import type { Terminal } from './terminal.ts';
import { wrap } from './wrap.ts';

export function scorecard(report: CheckReport, terminal: Terminal, verbosity: number): string[] {
  const summary = summaryOf(report, terminal);
  if (verbosity < 0) return summary;
  const { bold, dim } = terminal.colours;
  const { plugin, dialect, tool } = report;
  const limits = report.results.filter(({ sdkLimit }) => sdkLimit !== undefined);
  const calls = tool === undefined ? [] : [dim(`called by its tool ${printableLine(tool)}`)];
  const themes = [...new Set(report.results.map(({ theme }) => theme))];
  const widest = Math.max(...themes.map((theme) => theme.length));
  return [
    ...inRows(`${bold(printableLine(plugin))}  `, [`${dim('checked as')} ${dialect}`, ...calls], {
      columns: terminal.columns,
      indent: '  ',
      separator: dim(', '),
    }),
    '',
    ...themes.flatMap((theme) => {
      const results = report.results.filter((result) => result.theme === theme);
      const shown = verbosity > 0 ? results : results.filter(isFailed);
      const details = shown.flatMap((result) => describe(result, terminal, verbosity));
      return [...row(theme, results, widest, terminal), ...details, ...(details.length > 0 ? [''] : [])];
    }),
    ...(verbosity > 0 || report.results.slice(-1).some(isFailed) ? [] : ['']),
    ...(limits.length > 0 ? limitsOf(report, limits, terminal) : []),
    ...summary,
  ];
}

/** What the author need not look at, but hosts and users may want to know. */
function limitsOf(
  { sdk = 'the SDK' }: CheckReport,
  limits: readonly CheckResult[],
  terminal: Terminal,
): string[] {
  const { bold, dim } = terminal.colours;
  const why = 'no plugin on it passes these, so they are not graded';
  return [
    ...wrap(`Limits of ${sdk}: ${why}`, terminal.columns, '  ').map((line, index) =>
      index === 0 ? `  ${bold(line.trimStart())}` : line,
    ),
    ...limits.flatMap((result) => {
      const [first = '', ...more] = wrap(result.title, terminal.columns, '      ');
      return [
        `    ${markOf(result, terminal)} ${first.trimStart()}`,
        ...more,
        ...wrap(`${result.sdkLimit}`, terminal.columns, '      ').map(dim),
      ];
    }),
    '',
  ];
}

/** `Framing   ✓✓✓✓✗✓✓✓✓  8 of 9` */
function row(theme: string, results: readonly CheckResult[], widest: number, terminal: Terminal): string[] {
  const { bold, dim } = terminal.colours;
  const counted = results.filter((result) => result.verdict === 'passed' || isFailed(result));
  const passed = counted.filter(({ verdict }) => verdict === 'passed').length;
  const marks = results.map((result) => markOf(result, terminal));
  const count = passed === counted.length ? String(passed) : `${passed} of ${counted.length}`;
  const head = `  ${bold(theme)}${' '.repeat(widest - theme.length)}  `;
  const indent = ' '.repeat(widest + 4);
  return inRows(head, [...marks, `  ${dim(count)}`], { columns: terminal.columns, indent, separator: '' });
}

function markOf({ verdict, severity, sdkLimit }: CheckResult, { colours }: Terminal): string {
  if (verdict === 'passed') return colours.green('✓');
  if (verdict === 'does-not-apply') return colours.dim('–');
  if (sdkLimit !== undefined) return colours.dim('~');
  switch (severity) {
    case 'error':
      return colours.red('✗');
    case 'warning':
      return colours.yellow('!');
    case 'info':
      return colours.blue('i');
  }
}

function describe(result: CheckResult, terminal: Terminal, verbosity: number): string[] {
  const { dim } = terminal.colours;
  const { title, id, seen, fix } = result;
  const isShort = title.length + id.length + MARGIN <= terminal.columns;
  const [first = '', ...more] = isShort
    ? [`      ${title}  ${dim(id)}`]
    : wrap(title, terminal.columns, '      ');
  const head = [
    `    ${markOf(result, terminal)} ${first.trimStart()}`,
    ...more,
    ...(isShort ? [] : [dim(`      ${id}`)]),
  ];
  if (!isFailed(result)) return [...head, ...(verbosity > 1 ? paragraph('', seen, terminal) : [])];
  return [...head, ...paragraph('seen', seen, terminal), ...paragraph('fix', fix, terminal)];
}

/** The first line is a sentence and is broken; what follows is the wire and is cut. */
function paragraph(label: string, text: string, { colours, columns }: Terminal): string[] {
  const [first = '', ...rest] = printable(text).split('\n');
  const [head = INDENT, ...others] = wrap(withBreaks(first, columns), columns, INDENT);
  return [
    `      ${colours.dim(label.padEnd(5))} ${head.slice(INDENT.length)}`,
    ...others,
    ...rest.filter((line) => line.trim() !== '').map((line) => colours.dim(`${INDENT}${cut(line, columns)}`)),
  ];
}

const INDENT = ' '.repeat(12);
/** Of the mark before a title, and the gap before its id. */
const MARGIN = 8;

/** JSON has words that are longer than a line. */
function withBreaks(text: string, columns: number): string {
  const width = Math.max(Math.min(columns, 100) - INDENT.length, 20);
  return text.replaceAll(new RegExp(`\\S{${width}}(?=\\S)`, 'g'), '$& ');
}

function cut(line: string, columns: number): string {
  const width = Math.max(columns - INDENT.length, 20);
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

function summaryOf({ counts, grade, durationMs }: CheckReport, { colours, columns }: Terminal): string[] {
  const { red, yellow, blue, green, dim } = colours;
  const parts = [
    green(`${counts.passed} passed`),
    counts.errors > 0 && red(counted(counts.errors, 'error')),
    counts.warnings > 0 && yellow(counted(counts.warnings, 'warning')),
    counts.hints > 0 && blue(counted(counts.hints, 'hint')),
    counts.sdkLimits > 0 && dim(`${counted(counts.sdkLimits, 'limit')} of the SDK`),
    counts.doesNotApply > 0 && dim(`${counts.doesNotApply} not applicable`),
    dim(`${(durationMs / 1000).toFixed(1)} s`),
  ].filter((part) => part !== false);
  return inRows(`  ${stamp(grade, colours)}  `, parts, { columns, indent: '  ', separator: dim(' · ') });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function stamp(
  grade: Grade,
  { bold, black, bgGreen, bgYellow, bgRed, isColorSupported }: Terminal['colours'],
) {
  if (!isColorSupported) return `Grade ${grade}`;
  const paint = { A: bgGreen, B: bgGreen, C: bgYellow, D: bgRed, F: bgRed }[grade];
  return paint(bold(black(` ${grade} `)));
}
