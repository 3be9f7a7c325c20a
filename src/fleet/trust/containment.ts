// Which folder a path really lies in.
import { realpath } from 'node:fs/promises';
import path from 'node:path';

/** By component: `/a/b` holds `/a/b` and `/a/b/c`, not `/a/bc`. Both absolute and canonical. */
export function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** Where a path leads after all symbolic links; undefined when it leads nowhere. */
export async function canonical(file: string): Promise<string | undefined> {
  try {
    return await realpath(file);
  } catch {
    return undefined;
  }
}
