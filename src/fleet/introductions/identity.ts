// Whether a plugin is the one that it was: by what is configured for it, and by the files that its command line names.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { PluginSpec, ProgramSpec } from '../../definition/plugin-spec.ts';

/** Programs that are found by their names, and what they import, may change without it. */
export function identityOf({ start, dialect, config, manifest, methods }: PluginSpec): string {
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
