// A log entry as a line of stderr, which is all that YAMS has for it.
import { jsonText } from '../../base/shown.ts';
import type { LogEntry } from '../../definition/tool.ts';

export function printedLog({ level, message, data }: LogEntry): string {
  return `${level}: ${message}${data === undefined ? '' : ` ${jsonText(data)}`}`;
}
