// What plugins log and print, for people: which of it is shown, and how a line looks.
import type { LogRecord } from '../../fleet/plugin/logs/log-book.ts';
import { printable } from '../../base/printable.ts';
import type { Terminal } from './terminal.ts';

/** Quiet: errors. Usually: what is no debugging, and stderr. -v: all that was logged, what it printed to stdout, and its states. */
export function logShown(line: LogRecord, verbosity: number): boolean {
  if (verbosity > 0) return true;
  if (verbosity < 0) return line.source === 'plugin' && line.level === 'error';
  return line.source === 'stderr' || (line.source === 'plugin' && line.level !== 'debug');
}

export function tellLog(err: Terminal, line: LogRecord, verbosity: number): void {
  if (logShown(line, verbosity)) err.line(logText(err, line));
}

export function logText({ colours }: Terminal, { source, level, message, data }: LogRecord): string {
  const mark = source === 'plugin' ? marks[level] : { stderr: '|', stdout: '?', host: '·' }[source];
  const more = data === undefined ? '' : ` ${colours.dim(printable(JSON.stringify(data)))}`;
  const text = `${mark} ${printable(message.trimEnd())}${more}`;
  if (source !== 'plugin' || level === 'debug') return colours.dim(text);
  return level === 'error' ? colours.red(text) : level === 'warn' ? colours.yellow(text) : text;
}

const marks = { debug: '·', info: 'i', warn: '!', error: '✗' } as const;
