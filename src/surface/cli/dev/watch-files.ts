// Tells that files have changed, once for all that change together.
import type { Stats } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import type { WatchTargets } from './watch-targets.ts';

export interface Watching {
  close(): Promise<void>;
}

/** An editor writes a file in several steps, and a build many files. */
const QUIET_MS = 120;

/** Resolves when it looks; `changed` gets the files since the last time. */
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
  // What cannot be watched is looked at no more; the rest is.
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
