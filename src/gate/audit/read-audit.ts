// The log for people: what happened, filtered. Lines that are damaged are left out; `verifyAudit` tells of them.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { AuditEvent } from './audit.ts';
import { logFile, logFiles } from './head.ts';
import { readLine } from './line.ts';
import { logLines } from './log-lines.ts';

export interface AuditFilter {
  /** A tool or a command, by the name it is exposed under. */
  readonly tool?: string;
  readonly plugin?: string;
  /** The kind of a caller, or its name. */
  readonly caller?: string;
  readonly since?: Date;
  /** Decisions that said no, and nothing else. */
  readonly deniedOnly?: boolean;
  /** The last so many of those that fit. */
  readonly last?: number;
}

export interface AuditRecord {
  readonly seq: number;
  readonly at: string;
  readonly event: AuditEvent;
  readonly file: string;
  readonly line: number;
}

/** Calls under way at once; more are not followed to their end. */
const FOLLOWED_MAX = 10_000;
const LAST_MAX = 100_000;

/** In the order in which it was written. A folder without a log has none. */
export async function* readAudit(
  folder: string,
  filter: AuditFilter = {},
): AsyncGenerator<AuditRecord, void, undefined> {
  const files = filesOf(folder);
  if (filter.last === undefined) {
    const fits = matcher(filter);
    for (const file of files)
      for await (const record of recordsOf(folder, file)) if (fits(record)) yield record;
    return;
  }
  // From the newest file back, so that the last ten of a year are read at once.
  const wanted = Math.min(Math.max(0, Math.floor(filter.last)), LAST_MAX);
  let found: AuditRecord[] = [];
  for (const file of files.toReversed()) {
    if (found.length >= wanted) break;
    const fits = matcher(filter);
    let here: AuditRecord[] = [];
    for await (const record of recordsOf(folder, file)) {
      if (!fits(record)) continue;
      here.push(record);
      if (here.length >= 2 * wanted) here = here.slice(-wanted);
    }
    found = [...here, ...found];
  }
  if (wanted > 0) yield* found.slice(-wanted);
}

function filesOf(folder: string): number[] {
  try {
    return logFiles(folder);
  } catch {
    return [];
  }
}

async function* recordsOf(folder: string, number: number): AsyncGenerator<AuditRecord, void, undefined> {
  const file = logFile(folder, number);
  for await (const next of logLines(file)) {
    if (next.kind !== 'line') continue;
    const line = readLine(next.bytes);
    if (typeof line === 'string' || !isEvent(line.event)) continue;
    yield { seq: line.seq, at: line.at, event: line.event, file, line: next.number };
  }
}

/** Only what its hash vouches for comes here, so that the kind tells the rest. */
function isEvent(event: JsonObject): event is JsonObject & AuditEvent {
  switch (event['kind']) {
    case 'decided':
      return (
        typeof event['name'] === 'string' && typeof event['id'] === 'string' && isJsonObject(event['caller'])
      );
    case 'ended':
      return typeof event['id'] === 'string';
    case 'noted':
      return typeof event['what'] === 'string';
    default:
      return false;
  }
}

/** The end of a call has its id alone: it fits when its decision did. */
function matcher({
  tool,
  plugin,
  caller,
  since,
  deniedOnly = false,
}: AuditFilter): (record: AuditRecord) => boolean {
  const isAboutCalls = tool !== undefined || plugin !== undefined || caller !== undefined;
  const followed = new Set<string>();
  return ({ at, event }) => {
    if (since !== undefined && !(Date.parse(at) >= since.getTime())) return false;
    switch (event.kind) {
      case 'noted':
        return !isAboutCalls && !deniedOnly;
      case 'ended':
        if (deniedOnly) return false;
        return !isAboutCalls || followed.delete(event.id);
      case 'decided': {
        const fits =
          (tool === undefined || event.name === tool) &&
          (plugin === undefined || event.plugin === plugin) &&
          (caller === undefined || event.caller.kind === caller || event.caller.name === caller) &&
          (!deniedOnly || !event.allowed);
        if (fits && isAboutCalls && event.allowed && followed.size < FOLLOWED_MAX) followed.add(event.id);
        return fits;
      }
    }
  };
}
