// Finds interpreters: Python, once, and the one that the first line of a script names. A shim, as of pyenv, would cost each start 0.26 s, so
// it is asked for the interpreter behind it.
import fs from 'node:fs';
import path from 'node:path';
import { kindOf, type SearchPath } from '../../base/search-path.ts';
import { findOutside, isInside, pathOutside, placesOnTheWay } from '../trust/paths.ts';
import { askProgram } from './ask-program.ts';

export interface Python {
  /** The interpreter of the virtual environment in that folder, if there is one. */
  own(folder: string): string | undefined;
  /** The interpreter for a plugin in that folder: its own, otherwise the one in PATH, if there is one. */
  find(search: SearchPath, folder: string): Promise<string | undefined>;
  /** The interpreter behind a file that may be a shim. */
  realOf(file: string): Promise<string>;
  /** Whether an interpreter in the folder is a link to one that a user of this machine would start too. */
  isOfSystem(file: string, folder: string): Promise<boolean>;
}

/**
 * Shims are run in this environment.
 * @param writable folders that confined programs can write to: interpreters there are ignored
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
  const ofPath = (searchPath: string, folders: readonly string[]) =>
    findOutside('python3', searchPath, folders) ?? findOutside('python', searchPath, folders);

  const isOfSystem: Python['isOfSystem'] = async (file, folder) => {
    // If its folder is elsewhere, so are the modules that the interpreter loads.
    if (!isInside(placeOf(folder), placeOf(path.dirname(file)))) return false;
    const target = placeOf(file);
    const searchPath = pathOutside([env['PATH'], ...systemFolders].join(path.delimiter), [
      ...(await writable()),
      folder,
    ]);
    const names = new Set([...placesOnTheWay(file).map((place) => path.basename(place)), 'python3']);
    for (const part of searchPath.split(path.delimiter))
      for (const name of names)
        if (isInterpreterName(name) && placeOf(path.join(part, name)) === target) return true;
    const usual = ofPath(searchPath, []);
    return usual !== undefined && placeOf(await realOf(usual)) === target;
  };

  return {
    own: ownInterpreter,
    async find(search, folder) {
      const file = ownInterpreter(folder) ?? ofPath(search.path, await writable());
      return file === undefined ? undefined : realOf(file);
    },
    realOf,
    isOfSystem,
  };
}

function ownInterpreter(folder: string): string | undefined {
  return ['.venv/bin/python', '.venv/Scripts/python.exe']
    .map((file) => path.join(folder, file))
    .find((file) => kindOf(file) === 'executable');
}

const systemFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin'];

function isInterpreterName(name: string): boolean {
  return /^(?:python|pypy)[\d.]*(?:\.exe)?$/.test(name);
}

function placeOf(file: string): string {
  return placesOnTheWay(file).at(-1) ?? file;
}

/** A shim searches other programs. */
function outside(
  env: Readonly<Record<string, string>>,
  folders: readonly string[],
): Readonly<Record<string, string>> {
  return env['PATH'] === undefined ? env : { ...env, PATH: pathOutside(env['PATH'], folders) };
}

/** Interpreters are not scripts. */
function isShim(file: string): boolean {
  return readShebang(file) !== undefined;
}

async function askShim(file: string, env: Readonly<Record<string, string>>): Promise<string> {
  const answer = await askProgram({
    command: file,
    args: ['-c', 'import sys; print(sys.executable)'],
    // A shim may use a version that the current folder names, which others may control.
    cwd: '/',
    env,
  });
  const interpreter = answer?.trim() ?? '';
  // A shim that does not answer may still work.
  return path.isAbsolute(interpreter) && kindOf(interpreter) === 'executable' ? interpreter : file;
}

// The first line of a script, with its interpreter.

export interface Shebang {
  /** The line without its end. */
  readonly line: string;
  /** The interpreter; for `/usr/bin/env NAME` the name to find in PATH. */
  readonly program: string;
  readonly args: readonly string[];
  readonly viaEnv: boolean;
  /** The line ends in CR LF: the system takes the CR as part of the name. */
  readonly hasCarriageReturn: boolean;
}

/** Undefined if the file has none or cannot be read. */
export function readShebang(file: string): Shebang | undefined {
  const start = firstBytes(file);
  if (!start.startsWith('#!')) return undefined;
  const [first = ''] = start.split('\n', 1);
  const line = first.trimEnd();
  const [interpreter = '', ...rest] = line.slice(2).trim().split(/\s+/);
  const viaEnv = path.basename(interpreter) === 'env';
  const words = viaEnv ? rest.filter((word) => word !== '-S') : [interpreter, ...rest];
  const [program = '', ...args] = words;
  return { line, program, args, viaEnv, hasCarriageReturn: first.endsWith('\r') };
}

/** The first bytes of Windows programs. */
export function isWindowsProgram(file: string): boolean {
  return firstBytes(file).startsWith('MZ');
}

/** As much as Linux reads. */
const LENGTH_MAX = 256;

function firstBytes(file: string): string {
  const buffer = Buffer.alloc(LENGTH_MAX);
  try {
    // Opening a pipe would block, and it may become one at any moment.
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      if (!fs.fstatSync(descriptor).isFile()) return '';
      return buffer.toString('latin1', 0, fs.readSync(descriptor, buffer));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return '';
  }
}
