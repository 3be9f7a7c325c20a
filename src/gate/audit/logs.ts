// The audit folder: one log for each process that writes, each in numbered files.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** The log of versions that shared one; it is read and verified, and never written to. */
export const SHARED_LOG = 'audit';

/** Names sort by the time at which the logs began. @param at an ISO date */
export function newLogName(at: string): string {
  return `audit-${stampOf(at)}-${randomBytes(4).toString('hex')}`;
}

/** When the log began, as a stamp; no line of it is older. Empty for the shared log. */
export function beginOf(log: string): string {
  return log.slice('audit-'.length, -'-00000000'.length);
}

/** @param at an ISO date */
export function stampOf(at: string): string {
  return at.replaceAll(/[-:.]/g, '');
}

export function isLogName(name: string): boolean {
  return logName.test(name);
}

export function logFile(folder: string, log: string, file: number): string {
  return path.join(folder, `${log}-${String(file).padStart(6, '0')}.jsonl`);
}

/** The logs in order of their names, each with the numbers of its files in order. */
export function listLogs(folder: string): Map<string, number[]> {
  const logs = new Map<string, number[]>();
  for (const name of fs.readdirSync(folder).toSorted()) {
    const [, log = '', number] = /^(.+)-(\d{6,9})\.jsonl$/.exec(name) ?? [];
    if (!isLogName(log)) continue;
    const files = logs.get(log) ?? [];
    files.push(Number(number));
    logs.set(log, files);
  }
  for (const files of logs.values()) files.sort((one, other) => one - other);
  return logs;
}

const logName = /^audit(?:-\d{8}T\d{9}Z-[0-9a-f]{8})?$/;
