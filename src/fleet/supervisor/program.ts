// From what a spec names to what the system can execute: the file, its interpreter, its arguments and its folder.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { ProgramSpec } from '../../definition/plugin-spec.ts';
import { splitCommandLine } from './command-line.ts';
import type { Python } from './python.ts';
import { findInPath, kindOf, type SearchPath } from '../../base/search-path.ts';
import { isWindowsProgram, readShebang, type Shebang } from './shebang.ts';

export interface ResolvedProgram {
  /** An absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The script, where an interpreter is what is executed. */
  readonly script?: string;
}

export interface ProgramContext {
  /** The name of the plugin, for errors. */
  readonly plugin: string;
  /** The PATH that the plugin gets. */
  readonly path: string;
  /** Where the host stands: relative paths of a plugin without a folder start here. */
  readonly hostFolder: string;
  /** What runs JavaScript. */
  readonly node: string;
  readonly python: Python;
}

/**
 * Finds out what to execute; nothing of the plugin is executed for that.
 * @throws PluglotError PROGRAM_NOT_FOUND, with the way out
 */
export async function resolveProgram(start: ProgramSpec, context: ProgramContext): Promise<ResolvedProgram> {
  const cwd = workingFolder(start, context);
  const search = { path: context.path, cwd };
  const { file, args: inner } = locate(start, cwd, search, context);
  const args = [...inner, ...(start.args ?? [])];
  const interpreted = await interpreterOf(file, start.folder ?? path.dirname(file), search, context);
  if (interpreted !== undefined) {
    const { command, options } = interpreted;
    return { command, args: [...options, file, ...args], cwd, script: file };
  }
  checkExecutable(file, search, context);
  const command = isPythonName(path.basename(file)) ? await context.python.realOf(file) : file;
  return { command, args, cwd };
}

function workingFolder(start: ProgramSpec, context: ProgramContext): string {
  const base = start.folder ?? context.hostFolder;
  const cwd = path.resolve(base, start.cwd ?? '.');
  if (kindOf(cwd) !== 'folder') {
    fail(
      context,
      `its working folder ${cwd} ${kindOf(cwd) === undefined ? 'does not exist' : 'is no folder'}. Create it, or correct "cwd".`,
    );
  }
  return cwd;
}

function locate(
  start: ProgramSpec,
  cwd: string,
  search: SearchPath,
  context: ProgramContext,
): { file: string; args: string[] } {
  const own = start.folder === undefined ? [] : [start.folder];
  const folders = { own, all: [...new Set([...own, cwd])] };
  const whole = find(start.command, folders, search, context);
  if (whole !== undefined) return { file: whole, args: [] };
  // A path may hold spaces, so a command is cut into words only when there is no such file.
  const [first, ...args] = splitCommandLine(start.command);
  const file = first === undefined || args.length === 0 ? undefined : find(first, folders, search, context);
  if (file !== undefined) return { file, args };
  return notFound(first ?? start.command, folders.all, search, context);
}

/** A bare name is one of the plugin's own files, else a program in PATH; never one of the folder that the user happens to stand in. */
function find(
  command: string,
  folders: { readonly own: readonly string[]; readonly all: readonly string[] },
  search: SearchPath,
  context: ProgramContext,
): string | undefined {
  const isPath = hasFolder(command);
  for (const folder of isPath ? folders.all : folders.own) {
    const file = path.resolve(folder, slashed(command));
    const kind = kindOf(file);
    if (kind === 'folder' && isPath) {
      fail(context, `${file} is a folder. "command" has to name the program in it.`);
    }
    if (kind === 'executable' || kind === 'file') return file;
  }
  if (isPath) return undefined;
  return (
    findInPath(command, search) ?? (command === 'node' && context.node !== '' ? context.node : undefined)
  );
}

