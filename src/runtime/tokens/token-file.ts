// Where tokens are kept: a file that all hosts of the user share, read with suspicion and written in one piece; or memory.
import { unwatchFile, watch, watchFile, type FSWatcher } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import { sentence, sentences, shellWord } from '../../base/text.ts';
import { changeFile, readTextFile } from '../../fleet/trust/files.ts';
import { otherWriters } from '../../fleet/trust/paths.ts';

export interface TokenRecord {
  /** Made with the token. Undefined for tokens of earlier versions. */
  readonly id?: string;
  readonly name: string;
  readonly purpose: string;
  readonly profile?: string;
  readonly sha256: string;
  readonly createdAt: string;
  readonly lastUsedAt?: string;
  readonly expiresAt?: string;
  /** Of the one that `pluglot up` prints at every start; of all others the hash alone is kept. */
  readonly secret?: string;
}

export interface TokenKeeper {
  /** @throws PluglotError CONFIG_INVALID when it cannot be read: then no token is accepted */
  read(): Promise<readonly TokenRecord[]>;
  /** No other process changes them meanwhile. @throws PluglotError CONFIG_INVALID when they cannot be read or written */
  change(change: (records: readonly TokenRecord[]) => readonly TokenRecord[]): Promise<void>;
  /** Calls when they may have changed; the returned function ends that. */
  watch(listener: () => void): () => void;
  /** The token of before there were several, which clients may still have. */
  readOldToken(): Promise<string | undefined>;
  dropOldToken(): Promise<void>;
}

const FILE_MAX = MiB;
const POLL_MS = 1000;

export function tokenFile(stateFolder: string): TokenKeeper {
  const file = path.join(stateFolder, 'access-tokens.json');
  const old = path.join(stateFolder, 'http-token');
  const read = async (): Promise<readonly TokenRecord[]> => {
    const found = await readTextFile(file, FILE_MAX);
    if (found.kind === 'absent') return [];
    if (found.kind === 'unreadable') throw unusable(`${file} ${found.reason}`);
    if ((found.mode & 0o077) !== 0)
      throw unusable(
        `other users may open ${file} (mode ${found.mode.toString(8)})`,
        `Run: chmod 600 ${shellWord(file)}`,
      );
    const open = otherWriters(file, 'state');
    if (open !== undefined) throw unusable(`${open.place} ${open.reason}`, `Run: ${open.fix}`);
    const records = parse(found.text);
    if (records === undefined) throw unusable(`${file} is damaged; move it away`);
    return records;
  };
  return {
    read,
    change: (change) =>
      changeFile(file, { mode: 0o600, enforceMode: true }, async () => textOf(change(await read()))),
    watch: (listener) => watched(file, listener),
    async readOldToken() {
      const found = await readTextFile(old, 1024);
      // One that others can read is known to others.
      const text = found.kind === 'read' && (found.mode & 0o077) === 0 ? found.text.trim() : '';
      return /^[\w-]{43,200}$/.test(text) ? text : undefined;
    },
    dropOldToken: () => rm(old, { force: true }),
  };
}

/** For tests and hosts that keep no state. */
export function tokensInMemory(known: readonly TokenRecord[] = []): TokenKeeper {
  let kept = known;
  return {
    read: () => Promise.resolve(kept),
    async change(change) {
      kept = change(kept);
    },
    watch: () => () => {},
    readOldToken: () => Promise.resolve(undefined),
    dropOldToken: () => Promise.resolve(),
  };
}

/** Watches the folder, since the file is replaced as a whole. Also polls: network file systems give no events. */
function watched(file: string, listener: () => void): () => void {
  watchFile(file, { interval: POLL_MS, persistent: false }, listener);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path.dirname(file), { persistent: false }, (_, name) => {
      if (name === null || name === path.basename(file)) listener();
    });
    watcher.on('error', () => {});
  } catch {
    // Polling is enough.
  }
  return () => {
    watcher?.close();
    unwatchFile(file, listener);
  };
}

function textOf(records: readonly TokenRecord[]): string {
  return `{ "version": 1, "tokens": [\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n] }\n`;
}

function parse(text: string): TokenRecord[] | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    return undefined;
  }
  const tokens = isJsonObject(value) && value['version'] === 1 ? value['tokens'] : undefined;
  return Array.isArray(tokens) && tokens.every(isRecord) ? [...tokens] : undefined;
}

function isRecord(value: unknown): value is TokenRecord & JsonObject {
  if (!isJsonObject(value)) return false;
  const isText = (key: string) => typeof value[key] === 'string';
  const mayBeText = (key: string) => value[key] === undefined || isText(key);
  return (
    ['name', 'purpose', 'sha256', 'createdAt'].every(isText) &&
    ['id', 'profile', 'lastUsedAt', 'expiresAt', 'secret'].every(mayBeText)
  );
}

function unusable(why: string, fix?: string): PluglotError {
  const problem = sentence(`Access tokens cannot be used: ${why}`);
  return new PluglotError('CONFIG_INVALID', sentences(problem, fix));
}
