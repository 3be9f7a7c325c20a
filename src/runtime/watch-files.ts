// Watches files, and reports those that change together once.
import type { Stats } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../base/clock.ts';

export interface WatchTargets {
  /** Files and folders. */
  readonly paths: readonly string[];
  /** How deep folders are watched. */
  readonly depth: number;
  /** Whether a folder that is created or removed is a change. @default false */
  readonly hasFolders?: boolean;
  readonly isIgnored: (file: string, kind: 'folder' | 'file' | 'other' | undefined) => boolean;
}

export interface Watching {
  close(): Promise<void>;
}

/** An editor writes a file in several steps, and a build many files. */
const QUIET_MS = 120;

/** Resolves when it watches; `changed` gets the files since the last time. */
export async function watchFiles(
  { paths, depth, hasFolders = false, isIgnored }: WatchTargets,
  clock: Clock,
  changed: (files: readonly string[]) => void,
): Promise<Watching> {
  const { watch } = await import('chokidar');
  const watcher = watch([...paths], {
    depth,
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    ignored: (file, stats) => isIgnored(path.resolve(file), stats && kindOf(stats)),
  });
  const files = new Set<string>();
  let callOff = () => {};
  watcher.on('all', (event, file) => {
    if (!hasFolders && (event === 'addDir' || event === 'unlinkDir')) return;
    files.add(file);
    callOff();
    callOff = clock.after(QUIET_MS, () => {
      const all = [...files];
      files.clear();
      changed(all);
    });
  });
  // A file that cannot be watched does not keep the others from it.
  watcher.on('error', () => {});
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return {
    async close() {
      callOff();
      await watcher.close();
    },
  };
}

function kindOf(stats: Stats): 'folder' | 'file' | 'other' {
  return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
}
