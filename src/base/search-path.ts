// Finds programs in PATH as a shell does, except in its relative parts.
import fs from 'node:fs';
import path from 'node:path';

export interface SearchPath {
  /** As in the variable PATH. */
  readonly path: string;
  /** Where the program is to run. */
  readonly cwd: string;
}

/** The first executable file of that name. Relative parts of PATH are skipped: a project could replace the user's programs there. */
export function findInPath(
  name: string,
  { path: folders }: SearchPath,
  accept: (file: string) => boolean = () => true,
): string | undefined {
  for (const folder of folders.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    for (const ending of endings(name)) {
      const file = path.join(folder, name + ending);
      if (kindOf(file) === 'executable' && accept(file)) return file;
    }
  }
  return undefined;
}

/** Pipes and devices do not count: opening one may block for ever. */
export function kindOf(file: string): 'executable' | 'file' | 'folder' | undefined {
  try {
    const stat = fs.statSync(file);
    if (stat.isDirectory()) return 'folder';
    if (!stat.isFile()) return undefined;
  } catch {
    return undefined;
  }
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return 'executable';
  } catch {
    return 'file';
  }
}

function endings(name: string): readonly string[] {
  if (process.platform !== 'win32' || path.extname(name) !== '') return [''];
  return ['.exe', '.com', '.cmd', '.bat', ''];
}
