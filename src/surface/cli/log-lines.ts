// What plugins log and print, for people: which of it is shown, and how a line looks.
import { mostColumns, printable, wrapColumns } from '../../base/printable.ts';
import type { LogRecord } from '../../fleet/plugin/logs/log-book.ts';
import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from './terminal.ts';

/** Quiet: errors. Default: logs above debug, and stderr. -v: all logs, output on stdout, and states. */
export function logShown(line: LogRecord, verbosity: number): boolean {
  if (verbosity > 0) return true;
  if (verbosity < 0) return line.source === 'plugin' && line.level === 'error';
  return line.source === 'stderr' || (line.source === 'plugin' && line.level !== 'debug');
}

export function showLog(err: Terminal, line: LogRecord, verbosity: number): void {
  if (logShown(line, verbosity)) err.line(logText(err, line));
}

/** Each row on the screen has the mark, and `before` in front of it, so that none can be taken for a line of the host. */
export function logText(
  terminal: Terminal,
  { source, level, message, data }: LogRecord,
  before = '',
): string {
  const { colours } = terminal;
  const mark = source === 'plugin' ? marks[level] : { stderr: '|', stdout: '?', host: '·' }[source];
  const more = data === undefined ? '' : ` ${printable(JSON.stringify(data))}`;
  const paint = (text: string) => {
    if (source !== 'plugin' || level === 'debug') return colours.dim(text);
    return level === 'error' ? colours.red(text) : level === 'warn' ? colours.yellow(text) : text;
  };
  const text = printable(message.trimEnd());
  let left = text.length;
  return `${text}${more}`
    .split('\n')
    .flatMap((line) => {
      const rows = rowsOf(terminal, line, `${before}${mark} `).map((row) => {
        const own = row.slice(0, left);
        const rest = row.slice(left);
        left -= own.length;
        return `${before}${paint(`${mark} ${own}${rest === '' ? '' : colours.dim(rest)}`)}`;
      });
      left = Math.max(0, left - 1);
      return rows;
    })
    .join('\n');
}

/** A line of the host that ends with words of others; where it is too long for the screen, the mark begins each further row. */
export function markedLine(
  terminal: Terminal,
  head: string,
  text: string,
  { mark = '  | ', paint = (row: string) => row } = {},
): string {
  const plain = stripVTControlCharacters(head);
  const edge = mostColumns(plain) > mostColumns(mark) ? plain : mark;
  return text
    .split('\n')
    .flatMap((line) => rowsOf(terminal, line, edge))
    .map((row, index) => `${index === 0 ? head : mark}${paint(row)}`)
    .join('\n');
}

/** `edge` is what stands before each row. */
function rowsOf({ rowWidth }: Terminal, line: string, edge: string): string[] {
  if (rowWidth === undefined) return [line];
  // The last column stays free: some terminals begin the next row there.
  return wrapColumns(line, Math.max(1, rowWidth - mostColumns(stripVTControlCharacters(edge)) - 1));
}

const marks = { debug: '·', info: 'i', warn: '!', error: '✗' } as const;

/** Milliseconds since 1970 as `2026-11-17 09:05:00.123`. */
export function timeOf(time: number): string {
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().replace('T', ' ').slice(0, 23);
}
