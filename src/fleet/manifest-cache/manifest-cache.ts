// Manifests of plugins from their last run, as files of the state folder: the dialect of a plugin need not be detected again, and the
// tools of one that starts on its first call are known before.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import type { Manifest } from '../../definition/manifest.ts';
import { dialectNames, type PluginSpec, type ProgramSpec } from '../../definition/plugin-spec.ts';

export interface CachedManifest {
  readonly manifest: Manifest;
  /** Its dialect allows tools that are not listed. */
  readonly takesUnlistedTools: boolean;
}

/** None of these throws: what cannot be stored is missing the next time. */
export interface ManifestCache {
  /** Undefined if it is unknown, or its program or configuration has changed since. */
  get(spec: PluginSpec): CachedManifest | undefined;
  set(spec: PluginSpec, cached: CachedManifest): void;
  delete(spec: PluginSpec): void;
}

// ManifestCache as files of the state folder, one each; the oldest go when there are many.

/** The version of the file format; others are not read. */
const VERSION = 2;
const SIZE_MAX = 2 * MiB;
const FILES_MAX = 500;

export function fileManifestCache(folder: string): ManifestCache {
  const fileOf = (spec: PluginSpec) => path.join(folder, `${identityOf(spec)}.json`);
  return {
    get(spec) {
      try {
        return read(fileOf(spec));
      } catch {
        return undefined;
      }
    },
    set(spec, cached) {
      const text = JSON.stringify({ form: VERSION, ...cached });
      if (text.length > SIZE_MAX) return;
      try {
        const file = fileOf(spec);
        if (textOf(file) === text) return;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const draft = `${file}.${randomUUID()}.tmp`;
        writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
        renameSync(draft, file);
        dropOldest(folder);
      } catch {
        // The next start detects it again.
      }
    },
    delete(spec) {
      rmSync(fileOf(spec), { force: true });
    },
  };
}

function textOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= 4 * SIZE_MAX ? readFileSync(file, 'utf8') : undefined;
}

/** Written by pluglot, maybe by another version. */
function read(file: string): CachedManifest | undefined {
  const text = textOf(file);
  const kept: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isJsonObject(kept) || kept['form'] !== VERSION) return undefined;
  const { manifest } = kept;
  if (!isJsonObject(manifest) || !Array.isArray(manifest['tools'])) return undefined;
  const isKnown = dialectNames.some((name) => name === manifest['dialect']);
  const { form: _, ...cached } = kept;
  // Its form was checked above.
  return isKnown ? (cached as unknown as CachedManifest) : undefined;
}

function dropOldest(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (names.length <= FILES_MAX) return;
  const files = names.map((name) => {
    const file = path.join(folder, name);
    return { file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  const oldest = files.toSorted((one, other) => one.at - other.at).slice(0, names.length - FILES_MAX);
  for (const { file } of oldest) rmSync(file, { force: true });
}

/** A hash of the start and the files it names. Programs found in PATH, and modules that they import, may change without it. */
function identityOf({ start, dialect, config, manifest, methods }: PluginSpec): string {
  const files = start.kind === 'program' ? filesOf(start) : [];
  const parts = [start, dialect, config, manifest, methods, files];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

function filesOf({ command, args = [], cwd, folder }: ProgramSpec): unknown[] {
  const base = cwd ?? folder;
  return [command, ...args].flatMap((word) => {
    if (base === undefined && !path.isAbsolute(word)) return [];
    const stats = statSync(path.resolve(base ?? '', word), { throwIfNoEntry: false });
    return stats?.isFile() === true ? [[word, stats.size, stats.mtimeMs]] : [];
  });
}
