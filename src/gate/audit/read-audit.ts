// The log for people: what happened, filtered. Damaged lines are left out; `verifyAudit` reports them.
import { lstatSync } from 'node:fs';
import { ownPart } from '../../definition/plugin-spec.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import type { AuditEvent } from './audit.ts';
import { readLine } from './line.ts';
import { logLines } from './log-lines.ts';
import { beginOf, listLogs, logFile, stampOf } from './logs.ts';

export interface AuditFilter {
  /** A tool or a command, by the name it is exposed under. */
  readonly tool?: string;
  readonly plugin?: string;
  /** The kind of a caller, its name, or that of its token or profile. */
  readonly caller?: string;
  readonly since?: Date;
  /** Denials alone. */
  readonly deniedOnly?: boolean;
  /** The last so many of those that fit. */
  readonly last?: number;
}

export interface AuditRecord {
  /** Counts the lines of its log. */
  readonly seq: number;
  readonly at: string;
  readonly event: AuditEvent;
  readonly file: string;
  readonly line: number;
}

/** Calls under way at once; more are not followed to their end. */
const FOLLOWED_MAX = 10_000;
const LAST_MAX = 100_000;

/** The logs of all processes together, in order of time; each in the order in which it was written. A folder without logs has none. */
export async function* readAudit(
  folder: string,
  filter: AuditFilter = {},
): AsyncGenerator<AuditRecord, void, undefined> {
  const logs = logsIn(folder);
  if (filter.last !== undefined) return yield* await lastOf(folder, logs, filter, filter.last);
  const fits = matcher(filter);
  for await (const record of merged(folder, logs)) if (fits(record)) yield record;
}

function logsIn(folder: string): ReadonlyMap<string, readonly number[]> {
  try {
    return listLogs(folder);
  } catch {
    return new Map();
  }
}

interface OpenLog {
  /** Not yet given out. */
  next: AuditRecord;
  readonly rest: AsyncGenerator<AuditRecord, void, undefined>;
}

/** A log is opened when its time has come, so that no more are open than were written at once. */
async function* merged(
  folder: string,
  logs: ReadonlyMap<string, readonly number[]>,
): AsyncGenerator<AuditRecord, void, undefined> {
  const later = [...logs].toSorted(([one], [other]) => (beginOf(one) < beginOf(other) ? -1 : 1));
  const open: OpenLog[] = [];
  try {
    for (;;) {
      let first = earliest(open);
      for (let [log] = later; log !== undefined; [log] = later) {
        if (first !== undefined && beginOf(log[0]) > stampOf(first.next.at)) break;
        later.shift();
        const rest = recordsOfLog(folder, ...log);
        const { value } = await rest.next();
        if (value) open.push({ next: value, rest });
        first = earliest(open);
      }
      if (first === undefined) return;
      yield first.next;
      const { value } = await first.rest.next();
      if (value) first.next = value;
      else open.splice(open.indexOf(first), 1);
    }
  } finally {
    for (const { rest } of open) await rest.return();
  }
}

function earliest(open: readonly OpenLog[]): OpenLog | undefined {
  let [first] = open;
  for (const one of open) if (first && one.next.at < first.next.at) first = one;
  return first;
}

/** From the file that was written last back, so that the last ten of a year are read at once. */
async function lastOf(
  folder: string,
  logs: ReadonlyMap<string, readonly number[]>,
  filter: AuditFilter,
  last: number,
): Promise<AuditRecord[]> {
  const wanted = Math.min(Math.max(0, Math.floor(last)), LAST_MAX);
  if (wanted === 0) return [];
  const files = [...logs]
    .flatMap(([log, numbers]) => numbers.map((number) => logFile(folder, log, number)))
    .map((file) => ({ file, changedAt: lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => other.changedAt - one.changedAt || (one.file < other.file ? 1 : -1));
  let found: AuditRecord[] = [];
  for (const { file, changedAt } of files) {
    const oldest = found.length < wanted ? undefined : found[0];
    if (oldest !== undefined && changedAt < Date.parse(oldest.at)) break;
    const fits = matcher(filter);
    let here: AuditRecord[] = [];
    for await (const record of recordsOf(file)) {
      if (!fits(record)) continue;
      here.push(record);
      if (here.length >= 2 * wanted) here = here.slice(-wanted);
    }
    found = joined(here, found).slice(-wanted);
  }
  return found;
}

/** Both in order of time; of the same time, those of the first come first. */
function joined(one: readonly AuditRecord[], other: readonly AuditRecord[]): AuditRecord[] {
  const all: AuditRecord[] = [];
  let at = 0;
  for (const record of other) {
    for (let next = one[at]; next !== undefined && next.at <= record.at; next = one[at]) {
      all.push(next);
      at += 1;
    }
    all.push(record);
  }
  return [...all, ...one.slice(at)];
}

async function* recordsOfLog(
  folder: string,
  log: string,
  numbers: readonly number[],
): AsyncGenerator<AuditRecord, void, undefined> {
  for (const number of numbers) yield* recordsOf(logFile(folder, log, number));
}

async function* recordsOf(file: string): AsyncGenerator<AuditRecord, void, undefined> {
  for await (const next of logLines(file)) {
    if (next.kind !== 'line') continue;
    const line = readLine(next.bytes);
    if (typeof line === 'string' || !isEvent(line.event)) continue;
    yield { seq: line.seq, at: line.at, event: line.event, file, line: next.number };
  }
}

/** The hash of the line was checked, so the kind determines the other members. */
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
          (tool === undefined || event.name === tool || ownPart(event.name) === tool) &&
          (plugin === undefined || event.plugin === plugin) &&
          (caller === undefined || isCalled(event.caller, caller)) &&
          (!deniedOnly || !event.allowed);
        if (fits && isAboutCalls && event.allowed && followed.size < FOLLOWED_MAX) followed.add(event.id);
        return fits;
      }
    }
  };
}

function isCalled({ kind, name, access, profile }: Caller, wanted: string): boolean {
  return [kind, name, access, profile].includes(wanted);
}
