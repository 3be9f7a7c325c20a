// The file of the trust store: validated on reading, written atomically.
import path from 'node:path';
import { sentences } from '../../base/text.ts';
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import { changeFile, readTextFile } from './files.ts';
import { otherWriters } from './paths.ts';

export interface TrustedPath {
  /** Canonical. */
  readonly path: string;
  readonly addedAt: string;
  /** Hashes by file, relative to the path. */
  readonly pins: Readonly<Record<string, string>>;
}

interface TrustList {
  readonly trusted: readonly TrustedPath[];
  /** Why nothing can be trusted. */
  readonly problem?: string;
}

const STORE_LIMIT = 16 * MiB;

/** @throws PluglotError CONFIG_INVALID when the list cannot be read; then it is not changed */
export async function changeTrustList(
  file: string,
  change: (trusted: readonly TrustedPath[]) => readonly TrustedPath[],
): Promise<void> {
  await changeFile(file, { mode: 0o600, enforceMode: true }, async () => {
    const { trusted, problem } = await readTrustList(file);
    // Writing now would lose earlier decisions of the user.
    if (problem !== undefined) {
      throw new PluglotError(
        'CONFIG_INVALID',
        sentences(problem, 'Repair it or move it away; it was left as it is.'),
      );
    }
    const next = change(trusted).toSorted((one, other) => (one.path < other.path ? -1 : 1));
    return `${JSON.stringify({ version: 1, trusted: next }, undefined, 2)}\n`;
  });
}

export async function readTrustList(file: string): Promise<TrustList> {
  const read = await readTextFile(file, STORE_LIMIT);
  if (read.kind === 'absent') return { trusted: [] };
  if (read.kind === 'unreadable')
    return { trusted: [], problem: `the list of what is trusted, ${file}, ${read.reason}` };
  // Who can change it controls what is run.
  const open = otherWriters(file, 'state');
  if (open !== undefined) {
    const { place, reason, fix } = open;
    return { trusted: [], problem: `the list of what is trusted is not safe: ${place} ${reason} (${fix})` };
  }
  const trusted = parse(read.text);
  return trusted ? { trusted } : { trusted: [], problem: `the list of what is trusted, ${file}, is damaged` };
}

function parse(text: string): TrustedPath[] | undefined {
  try {
    // Checked below.
    const value = JSON.parse(text) as Json;
    if (!isJsonObject(value) || value['version'] !== 1 || !Array.isArray(value['trusted'])) return undefined;
    const entries = value['trusted'].map(entryOf);
    return entries.every((entry) => entry !== undefined) ? entries : undefined;
  } catch {
    return undefined;
  }
}

function entryOf(value: Json): TrustedPath | undefined {
  if (!isJsonObject(value)) return undefined;
  const { path: place, addedAt, pins } = value;
  if (
    typeof place !== 'string' ||
    !path.isAbsolute(place) ||
    typeof addedAt !== 'string' ||
    !isJsonObject(pins)
  )
    return undefined;
  const hashes = Object.entries(pins);
  if (!hashes.every((pin): pin is [string, string] => typeof pin[1] === 'string')) return undefined;
  return { path: place, addedAt, pins: Object.fromEntries(hashes) };
}
