// Finds the Python interpreter once. A shim, as of pyenv, is asked which interpreter it stands for: it would cost each start 0.26 s.
import path from 'node:path';
import { askProgram } from './ask-program.ts';
import { kindOf, type SearchPath } from '../../base/search-path.ts';
import { findOutside, pathOutside } from '../trust/containment.ts';
import { readShebang } from './shebang.ts';

export interface Python {
  /** The interpreter for a plugin in that folder; undefined when there is none. */
  find(search: SearchPath, folder: string): Promise<string | undefined>;
  /** The interpreter behind a file that may be a shim. */
  realOf(file: string): Promise<string>;
}

/**
 * The environment is what a shim is asked in.
 * @param writable folders that confined programs can write to: no interpreter is looked for there
 */
export function createPython(
  env: Readonly<Record<string, string>>,
  writable: () => Promise<readonly string[]> = async () => [],
): Python {
  const real = new Map<string, Promise<string>>();
  const realOf = (file: string): Promise<string> => {
    let answer = real.get(file);
    if (answer === undefined) {
      answer = isShim(file)
        ? writable().then((folders) => askShim(file, outside(env, folders)))
        : Promise.resolve(file);
      real.set(file, answer);
    }
    return answer;
  };
  return {
    async find(search, folder) {
      const own = ['.venv/bin/python', '.venv/Scripts/python.exe'].map((file) => path.join(folder, file));
      const folders = await writable();
      const file =
        own.find((file) => kindOf(file) === 'executable') ??
        findOutside('python3', search.path, folders) ??
        findOutside('python', search.path, folders);
      return file === undefined ? undefined : realOf(file);
    },
    realOf,
  };
}

/** A shim looks for other programs. */
function outside(
  env: Readonly<Record<string, string>>,
  folders: readonly string[],
): Readonly<Record<string, string>> {
  return env['PATH'] === undefined ? env : { ...env, PATH: pathOutside(env['PATH'], folders) };
}

/** Interpreters are no scripts. */
function isShim(file: string): boolean {
  return readShebang(file) !== undefined;
}

async function askShim(file: string, env: Readonly<Record<string, string>>): Promise<string> {
  const answer = await askProgram({
    command: file,
    args: ['-c', 'import sys; print(sys.executable)'],
    // A shim may look for a version that the current folder names, which may be anybody's.
    cwd: '/',
    env,
  });
  const interpreter = answer?.trim() ?? '';
  // A shim that does not answer may still do its work.
  return path.isAbsolute(interpreter) && kindOf(interpreter) === 'executable' ? interpreter : file;
}
