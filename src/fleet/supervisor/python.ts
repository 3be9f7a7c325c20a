// Finds the Python interpreter once. A shim, as of pyenv, is asked which interpreter it stands for: it would cost each start 0.26 s.
import path from 'node:path';
import { askProgram } from './ask-program.ts';
import { findInPath, kindOf, type SearchPath } from '../../base/search-path.ts';
import { readShebang } from './shebang.ts';

export interface Python {
  /** The interpreter for a plugin in that folder; undefined when there is none. */
  find(search: SearchPath, folder: string): Promise<string | undefined>;
  /** The interpreter behind a file that may be a shim. */
  realOf(file: string): Promise<string>;
}

/** The environment is what a shim is asked in. */
export function createPython(env: Readonly<Record<string, string>>): Python {
  const real = new Map<string, Promise<string>>();
  const realOf = (file: string): Promise<string> => {
    let answer = real.get(file);
    if (answer === undefined) {
      answer = isShim(file) ? askShim(file, env) : Promise.resolve(file);
      real.set(file, answer);
    }
    return answer;
  };
  return {
    async find(search, folder) {
      const own = ['.venv/bin/python', '.venv/Scripts/python.exe'].map((file) => path.join(folder, file));
      const file =
        own.find((file) => kindOf(file) === 'executable') ??
        findInPath('python3', search) ??
        findInPath('python', search);
      return file === undefined ? undefined : realOf(file);
    },
    realOf,
  };
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