function notFound(
  command: string,
  folders: readonly string[],
  search: SearchPath,
  context: ProgramContext,
): never {
  if (path.isAbsolute(command)) return fail(context, `${command} does not exist. Correct "command".`);
  if (hasFolder(command)) {
    return fail(
      context,
      `there is no ${command} in ${folders.join(' or ')}. Correct "command", or set "cwd".`,
    );
  }
  // There may be one that lacks a permission only: that is the better thing to say.
  for (const folder of search.path.split(path.delimiter)) {
    const file = path.resolve(folder, command);
    if (path.isAbsolute(folder) && kindOf(file) === 'file') return notExecutable(file, context);
  }
  const here = kindOf(path.resolve(search.cwd, command));
  const meant = here === undefined || here === 'folder' ? '' : `, or write "./${command}" for the file here`;
  return fail(
    context,
    `there is no program "${command}" in its PATH. Install it, or give its whole path as "command"${meant}.`,
  );
}

/** What runs a script by its name, whether or not it may be executed itself. */
async function interpreterOf(
  file: string,
  folder: string,
  search: SearchPath,
  context: ProgramContext,
): Promise<{ command: string; options: readonly string[] } | undefined> {
  const extension = path.extname(file).toLowerCase();
  const isJavaScript = extension === '.js' || extension === '.mjs' || extension === '.cjs';
  if (!isJavaScript && extension !== '.py') return undefined;
  const shebang = kindOf(file) === 'executable' ? readShebang(file) : undefined;
  if (shebang !== undefined && !speaksFor(shebang, isJavaScript ? isNodeName : isPythonName))
    return undefined;
  if (isJavaScript) return { command: context.node, options: [] };
  // A script that names the interpreter of a virtual environment needs that one.
  const named =
    shebang?.viaEnv === false && kindOf(shebang.program) === 'executable' ? shebang.program : undefined;
  const python = named ?? (await context.python.find(search, folder));
  if (python === undefined) {
    return fail(
      context,
      `${file} needs Python, and neither python3 nor python is in its PATH${findInPath('python3', search) ? ' outside of what confined programs can write to' : ''}. Install Python 3.`,
    );
  }
  // Unbuffered: an answer that waits in a buffer is no answer.
  return { command: python, options: ['-u'] };
}

/** Whether the first line names the interpreter that the ending of the file stands for, and no more than that. */
function speaksFor(shebang: Shebang, isFamily: (name: string) => boolean): boolean {
  return isFamily(path.basename(shebang.program)) && shebang.args.length === 0;
}

function checkExecutable(file: string, search: SearchPath, context: ProgramContext): void {
  if (process.platform !== 'win32' && (/\.(bat|cmd)$/i.test(file) || isWindowsProgram(file))) {
    fail(
      context,
      `${file} is a program for Windows and cannot run here. Name its script or its build for this system as "command".`,
    );
  }
  if (kindOf(file) !== 'executable') notExecutable(file, context);
  const shebang = readShebang(file);
  if (shebang === undefined || shebang.program === '') return;
  if (shebang.hasCarriageReturn) {
    fail(
      context,
      `the first line of ${file} (${shebang.line}) ends in CR LF, so that the system looks for an interpreter of another name. Save it with LF line ends.`,
    );
  }
  const exists =
    shebang.viaEnv && !hasFolder(shebang.program)
      ? // Options and variables of env itself are its own business.
        /^-|=/.test(shebang.program) || findInPath(shebang.program, search) !== undefined
      : kindOf(path.resolve(search.cwd, shebang.program)) === 'executable';
  if (!exists) {
    fail(
      context,
      `the first line of ${file} (${shebang.line}) names ${shebang.program}, which is not ${shebang.viaEnv ? 'in its PATH' : 'there'}. Install it, or correct the line.`,
    );
  }
}

function notExecutable(file: string, context: ProgramContext): never {
  return fail(context, `${file} may not be executed. Allow it: chmod +x ${shellWord(file)}`);
}

function fail({ plugin }: ProgramContext, what: string): never {
  throw new PluglotError('PROGRAM_NOT_FOUND', `Plugin "${plugin}" cannot be started: ${what}`);
}

function hasFolder(command: string): boolean {
  return slashed(command).includes('/');
}

/** Manifests written on Windows part folders with a backslash. */
function slashed(command: string): string {
  return command.startsWith('.\\') ? command.replaceAll('\\', '/') : command;
}

function isPythonName(name: string): boolean {
  return /^python(\d+(\.\d+)?)?$/.test(name);
}

function isNodeName(name: string): boolean {
  return name === 'node' || name === 'nodejs';
}
