// Log lines in the form of the specification. The wire has no word for logs, so they go to stderr, one JSON object a line.
import type { JsonObject } from '../../base/json.ts';
import type { LogEntry } from '../../definition/tool.ts';

export function logLine({ level, message, data }: LogEntry, now = new Date()): string {
  const line: JsonObject = {
    timestamp: now.toISOString().replace(/\.\d+Z$/, 'Z'),
    level: level.toUpperCase(),
    message,
    ...(data === undefined ? {} : { data }),
  };
  return JSON.stringify(line);
}
